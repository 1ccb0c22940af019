"""The application: which commands there are, and how an error becomes one message and an exit code."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from io import TextIOWrapper
from types import FrameType

import typer

from harness.budget import BudgetSpentError
from harness.cli import (
    audit,
    compare,
    decide,
    doctor,
    evaluate,
    evolve,
    init,
    nightly,
    power,
    promote,
    prune,
    report,
    reviewers,
    rollback,
    rules,
    suite,
    trial,
)
from harness.errors import HarnessError, IncompleteError, StoppedError, UnavailableError
from harness.printable import printable

INTERRUPTED = 128 + signal.SIGINT
STOPPING = (signal.SIGINT, signal.SIGTERM)

app = typer.Typer(
    name="harness",
    help="Improve a coding agent's instructions; promote a change only when tests, style and review all confirm it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (init, doctor, trial, evaluate, compare, decide, evolve, nightly, promote, power, report, rollback, prune):
    app.command(command.NAME)(command.run)
app.add_typer(suite.app, name="suite")
app.add_typer(rules.app, name="rules")
app.add_typer(audit.app, name="audit")
app.add_typer(reviewers.app, name="reviewers")


def main() -> None:
    """Run the command line; every error of ours is one message on stderr and its exit code, 130 for Ctrl-C or SIGTERM."""
    for number in STOPPING:
        signal.signal(number, _interrupted)
    _speak_utf8()
    try:
        _require_system()
        code = app(standalone_mode=False) or 0  # typer.Exit comes back as its exit code
    except (KeyboardInterrupt, typer.Abort, StoppedError):
        code = INTERRUPTED
    except BudgetSpentError as error:
        _say(f"harness: not complete: {error}; {error.then}")
        code = IncompleteError.exit_code
    except HarnessError as error:
        _say(f"harness: {error}")
        code = error.exit_code
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        if error.format_message():  # empty where help was printed instead
            _say(f"harness: {error.format_message()} (see harness --help)")
        code = 2
    if code == INTERRUPTED:  # typer turns Ctrl-C inside a command into this code by itself
        _say("harness: interrupted; the same command goes on from what is recorded")
    sys.stdout.flush()
    sys.stderr.flush()
    if code == INTERRUPTED:
        os._exit(code)  # a thread may still wait for a model's answer; everything of ours is closed by now
    sys.exit(code)


def _require_system() -> None:
    """Locks, signals and containers are a Unix system's.

    Raises:
        UnavailableError: this is none.
    """
    if find_spec("fcntl") is None:
        raise UnavailableError("this system is not supported: run it on Linux or macOS, or on Windows inside WSL 2")


def _speak_utf8() -> None:
    """Whatever the locale says: skills, code and JSON are UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _say(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    """The first stops the work. Further ones do not stop the cleaning up; a kill does, and leaves it to the next run."""
    for number in STOPPING:
        signal.signal(number, _patience)
    os.write(2, b"harness: stopping; what runs is ended first, which may take some seconds\n")
    raise KeyboardInterrupt


def _patience(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"harness: stopping, containers are being removed\n")  # a stream may be in the middle of a write
