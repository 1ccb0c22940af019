from pathlib import Path

import pytest

from harness.models.rehearsal.deck import Directive, deck, standing


@pytest.mark.parametrize("card", deck(), ids=lambda card: card.id)
def test_each_card_is_recognised_by_its_own_sentence_and_by_no_other(card: Directive) -> None:
    assert standing(f"# Skill\n\n- {card.text}\n") == (card,)


def test_a_directive_is_found_over_line_ends_and_in_other_letters() -> None:
    assert [card.id for card in standing("hand in the\n  FIRST version.")] == ["first-draft"]


def test_a_directive_said_twice_counts_once() -> None:
    assert len(standing("Hand in the first version. Hand in the first version.")) == 1


@pytest.mark.parametrize("name", ["coding", "four-step"])
def test_the_skills_that_ship_begin_without_any_directive_so_there_is_room_to_improve(name: str) -> None:
    assert standing(Path("skills", name, "SKILL.md").read_text(encoding="utf-8")) == ()


def test_the_opening_holds_one_card_of_each_of_four_kinds_and_the_helpful_one_moves_every_gate_by_35_points() -> None:
    opening = {card.kind: card for card in deck() if card.opening}
    assert sorted(opening) == ["harmful", "helpful", "neutral", "trade-off"]
    helpful = opening["helpful"]
    assert (helpful.tests, helpful.style, helpful.review) == (35, 35, 35)


def test_the_deck_holds_every_kind_of_edit() -> None:
    assert {card.kind for card in deck()} == {"helpful", "harmful", "neutral", "trade-off", "leaking", "bloating"}
