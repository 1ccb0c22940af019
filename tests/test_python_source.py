import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.python_source import comments, literal, parsed, syntax_tree


def test_source_is_decoded_as_its_own_coding_line_says() -> None:
    found = syntax_tree("# coding: latin-1\nname = 'é'\n".encode("latin-1"))
    assert found is not None
    assert found[0] == "# coding: latin-1\nname = 'é'\n"


@pytest.mark.parametrize(
    "content", [b"def f(:\n", b"x = '\0'\n", b"x = '\xff'\n", b"# coding: no-such\n", b"(" * 50_000, b"-" * 50_000 + b"1"]
)
def test_what_cannot_be_parsed_is_none_and_no_exception(content: bytes) -> None:
    assert syntax_tree(content) is None


def test_an_odd_escape_in_somebodys_string_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert syntax_tree(b"x = '\\d'\n") is not None


def test_comments_come_with_row_and_column_and_strings_hold_none() -> None:
    assert list(comments("x = '# no'  # é\n# two\n")) == [(1, 12, "# é"), (2, 0, "# two")]


def test_comments_before_a_break_are_still_seen() -> None:
    assert list(comments("# one\nx = (\n")) == [(1, 0, "# one")]


def test_many_threads_may_parse_at_once() -> None:
    source = "\n".join(f"def f{n}(a, b=[{n}, (1, 2)]):\n    return {{'a': a, 'b': [b for b in b]}}" for n in range(150))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: (len(parsed(source).body), literal(f"[{n}]")), range(60)))
    assert found == [(150, [n]) for n in range(60)]
