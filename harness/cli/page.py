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
    from harness.cli.money import live_cost
    from harness.ledger.results import write_results
    from harness.ledger.schema import CampaignRow, TrialRow
    from harness.report.page import build_page, write_report

    page = output
    try:
        rows = store.campaign(campaign)
        head = rows.rows(CampaignRow)[0]
        estimate = live_cost(len(rows.rows(TrialRow))) if head.rehearsal else ""
        write_results(store, state / "results.tsv")
        if page is None or page.suffix != ".html":
            page = write_report(store, campaign, page or state / "reports", private=head.private, estimate=estimate)
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(build_page(store, campaign, private=head.private, estimate=estimate), encoding="utf-8")
    except Exception as error:
        raise ReportError(f"the decisions are recorded, but the page failed ({error}); try harness report") from error
    return page
