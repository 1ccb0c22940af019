from harness.counted import counted


def test_counts_carry_their_noun() -> None:
    assert [counted(1, "task"), counted(2400, "task"), counted(0, "reply", "replies")] == ["1 task", "2,400 tasks", "0 replies"]
