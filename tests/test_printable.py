import pytest

from harness.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\n\twith lines", "plain text\n\twith lines"),
        ("\x1b[31mred\x07", "⟨U+001B⟩[31mred⟨U+0007⟩"),
        ("user\u202egpj.exe", "user⟨U+202E⟩gpj.exe"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag \U000e0041 selector \ufe0f", "tag ⟨U+E0041⟩ selector ⟨U+FE0F⟩"),
        ("over\rwritten\r\n", "over⟨U+000D⟩written⟨U+000D⟩\n"),
        ("c1 \x9b csi", "c1 ⟨U+009B⟩ csi"),
        ("sep\u2028line", "sep⟨U+2028⟩line"),
        ("caf\udce9 \ud800", "caf⟨0xE9⟩ ⟨U+D800⟩"),
        ("日本 naïve عربي 👍", "日本 naïve عربي 👍"),
    ],
)
def test_hidden_characters_are_shown_and_all_others_stay(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_in_one_line_breaks_and_tabs_are_shown_too() -> None:
    assert printable("a\nb\tc", lines=False) == "a⟨U+000A⟩b⟨U+0009⟩c"
