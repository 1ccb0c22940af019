"""Votes at the lines they quote: every task in both arms, as the reviewers saw it, and how each voted over all trials."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.errors import LedgerError
from harness.report.patches import Line, patch_lines
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.evidence import Finding, Item, Vote
    from harness.ledger.rows import TrialDocument
    from harness.ledger.schema import TrialRow
    from harness.report.view import Scene

MOST_TASKS = 60  # beyond these a page would grow past what one reads
_WHOLE, _PART = 60, 24  # lines shown of the first task's changes, and of the others'
_AROUND = 3  # lines shown around a remark where a change is longer than that
_FINDINGS = 5  # style violations shown of one change; a broken file may have thousands
_NOWHERE = -1  # the place of a remark on the change as a whole
_WORDS, _WIDTH = 400, 200  # characters shown of what a reviewer says in one place, and of a line of code


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A remark. `tone` is no, yes or empty; `parts` are (kind, text) with kind text, bold, code or quote."""

    tone: str
    parts: tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Lines of a change, and the remarks on the last of them."""

    lines: tuple[Line, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One arm's change with its remarks; without a chunk where the change is empty, or no text."""

    arm: str
    outcome: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One task: how often each arm was approved, and both arms of one repeat."""

    task: str
    counts: str
    repeat: int
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One reviewer over all trials of the comparison: approvals by arm "41 of 83", unusable answers."""

    name: str
    baseline: str
    variant: str
    unusable: int


def reviewed_tasks(scene: Scene) -> tuple[Reviewed, ...]:
    """Every task that was reviewed in both arms, by name, the most telling first; of a private suite none.

    Of a task's repeats the most telling one is shown: not approved with the baseline, approved with the variant.
    """
    if scene.private:
        return ()
    tasks: dict[str, dict[int, dict[str, TrialRow]]] = defaultdict(lambda: defaultdict(dict))
    for placed in scene.trials:
        if placed.row.key in scene.documents and scene.history.votes.get(placed.row.key):
            tasks[placed.row.task][placed.row.repeat][placed.row.arm] = placed.row
    pairs = {name: [pair for _, pair in sorted(repeats.items()) if len(pair) == len(Arm)] for name, repeats in tasks.items()}
    best = [(max(found, key=_telling), found) for _, found in sorted(pairs.items()) if found]
    first = max((pair for pair, _ in best), key=_telling, default=None)
    ordered = sorted(best, key=lambda one: one[0] is not first)
    return tuple(_reviewed(scene, pair, found, _PART if number else _WHOLE) for number, (pair, found) in enumerate(ordered))


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


def _telling(pair: Mapping[str, TrialRow]) -> tuple[bool, bool, bool]:
    baseline, variant = pair[Arm.BASELINE].verdicts, pair[Arm.VARIANT].verdicts
    lost, won = baseline["review"] == "fail", variant["review"] == "pass"
    return lost and won, lost, baseline["style"] == "fail"


def _reviewed(scene: Scene, pair: Mapping[str, TrialRow], pairs: Sequence[Mapping[str, TrialRow]], most: int) -> Reviewed:
    approved = {arm: sum(one[arm].verdicts["review"] == "pass" for one in pairs) for arm in Arm}
    told = (f"{approved[arm]} of {len(pairs)} with the {arm}" for arm in Arm)
    row = pair[Arm.BASELINE]
    sides = tuple(_side(scene, pair[arm], most) for arm in Arm)
    return Reviewed(task=scene.tasks[row.task], counts=f"approved {', '.join(told)}", repeat=row.repeat, sides=sides)


def _side(scene: Scene, row: TrialRow, most: int) -> Side:
    try:
        lines = patch_lines(scene.blob(row.change_blob))
    except LedgerError:
        lines = ()
    outcome = f"{'Approved' if row.verdicts['review'] == 'pass' else 'Not approved'}: {row.reasons['review']}"
    notes = _notes(lines, scene.documents[row.key])
    return Side(arm=row.arm.capitalize(), outcome=outcome, chunks=_chunks(lines, notes, most) if lines else ())


def _chunks(lines: tuple[Line, ...], notes: Mapping[int, Sequence[Note]], most: int) -> tuple[Chunk, ...]:
    """The lines that are shown, cut after each that has remarks; what is left out between them is counted."""
    chunks, run, after = [], list[Line](), 0
    for place in _kept(lines, notes, most):
        run += [_gap(place - after)] if place > after else []
        run.append(replace(lines[place], text=_clipped(lines[place].text, _WIDTH)))
        after = place + 1
        if place in notes:
            chunks.append(Chunk(lines=tuple(run), notes=tuple(notes[place])))
            run = []
    run += [_gap(len(lines) - after)] if after < len(lines) else []
    return (*chunks, Chunk(lines=tuple(run), notes=tuple(notes.get(_NOWHERE, ()))))


