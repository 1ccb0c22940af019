"""`harness reviewers`: who sits on the panel, how good they are, and what a person should judge."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import Given, takes
from harness.counted import counted

app = typer.Typer(help="Reviewers: who sits, how good they are, and what waits for a person.", no_args_is_help=True)
_EVERY = 100  # answers between two lines of progress


@app.command("list")
@takes("config", "suite", "model", "state")
def list_reviewers(given: Given, as_json: options.AsJson = False) -> None:
    """The reviewers with their models, weights, vetoes, and the seats that they have earned."""
    settings = given.settings()

    from harness.cli.panel import seat_document
    from harness.cli.show import print_json, print_table, say
    from harness.reviewing import opened_records, read_reviewing
    from harness.wiring.inputs import now_utc, reviewer_model

    reviewing = read_reviewing(settings, asking=False)
    with opened_records(settings) as records:
        earned = reviewing.standings(records, now_utc())
    rows = [(one.name, reviewer_model(settings, one), one, earned[one.name]) for one in reviewing.personas]
    if as_json:
        shown = [
            {
                "name": name,
                "model": by,
                "weight": one.weight,
                "veto": one.veto,
                "kinds": list(one.calibrate_on),
                **seat_document(seat),
            }
            for name, by, one, seat in rows
        ]
        print_json({"reviewers": shown})
        return
    columns = ("reviewer", "model", "weight", "veto", "must catch", "seat")
    table = [
        (name, by, f"{one.weight:g}", "veto" if one.veto else "", ", ".join(one.calibrate_on), str(seat.standing))
        for name, by, one, seat in rows
    ]
    print_table(str(settings.gates.review.reviewers), columns, table)
    for name, _, _, seat in rows:
        say(f"{name}: {seat.reason}")


@app.command()
@takes("config", "suite", "model", "seed", "state")
def vote(
    given: Given,
    task: Annotated[str, typer.Option("--task", help="Task id.")],
    patch: Annotated[
        Path | None, typer.Option("--patch", help="Unified diff against the task's base; the reference when left out.")
    ] = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """The whole panel on one change, everything shown: the change in both views, items, quotes, raw answers, cost."""
    settings = replace(given, jobs=1).settings()

    from harness.cli.panel import print_votes
    from harness.cli.progress import progress_for
    from harness.cli.show import print_json
    from harness.reviewing import opened_asking, read_reviewing
    from harness.trial import Arm, Stage, TrialKey

    reviewing = read_reviewing(settings, asking=True)
    change = reviewing.change(task, patch)
    with progress_for(quiet=quiet) as progress, opened_asking(reviewing, progress) as asking:
        number = asking.records.votes_so_far() + 1
        key = TrialKey(
            stage=Stage.ADHOC, confirmation="vote", arm=Arm.BASELINE, variant=f"{change.id}-{number}", task=task, repeat=number
        )
        reviewed = asking.panel().review(change.task, change.change, key)
        asking.records.add_votes(reviewed, f"{task}: {patch or 'reference'}")
    costs = [call.cost_usd for call in reviewed.calls]
    cost = None if None in costs else sum(one or 0.0 for one in costs)
    if as_json:
        print_json(
            {
                "task": task,
                "change": change.id,
                "outcome": reviewed.report.outcome,
                "reason": reviewed.report.reason,
                "votes": [asdict(one) for one in reviewed.report.votes],
                "calls": len(costs),
                "cost_usd": cost,
            }
        )
    else:
        print_votes(change, reviewed.report.votes, f"{reviewed.report.outcome}: {reviewed.report.reason}", cost)


@app.command()
@takes("config", "suite", "model", "jobs", "seed", "max_usd", "max_hours", "state")
def calibrate(given: Given, yes: options.Yes = False, quiet: options.Quiet = False, as_json: options.AsJson = False) -> None:
    """Ask every reviewer about changes whose right answer is known; a seat with a veto needs the bounds to hold."""
    settings = given.settings()

    from harness.budget import BudgetSpentError
    from harness.cli.money import agreed_questions
    from harness.cli.panel import calibration_document, print_calibrations
    from harness.cli.progress import progress_for
    from harness.cli.show import print_json
    from harness.errors import IncompleteError
    from harness.reviewing import opened_asking, read_reviewing

    reviewing = read_reviewing(settings, asking=True)
    with progress_for(quiet=quiet) as progress, opened_asking(reviewing, progress) as asking:
        changes = asking.changes()
        kinds = {kind: sum(change.kind == kind for change in changes) for kind in dict.fromkeys(one.kind for one in changes)}
        progress.note(
            f"{counted(len(changes), 'labelled change')}: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"
        )

        def told(done: int, wanted: int) -> None:
            if done % _EVERY == 0 or done == wanted:
                progress.note(f"{done} of {wanted} answers")

        agreed_questions(reviewing, asking.desk.left(changes), yes=yes)
        try:
            found = asking.desk.calibrate(changes, told)
        except BudgetSpentError as error:
            raise IncompleteError(f"calibration was cut: {error}; {error.then}") from error
        seats = asking.desk.standings()
    if as_json:
        print_json({"changes": kinds, "reviewers": [calibration_document(one, seats[one.name]) for one in found]})
    else:
        print_calibrations(found, seats)


@app.command()
@takes("config", "suite", "model", "state")
def agreement(given: Given, as_json: options.AsJson = False) -> None:
    """How far the reviewers of the last calibration agree, what their votes are worth, and the panel beside its best member."""
    settings = given.settings()

    from harness.cli.panel import approvals_document, share_cells
    from harness.cli.show import print_json, print_table, say
    from harness.review.agreed import agreement_of
    from harness.reviewing import approvals, opened_records, read_reviewing

    reviewing = read_reviewing(settings, asking=False)
    approved = approvals(settings)
    with opened_records(settings) as records:
        found = agreement_of(reviewing.personas, settings.gates.review.rule, records)
    if as_json:
        print_json(found.document | {"approvals": approvals_document(found, approved) if approved else None})
        return
    pairs = [(f"{first} and {second}", "none" if value is None else f"{value:.2f}") for (first, second), value in found.kappas]
    print_table("Agreement, two by two", ("reviewers", "kappa"), pairs)
    print_table("Right answers", ("who", "right", "95 % interval"), [(name, *share_cells(share)) for name, share in found.right])
    for line in found.words:
        say(line)
    if approved:
        told = f"The last campaign's trials: {approved.hits} of {approved.of} approved; corrected for the panel's own errors: "
        better = found.corrected(approved)
        if better is None:
            say(f"{told}not possible, since the panel tells good from bad no better than chance")
        else:
            say(f"{told}{better.rate:.0%} ({better.interval[0]:.0%} to {better.interval[1]:.0%})")


@app.command("import")
@takes("config", "state")
def import_labels(
    file: Annotated[Path, typer.Argument(help="JSONL: a change a line, with accepted true or false.")],
    given: Given,
    as_json: options.AsJson = False,
) -> None:
    """Take a team's own accepted and rejected changes as labels; contradictions are listed for a person to settle."""
    settings = given.settings()

    from harness.cli.show import print_json, say
    from harness.review.labels import read_labels, settled
    from harness.reviewing import opened_records

    labels = read_labels(file)
    with opened_records(settings) as records:
        new = records.add_labels(labels)
        agreed, disputed = settled(records.labels())
    if as_json:
        print_json({"read": len(labels), "new": new, "settled": len(agreed), "disputed": [one[0].change_id for one in disputed]})
        return
    say(f"{counted(len(labels), 'label')} read, {new} of them new; {counted(len(agreed), 'change')} with a label that counts")
    for answers in disputed:
        said = ", ".join(f"{one.who or one.source} {'accepted' if one.accepted else 'rejected'} it" for one in answers)
        say(f"In dispute: {answers[0].change_id} ({said}); harness reviewers queue settles it, with --yes or --no")


