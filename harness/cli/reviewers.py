"""`harness reviewers`: who sits on the panel, how good they are, and what a person should judge."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import Given
from harness.counted import counted

if TYPE_CHECKING:
    from harness.evidence import Vote
    from harness.review.agreed import Agreement
    from harness.review.calibration import Calibration, Earned, Share
    from harness.review.labelled import Labelled
    from harness.review.queue import Waiting

app = typer.Typer(help="Reviewers: who sits, how good they are, and what waits for a person.", no_args_is_help=True)
_EVERY = 100  # answers between two lines of progress


@app.command("list")
def list_reviewers(
    config: options.ConfigFile = None,
    suite: options.Suite = None,
    model: options.Model = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """The reviewers with their models, weights, vetoes, and the seats that they have earned."""
    settings = Given(config=config, suite=suite, model=model, state=state).settings()

    from harness.cli.show import print_json, print_table, say
    from harness.reviewing import opened_records, read_reviewing
    from harness.wiring.inputs import now_utc, reviewer_model

    reviewing = read_reviewing(settings, asking=False)
    with opened_records(settings) as records:
        earned = reviewing.standings(records, now_utc())
    rows = [(one.name, reviewer_model(settings, one), one, earned[one.name]) for one in reviewing.personas]
    if as_json:
        shown = [
            {"name": name, "model": by, "weight": one.weight, "veto": one.veto, "kinds": list(one.calibrate_on), **_seat(seat)}
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
def vote(
    task: Annotated[str, typer.Option("--task", help="Task id.")],
    patch: Annotated[
        Path | None, typer.Option("--patch", help="Unified diff against the task's base; the reference when left out.")
    ] = None,
    config: options.ConfigFile = None,
    suite: options.Suite = None,
    model: options.Model = None,
    seed: options.Seed = None,
    state: options.State = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """The whole panel on one change, everything shown: the change in both views, items, quotes, raw answers, cost."""
    settings = Given(config=config, suite=suite, model=model, seed=seed, state=state, jobs=1).settings()

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
        _print_votes(change, reviewed.report.votes, f"{reviewed.report.outcome}: {reviewed.report.reason}", cost)


@app.command()
def calibrate(
    config: options.ConfigFile = None,
    suite: options.Suite = None,
    model: options.Model = None,
    jobs: options.Jobs = None,
    seed: options.Seed = None,
    max_usd: options.MaxUsd = None,
    max_hours: options.MaxHours = None,
    state: options.State = None,
    yes: options.Yes = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Ask every reviewer about changes whose right answer is known; a seat with a veto needs the bounds to hold."""
    given = Given(
        config=config, suite=suite, model=model, jobs=jobs, seed=seed, max_usd=max_usd, max_hours=max_hours, state=state
    )
    settings = given.settings()

    from harness.budget import BudgetSpentError
    from harness.cli.money import agreed_questions
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
            raise IncompleteError(f"calibration was cut: {error}; the same command goes on with what is left") from error
        seats = asking.desk.standings()
    if as_json:
        print_json({"changes": kinds, "reviewers": [_document(one, seats[one.name]) for one in found]})
    else:
        _print_calibrations(found, seats)


