"""What the ledger costs: writing a trial, a blob, reading beside a writer, verifying, and the size on disk.

python benchmarks/ledger.py [TRIALS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from harness.audit.verify import verify
from harness.evidence import Evidence, Item, PanelReport, StyleReport, TestReport, TestResult, Vote
from harness.gates import judge
from harness.ledger.rows import trial_rows
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store
from harness.rollout import Call, Change, Ending, LoadEvidence, Rollout, Usage
from harness.trial import Arm, Stage, Trial, TrialKey

if TYPE_CHECKING:
    from collections.abc import Callable

TRANSCRIPT = '{"role": "assistant", "text": "' + "x" * 200 + '"}\n'


def main(trials: int) -> None:
    """Fill a new ledger with trials of realistic size while another thread reads it, and print what it cost."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "ledger.db"
        with Store.open(path, lambda: datetime.now(UTC)) as store:
            ledger = store.campaign("bench")
            done = threading.Event()
            reads: list[float] = []
            reader = threading.Thread(target=_read, args=(path, done, reads))
            blobs, rows = [], []
            for number in range(trials):
                if number == 1:
                    reader.start()
                made: list[tuple[object, ...]] = []
                blobs.append(_seconds(lambda n=number, to=made: to.append(trial_rows(_trial(n), ledger.put_blob))))  # type: ignore[misc]
                rows.append(_seconds(lambda to=made: ledger.add(*to[0])))  # type: ignore[misc]
            done.set()
            reader.join()
            entries = store.head().seq
            checked = _seconds(lambda: verify(store))
            found = _seconds(lambda: ledger.rows(TrialRow))
        size = sum(file.stat().st_size for file in Path(scratch).rglob("*") if file.is_file() and "blobs" not in file.parts)
        blob_size = sum(file.stat().st_size for file in (Path(scratch) / "blobs").rglob("*") if file.is_file())
    ledger_kb, blobs_kb = size / trials / 1e3, blob_size / trials / 1e3
    print(f"{trials} trials, {entries} entries; ledger {ledger_kb:.1f} kB and blobs {blobs_kb:.1f} kB a trial")
    _told("three blobs of a trial", blobs)
    _told(f"the rows of a trial ({entries // trials}), one transaction", rows)
    _told("all trial rows read beside the writer", reads)
    print(f"all {trials} trial rows: {found * 1e3:.0f} ms; the whole chain and every blob verified: {checked:.2f} s")


def _read(path: Path, done: threading.Event, seconds: list[float]) -> None:
    with Store.read(path) as store:
        while not done.is_set():
            seconds.append(_seconds(lambda: store.campaign("bench").rows(TrialRow)))
            time.sleep(0.2)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _told(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    middle, late = statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.95)] * 1e3
    print(f"{what}: median {middle:.1f} ms, 95 % under {late:.1f} ms")


def _trial(number: int) -> Trial:
    key = TrialKey(stage=Stage.SCREEN, confirmation="", arm=Arm.VARIANT, variant="v" * 64, task=f"task-{number}", repeat=1)
    results = tuple(TestResult(id=f"tests/test_module.py::test_{n}", outcome="passed") for n in range(20))
    tests = TestReport(expected=tuple(it.id for it in results), tests=results, canaries=32, canaries_failed=32, exit_code=1)
    item = Item(id="COR-1", answer="no", finding="f" * 200, trigger="", file="a.py", quote="q" * 80, supported=True, failed=False)
    votes = tuple(
        Vote(reviewer=name, persona_id="p" * 64, view=view, answer="yes", reason="", items=(item,) * 4, raw="r" * 1500, model="m")
        for name in ("correctness", "security", "maintainer")
        for view in ("original", "stripped")
    )
    evidence = Evidence(
        tests=tests, style=StyleReport(new=()), review=PanelReport(votes=votes, outcome="pass", reason="approved")
    )
    calls = tuple(Call(role="coder", model="m", usage=Usage(input=900, output=90, calls=1), cost_usd=0.01) for _ in range(12))
    return Trial(
        key=key,
        rollout=Rollout(
            change=Change(files=(), patch=f"--- a\n+++ b{number}\n".encode() * 40),
            transcript=f"{number}\n" + TRANSCRIPT * 60,
            calls=calls,
            ending=Ending.FINISHED,
            cause="",
            load=LoadEvidence(delivery="system", loaded=True),
        ),
        evidence=evidence,
        verdicts=judge(Ending.FINISHED, "", evidence),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
