"""Whole nights of 200 variants in worlds of known truth: our rule on the real decision code, and peers' rules beside it.

python benchmarks/nights.py [--sizes small|full] [--worlds base,lean] [--workers N] [--ours N] [--shares N] [--options N]
                            [--peers N] [--confirmations N]

Prints one table, one chart, the error rates of single confirmations, and whether the targets are met (exit 1 if one is not). A
promotion is false when the variant's true effect on any gate is zero or less, harmful when it is less. A rollout is one trial.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from itertools import groupby
from multiprocessing import Pool
from typing import TYPE_CHECKING

from simulation import error_rates, ours, peers
from simulation.tally import Summary
from simulation.worlds import WORLDS, Night

from harness.decision.arms import BaselineArm
from harness.decision.multiplicity import Multiplicity
from harness.decision.proportion import wilson
from harness.decision.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulation.error_rates import Rate
    from simulation.tally import Tally

SEED = 1
FRESH, SHARED, SPENDING, LORD = "this rule, fresh arms", "this rule, shared arms", "this rule, spending", "this rule, lord"
OURS = {
    FRESH: ours.Settings(),
    SHARED: ours.Settings(baseline_arm=BaselineArm.SHARED),
    SPENDING: ours.Settings(multiplicity=Multiplicity.SPENDING),
    LORD: ours.Settings(multiplicity=Multiplicity.LORD),
}
ALPHA = 0.05
MOST_ROLLOUTS = {FRESH: 2150, SHARED: 1850}  # per true promotion, in the base world
MOST_FALSE = {"base": 0.02, "trade-off": 0.02, "dev-overfit": 0.02}  # share of promotions
CLOSE = "trade-off"
BAR = 40
COUNTS = ("ours", "shares", "options", "peers", "confirmations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Nights of our rule (fresh and shared arms), of its options and of each peer; variants a night; single confirmations.

    `shares` are nights of our rule in the one world whose false share comes near its target: 200 nights promote some 830 times,
    which gives a share near 2 % no closer than to half a point, 1,000 nights to a fifth of one.
    """

    ours: int
    shares: int
    options: int
    peers: int
    variants: int
    confirmations: int


