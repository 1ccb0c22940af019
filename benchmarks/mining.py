"""Yield, speed and validity of `harness suite mine` on whole histories.

python benchmarks/mining.py [--limit N] [REPOSITORY ...]      this project's own history unless named; needs Docker

Each repository is a path or an address. A line tells how many of the candidates tried are tasks, and the median seconds of one
(those that wait for an image are in it like any other); then every kept task is admitted a second time. The rejected ones follow
with their reasons. The last line is the most memory that this process took.
"""

import argparse
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

from harness.config import load_config
from harness.report.mining import figures_of
from harness.testing import Notes
from harness.wiring.images import admissions
from harness.wiring.mining import Order, mine

ROOT = Path(__file__).parents[1]


def told(repository: str, limit: int, folder: Path) -> str:
    """One repository's figures, and what was rejected."""
    config = load_config(None, {"output": {"state": folder / "state"}})
    order = Order(repository=repository, out=folder / "suite", limit=limit, harmless=("tests/**",))
    began = time.monotonic()
    found = mine(config, order, Notes(), lambda _: None)
    seconds = time.monotonic() - began
    figures = figures_of(found.outcomes)
    rejected = [one for one in found.outcomes if one.reason and one.tried]
    reasons = Counter(one.reason for one in rejected)
    again = 0
    if found.suite:
        with admissions(config, found.suite, Notes()) as admit:
            again = sum(one.admitted for one in admit.run(found.suite.tasks))
    share = f"{figures.kept} of {figures.tried} candidates kept ({figures.share})"
    why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common()) or "none rejected"
    times = f"median {figures.seconds:.1f} s, {seconds:.0f} s in all"
    line = f"{found.project:<20} {share}, {times}; {why}; admitted again: {again} of {figures.kept}"
    return "\n".join([line, *(f"    {one.fix[:10]} {one.title[:60]}: {one.reason}: {one.detail[:200]}" for one in rejected)])


def main() -> None:
    """Print a line for each repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="*", metavar="REPOSITORY", default=[str(ROOT)])
    parser.add_argument("--limit", type=int, default=15, help="candidates tried of each, the newest first")
    given = parser.parse_args()
    for repository in given.repositories:
        with tempfile.TemporaryDirectory() as name:
            print(told(repository, given.limit, Path(name)), flush=True)
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB of memory")


if __name__ == "__main__":
    main()
