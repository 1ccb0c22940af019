from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.budget import Budget, Limit, Metered
from harness.suites.statement import Material, fix_only, interface_of, statement_faults, template, written
from harness.testing import ScriptedModel
from harness.tree import Tree

TESTS = '''\
from box.core import size, size_of_all


def test_size():
    """Nothing has no size."""
    assert size([], unit="mm") == 0


def test_all_boxes_together():
    assert size_of_all([]) == 0
'''
MESSAGE = """\
Sizes may have a unit

Uses _scaled_by internally; see https://example.invalid/x and #12 (commit 1a2b3c4d).
Mention of size_of_all is fine.
Adds test_all_boxes_together.

Signed-off-by: A <a@example.invalid>
Fixes #12
"""
MATERIAL = Material(
    message=MESSAGE,
    base=Tree.of({"src/box/core.py": "def size(items):\n    return len(items)\n"}),
    reference=Tree.of(
        {
            "src/box/core.py": "def size(items, unit=''):\n    return _scaled_by(len(items), unit)\n\n\n"
            "def _scaled_by(number, unit):\n    return number\n\n\ndef size_of_all(boxes):\n    return 0\n"
        }
    ),
    hidden=Tree.of({"tests/test_core.py": TESTS}),
    failing=("tests/test_core.py::test_size", "tests/test_core.py::test_all_boxes_together"),
)
INTERFACE = ("box.core.size_of_all(boxes)",)
GOOD = {"problem": "Sizes have no unit.", "expected": "A size takes a unit.", "interface": "box.core.size_of_all(boxes)"}


def answer(**parts: str) -> str:
    return json.dumps(GOOD | parts)


def test_names_that_only_the_fix_has_are_those_written_like_code_or_defined() -> None:
    assert fix_only(MATERIAL) == {"_scaled_by", "size_of_all"}


def test_the_interface_has_what_tests_use_and_the_base_does_not_have() -> None:
    assert interface_of(MATERIAL) == INTERFACE


def test_the_template_says_problem_expected_and_interface_and_nothing_that_points_at_the_fix() -> None:
    text = template(MATERIAL, INTERFACE)
    assert text == (
        "## Problem\n\nSizes may have a unit\n\nMention of size_of_all is fine.\n\n"
        "## Expected\n\n- Nothing has no size.\n- All boxes together\n\n"
        "## Interface\n\n- `box.core.size_of_all(boxes)`\n"
    )
    assert statement_faults(text, MATERIAL, INTERFACE) == ()


def test_a_message_of_which_nothing_may_be_said_leaves_the_tests_to_speak() -> None:
    text = template(replace(MATERIAL, message="_scaled_by"), ())
    assert "What is described under Expected does not hold today." in text
    assert "No new names are needed." in text


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({"problem": "_scaled_by is missing."}, "_scaled_by stands outside Interface, where only the fix has it"),
        ({"expected": "Make test_all_boxes_together pass."}, "test_all_boxes_together is a hidden test's name"),
        ({"expected": "As in 1a2b3c4d."}, "it holds a commit's hash"),
        ({"expected": "As in #12."}, "it holds an issue's number"),
        ({"expected": "See https://example.invalid"}, "it holds an address"),
        ({"interface": "Nothing."}, "Interface does not have size_of_all"),
        ({"interface": "size_of_all, _scaled_by"}, "Interface names _scaled_by, which no test needs"),
    ],
)
def test_the_linter_refuses_what_gives_the_fix_away_and_the_model_is_told(parts: dict[str, str], fault: str) -> None:
    answers = iter([answer(**parts), answer()])
    model = ScriptedModel(lambda _: ("end_turn", next(answers)))
    found = written(MATERIAL, model, "some-model", "x")
    assert (found.author, len(found.calls)) == ("some-model", 2)
    assert fault in json.dumps(model.requests[1].messages, ensure_ascii=False)
    assert "A size takes a unit." in found.text


@pytest.mark.parametrize("said", ["no JSON", answer(problem="_scaled_by"), json.dumps({"problem": "x"})])
def test_a_model_that_never_answers_well_leaves_the_template_and_is_paid(said: str) -> None:
    found = written(MATERIAL, ScriptedModel(lambda _: ("end_turn", said)), "some-model", "x")
    assert (found.author, len(found.calls)) == ("template", 2)


def test_a_service_that_fails_leaves_the_template() -> None:
    assert written(MATERIAL, ScriptedModel(lambda _: None), "some-model", "x").author == "template"


def test_money_that_is_spent_leaves_the_template_and_nobody_is_asked() -> None:
    model = ScriptedModel(lambda _: ("end_turn", answer()))
    budget = Budget((Limit(name="run", usd=0.4),), max_hours=None, clock=lambda: 0.0)
    found = written(MATERIAL, Metered(model, (budget,), lambda *_: 0.5), "some-model", "x")
    assert (found.author, model.requests) == ("template", [])


def test_words_on_the_deny_list_stand_in_no_statement() -> None:
    found = written(replace(MATERIAL, message="Acme wants units", deny=("Acme",)), None, "", "x")
    assert "Acme" not in found.text