def _kept(lines: tuple[Line, ...], notes: Mapping[int, Sequence[Note]], most: int) -> list[int]:
    """The places that are shown: all of a short change; of a longer one what stands around its remarks, else its beginning."""
    if len(lines) <= most:
        return list(range(len(lines)))
    remarked = sorted(place for place in notes if place != _NOWHERE)
    near = {place + by for place in remarked for by in range(-_AROUND, _AROUND + 1) if 0 <= place + by < len(lines)}
    kept = sorted(near or range(most // 2))[:most]
    headings = [place for place, line in enumerate(lines) if line.kind == "h"]
    under = {max((one for one in headings if one <= place), default=place) for place in (*kept, *remarked)}
    return sorted({*kept, *remarked, *under})


def _gap(count: int) -> Line:
    return Line(kind="h", text=counted(count, "more line"))


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _notes(lines: tuple[Line, ...], document: TrialDocument) -> dict[int, list[Note]]:
    """Remarks by the place of the line that they are about."""
    notes: dict[int, list[Note]] = defaultdict(list)
    gating = [finding for finding in (document.style.new if document.style else ()) if finding.gating]
    for finding in gating[:_FINDINGS]:
        notes[_line_of(lines, finding)].append(_style_note(finding))
    if len(gating) > _FINDINGS:
        said = f"Style: {counted(len(gating) - _FINDINGS, 'more new violation')}."
        notes[_NOWHERE].append(Note(tone="no", parts=((("bold", said),),)))
    for place, note in _vote_notes(lines, document.review.votes if document.review else ()):
        notes[place].append(note)
    return dict(notes)


def _vote_notes(lines: tuple[Line, ...], votes: Sequence[Vote]) -> Iterator[tuple[int, Note]]:
    """Findings at their lines; a reviewer without one, in one remark at the end."""
    views = Counter(vote.reviewer for vote in votes)
    approving = []
    for reviewer in views:
        own = [vote for vote in votes if vote.reviewer == reviewer]
        found = {item.id: item for vote in own for item in vote.items if item.failed}
        yield from ((_quoted(lines, item.quote), _item_note(reviewer, item)) for item in found.values())
        if not found and all(vote.answer == "yes" for vote in own):
            approving.append(reviewer)
        elif not found:
            yield _NOWHERE, _silent_note(reviewer, own)
    if approving:
        names = " and ".join(part for part in (", ".join(approving[:-1]), approving[-1]) if part)
        both = ", with and without comments and docstrings" if all(views[name] > 1 for name in approving) else ""
        said = f" {'approves' if len(approving) == 1 else 'approve'}{both}: no item was answered with a finding."
        yield _NOWHERE, Note(tone="yes", parts=((("bold", names), ("text", said)),))


def _item_note(reviewer: str, item: Item) -> Note:
    head = (("bold", reviewer), ("text", f" answers {item.answer} to {item.id}."))
    where = (
        ("text", ", found at this line.") if item.supported else ("text", ", which stands nowhere in the change: not counted.")
    )
    quoted: tuple[tuple[str, str], ...] = (
        (("text", "Quoted: "), ("quote", _clipped(item.quote, _WORDS)), where) if item.quote else ()
    )
    trigger: tuple[tuple[str, str], ...] = (
        (("text", " Trigger: "), ("code", _clipped(item.trigger, _WORDS)), ("text", ".")) if item.trigger else ()
    )
    finding: tuple[tuple[str, str], ...] = (("text", f" {_clipped(item.finding, _WORDS)}"),) if item.finding else ()
    return Note(tone="no" if item.supported else "", parts=(head, (*quoted, *trigger, *finding)))


def _silent_note(reviewer: str, votes: Sequence[Vote]) -> Note:
    answers = " and ".join(dict.fromkeys(vote.answer for vote in votes))
    reasons = "; ".join(dict.fromkeys(vote.reason for vote in votes if vote.reason))
    return Note(tone="", parts=((("bold", reviewer), ("text", f" answers {answers}. {_clipped(reasons, _WORDS)}".rstrip())),))


def _style_note(finding: Finding) -> Note:
    said = ((("bold", "Style: new violation."), ("text", f" {finding.rule}: {_clipped(finding.message, _WORDS)}")),)
    return Note(tone="no", parts=said)


def _quoted(lines: tuple[Line, ...], quote: str) -> int:
    """The line where a quote begins, matched by text: changed lines first; or nowhere."""
    first = next((" ".join(line.split()) for line in quote.splitlines() if line.strip()), "")
    bare = first[1:].strip() if first[:1] in {"+", "-"} else first
    for wanted in (first, bare):
        for changed in (True, False):
            for number, line in enumerate(lines):
                if wanted and (line.kind in {"a", "d"}) is changed and line.kind != "h" and wanted in " ".join(line.text.split()):
                    return number
    return _NOWHERE


def _line_of(lines: tuple[Line, ...], finding: Finding) -> int:
    """The finding's line of its file; the file's heading, where the change does not show it."""
    path, heading = "", _NOWHERE
    for number, line in enumerate(lines):
        if line.kind == "h":
            path = line.text
            heading = number if path == finding.path else heading
        elif path == finding.path and line.new == str(finding.line):
            return number
    return heading
