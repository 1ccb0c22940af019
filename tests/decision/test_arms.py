"""Which stored baseline arm a confirmation may be paired with."""

from dataclasses import replace

from harness.decision.arms import Use, choose_arm
from harness.decision.result import DecisionKind

FIRST = Use(key="c1", night=1, baseline="b", variant="v1", arm="", decision=DecisionKind.REJECT, looks=2)


def test_the_first_confirmation_of_a_night_runs_a_fresh_arm() -> None:
    assert choose_arm([], night=1, baseline="b", lineage=["v"]) == ""
    assert choose_arm([FIRST], night=2, baseline="b", lineage=["v"]) == ""


def test_the_next_one_is_paired_with_the_same_trials_until_they_served_three() -> None:
    uses = [FIRST, replace(FIRST, key="c2", variant="v2", arm="c1/baseline")]
    assert choose_arm(uses[:1], night=1, baseline="b", lineage=["v"]) == "c1/baseline"
    assert choose_arm(uses, night=1, baseline="b", lineage=["v"]) == "c1/baseline"
    third = replace(FIRST, key="c3", variant="v3", arm="c1/baseline")
    assert choose_arm([*uses, third], night=1, baseline="b", lineage=["v"]) == ""


def test_after_a_promotion_the_winners_own_trials_are_the_next_arm() -> None:
    won = replace(FIRST, decision=DecisionKind.PROMOTE)
    assert choose_arm([won], night=1, baseline="v1", lineage=["v"]) == "c1/variant"
    assert choose_arm([won], night=1, baseline="b", lineage=["v"]) == ""


def test_a_cut_confirmation_counts_as_a_use() -> None:
    cut = [replace(FIRST, key=f"c{n}", arm="c1/baseline" if n > 1 else "", decision=None, looks=0) for n in (1, 2, 3)]
    assert choose_arm(cut[:2], night=1, baseline="b", lineage=["v"]) == "c1/baseline"
    assert choose_arm(cut, night=1, baseline="b", lineage=["v"]) == ""


def test_a_long_inconclusive_decision_spoils_its_arm_and_a_short_one_does_not() -> None:
    long = replace(FIRST, decision=DecisionKind.INCONCLUSIVE, looks=6)
    assert choose_arm([long], night=1, baseline="b", lineage=["v"]) == ""
    assert choose_arm([replace(long, looks=5)], night=1, baseline="b", lineage=["v"]) == "c1/baseline"


def test_an_inconclusive_variant_met_again_and_its_descendants_get_a_fresh_arm() -> None:
    short = replace(FIRST, decision=DecisionKind.INCONCLUSIVE, looks=3)
    assert choose_arm([short], night=1, baseline="b", lineage=["v1"]) == ""
    assert choose_arm([short], night=1, baseline="b", lineage=["v9", "v1"]) == ""
    assert choose_arm([replace(short, night=0), FIRST], night=1, baseline="b", lineage=["v1"]) == ""
