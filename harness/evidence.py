"""Evidence: what one instrument measured on one change, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass

UNCOLLECTED = "collection error in "  # then the modules' names, a colon, and what was said of the first


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test's outcome: passed, failed, skipped, xfailed, xpassed or error."""

    __test__ = False  # not a test class, whatever its name looks like to pytest

    id: str
    outcome: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReport:
    """What the grading container reported: an outcome per expected id, the canaries, the exit code.

    `problem` is non-empty where there is no usable evidence (collection error, unreadable report, timeout), said in words.
    """

    __test__ = False

    expected: tuple[str, ...]
    tests: tuple[TestResult, ...]
    canaries: int
    canaries_failed: int
    exit_code: int | None
    problem: str = ""
    seconds: float = 0.0
    output: str = ""

    @property
    def uncollected(self) -> tuple[str, ...]:
        """Test modules that cannot be imported, as the problem names them."""
        names, _, _ = self.problem.partition(": ")
        return tuple(names.removeprefix(UNCOLLECTED).split(", ")) if names.startswith(UNCOLLECTED) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One violation of one rule at one place. Equal keys are the same violation moved."""

    rule: str
    path: str
    line: int
    message: str
    key: str
    gating: bool = True
    fixable: bool = False
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleReport:
    """New violations (after minus base, as multisets), those there before, suppressions added, rules dropped for the task."""

    new: tuple[Finding, ...]
    existing: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One rubric item of one vote. `supported` says that the quote stands in the change."""

    id: str
    answer: str
    finding: str
    trigger: str
    file: str
    quote: str
    supported: bool
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One reviewer's answer on one change in one pass (original or stripped): yes, no, abstain, invalid, or void.

    A no of a seat with a veto has a second vote, its confirmation, whose view ends in " again"; void is a seat that a canary
    threw out of the session. `raw` and `stop` (why the answer ended) are as they came; both are empty where nobody was asked.
    `protocol`, `prompt` and `change` are SHA-256 hashes of the protocol with its schema, of the whole request, and of the diff;
    `order` are the ids of the items as they were asked.
    """

    reviewer: str
    persona_id: str
    view: str
    answer: str
    reason: str
    items: tuple[Item, ...] = ()
    reviewer_directed: str = ""
    raw: str = ""
    request_id: str = ""
    model: str = ""
    stop: str = ""
    protocol: str = ""
    prompt: str = ""
    change: str = ""
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """The votes of the panel on one change, and the outcome that the panel's rule derives: pass, fail or missing."""

    votes: tuple[Vote, ...]
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the three instruments measured; None where an instrument did not run."""

    tests: TestReport | None = None
    style: StyleReport | None = None
    review: PanelReport | None = None
