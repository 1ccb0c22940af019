import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.audit.replay import replay
from harness.audit.verify import verify
from harness.errors import InputError, LedgerError
from harness.ledger.export import export
from harness.ledger.history import find_decision
from harness.ledger.store import Store
from harness.report.page import build_page

Ledgers = Callable[[str], Path]


def test_a_bundle_verifies_and_replays_where_nothing_else_is(ledger: Ledgers, tmp_path: Path) -> None:
    with Store.read(ledger("promoted")) as store:
        head, campaign = store.head(), store.campaigns()[0]
        page, before = build_page(store, campaign), replay(store, "3")
        with zipfile.ZipFile(export(store, "3", tmp_path / "bundle.zip")) as bundle:
            bundle.extractall(tmp_path / "elsewhere")
    with Store.read(tmp_path / "elsewhere" / "ledger.db") as store:
        assert verify(store, (head,)).sound
        assert replay(store, "3") == before
        assert build_page(store, campaign) == page


def test_a_bundle_says_what_to_do_with_it(ledger: Ledgers, tmp_path: Path) -> None:
    with Store.read(ledger("screened")) as store:
        name = find_decision(store, "1")[1].decision.row.id
        with zipfile.ZipFile(export(store, "1", tmp_path / "bundle.zip")) as bundle:
            readme = bundle.read("README.txt").decode()
        assert f"harness audit replay {name} --state ." in readme
        assert str(store.head()) in readme


def test_no_half_bundle_is_left_behind(ledger: Ledgers, tmp_path: Path) -> None:
    with Store.read(ledger("screened")) as store:
        with pytest.raises(InputError, match="no decision"):
            export(store, "77", tmp_path / "bundle.zip")
        (tmp_path / "taken").mkdir()
        with pytest.raises(LedgerError, match="cannot be written"):
            export(store, "1", tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_ledger_with_a_private_suite_in_it_is_not_packed(ledger: Ledgers, tmp_path: Path) -> None:
    with Store.read(ledger("private")) as store, pytest.raises(InputError, match="private suite"):
        export(store, "1", tmp_path / "bundle.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_can_be_read(ledger: Ledgers, tmp_path: Path) -> None:
    with Store.read(ledger("screened")) as store:
        store.copy_to(tmp_path / "ledger.db")
    tmp_path.chmod(0o500)
    try:
        with Store.read(tmp_path / "ledger.db") as store:
            assert verify(store).entries > 0
    finally:
        tmp_path.chmod(0o700)
