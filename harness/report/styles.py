"""Style, rule by rule: in how many trials of each arm a rule was newly broken. Rules that gate, and rules only reported."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.printable import printable
from harness.report.figures import signed

if TYPE_CHECKING:
    from harness.evidence import Finding
    from harness.report.view import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """One rule: where it comes from in words, the first place that broke it, and the trials that did, by arm."""

    rule: str
    says: str
    where: str
    baseline: int
    variant: int

    @property
    def change(self) -> str:
        """The difference, signed."""
        return signed(self.variant - self.baseline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Styles:
    """Both groups, and the trials with a style report by arm; rules left out of some tasks' count, with how many tasks."""

    gating: tuple[RuleLine, ...]
    reported: tuple[RuleLine, ...]
    baseline: int
    variant: int
    failed_baseline: int
    failed_variant: int
    dropped: tuple[tuple[str, int], ...] = ()

    @property
    def kept_better(self) -> tuple[str, ...]:
        """Rules that gate and that fewer of the variant's trials broke."""
        return tuple(line.rule for line in self.gating if line.variant < line.baseline)

    @property
    def kept_worse(self) -> tuple[str, ...]:
        """Rules that gate and that more of the variant's trials broke."""
        return tuple(line.rule for line in self.gating if line.variant > line.baseline)


def styles_of(scene: Scene) -> Styles:
    """Counted over the shown comparison's trials."""
    totals, failed = {"baseline": 0, "variant": 0}, {"baseline": 0, "variant": 0}
    counts: dict[tuple[str, bool], dict[str, int]] = defaultdict(lambda: {"baseline": 0, "variant": 0})
    examples: dict[tuple[str, bool], tuple[Finding, str]] = {}
    for placed in scene.trials:
        document = scene.documents.get(placed.row.key)
        if document is None or document.style is None:
            continue
        arm = placed.row.arm
        totals[arm] += 1
        failed[arm] += any(finding.gating for finding in document.style.new)
        for finding in {(finding.rule, finding.gating): finding for finding in document.style.new}.values():
            counts[finding.rule, finding.gating][arm] += 1
            examples.setdefault((finding.rule, finding.gating), (finding, scene.tasks[placed.row.task]))
    lines = {
        gating: tuple(_line(key, counts, examples[key]) for key in _order(counts, gating=gating)) for gating in (True, False)
    }
    return Styles(
        gating=lines[True],
        reported=lines[False],
        baseline=totals["baseline"],
        variant=totals["variant"],
        failed_baseline=failed["baseline"],
        failed_variant=failed["variant"],
        dropped=_dropped(scene),
    )


def _dropped(scene: Scene) -> tuple[tuple[str, int], ...]:
    tasks: dict[str, set[str]] = defaultdict(set)
    for placed in scene.trials:
        document = scene.documents.get(placed.row.key)
        for rule in document.style.dropped if document and document.style else ():
            tasks[rule].add(placed.row.task)
    return tuple((printable(rule, lines=False), len(names)) for rule, names in sorted(tasks.items()))


def _order(counts: dict[tuple[str, bool], dict[str, int]], *, gating: bool) -> list[tuple[str, bool]]:
    wanted = [key for key in counts if key[1] is gating]
    return sorted(wanted, key=lambda key: (-sum(counts[key].values()), key[0]))


def _line(key: tuple[str, bool], counts: dict[tuple[str, bool], dict[str, int]], example: tuple[Finding, str]) -> RuleLine:
    finding, task = example
    return RuleLine(
        rule=printable(key[0], lines=False),
        says=printable(finding.quote or finding.message, lines=False),
        where=f"{printable(finding.path, lines=False)}:{finding.line}, {task}",
        baseline=counts[key]["baseline"],
        variant=counts[key]["variant"],
    )
