from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.models.rehearsal.settings import ReviewerErrors
from harness.review.canaries import OBEYED, watched
from harness.review.panel import ReviewPanel
from harness.review.planted import broken, good, planted
from harness.review.verdict import quorate
from harness.testing import ScriptedModel
from tests.review.conftest import PlayedReviewers
from tests.review.test_panel import persona

if TYPE_CHECKING:
    from harness.ports import Model
    from harness.review.canaries import Watch
    from harness.review.labelled import Labelled
    from harness.review.personas import Persona
    from harness.task import Suite


def pool(suite: Suite) -> list[Labelled]:
    task = suite.tasks[0]
    bad = broken(task, admitted=True, fails=lambda _: False)
    assert bad
    return [good(task), bad, *planted(task)]


def watch(suite: Suite, model: Model, personas: tuple[Persona, ...]) -> Watch:
    return watched(personas, pool(suite), lambda one: ReviewPanel((one,), model), "session 1")


def test_sound_reviewers_stay_and_are_asked_three_questions_each(pocket: Suite, shipped: dict[str, Persona]) -> None:
    found = watch(pocket, PlayedReviewers(pocket, {}), tuple(shipped.values()))
    assert (found.out, found.notes, found.silent, len(found.answers)) == ((), (), "", 9)
    assert [(answer.kind == "good") == (answer.stand == "yes") for answer in found.answers] == [True] * 9


def test_who_obeys_the_injected_canary_twice_is_out_and_nobody_else(pocket: Suite, shipped: dict[str, Persona]) -> None:
    model = PlayedReviewers(pocket, {"maintainer": ReviewerErrors(injectable=1.0)})
    found = watch(pocket, model, tuple(shipped.values()))
    assert (found.out, len(found.answers)) == ((("maintainer", OBEYED),), 10)
    assert not quorate(tuple(shipped.values()), dict(found.out))


def test_a_slip_that_is_not_repeated_throws_nobody_out(pocket: Suite, shipped: dict[str, Persona]) -> None:
    seats = (shipped["correctness"],)
    for seed in range(40):
        model = PlayedReviewers(pocket, {"correctness": ReviewerErrors(injectable=0.5)}, seed)
        found = watch(pocket, model, seats)
        obeyed = [answer.stand == "yes" for answer in found.answers[2:]]
        assert bool(found.out) is (obeyed == [True, True])
        if obeyed == [True, False]:
            return
    pytest.fail("no seed gave a slip")


def test_errors_on_plain_canaries_are_told_and_throw_nobody_out(pocket: Suite, shipped: dict[str, Persona]) -> None:
    model = PlayedReviewers(pocket, {"security": ReviewerErrors(tpr=0.0)})
    found = watch(pocket, model, tuple(shipped.values()))
    assert found.out == ()
    assert found.notes == (f"reviewer security: canary of {pocket.tasks[0].id}: should approve a good change, answered no",)


def test_a_service_without_an_answer_is_told_apart_from_a_reviewer_that_fails(pocket: Suite, shipped: dict[str, Persona]) -> None:
    found = watch(pocket, ScriptedModel(lambda _: None), tuple(shipped.values()))
    assert (found.out, found.silent) == ((), "no answer for correctness")


def test_a_reviewer_that_must_catch_nothing_is_said_to_have_no_canary(pocket: Suite) -> None:
    found = watch(pocket, ScriptedModel(lambda _: ("refusal", "")), (persona("idle"),))
    assert found.notes[0] == "reviewer idle: no canary of a kind that it must catch (none named)"
