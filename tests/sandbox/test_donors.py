from __future__ import annotations

import ast
from random import Random

import pytest

from harness.sandbox.donors import Donor, changed, donors

TABLE = """\
@pytest.mark.parametrize(
    ("a", "total"),
    [
        (1, 2),  # one
        (2, [4, "x"]),
    ],
    ids=["one", "two"],
)
def test_adds(a, total):
    assert add(a, a) == total
"""


def found(source: str) -> list[Donor]:
    """The donors of a source text."""
    return donors(ast.parse(source), source.splitlines(keepends=True))


def body(assertion: str) -> str:
    """A test with one line."""
    return f"def test_it(tmp_path):\n    {assertion}\n"


def test_a_table_is_copied_whole_with_a_value_changed_in_every_row() -> None:
    (donor,) = found(TABLE)
    assert [[donor.text[start:end] for start, end in places] for places in donor.items] == [["2"], ["4", '"x"']]
    copy = donor.copy("test_other", Random(1))
    assert [line.partition("(")[0] for line in copy.splitlines()] == [
        line.partition("(")[0].replace("test_adds", "test_other") for line in TABLE.splitlines()
    ]
    assert "(1, 2)," not in copy
    assert '[4, "x"]' not in copy
    assert "# one" in copy


@pytest.mark.parametrize(
    ("assertion", "places"),
    [
        ("assert f(1) == 3", ["3"]),
        ("assert f(1) == -3", ["3"]),
        ("assert f('é', 1) == ['a', (2, b'c')]", ["'a'", "2", "b'c'"]),
        ("assert f() == {'k': 'v'}", ["'v'"]),
        ("assert f() == Decimal('1.50')", ["'1.50'"]),
        ("assert f() == date(2024, 1, 5)", ["2024", "1", "5"]),
        ("assert f() == approx(1.5, abs=0.1)", ["approx(1.5, abs=0.1)"]),
        ("assert f() == min(3, 100)", ["min(3, 100)"]),
        ("assert f() == f'{x}'", ["f'{x}'"]),
        ("assert f() == True", ["True"]),
    ],
)
def test_only_plain_values_are_changed_and_other_expressions_are_replaced_whole(assertion: str, places: list[str]) -> None:
    (donor,) = found(body(assertion))
    assert [donor.text[start:end] for start, end in donor.items[0]] == places


@pytest.mark.parametrize(
    "source",
    [
        body("assert f() is None"),
        body("assert f() != 3"),
        body("assert f() == 3 == g()"),
        body("f()"),
        "@pytest.mark.skip\n" + body("assert f() == 3"),
        "@pytest.mark.parametrize('a', ROWS)\n" + body("assert f() == 3"),
        '@pytest.mark.parametrize("word", ["yes", "no"])\ndef test_same(word):\n    assert kept(word) == word\n',
        '@pytest.mark.parametrize(("a", "b"), [(1, 2), (3, date(2024, 1, 5))])\ndef test_b(a, b):\n    assert f(a) == b\n',
        '@pytest.mark.parametrize(("a", "b"), [(1, 2), pytest.param(3, 4)])\ndef test_b(a, b):\n    assert f(a) == b\n',
        "def helper():\n    assert f() == 3\n",
        "async def test_it():\n    assert f() == 3\n",
    ],
)
def test_what_might_pass_or_break_the_module_is_no_donor(source: str) -> None:
    assert found(source) == []


@pytest.mark.parametrize(
    "source", ["3", "0", "2.5", "'a'", '"text here"', "b'xyz'", "'a\\n'", "''", "1_000", "0x10", "x", "True"]
)
def test_a_changed_value_is_another_value_of_its_kind(source: str) -> None:
    for seed in range(20):
        new = ast.literal_eval(changed(source, Random(seed)))
        if source not in {"x", "True"}:
            old = ast.literal_eval(source)
            assert type(new) is type(old)
            assert new != old
        else:
            assert new >= 1000


def test_text_keeps_its_shape() -> None:
    assert [char.isalpha() for char in changed("'1,234.50 EUR'", Random(3))] == [char.isalpha() for char in "'1,234.50 EUR'"]
