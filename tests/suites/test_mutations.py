import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.python_source import syntax_tree
from harness.suites.mutations import Mutation, Operator, mutated, mutations


def made(source: str) -> dict[str, list[str]]:
    """What each operator makes of a source, whole."""
    content = source.encode()
    found: dict[str, list[str]] = {}
    for one in mutations(content):
        after = mutated(content, one)
        if after is not None:
            found.setdefault(one.operator, []).append(after.decode())
    return found


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("comparison", "x = a == b", "x = a != b"),
        ("comparison", "x = a is  not b", "x = a is b"),
        ("comparison", "x = (a) in (b)", "x = (a) not in (b)"),
        ("comparison", "x = 0 <= a < 9", "x = 0 > a < 9"),
        ("boundary", "x = 0 <= a < 9", "x = 0 <= a <= 9"),
        ("boundary", "x = a >= é", "x = a > é"),
        ("boundary", "x = a <= b", "x = a < b"),
        ("logic", "x = a and (b or c)", "x = a or (b or c)"),
        ("branch", "if f(a):\n    b()", "if not f(a):\n    b()"),
        ("branch", "if not (a and b):\n    c()", "if (a and b):\n    c()"),
        ("branch", "if (a or\n    b):\n    c()", "if (not (a or\n    b)):\n    c()"),
        ("branch", "x = 1 if a else 2", "x = 1 if not a else 2"),
        ("default", "def f(a=1, *, b=True, c='x', d=None): pass", "def f(a=2, *, b=True, c='x', d=None): pass"),
        ("default", "def f(a=1, *, b=True, c='x', d=None): pass", "def f(a=1, *, b=False, c='x', d=None): pass"),
        ("default", "def f(a=1, *, b=True, c='x', d=None): pass", 'def f(a=1, *, b=True, c="", d=None): pass'),
        ("exception", "raise ValueError(x) from e", "raise TypeError(x) from e"),
        ("exception", "try: f()\nexcept (A, B): pass", "try: f()\nexcept A: pass"),
        ("exception", "try: f()\nexcept KeyError: pass", "try: f()\nexcept IndexError: pass"),
        ("off-by-one", "x = a[len(b) - 1]", "x = a[len(b)]"),
        ("off-by-one", "x = a[-1]", "x = a[-2]"),
        ("off-by-one", "x = a[1:n]", "x = a[2:n]"),
        ("off-by-one", "x = range(0, n)", "x = range(1, n)"),
        ("removed guard", "def f(a):\n    #\n    if not a:\n        return 1  #\n    return 2\n", "def f(a):\n    return 2\n"),
        ("removed guard", "for a in b:\n    if a:\n        continue", "for a in b:\n    pass"),
        ("swapped arguments", "x = f(a, (b), c)", "x = f(b, (a), c)"),
        ("arithmetic", "x = a + b * c", "x = a - b * c"),
        ("flipped constant", "x = f(a, deep=True)", "x = f(a, deep=False)"),
        ("lost result", "def f(): return a, b", "def f(): return None"),
        ("removed body", 'def f():\n    """S."""\n    b = a\n    return b\n',
         'def f():\n    """S."""\n    raise NotImplementedError\n'),
    ],
)  # fmt: skip
def test_an_operator_changes_its_own_text_and_nothing_else(operator: str, before: str, after: str) -> None:
    assert after in made(before)[operator]


@pytest.mark.parametrize(
    "source",
    [
        "x: Literal[1] = None",
        "def f(a: A[1]) -> B[2]: ...",
        "@retry(1, 2)\ndef f(): pass",
        "x = f'{a <= b}'",
        "if __name__ == '__main__':\n    main(1, 2)",
        "if TYPE_CHECKING:\n    x = a[1]",
        "x = isinstance(a, b)",
        "x = f(a, a)",
        "x = 'a' + b",
        "x = (a # <=\n    < b)",
        "def f(): return None",
    ],
)
def test_what_is_no_behaviour_has_no_mutation(source: str) -> None:
    assert made(source) == {}


def test_a_mutation_knows_its_lines_and_the_function_around_it() -> None:
    source = b"A = 1 == 1\n\n\nclass B:\n    C = 2 == 2\n\n    def d(self, e=3):\n        def f(g):\n"
    source += b"            return g[\n                4\n            ]\n        return f\n"
    found = {(one.operator, one.function, one.first_line, one.last_line) for one in mutations(source)}
    assert (Operator.COMPARISON, "", 1, 1) in found
    assert (Operator.COMPARISON, "", 5, 5) in found
    assert (Operator.DEFAULT, "B.d", 7, 7) in found
    assert (Operator.OFF_BY_ONE, "B.d.f", 10, 10) in found
    assert (Operator.BODY, "B.d", 8, 12) in found


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "(b)", "c.d", "1", "True", "'é'", "f'{a<b}'"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["<", "<=", "==", "is not", "not in", "and", "or", "+", "-"]), inner).map(" ".join)
        | st.tuples(inner, inner).map(lambda pair: f"f({pair[0]}, {pair[1]})")
        | inner.map(lambda text: f"(not {text})")
        | inner.map(lambda text: f"a[{text}:]")
    ),
    max_leaves=8,
)


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_every_mutant_is_another_program_that_parses_and_differs_in_its_span_alone(lines: list[str], end: str) -> None:
    content = end.join(
        f"def f{number}(a):{end}    if {line}:{end}        return {line}{end}    b = {line}" for number, line in enumerate(lines)
    ).encode()
    parsed = syntax_tree(content)
    assert parsed
    for one in mutations(content):
        after = mutated(content, one)
        if after is None:
            continue
        assert after[: one.start] == content[: one.start]
        assert after[one.start + len(one.new) :] == content[one.end :]
        again = syntax_tree(after)
        assert again
        assert ast.dump(again[1]) != ast.dump(parsed[1])


@pytest.mark.parametrize("new", [b"(a)", b"a +", b""])
def test_what_is_the_same_program_or_none_is_no_mutant(new: bytes) -> None:
    fault = Mutation(operator=Operator.RESULT, start=4, end=5, new=new, first_line=1, last_line=1, function="")
    assert mutated(b"x = a\n", fault) is None


def test_the_same_source_gives_the_same_mutations_in_the_same_order() -> None:
    source = b"def f(a, b=1):\n    if a and b < 2:\n        raise ValueError(a)\n    return a[1] + b\n"
    assert mutations(source) == mutations(bytes(source))
    assert [one.start for one in mutations(source)] == sorted(one.start for one in mutations(source))
