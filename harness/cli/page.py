"""Writes a campaign's page and results.tsv after a run; a failing page never changes what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import ReportError

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ledger.store import Store


def write_page(store: Store, campaign: str, state: Path, output: Path | None = None) -> Path:
    """The path of the page just written.

    Raises:
        ReportError: the page could not be made; the ledger is complete.
    """
    from harness.ledger.results import write_results
    from harness.report.page import build_page, write_report

    page = output
    try:
        write_results(store, state / "results.tsv")
        if page is None or page.suffix != ".html":
            page = write_report(store, campaign, page or state / "reports")
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(build_page(store, campaign), encoding="utf-8")
    except Exception as error:
        raise ReportError(f"the decisions are recorded, but the page failed ({error}); try harness report") from error
    return page
