from harness.models.rehearsal.draws import Draws

DRAWS = Draws(seed=1, subject="s", role="coder")


def test_a_draw_is_the_same_whenever_it_is_made() -> None:
    assert DRAWS.uniform(0, "tests") == Draws(seed=1, subject="s", role="coder").uniform(0, "tests")


def test_seed_subject_role_call_and_purpose_each_make_it_another() -> None:
    others = [
        Draws(seed=2, subject="s", role="coder").uniform(0, "tests"),
        Draws(seed=1, subject="t", role="coder").uniform(0, "tests"),
        Draws(seed=1, subject="s", role="proposer").uniform(0, "tests"),
        DRAWS.uniform(1, "tests"),
        DRAWS.uniform(0, "style"),
        DRAWS.uniform(0, "tests"),
    ]
    assert len(set(others)) == len(others)


def test_draws_are_spread_evenly() -> None:
    drawn = [Draws(seed=1, subject=str(number), role="r").uniform(0, "x") for number in range(2000)]
    tenths = [sum(int(value * 10) == tenth for value in drawn) for tenth in range(10)]
    assert all(150 < count < 250 for count in tenths)


def test_shuffling_keeps_every_item() -> None:
    assert sorted(DRAWS.shuffled(range(20), "order")) == list(range(20))
    assert DRAWS.shuffled(range(20), "order") != list(range(20))
