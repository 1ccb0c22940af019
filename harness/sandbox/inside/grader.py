"""The grading container's supervisor: lays trees, lints, and has the hidden tests run under another user.

The supervisor never runs a line of the agent's code. It says what happened, byte by byte; the harness judges.
"""

# ruff: noqa: PTH102, PTH118, PTH123  (plain names: starting a container should not import pathlib)

from __future__ import annotations

import gc
import os
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from .subject import become, serve
from .wire import Capped, first_to_be_killed, lay, out_of_memory_kills, packed, receive, write_all
from .worker import GRADE, JUDGE, WORKER, run_tests

if TYPE_CHECKING:
    from collections.abc import Callable

LINTER_USER = 1001
MOST_RECORDS = 8 * 1024 * 1024
LINT_SECONDS = 30.0


def main() -> None:
    """One order, two answers: the linter's runs, then the tests'."""
    report = os.dup(1)
    os.dup2(2, 1)
    os.setgroups([JUDGE])
    output = os.pipe()
    line = _subject(output[1])
    write_all(report, packed({"kind": "ready", "pytest": pytest.__version__}))
    message = receive(sys.stdin.buffer)
    if message is None:
        return
    order, body = message
    if order["judge"] == "values":
        _hide(os.path.join(GRADE, order["hidden"]))
    lay(GRADE, order["files"], body)
    write_all(report, packed(*_lint(order["lint"])))
    write_all(report, packed(*_tests(order, output, line)))


def _subject(output: int) -> tuple[int, int]:
    """Start the process that may hold the agent's code, before anything secret is in memory: descriptors to ask and hear it."""
    theirs, requests = os.pipe()
    answers, ours = os.pipe()
    gc.freeze()  # what is inherited is never garbage
    if os.fork() == 0:
        become(WORKER, output, {theirs, ours})
        first_to_be_killed()
        os.umask(0)
        serve(os.fdopen(theirs, "rb"), ours)
    os.close(theirs)
    os.close(ours)
    return requests, answers


def _hide(folder: str) -> None:
    """Make the hidden tests' folder one that the judge alone can read."""
    os.mkdir(folder, 0o750)
    os.chown(folder, -1, JUDGE)


def _lint(commands: list[dict[str, Any]]) -> tuple[dict[str, Any], bytes]:
    """Run all linter commands side by side. Nothing of the agent has been executed so far."""
    folder = os.path.join(GRADE, "lint")
    os.mkdir(folder)
    runs = [_lint_run(os.path.join(folder, str(number)), command) for number, command in enumerate(commands)]
    deadline = time.monotonic() + LINT_SECONDS
    results, body = [], b""
    for process, files in runs:
        try:
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            code = 124
        parts = [_contents(file) for file in files]
        results.append({"code": code, "sizes": [len(part) for part in parts]})
        body += b"".join(parts)
    return {"kind": "lint", "runs": results}, body


def _lint_run(name: str, command: dict[str, Any]) -> tuple[subprocess.Popen[bytes], list[str]]:
    files = [f"{name}.{stream}" for stream in ("out", "err")]
    with open(files[0], "wb") as out, open(files[1], "wb") as err:
        process = subprocess.Popen(
            command["argv"],
            cwd=os.path.join(GRADE, command["tree"]),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            user=LINTER_USER,
            group=LINTER_USER,
            extra_groups=[],
            env={"PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"},
        )
    first_to_be_killed(process.pid)
    return process, files


def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _tests(order: dict[str, Any], pipe: tuple[int, int], line: tuple[int, int]) -> tuple[dict[str, Any], bytes]:
    started = time.monotonic()
    records_in, records_out = os.pipe()
    output_in, output_out = pipe
    values = order["judge"] == "values"
    gc.freeze()  # what is inherited is never garbage
    pid = os.fork()
    if pid == 0:
        run_tests(order, records_out, output_out, line if values else None)
    for descriptor in (records_out, output_out, *line):
        os.close(descriptor)
    records, output = bytearray(), Capped(16 * 1024, 48 * 1024)
    status = _watched(pid, {records_in: records.extend, output_in: output.add}, started + order["seconds"], records)
    head = {
        "kind": "tests",
        "status": status,
        "seconds": time.monotonic() - started,
        "oom": out_of_memory_kills(),
        "records": len(records),
        "truncated": output.truncated,
    }
    return head, bytes(records) + output.value()


def _watched(pid: int, sinks: dict[int, Callable[[bytes], None]], deadline: float, records: bytearray) -> int | None:
    """The worker's exit code (minus the signal's number), or None when it was still running or writing at the limit."""
    open_pipes = dict(sinks)
    status: int | None = None
    while (left := deadline - time.monotonic()) > 0 and len(records) <= MOST_RECORDS:
        if status is None:
            done, waited = os.waitpid(pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(waited) if done else None
        pause = 0.0 if status is not None else min(left, 0.05 if open_pipes else 0.002)
        ready, _, _ = select.select(list(open_pipes), [], [], pause)
        for descriptor in ready:
            data = os.read(descriptor, 65536)
            open_pipes[descriptor](data)
            if not data:
                del open_pipes[descriptor]
        if status is not None and not ready:
            return status
    return None


if __name__ == "__main__":
    main()
