import threading

import pytest

from harness.executors.local import LocalExecutor


def nothing() -> None:
    pass


def test_every_item_is_worked_on_once_and_results_come_back() -> None:
    assert sorted(LocalExecutor(3).map(lambda n: n * n, range(10), nothing)) == [n * n for n in range(10)]


def test_no_more_than_the_given_number_run_at_once() -> None:
    running, most, lock = [0], [0], threading.Lock()

    def work(_: int) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.01)
        with lock:
            running[0] -= 1

    list(LocalExecutor(2).map(work, range(12), nothing))
    assert most[0] == 2


def test_an_exception_stops_the_taking_of_items() -> None:
    taken: list[int] = []

    def work(item: int) -> None:
        taken.append(item)
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        list(LocalExecutor(1).map(work, range(100), nothing))
    assert taken == [0]


def test_ctrl_c_calls_stop_and_goes_on_to_the_caller() -> None:
    stopped: list[bool] = []

    def work(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(LocalExecutor(1).map(work, range(3), lambda: stopped.append(True)))
    assert stopped == [True]
