"""Pruning removes what no row needs, and nothing else."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from harness.audit.replay import replay
from harness.audit.verify import verify
from harness.ledger.prune import prune
from harness.ledger.store import Store


def test_a_blob_without_a_row_goes_and_everything_recorded_still_computes_again(
    ledger: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy/ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        before = set(store.blobs.names())
        orphan = store.blobs.put(b"left by a killed run")
        found = prune(store)
        assert (found.blobs, found.size, set(store.blobs.names())) == (1, 20, before)
        assert orphan not in before
        assert verify(store, ()).sound
        assert replay(store).same
        assert prune(store).blobs == 0
