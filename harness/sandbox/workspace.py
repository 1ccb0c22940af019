"""The agent's live container as a Workspace: filled, commands run one at a time, taken out frozen, and why it ended."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.ports import CommandResult, TrialEndedError
from harness.rollout import Ending
from harness.sandbox.channel import ClosedError, MalformedError
from harness.sandbox.container import Container, removal
from harness.sandbox.engine import ending_as
from harness.sandbox.order import laid
from harness.sandbox.snapshot import Snapshot, StaleError, TooLargeError, snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor, Future

    from harness.ports import Json
    from harness.sandbox.channel import Message
    from harness.tree import Tree

FOLDER = "/work"
FILL_SECONDS = 60.0
GRACE_SECONDS = 5.0


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Laid(_Answer):
    laid: int


class _Ran(_Answer):
    code: int | None
    idle: bool
    truncated: bool
    seconds: float = Field(ge=0, allow_inf_nan=False)
    oom: int = Field(ge=0)


class DockerWorkspace:
    """One agent container."""

    def __init__(self, container: Container, hands: Executor) -> None:
        self._container = container
        self._hands = hands
        self._removal: Future[None] | None = None

    def fill(self, tree: Tree) -> None:
        """Lay the workspace's files. Raises TrialEndedError(MISSING_CONTAINER): the agent has not acted yet."""
        listing, body = laid({"": tree})
        try:
            self._container.channel.send({"do": "lay", "files": listing}, body, seconds=FILL_SECONDS)
            _Laid.model_validate(self._container.channel.receive(seconds=FILL_SECONDS).head)
        except (ClosedError, MalformedError, TimeoutError, ValidationError) as error:
            said = f"the workspace could not be filled: {type(error).__name__} {self._container.channel.log.strip()[-300:]}"
            raise TrialEndedError(Ending.MISSING_CONTAINER, said) from error

    def run(self, argv: Sequence[str], *, stdin: bytes = b"", seconds: float, idle_seconds: float | None = None) -> CommandResult:
        """Run one command in the project's root; at a limit everything that runs in the container is killed.

        Raises:
            TrialEndedError: MISSING_CONTAINER (killed from outside), OUT_OF_MEMORY, or ENVIRONMENT_BROKEN.
        """
        started = time.monotonic()
        try:
            request: dict[str, Json] = {"do": "run", "argv": list(argv), "seconds": seconds, "idle": idle_seconds}
            self._container.channel.send(request, stdin, seconds=seconds + GRACE_SECONDS)
            message = self._container.channel.receive(seconds=seconds + GRACE_SECONDS)
            return self._result(message, time.monotonic() - started)
        except (ClosedError, TimeoutError, MalformedError, ValidationError) as error:
            raise self.ended(f"{type(error).__name__} after {time.monotonic() - started:.1f} s") from error

    def take_out(self) -> Snapshot:
        """Freeze the container, read the workspace, and start its removal.

        Raises:
            TrialEndedError: as `run`, and ENVIRONMENT_BROKEN where there is too much to take out.
        """
        self._stop()
        try:
            with ending_as(Ending.MISSING_CONTAINER, "take-out"):
                self._container.freeze()
                with closing(self._container.archive(FOLDER)) as chunks:
                    found = snapshot(chunks)
        except TooLargeError as error:
            raise TrialEndedError(Ending.ENVIRONMENT_BROKEN, f"the workspace cannot be taken out: {error}") from error
        except StaleError as error:
            raise TrialEndedError(Ending.MISSING_CONTAINER, "take-out: the engine served another folder") from error
        except TrialEndedError as error:
            raise self.ended(error.cause) from error
        self.release()
        return found

    def _stop(self) -> None:
        """End what the agent left running, so that there is little to freeze. Where it fails, freezing says what is wrong."""
        try:
            self._container.channel.send({"do": "stop"}, seconds=GRACE_SECONDS)
            self._container.channel.receive(seconds=GRACE_SECONDS)
        except (ClosedError, MalformedError, TimeoutError):
            return

    def release(self) -> None:
        """Kill and remove, beside other work; once."""
        if self._removal is None:
            self._removal = removal(self._container, self._hands)

    def wait_until_gone(self) -> None:
        """Return when nothing of the agent can run any more. Raises TrialEndedError(MISSING_CONTAINER)."""
        self.release()
        with ending_as(Ending.MISSING_CONTAINER, "removal"):
            if self._removal is not None:
                self._removal.result()

    def ended(self, seen: str) -> TrialEndedError:
        """Why the container does not answer, from the engine's own record; never from what the container said."""
        with ending_as(Ending.MISSING_CONTAINER, "the container disappeared"):
            death = self._container.death()
        if death.killed:
            return TrialEndedError(Ending.MISSING_CONTAINER, "the container was killed from outside")
        if death.out_of_memory:
            return TrialEndedError(Ending.OUT_OF_MEMORY, self._limit)
        how = f"the container ended with exit code {death.exit_code}" if death.exit_code else "the container does not answer"
        return TrialEndedError(Ending.ENVIRONMENT_BROKEN, f"{how} ({seen})")

    @property
    def _limit(self) -> str:
        return f"the limit of {self._container.bounds.total // (1024 * 1024)} MiB was reached"

    def _result(self, message: Message, seconds: float) -> CommandResult:
        ran = _Ran.model_validate(message.head)
        if ran.oom:
            raise TrialEndedError(Ending.OUT_OF_MEMORY, self._limit)
        return CommandResult(
            exit_code=ran.code,
            output=message.body,
            truncated=ran.truncated,
            timed_out=ran.code is None,
            seconds=seconds,
            idle=ran.idle and ran.code is None,
        )
