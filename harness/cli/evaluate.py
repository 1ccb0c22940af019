"""`harness evaluate`: three gates per task for one skill, rates with intervals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from harness.cli import options
from harness.cli.options import RUN, Given, takes

if TYPE_CHECKING:
    from harness.ledger.schema import TrialRow

NAME = "evaluate"


@takes(*RUN)
def run(
    skill: Annotated[Path, typer.Argument(help="Skill to evaluate.")],
    given: Given,
    split: Annotated[Literal["all", "dev", "holdout", "vault"], typer.Option("--split", help="Which tasks.")] = "all",
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Trials of each task.")] = 1,
    open_vault: Annotated[bool, typer.Option("--open-vault", help="Allow --split vault; it enters the ledger.")] = False,
    yes: options.Yes = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Three gates per task, and rates with intervals. Trials already in the ledger are not run again."""
    settings = replace(given, skill=skill).settings()

    from harness.cli.money import Planned, agreed
    from harness.cli.progress import progress_for
    from harness.cli.show import print_json
    from harness.errors import InputError
    from harness.ledger.schema import EventRow
    from harness.skill import Variant
    from harness.task import Split
    from harness.trial import Arm, Stage, TrialKey
    from harness.wiring.inputs import read_inputs
    from harness.wiring.session import opened

    inputs = read_inputs(settings)
    wanted = {Split.DEV, Split.HOLDOUT} if split == "all" else {split}
    tasks = [task for task in inputs.suite.tasks if task.split in wanted]
    if not tasks:
        raise InputError(f"{settings.suite.path}: no {split} tasks; harness suite show lists what there is")
    if split == "vault" and not open_vault:
        raise InputError("the vault is opened once a night; --open-vault opens it by hand, and is written to the ledger")
    agreed(inputs, Planned(trials=repeats * len(tasks)), yes=yes)
    baseline = Variant(skill=inputs.skill)
    with progress_for(quiet=quiet) as progress, opened(inputs, progress, "evaluate") as session:
        if split == "vault":
            session.ledger.add(EventRow(key="vault/opened", name="vault opened by hand", data=""))
        plans = [
            (
                TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.BASELINE, variant=baseline.id, task=task.id, repeat=n),
                baseline,
            )
            for n in range(1, repeats + 1)
            for task in tasks
        ]
        rows = tuple(session.evaluator.run(f"evaluate {inputs.skill.name}", plans).values())
    if as_json:
        from harness.cli.trial import trial_document

        print_json({"trials": [trial_document(row) for row in rows], "rates": rates_document(rows)})
    else:
        _print(rows)


def rates_document(rows: tuple[TrialRow, ...]) -> dict[str, object]:
    """By gate: passed, judged, missing, rate, and its 95 % Wilson interval."""
    from harness.cli.show import rates
    from harness.decision.proportion import wilson

    found: dict[str, object] = {}
    for gate, (passed, judged, missing) in rates(rows).items():
        low, high = wilson(passed, judged)
        rate = passed / judged if judged else None
        found[gate] = {"passed": passed, "judged": judged, "missing": missing, "rate": rate, "interval": [low, high]}
    return found


def _print(rows: tuple[TrialRow, ...]) -> None:
    from harness.cli.show import endings, print_table, rates, say
    from harness.decision.proportion import wilson

    columns = ("task", "tests", "style", "review", "ending")
    gates = ("tests", "style", "review")
    print_table("Trials", columns, [(row.task, *(row.verdicts[gate] for gate in gates), row.ending) for row in rows])
    lines = []
    for gate, (passed, judged, missing) in rates(rows).items():
        low, high = wilson(passed, judged)
        lines.append((gate, f"{passed}/{judged}", f"{low:.0%} to {high:.0%}", str(missing)))
    print_table("Rates", ("gate", "passed", "95 % interval", "missing"), lines)
    say("Endings: " + ", ".join(f"{count} {ending}" for ending, count in endings(rows).items()))
