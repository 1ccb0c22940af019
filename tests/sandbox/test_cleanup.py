"""Nothing is left behind, whatever happens."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from docker import APIClient

from harness.sandbox.base_image import base_image
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.engine import connect
from harness.sandbox.images import build
from harness.sandbox.labels import HOST, OWNER, RUN, STAGE, first_stage, labels, remove_orphans, remove_run
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.task import Suite
    from harness.trial import TrialKey

pytestmark = pytest.mark.docker

VICTIM = """
import pickle, signal, sys, time
from pathlib import Path
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.tree import Tree
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may have it ignored
suite, key = pickle.load(open(sys.argv[1], "rb"))
with DockerSandbox(suite=suite, run_id=sys.argv[2], state=Path(sys.argv[3]), jobs=2) as sandbox:
    sandbox.prepare()
    with sandbox.open(suite.tasks[0], Tree(), key) as box:
        print("open", flush=True)
        box.workspace.run(("sleep", "60"), seconds=60)
"""


@pytest.fixture
def client() -> Iterator[APIClient]:
    """The engine's client."""
    found = connect()
    yield found
    found.close()


def left(client: APIClient, run: str) -> tuple[int, int]:
    """Containers and volumes with a run's label."""
    wanted = {"label": f"{RUN}={run}"}
    return len(client.containers(all=True, filters=wanted)), len(client.volumes(filters=wanted)["Volumes"] or [])


@pytest.fixture
def victim(suite: Suite, key: TrialKey, run_id: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process in the middle of a trial of the run `victim`."""
    (tmp_path / "given").write_bytes(pickle.dumps((suite, key)))
    command = [sys.executable, "-c", VICTIM, str(tmp_path / "given"), f"victim-{run_id}", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield process
        process.kill()


def test_a_closed_sandbox_leaves_nothing_even_when_scoring_raised(
    suite: Suite, key: TrialKey, client: APIClient, run_id: str, tmp_path: Path
) -> None:
    sandbox = DockerSandbox(suite=suite, run_id=f"raises-{run_id}", state=tmp_path, jobs=2)
    sandbox.prepare()
    with pytest.raises(ZeroDivisionError), sandbox, sandbox.open(suite.tasks[0], Tree(), key):
        _ = 1 / 0
    assert left(client, f"raises-{run_id}") == (0, 0)
    assert not (tmp_path / f"sandbox/raises-{run_id}").exists()


def test_an_interrupt_in_the_middle_of_a_trial_leaves_nothing(
    victim: subprocess.Popen[bytes], client: APIClient, run_id: str
) -> None:
    assert left(client, f"victim-{run_id}")[0] >= 1
    victim.send_signal(signal.SIGINT)
    victim.wait(30)
    assert left(client, f"victim-{run_id}") == (0, 0)


def test_what_a_killed_run_leaves_is_removed_by_the_next_one_and_ends_by_itself(
    victim: subprocess.Popen[bytes], client: APIClient, run_id: str
) -> None:
    remove_orphans(client)
    assert left(client, f"victim-{run_id}")[0] >= 1
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    deadline = time.monotonic() + 15
    while client.containers(filters={"label": f"{RUN}=victim-{run_id}"}):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    remove_orphans(client)
    assert left(client, f"victim-{run_id}") == (0, 0)


def test_thirty_running_containers_with_volumes_are_gone_in_seconds(
    suite: Suite, key: TrialKey, client: APIClient, run_id: str, tmp_path: Path
) -> None:
    task = suite.tasks[0]
    with ExitStack() as opened:
        sandbox = DockerSandbox(suite=suite, run_id=f"many-{run_id}", state=tmp_path, jobs=15)
        sandbox.prepare()
        with ThreadPoolExecutor(4) as hands:
            boxes = [hands.submit(opened.enter_context, sandbox.open(task, Tree(), key)) for _ in range(15)]
            for box in boxes:
                box.result().workspace.run(("bash", "-c", "trap '' TERM INT; sleep 99 &"), seconds=5)
        wanted = {"label": f"{RUN}=many-{run_id}"}
        while len(client.containers(filters=wanted)) < 30:  # an agent's and a grader's for each
            time.sleep(0.1)
        started = time.monotonic()
        sandbox.close()
        seconds = time.monotonic() - started
        assert left(client, f"many-{run_id}") == (0, 0)
    assert seconds < 30


def test_containers_of_a_living_run_or_of_another_machine_are_let_alone(
    suite: Suite, client: APIClient, run_id: str, tmp_path: Path
) -> None:
    with DockerSandbox(suite=suite, run_id=f"alive-{run_id}", state=tmp_path, jobs=2) as sandbox:
        sandbox.prepare()
        image = next(iter(sandbox.images.values()))
    client.create_container(image, ["true"], labels=labels(f"alive-{run_id}"))
    client.create_container(image, ["true"], labels={RUN: f"alive-{run_id}", OWNER: "1:1", HOST: "elsewhere"})
    remove_orphans(client)
    assert remove_run(client, f"alive-{run_id}") == 2


def untagged(client: APIClient, words: str, tag: str) -> str:
    """The id of an image with these labels and no tag, as a build's first stage is."""
    base = base_image(client, "", lambda _: None)
    build(client, tag, {"Dockerfile": f"FROM {base.id}\nLABEL {words}\n".encode()})
    made = str(client.inspect_image(tag)["Id"])
    client.tag(base.id, tag)
    client.remove_image(tag)
    return made


def test_a_builds_first_stage_goes_with_it_and_those_of_the_dead_but_not_of_builds_that_go_on(client: APIClient) -> None:
    tag = f"harness/test-stage:{os.getpid()}"
    mine = labels("stage")
    other = untagged(client, f'{STAGE}="other" {OWNER}="{mine[OWNER]}" {HOST}="{mine[HOST]}"', tag)
    dead = untagged(client, f'{STAGE}="dead" {OWNER}="999999999:1" {HOST}="{mine[HOST]}"', tag)
    with first_stage(client) as words:
        ours = untagged(client, words, tag)
    left = {image["Id"] for image in client.images(filters={"label": STAGE, "dangling": True})}
    client.remove_image(other, force=True)
    assert left & {other, dead, ours} == {other}


def test_an_engine_that_is_gone_when_a_build_has_failed_leaves_the_builds_own_error() -> None:
    gone = APIClient(base_url="tcp://127.0.0.1:1", version="1.41", timeout=5)
    with pytest.raises(ValueError, match="the build"), first_stage(gone):
        raise ValueError("the build")
    gone.close()
