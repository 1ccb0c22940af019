"""Votes and panel outcomes computed again from raw answers, by the reviewer files and changed files that the campaign has kept.

Whether a quote stands in the change is looked for again too; trials recorded without changed files keep their record's word.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from harness.errors import LedgerError, PersonaError
from harness.evidence import PanelReport
from harness.review.personas import parse_persona
from harness.review.protocol import ordered, revote, role_of
from harness.review.shown import shown, within
from harness.review.verdict import Rule, again, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.evidence import Vote
    from harness.ledger.rows import TrialDocument
    from harness.ledger.schema import CampaignRow
    from harness.ledger.store import Store
    from harness.review.personas import Persona, View
    from harness.rollout import Change
    from harness.trial import TrialKey

_SECOND = " (second answer; the first: "  # what the panel adds to the reason of an answer that it asked for twice


def kept_personas(store: Store, campaign: CampaignRow) -> tuple[Persona, ...]:
    """The campaign's reviewers as they sat, provisional ones without a veto; none where their files were not kept yet.

    Raises:
        LedgerError: a file's blob is absent, changed, or no reviewer file of this version.
    """
    try:
        kept = sorted(campaign.persona_blobs.items())
        personas = tuple(parse_persona(store.blobs.get(blob), f"{name}.md") for name, blob in kept)
    except PersonaError as error:
        raise LedgerError(f"campaign {campaign.key[:16]}: {error}") from error
    provisional = json.loads(campaign.settings).get("provisional", ())
    return tuple(replace(persona, veto=persona.veto and persona.name not in provisional) for persona in personas)


def panel_rule(campaign: CampaignRow) -> Rule:
    """The rule from votes to outcome that the campaign was run with."""
    return cast("Rule", json.loads(campaign.settings)["gates"]["review"]["rule"])


def vote_differences(
    key: TrialKey, document: TrialDocument, personas: tuple[Persona, ...], rule: Rule
) -> Iterator[tuple[str, str, str]]:
    """(of what, as recorded, as computed) for every vote, and for the outcome, that does not come out again."""
    report, change = document.review or PanelReport(votes=(), outcome="missing", reason=""), document.change
    by_name = {persona.name: persona for persona in personas}
    for recorded in report.votes:
        place = f"{recorded.reviewer}, {recorded.view} view"
        persona = by_name.get(recorded.reviewer)
        if persona is None or persona.id != recorded.persona_id:
            yield place, "a vote", "the campaign kept no such reviewer file"
            continue
        computed = _again(recorded, persona, change)
        before, now = (f"{it.answer}: {it.reason.partition(_SECOND)[0]}" for it in (recorded, computed))
        if before != now:
            yield place, before, now
        elif recorded.items != computed.items:
            yield place, _quotes(recorded), _quotes(computed)
        asked = _order(recorded, persona, key)
        if recorded.order not in {(), asked}:
            yield place, f"asked {', '.join(recorded.order)}", f"asked {', '.join(asked)}"
    if report.votes and report.outcome != "missing":  # what the service did not answer cannot be asked of the record
        seats = list(dict.fromkeys(it.reviewer for it in report.votes))  # the panel's order, which its words follow
        seated = sorted(personas, key=lambda persona: seats.index(persona.name) if persona.name in seats else len(seats))
        outcome, reason = verdict(seated, report.votes, rule)
        if (outcome, reason) != (report.outcome, report.reason):
            yield "panel", f"{report.outcome}: {report.reason}", f"{outcome}: {reason}"


def _again(recorded: Vote, persona: Persona, change: Change) -> Vote:
    """A vote from its raw answer, with the view that it was asked about."""
    view = None if change.empty else within(shown(change, _view(recorded), sys.maxsize), persona)
    return revote(recorded, persona, view)


def _view(recorded: Vote) -> View:
    """What was shown, also when a veto was asked again."""
    return cast("View", recorded.view.removesuffix(again("")))


def _order(recorded: Vote, persona: Persona, key: TrialKey) -> tuple[str, ...]:
    """The items of a vote's rubric in the order in which its call asked them."""
    view = _view(recorded)
    attempt = "veto " * (view != recorded.view) + ("2" if _SECOND in recorded.reason else "1")
    return tuple(question.id for question in ordered(persona.rubric, key, role_of(persona, view, attempt)))


def _quotes(vote: Vote) -> str:
    return "; ".join(f"{item.id}: quote {'stands' if item.supported else 'does not stand'} in the change" for item in vote.items)
