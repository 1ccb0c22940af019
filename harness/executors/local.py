"""Runs work in threads of this process, a bounded number at a time, in the order given."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GRACE = 10.0
T = TypeVar("T")
R = TypeVar("R")


class LocalExecutor:
    """A thread pool of `jobs` workers that never runs ahead: an item is taken only when a worker is free for it."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(self, work: Callable[[T], R], items: Iterable[T], stop: Callable[[], None]) -> Iterator[R]:
        """Results as they complete; the first exception of the work is raised once running work has ended.

        On Ctrl-C `stop` is called to make running work end soon, at most GRACE seconds are waited, and KeyboardInterrupt goes on.
        """
        pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="trial")
        running: set[Future[R]] = set()
        try:
            for item in items:
                running.add(pool.submit(work, item))
                if len(running) >= self.jobs:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except KeyboardInterrupt:
            stop()
            wait(running, timeout=GRACE)
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        except BaseException:
            pool.shutdown()
            raise
        pool.shutdown()