@app.command()
@takes("config", "suite", "state")
def queue(
    given: Given,
    change: Annotated[str, typer.Argument(help="Id of one change; all are listed without.")] = "",
    verdict: Annotated[bool | None, typer.Option("--yes/--no", help="Your answer: approve or refuse.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a sentence.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="What is wrong: behaviour, security, scope or debris.")] = "",
    who: Annotated[str, typer.Option("--who", help="Your name, kept with the label.")] = "",
    as_json: options.AsJson = False,
) -> None:
    """Changes on which the panel disagreed or where a flag stands; a person's answer becomes a label for calibration."""
    settings = given.settings()

    from harness.cli.panel import print_votes, waiting_document
    from harness.cli.show import print_json, print_table, say
    from harness.errors import InputError
    from harness.review.labelled import KINDS
    from harness.review.labels import label_of
    from harness.reviewing import opened_records, read_reviewing, waiting

    if verdict is not None and not change:
        raise InputError("--yes and --no need the id of a change; harness reviewers queue lists them")
    if verdict is not None and not reason.strip():
        raise InputError("an answer needs --reason: one sentence that the next person can check")
    if verdict is False and kind not in KINDS:
        raise InputError(f"--no needs --kind, what is wrong with it: {', '.join(KINDS)}")
    reviewing = read_reviewing(settings, asking=False)
    with opened_records(settings) as records:
        found = {one.id: one for one in waiting(reviewing, records)}
        if change and change not in found:
            raise InputError(f"no change {change!r} waits; harness reviewers queue lists those that do")
        if verdict is not None:
            label = label_of(found[change].change, accepted=verdict, kind=kind, reason=reason, who=who)
            records.add_labels([label])
            say(f"Kept: {change} is {'accepted' if verdict else f'rejected ({kind})'}; the next calibration asks about it")
            return
    if as_json:
        shown = [found[change]] if change else list(found.values())
        print_json({"waiting": [waiting_document(one) for one in shown]})
    elif change:
        one = found[change]
        say(one.change.task.instruction)
        print_votes(one.change, one.votes, "; ".join(one.reasons), None)
    else:
        rows = [(one.id, one.change.task.id, "; ".join(one.reasons)) for one in found.values()]
        print_table("Waiting for a person", ("change", "task", "why"), rows)
        say("harness reviewers queue CHANGE shows one; add --yes or --no with --reason to answer")
