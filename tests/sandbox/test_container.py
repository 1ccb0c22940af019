"""The engine's client where it is at its worst: it gives up, and the engine goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from docker import APIClient
from requests.exceptions import ReadTimeout

from harness.ports import TrialEndedError
from harness.sandbox.container import Bounds, Container, Spec
from harness.sandbox.docker_sandbox import AGENT
from harness.sandbox.engine import connect, endpoint
from harness.sandbox.grading import Grader
from harness.sandbox.images import ENVIRONMENT
from harness.sandbox.labels import RUN, labels, remove_run
from harness.sandbox.workspace import FOLDER, DockerWorkspace
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.sandbox.docker_sandbox import DockerSandbox

pytestmark = pytest.mark.docker


@pytest.fixture
def run(run_id: str) -> Iterator[str]:
    """A run of a test's own; nothing of it is left."""
    yield f"container-{run_id}"
    with closing(connect()) as client:
        remove_run(client, f"container-{run_id}")


@pytest.fixture
def spec(sandbox: DockerSandbox, run: str) -> Spec:
    """An agent's container of that run."""
    return Spec(
        image=next(iter(sandbox.images.values())),
        argv=(f"{ENVIRONMENT}/bin/python", "-I", "-m", "harness_inside.agent"),
        user=AGENT,
        labels=labels(run),
        bounds=Bounds(memory_mb=128, files_mb=32, cpus=1.0),
        volume=FOLDER,
    )


def test_a_command_may_be_silent_for_longer_than_the_client_waits_for_the_engine(spec: Spec) -> None:
    with closing(connect()) as client, ThreadPoolExecutor(1) as hands:
        client.timeout = 1
        workspace = DockerWorkspace(Container(client, spec), hands)
        workspace.fill(Tree())
        result = workspace.run(("bash", "-c", "sleep 3; exit 7"), seconds=20)
        workspace.wait_until_gone()
    assert (result.exit_code, result.timed_out) == (7, False)


def test_a_grader_that_does_not_start_is_missing_with_its_own_last_words(spec: Spec) -> None:
    broken = replace(spec, argv=("bash", "-c", "echo a broken image >&2; exit 3"))
    with closing(connect()) as client, ThreadPoolExecutor(1) as hands:
        grader = Grader(Container(client, broken), hands)
        with pytest.raises(TrialEndedError, match="missing: grader: the grader did not start: ClosedError a broken image"):
            grader.wait()
        grader.release()


class Late(APIClient):
    """A client that gives up while the engine makes the container."""

    def create_container(self, *arguments: Any, **options: Any) -> NoReturn:  # noqa: ANN401  (the client's own signature)
        """Have it made, and never hear of it."""
        super().create_container(*arguments, **options)
        raise ReadTimeout


def test_a_container_that_is_made_after_the_client_gave_up_is_found_by_its_label_and_removed(spec: Spec, run: str) -> None:
    host, tls = endpoint()
    with closing(Late(base_url=host, tls=tls or False, version="auto")) as client:
        with pytest.raises(ReadTimeout):
            Container(client, spec)
        wanted = {"label": f"{RUN}={run}"}
        assert [found["State"] for found in client.containers(all=True, filters=wanted)] == ["created"]
        assert remove_run(client, run) == 1
        assert client.containers(all=True, filters=wanted) == []
        assert not client.volumes(filters=wanted)["Volumes"]
