"""Ports: what the engine needs from the outside, as protocols of one or two methods, and the values that pass through them.

Adapters implement these and never see each other. Each docstring says what may raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from harness.evidence import PanelReport, StyleReport, TestReport
    from harness.rollout import Call, Change, Ending, LoadEvidence, Usage
    from harness.skill import Variant
    from harness.task import Task
    from harness.tree import Tree
    from harness.trial import TrialKey

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]


class TrialEndedError(Exception):
    """A trial cannot go on: the ending to book and its cause. Raised by workspaces and models, caught by agents.

    `calls` are what the model's service charges for although no answer came of it, for the catcher to book.
    """

    def __init__(self, ending: Ending, cause: str, calls: tuple[Call, ...] = ()) -> None:
        super().__init__(f"{ending}: {cause}")
        self.ending = ending
        self.cause = cause
        self.calls = calls


# --- sandbox ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """One command's end: exit code (None when killed at a limit), output (stdout and stderr, capped), seconds.

    `idle` says that the limit was the one without any output.
    """

    exit_code: int | None
    output: bytes
    truncated: bool
    timed_out: bool
    seconds: float
    idle: bool = False


class Workspace(Protocol):
    """The agent's live container, working directory at the project's root."""

    def run(self, argv: Sequence[str], *, stdin: bytes = b"", seconds: float, idle_seconds: float | None = None) -> CommandResult:
        """Run one command as the agent's user, killed after `seconds`, or after `idle_seconds` without output.

        Raises TrialEndedError when the container is gone, broken or out of memory.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    """A folder of this machine that a container sees read-only: absolute paths on both sides."""

    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One linter run as it came: exit code, stdout, stderr, nothing interpreted."""

    exit_code: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRun:
    """The project's linter and formatter over the whole tree, base and after, by the same version and configuration.

    `*_commands` are the runs of the rule pack's command lines, in their order.
    """

    version: str
    base_check: ToolRun
    base_format: ToolRun
    after_check: ToolRun
    after_format: ToolRun
    base_commands: tuple[ToolRun, ...] = ()
    after_commands: tuple[ToolRun, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What the grading container gave: the test report, the linter's runs, and the files of the agent that were not used."""

    tests: TestReport
    lint: LintRun
    dropped: tuple[str, ...] = ()


class TrialSandbox(Protocol):
    """The containers of one trial."""

    @property
    def workspace(self) -> Workspace:
        """The agent's live container."""
        ...

    def take_out(self) -> Change:
        """Freeze, take out, kill. Raises TrialEndedError (MISSING_CONTAINER, ENVIRONMENT_BROKEN, TAMPERED)."""
        ...

    def grade(self, change: Change) -> Graded:
        """Grade in a pristine container, after the agent's is dead. Raises TrialEndedError (MISSING_*)."""
        ...


class Sandbox(Protocol):
    """Makes trials' containers, and removes them whatever happens."""

    def open(
        self, task: Task, inject: Tree, key: TrialKey, mounts: Sequence[Mounted] = ()
    ) -> AbstractContextManager[TrialSandbox]:
        """A started trial with `inject` laid over the base (never part of the change). Raises TrialEndedError on entering."""
        ...

    def close(self) -> None:
        """Kill and remove every container and volume of this run, now; opening afterwards fails. Never raises."""
        ...


class Grader(Protocol):
    """Grades a change without any agent: admission's way in."""

    def grade(self, task: Task, change: Change) -> Graded:
        """Grade in a pristine container. Raises TrialEndedError (MISSING_*)."""
        ...


