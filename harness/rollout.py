"""Rollout: what one agent did and left on one task, ungraded: its change, transcript, usage and ending."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.tree import FileChange


class Ending(StrEnum):
    """How a trial ended: disjoint, summing to the total. Only FINISHED is judged; the others before MISSING fail all gates."""

    FINISHED = "finished"
    EMPTY_CHANGE = "empty change"
    AGENT_TIMEOUT = "agent timeout"
    AGENT_BUDGET = "agent budget"
    AGENT_CRASH = "agent crash"
    ENVIRONMENT_BROKEN = "environment broken by the agent"
    OUT_OF_MEMORY = "out of memory"
    TAMPERED = "tampered"
    MISSING_API = "missing: api"
    MISSING_CONTAINER = "missing: container"
    MISSING_GRADER = "missing: grader"
    NOT_RUN = "not run"

    @property
    def missing(self) -> bool:
        """Whether the cause is ours, with positive proof."""
        return self in {Ending.MISSING_API, Ending.MISSING_CONTAINER, Ending.MISSING_GRADER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or more calls, in the service's four billing classes plus output."""

    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input,
            cache_read=self.cache_read + other.cache_read,
            cache_write_5m=self.cache_write_5m + other.cache_write_5m,
            cache_write_1h=self.cache_write_1h + other.cache_write_1h,
            output=self.output + other.output,
            calls=self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One model call, booked before its content was read. `cost_usd` is None where the price is unknown.

    `cache_miss` says why the cached prompt of the call before could not be used; empty where it could, or nobody asked.
    """

    role: str
    model: str
    usage: Usage
    cost_usd: float | None
    request_id: str = ""
    cache_miss: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadEvidence:
    """How the variant was delivered, and the proof that the agent was shown this very text (or that it was not)."""

    delivery: str
    loaded: bool
    text_hash: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the agent changed: files as values, the same as a git patch, and what was refused or left out at take-out."""

    files: tuple[FileChange, ...]
    patch: bytes
    renames: tuple[tuple[str, str], ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing was changed."""
        return not self.files


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One agent's run: change, transcript (a JSON document a line), calls, ending, cause, load evidence, seconds by phase."""

    change: Change
    transcript: str
    calls: tuple[Call, ...]
    ending: Ending
    cause: str
    load: LoadEvidence
    seconds: tuple[tuple[str, float], ...] = ()
