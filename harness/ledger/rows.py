"""Trials, votes, calls and skills as rows and blobs, and back. Everything large is a blob; undecodable bytes survive.

Blobs of a trial: the change as git printed it, the transcript, and one JSON document with all that the instruments
measured, the reviewers' raw answers included, so that verdicts and votes can be computed again from it.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import LedgerError
from harness.evidence import Evidence, PanelReport, StyleReport, TestReport
from harness.ledger.chain import canonical
from harness.ledger.schema import CallRow, CampaignRow, Row, TrialRow, UsageModel, VoteRow
from harness.rollout import Change, LoadEvidence, Usage
from harness.tree import File, FileChange, Tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.evidence import Vote
    from harness.ledger.schema import Ledger
    from harness.rollout import Call
    from harness.trial import Trial

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialDocument:
    """What a trial's evidence blob holds: the instruments' measurements, the delivery, and what take-out refused.

    `files` are the changed files before and after, kept where reviewers were asked, so that their quotes can be looked for again.
    """

    tests: TestReport | None
    style: StyleReport | None
    review: PanelReport | None
    load: LoadEvidence
    refused: tuple[str, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    files: tuple[PackedChange, ...] = ()

    @property
    def change(self) -> Change:
        """The change as the reviewers were shown it; without files where none were kept."""
        return Change(files=tuple(file.value for file in self.files), patch=b"", renames=self.renames)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFile:
    """A file with its path in JSON: text as text, other bytes in base 64."""

    path: str
    mode: int
    text: str | None = None
    base64: str | None = None

    @property
    def value(self) -> File:
        """The file."""
        content = b64decode(self.base64) if self.text is None and self.base64 is not None else (self.text or "").encode()
        return File(content=content, mode=self.mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedChange:
    """One changed path, None where the file does not exist."""

    path: str
    old: PackedFile | None
    new: PackedFile | None

    @property
    def value(self) -> FileChange:
        """The change of this path."""
        old, new = (file.value if file else None for file in (self.old, self.new))
        return FileChange(path=self.path, old=old, new=new)


def trial_rows(trial: Trial, put_blob: Callable[[bytes], str], review_calls: Iterable[Call] = ()) -> tuple[Row, ...]:
    """The trial's row, one row per vote and one per model call; their blobs are stored before this returns.

    `review_calls` are the panel's calls, which stand in no trial. Usage and cost of the trial row cover the agent's calls
    and these; the cost is None where one price is unknown.
    """
    calls = (*trial.rollout.calls, *review_calls)
    evidence = put_blob(_document(trial))
    votes = trial.evidence.review.votes if trial.evidence.review else ()
    return (
        _trial_row(trial, sum((call.usage for call in calls), Usage()), put_blob, evidence),
        *(_vote_row(str(trial.key), vote, evidence) for vote in votes),
        *call_rows(str(trial.key), calls),
    )


def call_rows(subject: str, calls: Iterable[Call]) -> tuple[CallRow, ...]:
    """One row per call of a subject, numbered from 1 within their role."""
    numbers: Counter[str] = Counter()
    rows = []
    for call in calls:
        numbers[call.role] += 1
        rows.append(
            CallRow(
                key=f"{subject}#{call.role}#{numbers[call.role]}",
                subject=subject,
                role=call.role,
                model=call.model,
                usage=UsageModel(**asdict(call.usage)),
                cost_usd=call.cost_usd,
                request_id=call.request_id,
                cache_miss=call.cache_miss,
            )
        )
    return tuple(rows)


def given_up_rows(ledger: Ledger, subject: str, calls: Iterable[Call]) -> tuple[CallRow, ...]:
    """The same for what is asked for again later and costs again: each time under a subject of its own."""
    made = tuple(calls)
    tries = (call_rows(f"{subject}/given up {number}", made) for number in count(1))
    return next(rows for rows in tries if not rows or ledger.find(CallRow, rows[0].key) is None)


def trial_document(row: TrialRow, blob: Callable[[str], bytes]) -> TrialDocument:
    """What was measured in a trial, from its evidence blob.

    Raises:
        LedgerError: the blob is absent, changed, or no such document.
    """
    return _from_json(_documents(), blob(row.evidence_blob), f"trial {row.key}: evidence blob {row.evidence_blob}")


def trial_key(row: TrialRow) -> TrialKey:
    """The key of a recorded trial."""
    return TrialKey(
        stage=Stage(row.stage),
        confirmation=row.confirmation,
        arm=Arm(row.arm),
        variant=row.variant,
        task=row.task,
        repeat=row.repeat,
    )


def trial_evidence(row: TrialRow, blob: Callable[[str], bytes]) -> Evidence:
    """A trial's evidence, as the gates read it.

    Raises:
        LedgerError: the blob is absent, changed, or no such document.
    """
    document = trial_document(row, blob)
    return Evidence(tests=document.tests, style=document.style, review=document.review)


def pack_tree(tree: Tree) -> bytes:
    """A tree (of a skill) as the bytes of a blob: JSON, text as text, other bytes in base 64."""
    packed = [asdict(_packed(path, file)) for path, file in tree]
    return canonical({"files": [{name: it for name, it in file.items() if it is not None} for file in packed]}).encode()


def unpack_tree(content: bytes) -> Tree:
    """The tree that `pack_tree` packed.

    Raises:
        LedgerError: the content is no packed tree.
    """
    packed = _from_json(_trees(), content, "blob of a skill")
    return Tree.of({file.path: file.value for file in packed.files})


def blobs_of(row: Row) -> tuple[str, ...]:
    """The names of all blobs that a row needs."""
    named = [getattr(row, field) for field in type(row).model_fields if field.endswith("_blob")]
    if isinstance(row, CampaignRow):
        named += row.persona_blobs.values()
    return tuple(dict.fromkeys(name for name in named if name))


def _trial_row(trial: Trial, usage: Usage, put_blob: Callable[[bytes], str], evidence: str) -> TrialRow:
    key, rollout = trial.key, trial.rollout
    return TrialRow(
        key=str(key),
        stage=key.stage,
        confirmation=key.confirmation,
        arm=key.arm,
        variant=key.variant,
        task=key.task,
        repeat=key.repeat,
        ending=rollout.ending,
        cause=rollout.cause,
        verdicts={verdict.gate: verdict.outcome for verdict in trial.verdicts},
        reasons={verdict.gate: verdict.reason for verdict in trial.verdicts},
        loaded=rollout.load.loaded,
        load={"delivery": rollout.load.delivery, "text_hash": rollout.load.text_hash, "how": rollout.load.how},
        usage=UsageModel(**asdict(usage)),
        cost_usd=trial.cost_usd,
        seconds=dict(trial.seconds or rollout.seconds),
        attempts=trial.attempts,
        flags=trial.flags,
        events=trial.events,
        dropped=trial.dropped,
        change_blob=put_blob(rollout.change.patch),
        transcript_blob=put_blob(rollout.transcript.encode("utf-8", "surrogatepass")),
        evidence_blob=evidence,
    )


def _vote_row(trial: str, vote: Vote, evidence: str) -> VoteRow:
    return VoteRow(
        key=f"{trial}#{vote.reviewer}#{vote.view}",
        trial=trial,
        reviewer=vote.reviewer,
        persona=vote.persona_id,
        view=vote.view,
        answer=vote.answer,
        reason=vote.reason,
        raw_blob=evidence,  # the raw answer stands in the trial's evidence: one file to sync, not one per vote
        model=vote.model,
        request_id=vote.request_id,
    )


def _document(trial: Trial) -> bytes:
    evidence, change = trial.evidence, trial.rollout.change
    asked = evidence.review is not None and any(vote.stop for vote in evidence.review.votes)
    document = TrialDocument(
        tests=evidence.tests,
        style=evidence.style,
        review=evidence.review,
        load=trial.rollout.load,
        refused=change.refused,
        renames=change.renames,
        files=_packed_files(change) if asked else (),
    )
    return canonical(asdict(document)).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class _PackedTree:
    files: tuple[PackedFile, ...]


def _packed(path: str, file: File) -> PackedFile:
    try:
        return PackedFile(path=path, mode=file.mode, text=file.content.decode())
    except UnicodeDecodeError:
        return PackedFile(path=path, mode=file.mode, base64=b64encode(file.content).decode("ascii"))


def _packed_files(change: Change) -> tuple[PackedChange, ...]:
    return tuple(
        PackedChange(
            path=item.path,
            old=_packed(item.path, item.old) if item.old else None,
            new=_packed(item.path, item.new) if item.new else None,
        )
        for item in change.files
    )


def _from_json(adapter: TypeAdapter[T], content: bytes, what: str) -> T:
    try:
        return adapter.validate_python(json.loads(content))
    except (ValueError, ValidationError) as error:
        raise LedgerError(f"{what}: not as this version writes it: {str(error).splitlines()[0]}") from error


@cache
def _documents() -> TypeAdapter[TrialDocument]:
    return TypeAdapter(TrialDocument)


@cache
def _trees() -> TypeAdapter[_PackedTree]:
    return TypeAdapter(_PackedTree)