# --- models ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One call. `subject` and `role` say who asks and why (hashed into an opaque tag); messages and tools are the API's shapes.

    `subject` is str(TrialKey), or "proposal/<campaign>/<generation>"; `task` is the task's id or empty. With `schema` (a JSON
    schema) the answer is structured JSON text. `seconds` is the time until the whole answer must be there, all tries together;
    without it the client's own patience holds. `previous` asks why the prompt cache missed, if it did, since the answer of that
    id ("" in a conversation's first request); None asks nothing.
    """

    role: str
    subject: str
    task: str
    model: str
    system: Sequence[Json]
    messages: Sequence[Json]
    max_tokens: int
    tools: Sequence[Json] = ()
    schema: Json = None
    effort: str = ""
    seconds: float | None = None
    previous: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One answer: the booked call, why it stopped, its content blocks in the API's shape, and its id."""

    call: Call
    stop_reason: str
    content: Sequence[Json]
    id: str = ""

    @property
    def text(self) -> str:
        """All text blocks joined."""
        blocks = [block for block in self.content if isinstance(block, Mapping) and block.get("type") == "text"]
        return "".join(str(block.get("text", "")) for block in blocks)


class Model(Protocol):
    """The model's service."""

    def send(self, request: ModelRequest) -> ModelReply:
        """One call with the client's own retries. Raises TrialEndedError(MISSING_API) on a fault of the service.

        Raises TrialEndedError(AGENT_TIMEOUT) when the request's seconds are over.
        Raises KeyMissingError or ServiceUnavailableError for a set-up that can never work (no key, unknown model).
        """
        ...


Price = Callable[[str, "Usage"], float | None]  # US dollars of one call by model and usage; None where nobody told us


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request of a program in a container, and what came of it.

    `body` is what was asked for, `message` the service's answer put together from whatever arrived of it (None for none).
    `refused` says why the request went no further, with the ending that it means where a limit is reached; `fault` what was
    wrong with the service; `status` is the HTTP status that the service gave, 0 where it gave none.
    """

    body: bytes
    status: int = 0
    message: Json = None
    call: Call | None = None
    refused: str = ""
    ending: Ending | None = None
    fault: str = ""


class Line(Protocol):
    """One trial's way to the model's service, for a program in its container: a socket, and a record of all that passed."""

    @property
    def mounts(self) -> tuple[Mounted, ...]:
        """Where the container finds the socket."""
        ...

    def finish(self) -> tuple[Exchange, ...]:
        """Pass nothing more, and tell what passed, in the order of its beginning."""
        ...


class Relay(Protocol):
    """Gives each trial a line. The key stays on this side of it."""

    def open(self, work: Assignment) -> AbstractContextManager[Line]:
        """A line for one trial, closed on leaving."""
        ...


# --- agents ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A variant made ready for an agent: files to lay into the workspace, text for the system prompt, text before the task.

    `proof` is the text whose presence in the agent's requests proves that this very variant was read. `listing` is what an agent
    that lists skills by itself is meant to say of this one ("name: description"); empty where nothing is meant to be listed.
    """

    mode: str
    inject: Tree
    system: str
    preface: str
    proof: str
    listing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one rollout may spend: seconds in all, seconds without any sign of life, model calls, output tokens, money."""

    seconds: float = 900.0
    idle_seconds: float = 300.0
    calls: int = 60
    tokens: int = 200_000
    usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One agent's work order; `line` is there for agents whose program in the container calls the model itself."""

    key: TrialKey
    task: Task
    variant: Variant
    delivered: Delivered
    limits: Limits
    line: Line | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """What an agent says of its run. FINISHED only when it ended by itself; the transcript is one JSON document a line."""

    ending: Ending
    cause: str
    transcript: str
    calls: tuple[Call, ...]
    load: LoadEvidence


class Agent(Protocol):
    """The coding program being driven."""

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:
        """Work on the task until done or a limit is reached. Books every fault as an ending; raises only set-up errors."""
        ...


# --- instruments -----------------------------------------------------------------------------------------------------


class Stylist(Protocol):
    """The style instrument."""

    def measure(self, task: Task, change: Change, lint: LintRun) -> StyleReport:
        """New violations of the project's rules. Raises SuiteError for a broken linter configuration or crash (our fault)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A panel's report and the calls that it cost."""

    report: PanelReport
    calls: tuple[Call, ...]


class Panel(Protocol):
    """The reviewer instrument."""

    def review(self, task: Task, change: Change, key: TrialKey) -> Reviewed:
        """All seats' votes on one change, blind. Never raises for a bad answer; a fault of the service is outcome missing."""
        ...


# --- proposers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DevFailure:
    """One failed dev trial of the baseline as shown to a proposer: gate and reason, counts only for tests."""

    task: str
    gate: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedEdit:
    """An exact edit tried since the last promotion, with its direction, and its dev figures where it was a near miss."""

    find: str
    replace: str
    near_miss: bool
    figures: str
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedExample:
    """A dev task's statement and the patch that solves it: what good work looks like here."""

    task: str
    instruction: str
    patch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """About how many tokens one generation may add to a skill, and how many a skill that grows may have in all."""

    generation: int = 500
    total: int = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRequest:
    """All that a proposer may see: the current best, dev failures, remembered edits, dev references; the kind of edit wanted.

    Nothing of holdout or vault.
    """

    generation: int
    campaign: str
    baseline: Variant
    failures: tuple[DevFailure, ...]
    rejected: tuple[RejectedEdit, ...]
    operator: str = "reflect"
    examples: tuple[WorkedExample, ...] = ()
    growth: Growth = field(default_factory=Growth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One proposed variant, or the reason why the answer cannot be used; the cost is booked either way.

    `parts` are the generations whose edits a merge unites; it has no edit of its own.
    """

    variant: Variant | None
    find: str
    replace: str
    problem: str
    calls: tuple[Call, ...]
    file: str = ""
    parts: tuple[int, ...] = ()


class Proposer(Protocol):
    """Writes variants."""

    def propose(self, request: ProposalRequest) -> Proposal:
        """One independent edit of the baseline. Raises TrialEndedError(MISSING_API) on a fault of the service."""
        ...


Announce = Callable[[str, str, str, str], None]  # tag, role, subject, task: who stands behind an opaque tag
