import pytest

from harness.review.quotes import supported
from harness.review.shown import shown
from harness.rollout import Change
from harness.tree import Tree, difference

BASE = "def keep():\n    return 1\n\n\ndef change(a):\n    if a:\n        return old(a)\n    return None\n"
AFTER = (
    "def keep():\n    return 1\n\n\ndef change(a):\n    if a:\n        value = new(a)\n\n        return value\n    return None\n"
)
CHANGE = shown(
    Change(
        files=difference(Tree.of({"a.py": BASE, "b.py": "gone = 1\n"}), Tree.of({"a.py": AFTER, "b.py": "y = 2\n"})), patch=b""
    ),
    "original",
    10_000,
)


@pytest.mark.parametrize(
    "quote",
    [
        "value = new(a)",
        "        value = new(a)\n\n        return value",
        "+        value = new(a)\n+\n+        return value",
        "if a:\n    value = new(a)",
        "return old(a)",
        "-        return old(a)",
        "value  =  new(a)",
        "new(a)",
        "if a:\n    return old(a)\n    return None",
        "gone = 1",
    ],
)
def test_a_quote_that_touches_a_changed_line_is_supported(quote: str) -> None:
    assert supported(quote, CHANGE)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "(a)",
        "return 1",
        "def keep():",
        "value = new(b)",
        "return value\ny = 2",
        "value = new(a)\nreturn old(a)",
        "+++ b/a.py",
        "@@ -1,8 +1,10 @@",
    ],
)
def test_a_quote_from_elsewhere_or_of_nothing_is_not(quote: str) -> None:
    assert not supported(quote, CHANGE)


def test_a_quote_of_invisible_characters_matches_their_shown_form() -> None:
    change = shown(Change(files=difference(Tree.of({}), Tree.of({"a": "pass\u202eword\n"})), patch=b""), "original", 1000)
    assert supported("pass⟨U+202E⟩word", change)
    assert supported("pass\u202eword", change)
