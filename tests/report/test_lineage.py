import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from harness.ledger.history import read_history
from harness.ledger.schema import DecisionRow, PromotionRow, VariantRow
from harness.ledger.store import Store
from harness.report.lineage import Stem, lineage
from harness.report.view import Scene

Ledgers = Callable[[str], Path]


def tree(store: Store) -> tuple[Stem, ...]:
    return lineage(Scene(history=read_history(store, store.campaigns()[0]), blob=store.blobs.get))


def test_each_baseline_stands_with_what_was_tried_from_it(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        found = tree(store)
        moved = read_history(store, store.campaigns()[0]).promotions[0].row
    assert [(stem.name, [leaf.number for leaf in stem.leaves]) for stem in found] == [
        ("Start", [1, 2, 3]),
        ("Generation 3", [4]),
    ]
    assert [stem.content for stem in found] == [moved.old[:10], moved.new[:10]]
    assert [(leaf.place, leaf.mark, leaf.told) for leaf in found[0].leaves[1:]] == [
        ("g2", "cross", "restructure, Rejected"),
        ("answer", "tick", "reflect, Promoted"),
    ]


def test_without_a_promotion_everything_was_tried_from_the_start(ledger: Ledgers) -> None:
    with Store.read(ledger("screened")) as store:
        assert [(stem.name, len(stem.leaves)) for stem in tree(store)] == [("Start", 2)]


def test_a_rollback_is_a_baseline_of_its_own_time_and_a_merge_names_what_it_unites(ledger: Ledgers, tmp_path: Path) -> None:
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        rows = store.campaign(store.campaigns()[0])
        promoted = rows.rows(PromotionRow)[0]
        back = PromotionRow(key="rollback/1", generation=0, old=promoted.new, new=promoted.old, reason="slow")
        united = rows.rows(VariantRow)[4].model_copy(update={"key": "generation/5", "generation": 5, "parts": (1, 4)})
        told = rows.rows(DecisionRow)[3].model_copy(update={"key": "generation/5", "generation": 5, "id": "e" * 16})
        rows.add(back, united, told)
        last = tree(store)[-1]
    assert (last.name, last.content) == ("Back to generation 0", promoted.old[:10])
    assert [(leaf.number, leaf.parts) for leaf in last.leaves] == [(5, (1, 4))]