SIZES = {
    "small": Sizes(ours=4, shares=4, options=1, peers=2, variants=80, confirmations=60),
    "full": Sizes(ours=200, shares=1000, options=40, peers=40, variants=200, confirmations=4000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One night of one rule in one world."""

    world: str
    rule: str
    number: int
    variants: int


def main() -> int:
    """Run, print world by world, and judge."""
    given = _arguments()
    sizes, began = SIZES[given.sizes], time.monotonic()
    sizes = replace(sizes, **{name: count for name in COUNTS if (count := getattr(given, name))})
    summaries: list[Summary] = []
    with Pool(given.workers) as pool:
        chunks = [range(first, first + 20) for first in range(0, sizes.confirmations, 20)]
        found = error_rates.rates(row for rows in pool.imap(_measure, chunks) for row in rows)
        print("\n".join(rate_lines(found)), flush=True)
        for world, played in groupby(
            pool.imap(_play, jobs(given.worlds.split(","), sizes), chunksize=2), key=lambda one: one[0].world
        ):
            tallies: dict[str, list[Tally]] = {}
            for job, tally in played:
                tallies.setdefault(job.rule, []).append(tally)
            here = [Summary.of(world, rule, nights) for rule, nights in tallies.items()]
            print("\n".join(table(here)), flush=True)
            summaries += here
    print("\n".join(["", *chart(summaries), ""]))
    missed = list(misses(summaries, found, enough=given.sizes == "full"))
    print("\n".join(missed) or "Every target is met.")
    print(f"{sizes.variants} variants a night, seed {SEED}; {time.monotonic() - began:,.0f} s with {given.workers} workers.")
    return 1 if missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", choices=SIZES, default="full")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--workers", type=int, default=2)
    for name in COUNTS:
        parser.add_argument(f"--{name}", type=int, help="instead of the size's own number")
    return parser.parse_args()


def jobs(worlds: Sequence[str], sizes: Sizes) -> Iterator[Job]:
    """Every night to be played, world by world."""
    others = {SPENDING: sizes.options, LORD: sizes.options} | dict.fromkeys(peers.PEERS, sizes.peers)
    for world in worlds:
        nights = sizes.shares if world == CLOSE else sizes.ours
        for rule, count in ({FRESH: nights, SHARED: nights} | others).items():
            for number in range(count):
                yield Job(world=world, rule=rule, number=number, variants=sizes.variants)


def _play(job: Job) -> tuple[Job, Tally]:
    night = Night(world=WORLDS[job.world], seed=SEED, number=job.number, variants=job.variants)
    if job.rule in OURS:
        return job, ours.play(night, OURS[job.rule])
    return job, peers.play(night, peers.PEERS[job.rule])


def _measure(numbers: range) -> tuple[tuple[bool, ...], ...]:
    return error_rates.measure(SEED, numbers, Rules(alpha=ALPHA))


def table(summaries: Sequence[Summary]) -> Iterator[str]:
    """The table, world by world."""
    head = f"{'rule':<30}{'nights':>7}{'promoted':>10}{'false':>8}{'harmful':>9}{'rollouts':>10}{'per true':>10}  final t/s/r"
    shown = ""
    for it in summaries:
        if it.world != shown:
            yield from ("", f"{it.world}: {WORLDS[it.world].title}", head)
            shown = it.world
        true = f"{it.per_true_promotion:,.0f}" if it.promoted > it.false else "-"
        rates = "/".join(f"{rate:.3f}"[1:] for rate in it.quality)
        yield (
            f"{it.rule:<30}{it.nights:>7}{it.promoted / it.nights:>10.2f}{_percent(it.false_share, it.promoted):>8}"
            f"{_percent(it.harmful_share, it.promoted):>9}{it.rollouts / it.nights:>10,.0f}{true:>10}  {rates}"
        )
        if it.rule in OURS:
            low, high = wilson(it.false, it.promoted)
            yield (
                f"  {it.false} false of {it.promoted:,} promotions, 95 % interval {low:.1%} to {high:.1%}; "
                f"of {it.confirmations:,} confirmations {it.error:.2%}, at most {it.error_bound:.2%}"
            )
        if it.rule == FRESH and it.confirmations:
            yield from anatomy(it)


def anatomy(it: Summary) -> Iterator[str]:
    """Confirmations by what is true of the variant, and how many of each were promoted."""
    for truth, count in sorted(it.confirmed.items()):
        share, won = count / it.confirmations, it.won[truth]
        yield f"    {count:,} of these ({share:.0%}) {truth}: {won:,} promoted ({won / count:.1%})"


def chart(summaries: Sequence[Summary]) -> Iterator[str]:
    """Bars for the first world: share of promotions that are false, and what a true one costs."""
    here = [it for it in summaries if it.world == summaries[0].world]
    yield f"{summaries[0].world}: share of promotions that are false"
    yield from (f"{it.rule:<30}{_percent(it.false_share, it.promoted):>8} {'#' * round(BAR * it.false_share)}" for it in here)
    costs = {it.rule: it.per_true_promotion for it in here if it.promoted > it.false}
    yield f"{summaries[0].world}: rollouts per true promotion"
    longest = max(costs.values(), default=1.0)
    yield from (f"{rule:<30}{cost:>8,.0f} {'#' * max(1, round(BAR * cost / longest))}" for rule, cost in costs.items())


def rate_lines(found: Sequence[Rate]) -> Iterator[str]:
    """The error rates of single confirmations."""
    yield f"single confirmations at alpha {ALPHA:g} (A/A gates: at any of 8 looks, had all been run)"
    yield from (f"{it.name:<38}{it.wrong:>5} of {it.of:,}: {it.share:.2%}, at most {it.bound:.2%}" for it in found)


def misses(summaries: Sequence[Summary], found: Sequence[Rate], *, enough: bool) -> Iterator[str]:
    """The targets that are not met, in words.

    With `enough` nights an error's 95 % upper bound must be within alpha; else its lower bound, and costs are not judged.
    """
    for it in summaries:
        place = f"MISSED: {it.rule} in {it.world}"
        low, high = wilson(it.false, it.confirmations, 0.90) if it.confirmations else (0.0, 0.0)
        if it.rule in OURS and (high if enough else low) > ALPHA:
            yield f"{place}: {it.error:.2%} of {it.confirmations} confirmations promote falsely, at most {ALPHA:.0%} may"
        if not enough or it.rule not in MOST_ROLLOUTS:
            continue
        if it.false_share > MOST_FALSE.get(it.world, 1.0):
            yield f"{place}: {it.false_share:.1%} of promotions are false"
        if it.world == "base" and it.per_true_promotion > MOST_ROLLOUTS[it.rule]:
            yield f"{place}: {it.per_true_promotion:,.0f} rollouts per true promotion, at most {MOST_ROLLOUTS[it.rule]:,} may be"
    yield from (
        f"MISSED: {it.name}: {it.share:.2%}" for it in found if (it.share if enough else wilson(it.wrong, it.of, 0.90)[0]) > ALPHA
    )


def _percent(share: float, of: int) -> str:
    return f"{share:.1%}" if of else "-"


if __name__ == "__main__":
    sys.exit(main())
