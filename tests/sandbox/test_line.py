"""A program in the container with a way to the model: the socket, what it can reach, and the limit on silence."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import TYPE_CHECKING

import pytest

from harness.ports import Mounted
from harness.tree import Tree
from harness.wiring.session import LAUNCHER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.sandbox.docker_sandbox import DockerSandbox
    from harness.task import Task
    from harness.trial import TrialKey

pytestmark = pytest.mark.docker
ASK = "import os, urllib.request; print(urllib.request.urlopen(os.environ['ANTHROPIC_BASE_URL'] + '/x').read().decode())"


class _Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"heard {self.path}".encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounted]:
    folder = tmp_path_factory.mktemp("l")
    folder.chmod(0o755)
    server = ThreadingUnixStreamServer(str(folder / "relay.sock"), _Answering)
    Path(folder / "relay.sock").chmod(0o666)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield Mounted(source=str(folder), target="/run/harness")
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_program_reaches_the_socket_and_nothing_else(sandbox: DockerSandbox, task: Task, key: TrialKey, line: Mounted) -> None:
    with sandbox.open(task, Tree.of({}), key, (line,)) as box:
        asked = box.workspace.run((*LAUNCHER, "python3", "-c", ASK), seconds=20)
        assert (asked.exit_code, asked.output) == (0, b"heard /x\n")
        failed = box.workspace.run((*LAUNCHER, "sh", "-c", "exit 7"), seconds=20)
        assert failed.exit_code == 7
        written = box.workspace.run(("sh", "-c", "touch /run/harness/mine; rm /run/harness/relay.sock"), seconds=20)
        assert written.output.count(b"Read-only file system") == 2
        ways = box.workspace.run(("sh", "-c", "cat /proc/net/dev | tail -n +3 | cut -d: -f1"), seconds=20)
        assert ways.output.split() == [b"lo"]


def test_a_trial_without_a_line_has_no_folder_of_this_machine(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree.of({}), key) as box:
        assert box.workspace.run(("ls", "/run/harness"), seconds=20).exit_code != 0


def test_silence_is_a_limit_of_its_own_and_a_sign_of_life_puts_it_off(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree.of({}), key) as box:
        silent = box.workspace.run(("sh", "-c", "echo begun; sleep 60"), seconds=50, idle_seconds=1.0)
        assert (silent.timed_out, silent.idle, silent.output) == (True, True, b"begun\n")
        loud = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done"
        heard = box.workspace.run(("sh", "-c", loud), seconds=50, idle_seconds=1.5)
        assert (heard.exit_code, heard.idle) == (0, False)
        late = box.workspace.run(("sh", "-c", loud), seconds=1.5, idle_seconds=20)
        assert (late.timed_out, late.idle) == (True, False)
        left = box.workspace.run(("sh", "-c", "grep -l sleep /proc/[0-9]*/comm | wc -l"), seconds=20)
        assert left.output.strip() == b"0"
