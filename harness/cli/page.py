"""Writes a campaign's page, summary and results.tsv after a run; one that fails never changes what was decided."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from harness.errors import ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.ledger.store import Store


def page_text(store: Store, campaign: str) -> str:
    """A campaign's page, without names and code where its suite is private.

    Raises:
        LedgerError: a row cannot be read.
    """
    from harness.report.page import build_page

    private, estimate = _told(store, campaign)
    return build_page(store, campaign, private=private, estimate=estimate)


def write_page(store: Store, campaign: str, state: Path, output: Path | None = None) -> Path:
    """The path of the page just written.

    Raises:
        ReportError: the page could not be made; the ledger is complete.
    """
    from harness.ledger.results import write_results
    from harness.report.page import write_report

    with _reporting("page"):
        write_results(store, state / "results.tsv")
        if output is None or output.suffix != ".html":
            private, estimate = _told(store, campaign)
            return write_report(store, campaign, output or state / "reports", private=private, estimate=estimate)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(page_text(store, campaign), encoding="utf-8")
    return output


def write_summary(store: Store, campaign: str, path: Path) -> None:
    """Write a campaign's summary as Markdown.

    Raises:
        ReportError: it could not be made; the ledger is complete.
    """
    from harness.report.markdown import write_markdown

    with _reporting("summary"):
        write_markdown(store, campaign, path)


@contextmanager
def _reporting(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise ReportError(f"the decisions are recorded, but the {what} failed ({error}); try harness report") from error


def _told(store: Store, campaign: str) -> tuple[bool, str]:
    """Whether the suite is private, and what a rehearsal would have cost for real."""
    from harness.cli.money import live_cost
    from harness.ledger.schema import CampaignRow, TrialRow

    rows = store.campaign(campaign)
    head = rows.rows(CampaignRow)[0]
    return head.private, live_cost(len(rows.rows(TrialRow))) if head.rehearsal else ""
