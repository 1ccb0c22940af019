"""What the style gate costs, and what this project's own history says of its own rules.

python benchmarks/rules.py [COMMITS]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from harness.git_history import is_repository
from harness.report.calibration import rates
from harness.style.check import checked
from harness.style.history import History
from harness.style.packs import load_pack
from harness.style.replay import MOST_COMMITS, Replay
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
FILES, FUNCTIONS, WARM = 2000, 5, 5


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of the processor, those of ended children included."""
    began, spent = time.perf_counter(), sum(os.times()[:4])
    work()
    return time.perf_counter() - began, sum(os.times()[:4]) - spent


def main(most: int) -> None:
    """Compare two trees of two thousand files, then replay the project's pack over its newest commits."""
    pack = load_pack((ROOT / "conventions.toml").read_text(encoding="utf-8"), "conventions.toml")
    body = "".join(f"def f{number}(a):\n    return print(a)\n\n\n" for number in range(FUNCTIONS))
    base = Tree.of({"ruff.toml": "", **{f"harness/m{number}.py": f"N = {number}\n{body}" for number in range(FILES)}})
    after = base.overlaid(Tree.of({f"harness/m{number}.py": "import os\n" for number in range(20)}))
    cold, *warm = (timed(lambda: checked(base, after, pack)) for _ in range(1 + WARM))
    for name, runs in (("cold", [cold]), (f"warm, median of {WARM}", warm)):
        seconds, cpu = (median(one[part] for one in runs) for part in (0, 1))
        print(f"{FILES} files compared, {name}: {seconds:.2f} s ({cpu:.2f} s of processor)")
    if not is_repository(ROOT):
        print("no git history here: nothing to replay")
        return
    history = History(ROOT)
    began = time.perf_counter()
    found = Replay(pack, print).own(history, most=most)
    seconds = time.perf_counter() - began
    for one in found:
        print(f"  {one.label:11}  {one.rule.id}: {rates(one.own)}")
    print(f"{len(history.commits(most=most))} commits replayed in {seconds:.1f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MOST_COMMITS)
