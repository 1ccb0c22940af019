from harness.agents.output import clipped


def test_short_output_is_shown_whole() -> None:
    assert clipped(b"all of it\n") == "all of it\n"


def test_long_output_keeps_head_and_tail_and_says_how_much_is_missing() -> None:
    shown = clipped("a" * 50 + "b" * 100 + "c" * 50, 90)
    assert shown == f"{'a' * 50}{'b' * 10}\n[... 110 characters left out; narrow the command to see them ...]\n{'c' * 30}"


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert clipped(b"\xff!") == "\ufffd!"
