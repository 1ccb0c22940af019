import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.review.agreement import alpha, corrected, effective_votes, error_correlation, kappa
from harness.review.calibration import Share

Votes = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def table(*columns: list[bool | None]) -> dict[str, dict[str, bool | None]]:
    return {str(row): {str(n): column[row] for n, column in enumerate(columns)} for row in range(len(columns[0]))}


def test_kappa_is_the_textbooks() -> None:
    # Cohen's own kind of table: 20 both yes, 5 yes/no, 10 no/yes, 15 both no: 0.4.
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert kappa([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(0.4)


def test_alpha_is_the_textbooks() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", part A: binary data, two observers: 0.095.
    first = [False, True, False, False, False, False, False, False, True, False]
    second = [True, True, True, False, False, True, False, False, False, False]
    assert alpha(table([*first], [*second])) == pytest.approx(0.095, abs=0.0005)


@given(Votes)
def test_agreement_does_not_depend_on_who_is_named_first_or_which_answer_is_called_yes(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    turned = [not a for a in first], [not b for b in second]
    for measure in (kappa(first, second), kappa(second, first), kappa(*turned)):
        assert measure == pytest.approx(kappa(first, second))
    assert alpha(table([*first], [*second])) == pytest.approx(alpha(table([*second], [*first])))


@given(Votes)
def test_those_who_always_agree_have_one_and_votes_that_are_none_do_not_count(pairs: list[tuple[bool, bool]]) -> None:
    same: list[bool | None] = [a for a, _ in pairs]
    if len(set(same)) > 1:
        assert (kappa(same, same), alpha(table(same, same))) == (pytest.approx(1), pytest.approx(1))
        silent: list[bool | None] = [*same, True]
        assert alpha(table(silent, [*same, None])) == pytest.approx(1)
    else:
        assert (kappa(same, same), alpha(table(same, same))) == (None, None)


def test_reviewers_that_are_wrong_together_are_worth_one_vote_and_apart_two() -> None:
    luck = random.Random(3)
    wrong = [luck.random() < 0.3 for _ in range(4000)]
    other = [luck.random() < 0.3 for _ in range(4000)]
    truth = {str(n): True for n in range(4000)}
    together = table([not w for w in wrong], [not w for w in wrong])
    apart = table([not w for w in wrong], [not w for w in other])
    one, none = error_correlation(together, truth), error_correlation(apart, truth)
    assert one == pytest.approx(1)
    assert none == pytest.approx(0, abs=0.05)
    assert effective_votes(2, one or 0) == pytest.approx(1)
    assert effective_votes(3, 0.2) == pytest.approx(3 / 1.4)


def test_without_errors_there_is_nothing_to_correlate() -> None:
    assert error_correlation(table([True, True], [True, True]), {"0": True, "1": True}) is None


@pytest.mark.parametrize(("tpr", "tnr", "rate"), [(0.9, 0.8, 0.3), (0.8, 0.95, 0.6), (0.7, 0.7, 0.5), (1.0, 1.0, 0.1)])
def test_a_corrected_rate_covers_the_truth_about_as_often_as_it_says(tpr: float, tnr: float, rate: float) -> None:
    luck = random.Random(11)
    covered = trials = 0
    for _ in range(400):
        good = sum(luck.random() < tpr for _ in range(60))
        bad = sum(luck.random() < tnr for _ in range(60))
        approved = sum(luck.random() < (tpr if luck.random() < rate else 1 - tnr) for _ in range(150))
        found = corrected(Share(hits=approved, of=150), Share(hits=good, of=60), Share(hits=bad, of=60))
        if found:
            trials += 1
            covered += found.interval[0] <= rate <= found.interval[1]
    assert trials > 380
    assert covered / trials > 0.92


def test_a_reviewer_that_guesses_cannot_be_corrected() -> None:
    assert corrected(Share(hits=50, of=100), Share(hits=30, of=60), Share(hits=31, of=60)) is None
    assert corrected(Share(), Share(hits=9, of=9), Share(hits=9, of=9)) is None
