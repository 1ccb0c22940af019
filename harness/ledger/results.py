"""results.tsv: one line per decision of a campaign, for a spreadsheet or a shell; the ledger stays the source.

Columns: commit (the variant's first ten digits), tests, style, review (its pass rates on holdout, per cent; empty where
no holdout trial was run), cost_usd (empty where a price is unknown), status (keep, crash or discard), description.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harness.ledger.history import Generation, read_history
from harness.printable import printable

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ledger.store import Store

COLUMNS = ("commit", "tests", "style", "review", "cost_usd", "status", "description")
_STATUS = {"promote": "keep", "invalid": "crash"}


def write_results(store: Store, path: Path) -> None:
    """Write the file anew, all campaigns in order; a reader sees the old file or the new one, whole.

    Raises:
        LedgerError: a row cannot be read.
        OSError: the file cannot be written.
    """
    lines = ["\t".join(COLUMNS)]
    for campaign in store.campaigns():
        lines += ["\t".join(_line(generation)) for generation in read_history(store, campaign).generations]
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)


def _line(generation: Generation) -> tuple[str, ...]:
    row = generation.decision.row
    what = generation.variant.row.rationale if generation.variant else ""
    described = " ".join(f"generation {row.generation}: {what}. {row.reason}".split())
    return (
        row.variant[:10],
        *_rates(generation),
        _cost(generation),
        _STATUS.get(row.decision, "discard"),
        printable(described, lines=False),
    )


def _rates(generation: Generation) -> tuple[str, str, str]:
    decision = generation.record.decision
    if decision is None:
        return "", "", ""
    rates = [gate.variant_rate for gate in decision.gates]
    tests, style, review = ("" if rate is None else f"{float(rate) * 100:.1f}" for rate in rates)
    return tests, style, review


def _cost(generation: Generation) -> str:
    costs = [placed.row.cost_usd for placed in generation.calls]
    known = [cost for cost in costs if cost is not None]
    return f"{sum(known):.4f}" if len(known) == len(costs) else ""