@app.command()
def agreement(
    config: options.ConfigFile = None,
    suite: options.Suite = None,
    model: options.Model = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """How far the reviewers of the last calibration agree, what their votes are worth, and the panel beside its best member."""
    settings = Given(config=config, suite=suite, model=model, state=state).settings()

    from harness.cli.show import print_json, print_table, say
    from harness.review.agreed import agreement_of
    from harness.reviewing import approvals, opened_records, read_reviewing

    reviewing = read_reviewing(settings, asking=False)
    approved = approvals(settings)
    with opened_records(settings) as records:
        found = agreement_of(reviewing.personas, settings.gates.review.rule, records)
    if as_json:
        print_json(found.document | {"approvals": _approvals(found, approved) if approved else None})
        return
    pairs = [(f"{first} and {second}", _number(value)) for (first, second), value in found.kappas]
    print_table("Agreement, two by two", ("reviewers", "kappa"), pairs)
    print_table("Right answers", ("who", "right", "95 % interval"), [(name, *_share(share)) for name, share in found.right])
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
def import_labels(
    file: Annotated[Path, typer.Argument(help="JSONL: a change a line, with accepted true or false.")],
    config: options.ConfigFile = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """Take a team's own accepted and rejected changes as labels; contradictions are listed for a person to settle."""
    settings = Given(config=config, state=state).settings()

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
    for given in disputed:
        said = ", ".join(f"{one.who or one.source} {'accepted' if one.accepted else 'rejected'} it" for one in given)
        say(f"In dispute: {given[0].change_id} ({said}); harness reviewers queue settles it, with --yes or --no")


@app.command()
def queue(
    change: Annotated[str, typer.Argument(help="Id of one change; all are listed without.")] = "",
    verdict: Annotated[bool | None, typer.Option("--yes/--no", help="Your answer: approve or refuse.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a sentence.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="What is wrong: behaviour, security, scope or debris.")] = "",
    who: Annotated[str, typer.Option("--who", help="Your name, kept with the label.")] = "",
    config: options.ConfigFile = None,
    suite: options.Suite = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """Changes on which the panel disagreed or where a flag stands; a person's answer becomes a label for calibration."""
    settings = Given(config=config, suite=suite, state=state).settings()

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
        print_json({"waiting": [_waiting(one) for one in shown]})
    elif change:
        one = found[change]
        say(one.change.task.instruction)
        _print_votes(one.change, one.votes, "; ".join(one.reasons), None)
    else:
        print_table("Waiting for a person", ("change", "task", "why"), [_row(one) for one in found.values()])
        say("harness reviewers queue CHANGE shows one; add --yes or --no with --reason to answer")


def _approvals(found: Agreement, approved: Share) -> dict[str, object]:
    better = found.corrected(approved)
    corrected = {"rate": better.rate, "interval": list(better.interval)} if better else None
    return {"hits": approved.hits, "of": approved.of, "corrected": corrected}


def _seat(seat: Earned) -> dict[str, object]:
    return {"seat": str(seat.standing), "reason": seat.reason}


def _document(found: Calibration, seat: Earned) -> dict[str, object]:
    names = ("approved_good", "refused_bad", "obeyed", "believed", "flipped", "turned", "unstripped", "unsupported", "unusable")
    shares = {name: {"hits": share.hits, "of": share.of} for name in names if (share := getattr(found, name)) is not None}
    return {
        "name": found.name,
        "model": found.model,
        "tpr": found.approved_good.rate,
        "tnr": found.refused_bad.rate,
        "bounds": {"tpr": found.approved_good.lower, "tnr": found.refused_bad.lower},
        **_seat(seat),
        "shares": shares,
        "calls": found.calls,
        "cost_usd": found.cost_usd,
    }


def _print_calibrations(found: tuple[Calibration, ...], seats: dict[str, Earned]) -> None:
    from harness.cli.show import print_table, say

    rows = [
        (
            one.name,
            *_rate(one.approved_good),
            *_rate(one.refused_bad),
            f"{one.obeyed.hits}/{one.obeyed.of}",
            f"{one.believed.hits}/{one.believed.of}",
            f"{one.flipped.hits}/{one.flipped.of}",
            f"{one.turned.hits}/{one.turned.of}",
            f"{one.unusable.hits}/{one.unusable.of}",
            "unknown" if one.cost_usd is None else f"${one.cost_usd:.2f}",
            str(seats[one.name].standing),
        )
        for one in found
    ]
    columns = ("reviewer", "good", "bound", "bad", "bound", "obeyed", "praised", "repeat", "order", "unusable", "cost", "seat")
    print_table("Calibration", columns, rows)
    for one in found:
        say(f"{one.name} ({one.model}): {seats[one.name].reason}")
    say("good: good changes approved; bad: bad ones of its kinds refused; bound: one-sided 95 % Wilson; obeyed: injected bad")
    say("changes approved; praised: bad ones with praise in comments approved; repeat, order: other answers when asked again")


def _print_votes(change: Labelled, votes: tuple[Vote, ...], outcome: str, cost: float | None) -> None:
    from harness.cli.show import say
    from harness.review.panel import MAX_CHARS
    from harness.review.personas import VIEWS
    from harness.review.shown import shown

    for one_view in VIEWS:
        say(f"===== {one_view} =====\n{shown(change.change, one_view, MAX_CHARS).text}\n")
    for one in votes:
        say(f"{one.reviewer} ({one.view}): {one.answer}: {one.reason}")
        for item in one.items:
            mark = "fails" if item.failed else "not supported" if item.answer == "yes" and not item.supported else item.answer
            say(f"  {item.id} {mark}: {item.finding}" + (f"\n    > {item.quote}\n    when: {item.trigger}" if item.quote else ""))
        if one.reviewer_directed:
            say(f"  speaks to reviewers: {one.reviewer_directed}")
        if one.raw:
            say(f"  raw: {one.raw}")
    say(outcome)
    if cost is not None:
        say(f"Cost: ${cost:.4f}")


def _waiting(one: Waiting) -> dict[str, object]:
    votes = [{"reviewer": vote.reviewer, "view": vote.view, "answer": vote.answer, "reason": vote.reason} for vote in one.votes]
    return {"change": one.id, "task": one.change.task.id, "reasons": list(one.reasons), "votes": votes}


def _row(one: Waiting) -> tuple[str, str, str]:
    return one.id, one.change.task.id, "; ".join(one.reasons)


def _rate(share: Share) -> tuple[str, str]:
    return f"{share.hits}/{share.of}", f"{share.lower:.2f}"


def _share(share: Share) -> tuple[str, str]:
    low, high = share.interval
    return f"{share.hits} of {share.of}", f"{low:.0%} to {high:.0%}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"
