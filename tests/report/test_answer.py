"""The headline: what a decision to promote came to, after a person's answer and after a rollback too."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.approval import approve, refuse, waiting
from harness.ledger.history import read_history
from harness.ledger.schema import CampaignRow
from harness.ledger.store import Store
from harness.loop import compare, evolve
from harness.report.answer import Answer, answer_of
from harness.report.view import Scene
from harness.rollback import roll_back
from harness.skill import Variant
from harness.skill_io import make_skill
from harness.tree import Tree
from tests.test_approval import asking
from tests.test_loop import GOOD, SKILL, Night


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def begun(night: Night) -> Night:
    plain = {"skill": "s", "suite": "s", "suite_hash": "", "holdout_hash": "", "rehearsal": False, "versions": {}}
    night.ledger.add(CampaignRow.model_validate({"key": "c", "settings": "{}", **plain}))
    return night


def answer(store: Store) -> Answer:
    return answer_of(Scene(history=read_history(store, "c"), blob=store.blobs.get))


def said(found: Answer) -> tuple[str, str, str]:
    """Pill, headline and the end of the lead."""
    return found.pill[0], found.title, found.lead[-1].text


def test_a_promotion_that_waits_and_one_that_a_person_took_are_told_apart(store: Store) -> None:
    night = begun(asking(store, [GOOD]))
    evolve(night.campaign, 1)
    assert said(answer(store))[:2] == ("Waits for a person", "Generation 1 beats the baseline and waits for a person")
    approve(night.ledger, waiting(night.ledger)[0], "It names what we forget.", "ada")
    assert said(answer(store))[:2] == ("Promoted", "Generation 1 is the new baseline")


def test_a_promotion_that_a_person_refused_is_none_and_says_why(store: Store) -> None:
    night = begun(asking(store, [GOOD]))
    evolve(night.campaign, 1)
    refuse(night.ledger, waiting(night.ledger)[0], "We tried this last year.", "ada")
    told = ("Refused", "Generation 1 beats the baseline, and a person said no", " No said ada: We tried this last year.")
    assert said(answer(store)) == told


def test_a_promotion_that_was_rolled_back_is_no_longer_the_baseline(store: Store) -> None:
    night = begun(Night(store, [GOOD]))
    evolve(night.campaign, 1)
    assert said(answer(store))[:2] == ("Promoted", "Generation 1 is the new baseline")
    roll_back(night.ledger, "it made reviews longer")
    told = ("Taken back", "Generation 1 was promoted, and taken back since", " Taken back since: it made reviews longer")
    assert said(answer(store)) == told


def test_a_comparison_by_hand_promotes_nothing(store: Store) -> None:
    night = begun(Night(store, []))
    better = make_skill(Tree.of({"SKILL.md": f"{SKILL.text}{GOOD}\n"}), "coding", "test")
    compare(night.campaign, Variant(skill=better, parent=SKILL.id, operator="given", generation=1))
    assert said(answer(store))[:2] == ("Beats the baseline", "The variant beats the baseline")
