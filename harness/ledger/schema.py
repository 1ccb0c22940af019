"""Ledger rows: one model per table, each with the key that makes writing it idempotent within a campaign.

Everything large (skills, changes, transcripts, evidence, raw answers) is a blob, named here by its SHA-256.
"""

from __future__ import annotations

from typing import ClassVar, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1


class Row(BaseModel):
    """A row of one table. `key` is unique within (table, campaign); the first writing of a key stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    table: ClassVar[str]
    key: str


class CampaignRow(Row):
    """A campaign's frozen configuration; key = its hash. `settings` is canonical JSON of all that the hash covers.

    `persona_blobs` are the reviewer files' bytes by name, so that votes can be computed again from raw answers.
    """

    table: ClassVar[str] = "campaign"
    settings: str
    skill: str
    suite: str
    suite_hash: str
    holdout_hash: str
    rehearsal: bool
    private: bool = False
    versions: dict[str, str]
    persona_blobs: dict[str, str] = {}


class VariantRow(Row):
    """One proposed version; key = "generation/<n>" (0 is the start). `refused` is empty, or why it was never tried.

    The edit replaces `find` by `replace` in `file`, empty for the entry file; a merge has `parts`, the generations it unites.
    """

    table: ClassVar[str] = "variant"
    generation: int
    batch: int
    variant: str
    parent: str
    operator: str
    rationale: str
    find: str
    replace: str
    name: str
    tree_blob: str
    refused: str = ""
    truth: str = ""
    file: str = ""
    parts: tuple[int, ...] = ()


class UsageModel(BaseModel):
    """Tokens by billing class."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    calls: int = 0


class TrialRow(Row):
    """One trial; key = str(TrialKey). Verdicts are pass, fail or missing per gate, with their reasons.

    `events` is what the agent reached for outside its sandbox; it decides nothing.
    """

    table: ClassVar[str] = "trial"
    stage: str
    confirmation: str
    arm: str
    variant: str
    task: str
    repeat: int
    ending: str
    cause: str
    verdicts: dict[str, str]
    reasons: dict[str, str]
    loaded: bool
    load: dict[str, str]
    usage: UsageModel
    cost_usd: float | None
    seconds: dict[str, float]
    attempts: int = 1
    flags: tuple[str, ...]
    events: tuple[str, ...] = ()
    dropped: tuple[str, ...]
    change_blob: str
    transcript_blob: str
    evidence_blob: str


class VoteRow(Row):
    """One reviewer's answer in one view; key = "<trial key>#<reviewer>#<view>"."""

    table: ClassVar[str] = "vote"
    trial: str
    reviewer: str
    persona: str
    view: str
    answer: str
    reason: str
    raw_blob: str
    model: str
    request_id: str


class CallRow(Row):
    """One model call; key = "<subject>#<role>#<number>". `cache_miss` says why the cached prompt before it was of no use."""

    table: ClassVar[str] = "call"
    subject: str
    role: str
    model: str
    usage: UsageModel
    cost_usd: float | None
    request_id: str
    cache_miss: str = ""


class ConfirmationRow(Row):
    """One registered test on holdout, written before its first rollout; key = its id. Its alpha is spent even if aborted.

    `arm` names the stored baseline arm that it is paired with, empty for a fresh one; `night` is the run it belongs to.
    """

    table: ClassVar[str] = "confirmation"
    generation: int
    baseline: str
    variant: str
    number: int
    alpha: float
    alpha_sum: float
    holdout_hash: str
    orders: tuple[tuple[str, ...], ...]
    night: int = 0
    arm: str = ""


class DecisionRow(Row):
    """One generation's decision; key = "generation/<n>". `record` is the canonical JSON that recomputes it offline."""

    table: ClassVar[str] = "decision"
    id: str
    generation: int
    confirmation: str
    baseline: str
    variant: str
    decision: str
    stage: str
    reason: str
    record: str
    right: bool | None = None


class PromotionRow(Row):
    """The baseline moved; key = the decision's id."""

    table: ClassVar[str] = "promotion"
    generation: int
    old: str
    new: str
    reason: str


class EventRow(Row):
    """Anything else worth keeping: runs started and ended, screens, warnings; key says what and which."""

    table: ClassVar[str] = "event"
    name: str
    data: str


ROWS: dict[str, type[Row]] = {
    model.table: model
    for model in (
        CampaignRow,
        VariantRow,
        TrialRow,
        VoteRow,
        CallRow,
        ConfirmationRow,
        DecisionRow,
        PromotionRow,
        EventRow,
    )
}

R = TypeVar("R", bound=Row)


class Ledger(Protocol):
    """One campaign's view of the ledger."""

    @property
    def campaign(self) -> str:
        """The campaign's hash."""
        ...

    def add(self, *rows: Row) -> None:
        """Append rows in one transaction, durable on return; rows whose key exists are left as they stand.

        Raises LedgerError when the file cannot be written.
        """
        ...

    def find(self, model: type[R], key: str) -> R | None:
        """The row with this key in this campaign, or None."""
        ...

    def rows(self, model: type[R]) -> tuple[R, ...]:
        """All rows of one table in this campaign, in the order of writing."""
        ...

    def everywhere(self, model: type[R]) -> tuple[R, ...]:
        """All rows of one table over all campaigns of the ledger."""
        ...

    def put_blob(self, content: bytes) -> str:
        """Store bytes by content and return their SHA-256 hex; durable on return."""
        ...

    def blob(self, name: str) -> bytes:
        """The bytes of a blob. Raises LedgerError if it is absent or changed."""
        ...
