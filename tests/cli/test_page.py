"""A page or summary that fails is told as that, and as nothing else."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.cli.page import write_page, write_summary
from harness.errors import ReportError
from harness.ledger.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ledger of which no page can be made: it has no campaign."""
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


@pytest.mark.parametrize("output", [None, "page.html"])
def test_a_page_that_fails_is_no_other_error_and_writes_no_page(store: Store, tmp_path: Path, output: str | None) -> None:
    with pytest.raises(ReportError, match=r"the decisions are recorded, but the page failed .*; try harness report") as error:
        write_page(store, "c", tmp_path, tmp_path / output if output else None)
    assert error.value.exit_code == 5
    assert list(tmp_path.rglob("*.html")) == []


def test_a_summary_that_fails_is_no_other_error(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="but the summary failed"):
        write_summary(store, "c", tmp_path / "ledger.db/night.md")
