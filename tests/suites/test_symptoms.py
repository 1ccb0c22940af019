import pytest

from harness.suites.mutations import Mutation, Operator
from harness.suites.symptoms import MOST_SYMPTOMS, statement, symptoms
from harness.tree import Tree

TESTS = Tree.of(
    {
        "tests/test_x.py": '''\
def test_zero_is_refused():
    assert f(0)


def test_told():
    """Amounts keep their sign.

    More of it.
    """


def test_names_it():
    """parse_amount keeps the sign."""


class TestEdgeCases:
    def test_emptyInput(self): ...
'''
    }
)
FAULT = Mutation(operator=Operator.BOUNDARY, start=0, end=0, new=b"", first_line=1, last_line=1, function="Book.parse_amount")


@pytest.mark.parametrize(
    ("name", "message", "expected"),
    [
        ("tests/test_x.py::test_zero_is_refused", "AssertionError: 1", "Zero is refused"),
        ("tests/test_x.py::test_told", "ValueError: bad", "Amounts keep their sign (`ValueError` is raised)"),
        ("tests/test_x.py::test_names_it", "NotImplementedError", "Names it"),
        ("test_x.py::TestEdgeCases::test_emptyInput", "shop.errors.BadError: x", "Edge cases empty input (`BadError` is raised)"),
        ("tests/gone.py::test_parsing_of_dates[3]", "", "Parsing of dates"),
    ],
)  # fmt: skip
def test_a_symptom_is_what_a_failing_test_says_of_itself(name: str, message: str, expected: str) -> None:
    assert symptoms([name], TESTS, {name: ("failed", message)}, FAULT) == (expected,)


def test_the_parameters_of_one_test_are_one_symptom() -> None:
    names = [f"tests/test_x.py::test_zero_is_refused[{number}]" for number in range(9)]
    assert symptoms(names, TESTS, {}, FAULT) == ("Zero is refused",)


def test_many_symptoms_are_told_in_part_and_counted() -> None:
    text = statement("shop", [f"Case {number}" for number in range(MOST_SYMPTOMS + 3)])
    assert f"- Case {MOST_SYMPTOMS - 1}\n- and 3 more of this kind\n" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## Problem", "## Expected", "## Interface"]
