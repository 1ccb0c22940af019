"""`harness trial`: one trial, everything shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import RUN, Given, takes
from harness.counted import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Evidence
    from harness.ledger.schema import CallRow, TrialRow

NAME = "trial"


@takes(*(name for name in RUN if name not in {"jobs", "max_hours"}))
def run(
    skill: Annotated[Path, typer.Argument(help="Skill to try.")],
    task: Annotated[str, typer.Option("--task", help="Task id.")],
    given: Given,
    quiet: options.Quiet = False,
    transcript: Annotated[bool, typer.Option("--transcript", help="Also print what agent and model said to each other.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """One fresh trial with everything shown: change, tests, findings, votes, cost, timings."""
    settings = replace(given, skill=skill, jobs=1).settings()

    from difflib import get_close_matches

    from harness.cli.progress import progress_for
    from harness.cli.show import print_json
    from harness.errors import InputError
    from harness.ledger.rows import trial_evidence
    from harness.ledger.schema import CallRow, TrialRow
    from harness.skill import Variant
    from harness.trial import Arm, Stage, TrialKey
    from harness.wiring.inputs import read_inputs
    from harness.wiring.session import opened

    inputs = read_inputs(settings)
    if task not in inputs.suite.by_id:
        near = ", ".join(get_close_matches(task, inputs.suite.by_id, cutoff=0.4)) or "harness suite show lists them"
        raise InputError(f"{settings.suite.path}: no task {task!r}; did you mean: {near}")
    variant = Variant(skill=inputs.skill)
    with progress_for(quiet=quiet) as progress, opened(inputs, progress, "trial") as session:
        earlier = [row for row in session.ledger.rows(TrialRow) if row.task == task]
        key = TrialKey(
            stage=Stage.ADHOC, confirmation="", arm=Arm.BASELINE, variant=variant.id, task=task, repeat=len(earlier) + 1
        )
        row = session.evaluator.run(f"trial of {task}", [(key, variant)])[key]
        evidence = trial_evidence(row, session.ledger.blob)
        change = session.ledger.blob(row.change_blob).decode("utf-8", "replace")
        said = session.ledger.blob(row.transcript_blob).decode("utf-8", "replace")
        calls = [call for call in session.ledger.rows(CallRow) if call.subject == row.key]
    if as_json:
        print_json(trial_document(row, evidence))
    else:
        _print(row, evidence, change, cache_misses(calls))
        if transcript:
            _print_transcript(said)


def trial_document(row: TrialRow, evidence: Evidence | None = None) -> dict[str, object]:
    """The object that `--json` prints; with evidence, each gate carries its details."""
    details = _details(evidence) if evidence else {}
    gates = {
        gate: {"verdict": row.verdicts[gate], "reason": row.reasons[gate], **details.get(gate, {})}
        for gate in ("tests", "style", "review")
    }
    return {
        "task": row.task,
        "variant": row.variant,
        "arm": row.arm,
        "repeat": row.repeat,
        "ending": row.ending,
        "cause": row.cause,
        "gates": gates,
        "dropped": list(row.dropped),
        "flags": list(row.flags),
        "events": list(row.events),
        "load_evidence": row.load | {"loaded": row.loaded},
        "usage": row.usage.model_dump(),
        "cost_usd": row.cost_usd,
        "seconds": row.seconds,
    }


def _details(evidence: Evidence) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    if evidence.tests:
        failed = [{"id": test.id, "outcome": test.outcome} for test in evidence.tests.tests if test.outcome != "passed"]
        found["tests"] = {"expected": len(evidence.tests.expected), "not_passed": failed, "exit_code": evidence.tests.exit_code}
    if evidence.style:
        shown = [{"rule": f.rule, "path": f.path, "line": f.line, "message": f.message} for f in evidence.style.new]
        found["style"] = {"new": shown, "existing": len(evidence.style.existing), "dropped_rules": list(evidence.style.dropped)}
    if evidence.review:
        votes = [{"reviewer": v.reviewer, "view": v.view, "answer": v.answer, "reason": v.reason} for v in evidence.review.votes]
        found["review"] = {"votes": votes}
    return found


def cache_misses(calls: Sequence[CallRow]) -> str:
    """Which of a trial's calls could not use the cached prompt of the one before, and why; empty where all could."""
    missed = [f"call {number} ({call.cache_miss})" for number, call in enumerate(calls, start=1) if call.cache_miss]
    return f"missed by {', '.join(missed)}, of {len(calls)}" if missed else ""


def _print(row: TrialRow, evidence: Evidence, change: str, misses: str) -> None:
    from harness.cli.show import print_table, say

    say(change or "(no change)")
    gates = [(gate, row.verdicts[gate], row.reasons[gate]) for gate in ("tests", "style", "review")]
    print_table(f"{row.task}: {row.ending}", ("gate", "verdict", "reason"), gates)
    if row.cause:
        say(f"Cause: {row.cause}")
    for finding in evidence.style.new if evidence.style else ():
        say(f"  {finding.path}:{finding.line}: {finding.rule}: {finding.message}")
    for vote in evidence.review.votes if evidence.review else ():
        say(f"  {vote.reviewer} ({vote.view}): {vote.answer}: {vote.reason}")
        for item in vote.items:
            if item.failed:
                say(f"    {item.id}: {item.finding}\n      > {item.quote}")
    for label, values in (("Dropped", row.dropped), ("Flags", row.flags), ("Events", row.events)):
        if values:
            say(f"{label}: {', '.join(values)}")
    say(f"Skill:   {'loaded' if row.loaded else 'not seen to be loaded'} ({row.load.get('how', '')})")
    usage = row.usage
    say(f"Usage:   {counted(usage.calls, 'call')}, {usage.input + usage.cache_read} tokens in, {usage.output} out")
    if misses:
        say(f"Cache:   {misses}")
    say(f"Cost:    {'unknown' if row.cost_usd is None else f'${row.cost_usd:.4f}'}")
    say("Seconds: " + ", ".join(f"{name} {seconds:.2f}" for name, seconds in row.seconds.items()))


def _print_transcript(said: str) -> None:
    from harness.cli.show import say
    from harness.cli.transcript import rendered

    for line in rendered(said):
        say(line)
