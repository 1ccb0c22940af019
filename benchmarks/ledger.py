"""What the ledger costs: writing a trial, a blob, reading beside a writer, verifying, and the size on disk.

python benchmarks/ledger.py [TRIALS [LARGE]]

First TRIALS whole trials (1,000), with their blobs. Then a ledger of LARGE trial rows (1,000,000) in a hundred campaigns: what
writing, `audit why` and grouping come to when so many are there, and whether readers hold up the writer.
"""

from __future__ import annotations

import hashlib
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from harness.audit.verify import verify
from harness.audit.why import why
from harness.decision.record import decision_record, to_json
from harness.decision.rules import Rules
from harness.decision.scorecard import Outcome
from harness.evidence import Evidence, Item, PanelReport, StyleReport, TestReport, TestResult, Vote
from harness.gates import judge
from harness.ledger.rows import trial_rows
from harness.ledger.schema import CampaignRow, ConfirmationRow, DecisionRow, TrialRow, VariantRow
from harness.ledger.store import Store
from harness.rollout import Call, Change, Ending, LoadEvidence, Rollout, Usage
from harness.trial import Arm, Stage, Trial, TrialKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.ledger.schema import Row
    from harness.ledger.store import CampaignLedger

CAMPAIGNS = 100
AT_ONCE = 1000  # rows in a transaction while the large ledger is filled; afterwards each trial is one, as in a run
BESIDE = 200  # trials written one by one with all the others there
GROUPED = "SELECT variant, count(*), sum(json_extract(verdicts, '$.tests') = 'pass') FROM trial GROUP BY variant"
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


def large(trials: int) -> None:
    """Fill a ledger with so many trial rows, and print what it costs to write, ask and group beside them."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "ledger.db"
        with Store.open(path, lambda: datetime.now(UTC)) as store:
            _decided(store.campaign("campaign-000"))
            began = time.perf_counter()
            for number in range(CAMPAIGNS):
                ledger = store.campaign(f"campaign-{number:03d}")
                for rows in _many(number, trials // CAMPAIGNS):
                    ledger.add(*rows)
            filled = time.perf_counter() - began
            size = path.stat().st_size
            print(f"\n{trials:,} trial rows, {AT_ONCE:,} a transaction: {trials / filled:,.0f} a second; {size / 1e9:.2f} GB")
            done, reads = threading.Event(), list[float]()
            reader = threading.Thread(target=_group, args=(path, done, reads))
            reader.start()
            ledger = store.campaign("last")
            written = [_seconds(lambda n=number: ledger.add(_row(0, n))) for number in range(BESIDE)]  # type: ignore[misc]
            asked = [_seconds(lambda: why(store, "decision-1")) for _ in range(5)]
            while not reads:
                time.sleep(0.1)
            done.set()
            reader.join()
        _told("one more trial row a transaction, beside a reader that groups all of them", written)
        print(f"  the longest: {max(written) * 1e3:.0f} ms")
        _told("audit why, the decision in the oldest campaign", asked)
        _told("pass rates of all trials grouped by variant", reads)


def _many(campaign: int, count: int) -> Iterator[tuple[TrialRow, ...]]:
    for first in range(0, count, AT_ONCE):
        yield tuple(_row(campaign, number) for number in range(first, min(first + AT_ONCE, count)))


def _row(campaign: int, number: int) -> TrialRow:
    """A trial's row of the usual size. Its blobs are names only: nothing here reads them."""
    variant = hashlib.sha256(f"{campaign}/{number // 500}".encode()).hexdigest()
    verdicts = {gate: "pass" if (number * 7 + place) % 3 else "fail" for place, gate in enumerate(("tests", "style", "review"))}
    own = {
        "key": f"screen||variant|{variant}|task-{number}|1",
        "variant": variant,
        "task": f"task-{number}",
        "verdicts": verdicts,
    }
    return _PLAIN.model_copy(update=own)


def _decided(ledger: CampaignLedger) -> None:
    """One confirmed generation with everything that `why` reads: 50 tasks, two sweeps, votes and calls."""
    outcomes = []
    for task in range(50):
        for repeat in (1, 2):
            for arm in Arm:
                key = TrialKey(
                    stage=Stage.CONFIRM, confirmation="c1", arm=arm, variant=f"{arm}-text", task=f"task-{task}", repeat=repeat
                )
                won = arm is Arm.VARIANT or task % 2 == 0
                outcomes.append(Outcome(arm=arm, task=key.task, repeat=repeat, tests=won, style=won, review=won))
                ledger.add(*trial_rows(_trial(task, key), ledger.put_blob))
    record = to_json(decision_record(outcomes, Rules(looks=2), {"loaded": "100"}))
    variant = {"operator": "reflect", "rationale": "", "find": "", "replace": "", "name": "coding", "tree_blob": ""}
    arms = {"baseline": "baseline-text", "variant": "variant-text", "generation": 1}
    campaign = {"settings": "{}", "skill": "coding", "suite": "s", "suite_hash": "", "holdout_hash": "", "rehearsal": True}
    decided = {
        "id": "decision-1",
        "confirmation": "c1",
        "decision": "promote",
        "stage": "confirm",
        "reason": "",
        "record": record,
    }
    rows: list[Row] = [
        CampaignRow.model_validate({"key": "campaign-000", "versions": {}, **campaign}),
        VariantRow(key="generation/0", generation=0, batch=0, variant="baseline-text", parent="", **variant),
        VariantRow(key="generation/1", generation=1, batch=1, variant="variant-text", parent="baseline-text", **variant),
        ConfirmationRow(key="c1", number=1, alpha=0.05, alpha_sum=0.05, holdout_hash="", orders=(), **arms),
        DecisionRow.model_validate({"key": "generation/1", **decided, **arms}),
    ]
    ledger.add(*rows)


def _group(path: Path, done: threading.Event, seconds: list[float]) -> None:
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    while not done.is_set():
        seconds.append(_seconds(lambda: connection.execute(GROUPED).fetchall()))
    connection.close()


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


def _trial(number: int, key: TrialKey | None = None) -> Trial:
    screen = {"stage": Stage.SCREEN, "confirmation": "", "arm": Arm.VARIANT, "repeat": 1}
    key = key or TrialKey(variant="v" * 64, task=f"task-{number}", **screen)  # type: ignore[arg-type]
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


_PLAIN = next(row for row in trial_rows(_trial(0), lambda blob: hashlib.sha256(blob).hexdigest()) if isinstance(row, TrialRow))

if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(given[0] if given else 1000)
    large(given[1] if len(given) > 1 else 1_000_000)
