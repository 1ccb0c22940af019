"""Votes at the lines they quote: one task in both arms, as the reviewers saw it, and how each reviewer voted over all trials."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import LedgerError
from harness.report.diffs import Line, Note, noted, patch_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.evidence import Finding, Item, Vote
    from harness.ledger.history import Placed
    from harness.ledger.rows import TrialDocument
    from harness.ledger.schema import TrialRow
    from harness.report.view import Scene

MOST_LINES = 60
_AROUND = 6  # lines kept before the first remark where a change is longer than that


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One arm's change with its remarks."""

    arm: str
    task: str
    repeat: int
    outcome: str
    lines: tuple[Line, ...]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One reviewer over all trials of the comparison: approvals by arm "41 of 83", unusable answers."""

    name: str
    baseline: str
    variant: str
    unusable: int


def example(scene: Scene) -> tuple[Reviewed, ...]:
    """Both arms of the most telling pair: not approved with the baseline, approved with the variant, and short; or nothing."""
    if scene.private:
        return ()
    pairs: dict[tuple[str, int], dict[str, Placed[TrialRow]]] = defaultdict(dict)
    for placed in scene.trials:
        if placed.row.key in scene.documents and scene.history.votes.get(placed.row.key):
            pairs[placed.row.task, placed.row.repeat][placed.row.arm] = placed
    complete = [arms for _, arms in sorted(pairs.items()) if len(arms) == 2]  # noqa: PLR2004  (both arms)
    if not complete:
        return ()
    best = max(complete, key=lambda arms: _telling(arms["baseline"].row, arms["variant"].row))
    return tuple(_reviewed(scene, best[arm].row) for arm in ("baseline", "variant"))


def seats(scene: Scene) -> tuple[Seat, ...]:
    """Every reviewer, by name. A trial counts as approved by one who says yes in every view."""
    answers: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for placed in scene.trials:
        for vote in scene.history.votes.get(placed.row.key, ()):
            answers[vote.row.reviewer][placed.row.arm][placed.row.key].append(vote.row.answer)
    return tuple(
        Seat(
            name=name,
            baseline=_approved(arms["baseline"].values()),
            variant=_approved(arms["variant"].values()),
            unusable=sum(answer in {"invalid", "abstain"} for arm in arms.values() for given in arm.values() for answer in given),
        )
        for name, arms in sorted(answers.items())
    )


def _approved(trials: Iterable[list[str]]) -> str:
    given = list(trials)
    return f"{sum(set(answers) == {'yes'} for answers in given)} of {len(given)}"


def _telling(baseline: TrialRow, variant: TrialRow) -> tuple[bool, bool, bool]:
    lost, won = baseline.verdicts["review"] == "fail", variant.verdicts["review"] == "pass"
    return lost and won, lost, baseline.verdicts["style"] == "fail"


def _reviewed(scene: Scene, row: TrialRow) -> Reviewed:
    document = scene.documents[row.key]
    try:
        lines = patch_lines(scene.blob(row.change_blob))
    except LedgerError:
        lines = ()
    with_notes = noted(lines, _notes(lines, document)) if lines else ()
    shown, left_out = _cut(with_notes)
    return Reviewed(
        arm=row.arm.capitalize(),
        task=scene.tasks[row.task],
        repeat=row.repeat,
        outcome=f"{'Approved' if row.verdicts['review'] == 'pass' else 'Not approved'}: {row.reasons['review']}",
        lines=shown,
        left_out=left_out,
    )


def _cut(lines: tuple[Line, ...]) -> tuple[tuple[Line, ...], int]:
    if len(lines) <= MOST_LINES:
        return lines, 0
    first = next((number for number, line in enumerate(lines) if line.notes), 0)
    start = min(max(first - _AROUND, 0), len(lines) - MOST_LINES)
    return lines[start : start + MOST_LINES], len(lines) - MOST_LINES


def _notes(lines: tuple[Line, ...], document: TrialDocument) -> tuple[tuple[int, Note], ...]:
    notes: list[tuple[int, Note]] = []
    if document.style:
        notes += [(_line_of(lines, finding), _style_note(finding)) for finding in document.style.new if finding.gating]
    if document.review:
        notes += _vote_notes(lines, document.review.votes)
    return tuple(notes)


def _vote_notes(lines: tuple[Line, ...], votes: Sequence[Vote]) -> list[tuple[int, Note]]:
    """Findings at their lines; a reviewer without one, in one remark at the end."""
    notes: list[tuple[int, Note]] = []
    approving, views = [], Counter(vote.reviewer for vote in votes)
    for reviewer in dict.fromkeys(vote.reviewer for vote in votes):
        own = [vote for vote in votes if vote.reviewer == reviewer]
        found = {item.id: item for vote in own for item in vote.items if item.failed}
        notes += [(_quoted(lines, item.quote), _item_note(reviewer, item)) for item in found.values()]
        if not found:
            if all(vote.answer == "yes" for vote in own):
                approving.append(reviewer)
            else:
                notes.append((len(lines) - 1, _silent_note(reviewer, own)))
    if approving:
        names = " and ".join(approving) if len(approving) < 3 else f"{', '.join(approving[:-1])} and {approving[-1]}"  # noqa: PLR2004
        both = ", with and without comments and docstrings" if all(views[name] > 1 for name in approving) else ""
        said = f" {'approves' if len(approving) == 1 else 'approve'}{both}: no item was answered with a finding."
        notes.append((len(lines) - 1, Note(tone="yes", parts=((("bold", names), ("text", said)),))))
    return notes


def _item_note(reviewer: str, item: Item) -> Note:
    head = (("bold", reviewer), ("text", f" answers {item.answer} to {item.id}."))
    where = (
        ("text", ", found at this line.") if item.supported else ("text", ", which stands nowhere in the change: not counted.")
    )
    quoted: tuple[tuple[str, str], ...] = (("text", "Quoted: "), ("quote", item.quote), where) if item.quote else ()
    trigger: tuple[tuple[str, str], ...] = (("text", " Trigger: "), ("code", item.trigger), ("text", ".")) if item.trigger else ()
    finding: tuple[tuple[str, str], ...] = (("text", f" {item.finding}"),) if item.finding else ()
    return Note(tone="no" if item.supported else "", parts=(head, (*quoted, *trigger, *finding)))


def _silent_note(reviewer: str, votes: Sequence[Vote]) -> Note:
    answers = " and ".join(dict.fromkeys(vote.answer for vote in votes))
    reasons = "; ".join(dict.fromkeys(vote.reason for vote in votes if vote.reason))
    return Note(tone="", parts=((("bold", reviewer), ("text", f" answers {answers}. {reasons}".rstrip())),))


def _style_note(finding: Finding) -> Note:
    said = ((("bold", "Style: new violation."), ("text", f" {finding.rule}: {finding.message}")),)
    return Note(tone="no", parts=said)


def _quoted(lines: tuple[Line, ...], quote: str) -> int:
    """The line where a quote begins, matched by text: changed lines first; the last line where it stands nowhere."""
    first = next((" ".join(line.split()) for line in quote.splitlines() if line.strip()), "")
    bare = first[1:].strip() if first[:1] in {"+", "-"} else first
    for wanted in (first, bare):
        for changed in (True, False):
            for number, line in enumerate(lines):
                if wanted and (line.kind in {"a", "d"}) is changed and line.kind != "h" and wanted in " ".join(line.text.split()):
                    return number
    return len(lines) - 1


def _line_of(lines: tuple[Line, ...], finding: Finding) -> int:
    """The finding's line of its file; the file's heading, where the change does not show it."""
    path, heading = "", len(lines) - 1
    for number, line in enumerate(lines):
        if line.kind == "h":
            path = line.text
            heading = number if path == finding.path else heading
        elif path == finding.path and line.new == str(finding.line):
            return number
    return heading
