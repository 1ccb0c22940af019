from collections.abc import Callable
from pathlib import Path

import pytest

from harness.ledger.chain import Head
from harness.ledger.history import History, Placed, read_history
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store
from harness.report.figures import seconds_text
from harness.report.timings import timings_of


@pytest.fixture
def history(ledger: Callable[[str], Path]) -> History:
    with Store.read(ledger("promoted")) as store:
        return read_history(store, store.campaigns()[0])


def taking(history: History, *trials: dict[str, float]) -> History:
    """The history of a campaign whose trials took these times."""
    row = history.placed(TrialRow)[0].row
    rows = tuple(
        Placed(seq=n, time="", row=row.model_copy(update={"key": str(n), "seconds": one})) for n, one in enumerate(trials)
    )
    return History(campaign="c", head=Head(seq=1, hash="0"), rows={TrialRow: rows})


def test_phases_stand_in_the_order_of_a_trial_with_their_shares_of_all_time(history: History) -> None:
    found = timings_of(taking(history, {"grade": 1.0, "agent": 7.0, "open": 2.0}, {"open": 2.0, "agent": 8.0, "else": 0.0}))
    assert found is not None
    assert [line.name for line in found.phases] == ["Container made ready", "Agent at work", "Hidden tests and linters", "else"]
    assert [line.share for line in found.phases] == [20.0, 75.0, 5.0, 0.0]
    assert [line.trials for line in found.phases] == [2, 2, 1, 1]
    assert (found.total, found.median) == ("20 s", "10 s")


@pytest.mark.parametrize(("count", "ninety"), [(1, "1.0 s"), (10, "9.0 s"), (15, "14 s"), (20, "18 s"), (100, "90 s")])
def test_nine_in_ten_trials_keep_within_the_time_that_is_shown(history: History, count: int, ninety: str) -> None:
    found = timings_of(taking(history, *({"agent": float(n)} for n in range(count, 0, -1))))
    assert found is not None
    assert found.phases[0].ninety == ninety


def test_before_the_first_trial_there_are_no_timings(history: History) -> None:
    assert timings_of(taking(history)) is None


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.0, "0.0 s"),
        (0.04, "under 0.1 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (119.0, "119 s"),
        (120.0, "2 min"),
        (9000, "2 h 30 min"),
    ],
)
def test_a_time_is_told_as_people_say_it(seconds: float, told: str) -> None:
    assert seconds_text(seconds) == told
