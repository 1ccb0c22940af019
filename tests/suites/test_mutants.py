import pytest

from harness.suites.mutants import flipped, mutants
from harness.task import Task
from harness.tree import difference


def test_mutants_differ_from_the_reference_by_one_line_each(task: Task) -> None:
    found = list(mutants(task))
    assert found
    for tree in found:
        (change,) = difference(task.reference, tree)
        assert change.old is not None
        assert change.new is not None
        before, after = change.old.text.split("\n"), change.new.text.split("\n")
        assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    if a <= b:", "    if a < b:"),
        ("    if a < b:  # under it", "    if a <= b:"),
        ("    return total", "    return None"),
        ("    x = a + b", "    x = a - b"),
        ("def f(a == b):", None),
        ("# a <= b", None),
        ("    pass", None),
    ],
)
def test_the_first_operator_or_constant_of_a_line_is_flipped(line: str, expected: str | None) -> None:
    assert flipped(line) == expected
