"""The agent container's only process at first: lays the workspace, then runs one command at a time (3 ms; an exec takes 75).

It runs as the agent's own user, so nothing that it says is evidence of anything; the harness keeps its own clock.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from typing import Any

from .wire import Capped, first_to_be_killed, lay, out_of_memory_kills, packed, receive, write_all

WORK = "/work"


def main() -> None:
    """Answer requests from stdin until it closes, as it does when the harness dies; then the container ends."""
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    while (message := receive(sys.stdin.buffer)) is not None:
        request, body = message
        if request["do"] == "lay":
            lay(WORK, request["files"], body)
            write_all(answers, packed({"laid": len(request["files"])}))
        elif request["do"] == "stop":
            kill_all_others()
            write_all(answers, packed({"stopped": True}))
        else:
            write_all(answers, packed(*_run(request["argv"], body, request["seconds"], request["idle"])))


def _run(argv: list[str], stdin: bytes, seconds: float, idle: float | None) -> tuple[dict[str, Any], bytes]:
    started = time.monotonic()
    output = Capped()
    code: int | None
    silent = False
    try:
        process = _started(argv, stdin)
    except OSError as error:
        output.add(f"{argv[0]}: {error.strerror}\n".encode())
        code = 127 if isinstance(error, FileNotFoundError) else 126
    else:
        first_to_be_killed(process.pid)
        code, silent = _watched(process, output, started + seconds, idle)
    answer = {
        "code": code,
        "idle": silent,
        "truncated": output.truncated,
        "seconds": time.monotonic() - started,
        "oom": out_of_memory_kills(),
    }
    return answer, output.value()


def _started(argv: list[str], stdin: bytes) -> subprocess.Popen[bytes]:
    source = os.memfd_create("stdin")
    try:
        write_all(source, stdin)
        os.lseek(source, 0, os.SEEK_SET)
        return subprocess.Popen(
            [os.fsencode(word) for word in argv],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=WORK,
            start_new_session=True,
        )
    finally:
        os.close(source)


def _watched(process: subprocess.Popen[bytes], output: Capped, deadline: float, idle: float | None) -> tuple[int | None, bool]:
    """The exit code, or None when killed at a limit, and whether that was the one without output.

    A child left holding the pipe does not hold up the answer.
    """
    pipe = process.stdout
    if pipe is None:
        raise AssertionError
    with pipe:
        source, heard = pipe.fileno(), time.monotonic()
        while (left := _left(deadline, heard, idle)) > 0:
            ended = process.poll() is not None
            ready, _, _ = select.select([source, 0], [], [], 0 if ended else min(left, 0.05))
            if 0 in ready:  # no request comes before this one's answer: the harness has died, and so must the container
                os._exit(1)
            data = os.read(source, 65536) if ready else b""
            heard = time.monotonic() if data else heard
            output.add(data)
            if (ended and not ready) or (ready and not data):
                break
        try:
            return process.wait(max(0.0, _left(deadline, heard, idle))), False
        except subprocess.TimeoutExpired:
            kill_all_others()
            process.wait()
            return None, time.monotonic() < deadline


def _left(deadline: float, heard: float, idle: float | None) -> float:
    """Seconds until the nearer of two limits: in all, and since something was heard."""
    return (deadline if idle is None else min(deadline, heard + idle)) - time.monotonic()


def kill_all_others() -> None:
    """End everything but this process and PID 1: nothing outlives a command at its limit, or the agent's work."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return  # there is nothing else


if __name__ == "__main__":
    main()
