from collections.abc import Callable
from pathlib import Path

from harness.audit.digest import digest
from harness.ledger.store import Store

Ledgers = Callable[[str], Path]


def text(path: Path, since: str = "") -> str:
    with Store.read(path) as store:
        return digest(store, since)


def test_every_move_is_told_with_what_changed_and_its_comparisons(ledger: Ledgers) -> None:
    lines = text(ledger("promoted")).splitlines()
    assert lines[0] == "What changed: 1 move of the baseline"
    assert "generation 3 promoted: " in lines[2]
    assert any(line.startswith("  + ") for line in lines)
    assert [line.split()[0] for line in lines if " beats " in line] == ["tests", "style", "review"]


def test_the_rest_is_told_in_sum(ledger: Ledgers) -> None:
    assert "4 decisions: 1 promote, 3 reject" in text(ledger("promoted"))


def test_a_time_without_moves_says_so(ledger: Ledgers) -> None:
    lines = text(ledger("promoted"), "2999-01-01").splitlines()
    assert lines[0] == "What changed since 2999-01-01: 0 moves of the baseline"
    assert lines[-2:] == ["  0 decisions", "  0 trials, $0.00"]


def test_a_rehearsal_says_so(ledger: Ledgers) -> None:
    assert "  REHEARSAL: " in text(ledger("rehearsal"))
