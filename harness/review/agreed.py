"""The last calibration read as votes of one panel: how far its members agree, and what the panel is worth. Figures and words."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from harness.errors import InputError, LedgerError
from harness.review.agreement import alpha, corrected, effective_votes, error_correlation, kappa
from harness.review.calibrate import Purpose
from harness.review.calibration import Share
from harness.review.labelled import GOOD
from harness.review.protocol import revote
from harness.review.verdict import Stand, again, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.evidence import Vote
    from harness.review.agreement import Corrected
    from harness.review.calibrate import Answered
    from harness.review.personas import Persona
    from harness.review.records import Records
    from harness.review.verdict import Rule


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How the reviewers of one calibration agree, on all labelled changes that all of them were asked about.

    Kappa and alpha are over all of these, where specialists differ by design; errors only over what a reviewer must catch.
    """

    kappas: tuple[tuple[tuple[str, str], float | None], ...]
    alpha: float | None
    correlation: float | None
    effective: float | None
    right: tuple[tuple[str, Share], ...]  # the panel last
    approved_good: Share  # by the panel
    refused_bad: Share

    def corrected(self, approved: Share) -> Corrected | None:
        """An approval rate of this panel without its own errors; None where it tells good from bad no better than chance."""
        return corrected(approved, self.approved_good, self.refused_bad)

    @property
    def words(self) -> tuple[str, ...]:
        """What the figures say, a line each."""
        count = len(self.right) - 1
        worth = "unknown, too few errors" if self.effective is None else f"{self.effective:.1f} independent ones"
        together = "too few errors to say" if self.correlation is None else f"{self.correlation:.2f}"
        best = max(self.right[:-1], key=lambda one: one[1].hits)
        beside = f"{self.right[-1][1].hits} right answers of the panel, {best[1].hits} of its best member ({best[0]})"
        good, bad = self.approved_good, self.refused_bad
        panel = f"The panel approves {good.hits} of {good.of} good changes and refuses {bad.hits} of {bad.of} bad ones"
        return (
            f"Krippendorff's alpha: {'none' if self.alpha is None else f'{self.alpha:.2f}'}",
            f"Errors made together (correlation): {together}; the {count} votes are worth: {worth}",
            beside,
            panel,
        )

    @property
    def document(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "kappa": [{"reviewers": list(pair), "kappa": value} for pair, value in self.kappas],
            "alpha": self.alpha,
            "error_correlation": self.correlation,
            "effective_votes": self.effective,
            "right": {name: {"hits": share.hits, "of": share.of} for name, share in self.right},
            "approved_good": {"hits": self.approved_good.hits, "of": self.approved_good.of},
            "refused_bad": {"hits": self.refused_bad.hits, "of": self.refused_bad.of},
        }


def agreement_of(seated: Sequence[Persona], rule: Rule, records: Records) -> Agreement:
    """Figures from the last calibration, its votes first computed again from the raw answers.

    Raises:
        InputError: there is none, or it was of other reviewers.
        LedgerError: a recorded vote does not come out again.
    """
    run = next(iter(records.runs()[::-1]), "")
    answers = [answer for answer in records.answers(run) if answer.purpose is Purpose.PLAIN] if run else []
    personas = {one.name: one for one in seated}
    known = {vote.persona_id for answer in answers for vote in answer.votes}
    if not answers or known - {one.id for one in seated}:
        raise InputError("no calibration of these reviewers; run harness reviewers calibrate first")
    table: dict[str, dict[str, Answered]] = defaultdict(dict)
    for answer in answers:
        changed = [vote for vote in answer.votes if revote(vote, personas[answer.reviewer]).answer != vote.answer]
        if changed:
            raise LedgerError(f"{answer.reviewer} on {answer.original}: the vote does not come out of its raw answer again")
        table[answer.original][answer.reviewer] = answer
    return _agreed(seated, rule, {name: row for name, row in table.items() if len(row) == len(personas)})


def _agreed(seated: Sequence[Persona], rule: Rule, table: dict[str, dict[str, Answered]]) -> Agreement:
    truth = {name: next(iter(row.values())).kind == GOOD for name, row in table.items()}
    votes = {name: {who: _approves(answer) for who, answer in row.items()} for name, row in table.items()}
    names = [one.name for one in seated]
    panel = {name: verdict(seated, _confirmed(seated, row), rule)[0] == "pass" for name, row in table.items()}
    approved_good = [panel[name] for name, good_one in truth.items() if good_one]
    refused_bad = [not panel[name] for name, good_one in truth.items() if not good_one]
    right = [(who, _share(votes[name][who] is truth[name] for name in table)) for who in names]
    duties = {one.name: {GOOD, *one.calibrate_on} for one in seated}
    owed = {
        name: {who: _approves(answer) if answer.kind in duties[who] else None for who, answer in row.items()}
        for name, row in table.items()
    }
    correlation = error_correlation(owed, truth)
    return Agreement(
        kappas=tuple(
            ((first, second), kappa([row[first] for row in votes.values()], [row[second] for row in votes.values()]))
            for first, second in combinations(names, 2)
        ),
        alpha=alpha(votes),
        correlation=correlation,
        effective=None if correlation is None else effective_votes(len(names), correlation),
        right=(*right, ("panel", _share(panel[name] is truth[name] for name in table))),
        approved_good=_share(approved_good),
        refused_bad=_share(refused_bad),
    )


def _confirmed(seated: Sequence[Persona], row: dict[str, Answered]) -> list[Vote]:
    """The votes with each veto taken as confirmed: calibration asks every question once."""
    vetoes = {one.name for one in seated if one.veto}
    votes = [vote for answer in row.values() for vote in answer.votes]
    return [*votes, *(replace(vote, view=again(vote.view)) for vote in votes if vote.answer == "no" and vote.reviewer in vetoes)]


def _approves(answer: Answered) -> bool | None:
    return {Stand.YES: True, Stand.NO: False}.get(Stand(answer.stand))


def _share(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(hits=sum(found), of=len(found))
