"""The page of a replay: rule by rule, how often the project's own commits keep it, and what label follows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import ReportError
from harness.printable import printable
from harness.report.page import asset, csp_hash, environment
from harness.style.replay import CUSTOMARY, ENFORCED_COMMITS, ENFORCED_SITES, FEWEST_SITES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.style.packs import Rule
    from harness.style.replay import Calibrated, Tally

MOST_NAMED = 5  # commits named as breaking a rule

MEANINGS = {
    "enforced": f"kept at {ENFORCED_SITES:.0%} of places and in {ENFORCED_COMMITS:.0%} of commits, or more: it gates",
    "customary": f"kept at {CUSTOMARY:.0%} of places or more: reported",
    "stated_only": "written down, and not kept: reported",
    "free": "kept, but other projects that never promised it keep it as well: reported",
    "unproven": f"fewer than {FEWEST_SITES} places since it was written: reported",
    "declared": f"declared by hand, and fewer than {FEWEST_SITES} places to say otherwise: it gates",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One measured rule as the page shows it."""

    id: str
    kind: str
    label: str
    quote: str
    place: str
    since: str
    sites: str
    commits: str
    contrast: str
    broken_by: str


def calibration_page(
    project: str, found: Sequence[Calibrated], judged: Sequence[Rule], commits: int, notes: Sequence[str] = ()
) -> str:
    """The page as HTML: measured rules, then those that only reviewers can judge."""
    style = asset("page.css")
    counts = {label: sum(one.label == label for one in found) for label in MEANINGS}
    return (
        environment()
        .get_template("calibration.html")
        .render(
            style=style,
            style_hash=csp_hash(style),
            project=project,
            commits=commits,
            lines=[_line(one) for one in found],
            judged=judged,
            labels=[(label, counts[label], meaning) for label, meaning in MEANINGS.items() if counts[label]],
            notes=notes,
        )
    )


def write_calibration(path: Path, page: str) -> None:
    """Write a page whole or not at all. Raises ReportError where it cannot be written."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(page, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror})") from error


def _line(one: Calibrated) -> Line:
    named = ", ".join(commit[:10] for commit in one.own.broken_by[:MOST_NAMED])
    more = len(one.own.broken_by) - MOST_NAMED
    return Line(
        id=one.rule.id,
        kind=one.rule.kind,
        label=one.label,
        quote=printable(one.rule.quote, lines=False),
        place=f"{one.rule.file}:{one.rule.line}",
        since=one.since[:10] or "always",
        sites=_share(one.own.sites - one.own.broken, one.own.sites),
        commits=_share(one.own.kept, one.own.commits),
        contrast=_share(one.contrast.sites - one.contrast.broken, one.contrast.sites),
        broken_by=f"{named}{f' and {more} more' if more > 0 else ''}",
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%} ({part:,} of {whole:,})" if whole else "none"


def rates(tally: Tally) -> str:
    """A tally on one line, for a terminal."""
    kept = _share(tally.sites - tally.broken, tally.sites)
    return f"places {kept}, commits {_share(tally.kept, tally.commits)}"
