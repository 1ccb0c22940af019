"""Labels of what a run makes, and removal by label: at the end, at the start of the next run, after Ctrl-C at any moment.

Whatever is labelled names its owner, so that runs side by side leave each other's alone and the dead's is found.
"""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from docker.errors import APIError, NotFound

from harness.sandbox.container import remove
from harness.sandbox.engine import FAULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from docker import APIClient

RUN = "harness.run"
OWNER = "harness.owner"
HOST = "harness.host"
STAGE = "harness.stage"
HANDS = 8


def labels(run: str) -> dict[str, str]:
    """The labels of one run's containers and volumes, naming this process as their owner."""
    return {RUN: run, OWNER: _identity(os.getpid()), HOST: socket.gethostname()}


@contextmanager
def first_stage(client: APIClient) -> Iterator[str]:
    """Labels, as a recipe's LABEL takes them, for the first stage of one build: its image is removed on leaving.

    It may hold the host's certificates, and nothing needs it any more. What builds of dead processes left goes with it.
    """
    mine = {STAGE: uuid4().hex, OWNER: _identity(os.getpid()), HOST: socket.gethostname()}
    try:
        yield " ".join(f'{name}="{value}"' for name, value in mine.items())
    finally:
        with suppress(*FAULTS):  # an engine that fails here has failed the build too, which says it better; the next one sweeps
            for image in client.images(filters={"label": [STAGE, f"{HOST}={mine[HOST]}"], "dangling": True}):
                if image["Labels"][STAGE] == mine[STAGE] or _orphaned(image["Labels"]):
                    with suppress(APIError):  # in use by the end of its build: left for the next one
                        client.remove_image(image["Id"], force=True)


def remove_run(client: APIClient, run: str) -> int:
    """Remove everything that a run made; how many containers there were."""
    return _remove(client, {"label": f"{RUN}={run}"}, lambda _: True)


def remove_orphans(client: APIClient) -> int:
    """Remove what dead processes of this machine left behind; how many containers there were."""
    return _remove(client, {"label": [RUN, f"{HOST}={socket.gethostname()}"]}, _orphaned)


def _remove(client: APIClient, filters: Mapping[str, str | list[str]], wanted: Callable[[Mapping[str, str]], bool]) -> int:
    found = [item["Id"] for item in client.containers(all=True, filters=dict(filters)) if wanted(item["Labels"])]
    _all_at_once(client, remove, found)
    volumes = client.volumes(filters=dict(filters))["Volumes"] or []
    _all_at_once(client, _remove_volume, [item["Name"] for item in volumes if wanted(item["Labels"] or {})])
    return len(found)


def _all_at_once(client: APIClient, action: Callable[[APIClient, str], None], names: Iterable[str]) -> None:
    """Do it side by side; one that fails leaves the others, and stays for the next sweep."""

    def one(name: str) -> None:
        try:
            action(client, name)
        except FAULTS:
            return

    with ThreadPoolExecutor(HANDS) as hands:
        list(hands.map(one, names))


def _remove_volume(client: APIClient, name: str) -> None:
    try:
        client.remove_volume(name)
    except NotFound:
        return
    except APIError as error:
        if error.status_code != 409:  # noqa: PLR2004  (HTTP: still in use, its container is being removed)
            raise


def _orphaned(found: Mapping[str, str]) -> bool:
    owner = found.get(OWNER, "")
    pid = owner.partition(":")[0]
    return not (pid.isdigit() and _identity(int(pid)) == owner)


def _identity(pid: int) -> str:
    """A process by number and start time, so that a number used again is another process; empty when it does not run."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return "" if not _runs(pid) else f"{pid}:"
    return f"{pid}:{fields[19]}"


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
