"""A person's yes, told wherever the promotion is told: in the commit's message and in the digest."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.approval import approve, asked
from harness.audit.digest import digest
from harness.audit.message import message_of
from harness.ledger.history import read_history
from harness.ledger.schema import DecisionRow
from harness.ledger.store import Store

Ledgers = Callable[[str], Path]
WHY = "It reads as we work\u202e."


def approved_by(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().lower().startswith("approved by")]


@pytest.fixture
def store(ledger: Ledgers, tmp_path: Path) -> Iterator[Store]:
    """The promoted campaign, whose promotion waited for a person and was answered."""
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as opened:
        rows = opened.campaign(opened.campaigns()[0])
        [won] = [row for row in rows.rows(DecisionRow) if row.decision == "promote"]
        rows.add(asked(won))
        approve(rows, won, WHY, "ada")
        yield opened


def test_the_commits_message_ends_with_who_said_yes_and_why(store: Store) -> None:
    history = read_history(store, store.campaigns()[0])
    text = message_of(store, history, history.promotions[-1]).text
    assert text.splitlines()[-1] == "Approved by ada: It reads as we work⟨U+202E⟩."


def test_the_digest_says_who_said_yes_and_why_below_that_move(store: Store) -> None:
    assert approved_by(digest(store)) == ["approved by ada: It reads as we work⟨U+202E⟩."]


def test_a_promotion_by_the_rule_alone_names_nobody(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        history = read_history(store, store.campaigns()[0])
        assert approved_by(message_of(store, history, history.promotions[-1]).text) == []
        assert approved_by(digest(store)) == []
