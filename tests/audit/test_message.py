from collections.abc import Callable
from pathlib import Path

from harness.audit.message import Message, message_of
from harness.ledger.history import read_history
from harness.ledger.store import Store

Ledgers = Callable[[str], Path]


def message(path: Path) -> Message:
    with Store.read(path) as store:
        history = read_history(store, store.campaigns()[-1])
        return message_of(store, history, history.promotions[-1])


def test_a_promotion_is_told_with_its_reason_and_three_comparisons(ledger: Ledgers) -> None:
    lines = message(ledger("promoted")).text.splitlines()
    assert lines[0].startswith("Promote generation 3: ")
    assert len(lines[0]) <= 72
    assert [line.split()[0] for line in lines if " allowed at look " in line] == ["tests", "style", "review"]


def test_the_message_is_tied_to_the_entry_of_its_promotion(ledger: Ledgers) -> None:
    found = message(ledger("promoted"))
    with Store.read(ledger("promoted")) as store:
        [entry] = store.entries(kind="promotion")
    assert (found.head, found.time) == (str(entry.head), entry.time)
    assert found.key == f"{entry.campaign[:16]}/{entry.key}"


def test_a_rehearsal_says_so_first(ledger: Ledgers) -> None:
    assert message(ledger("rehearsal")).text.startswith("REHEARSAL: Promote generation ")
