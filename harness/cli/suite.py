"""`harness suite`: what a suite holds, and whether it may be used."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import mine, mutate, options, sessions, split
from harness.cli.options import Given
from harness.counted import counted

if TYPE_CHECKING:
    from harness.suites.admit import Admission

app = typer.Typer(help="Suites: what they hold, and whether they may be used.", no_args_is_help=True)
for command in (mine, mutate, sessions, split):
    app.command(command.NAME)(command.run)
Folder = Annotated[Path, typer.Argument(help="Folder with suite.toml.")]


@app.command("list")
def list_suites(
    root: Annotated[Path, typer.Argument(help="Folder of suites.")] = Path("task_suites"), as_json: options.AsJson = False
) -> None:
    """The suites below a folder."""
    from harness.cli.show import print_json, print_table
    from harness.errors import InputError
    from harness.suites.catalog import load_suite

    found = [load_suite(path.parent) for path in sorted(root.glob("*/suite.toml"))]
    if not found:
        raise InputError(f"{root}: no suite here; a suite is a folder with a suite.toml")
    rows = [(suite.id, suite.version, str(len(suite.tasks)), suite.hash[:12]) for suite in found]
    if as_json:
        print_json({"suites": [dict(zip(("id", "version", "tasks", "hash"), row, strict=True)) for row in rows]})
    else:
        print_table(str(root), ("suite", "version", "tasks", "hash"), rows)


@app.command()
def show(
    folder: Folder, task: Annotated[str, typer.Option(help="One task's statement.")] = "", as_json: options.AsJson = False
) -> None:
    """The tasks of a suite by split, or one task's statement."""
    from harness.cli.show import print_json, print_table, say
    from harness.errors import InputError
    from harness.suites.catalog import load_suite

    suite = load_suite(folder)
    if task and task not in suite.by_id:
        raise InputError(f"{folder}: no task {task!r}")
    chosen = (suite.by_id[task],) if task else suite.tasks
    if as_json:
        fields = ("id", "project", "split", "difficulty", "kind")
        tasks = [{name: str(getattr(one, name)) for name in fields} | {"tests": len(one.expected)} for one in chosen]
        left_out = [{"id": name, "reason": reason} for name, reason in suite.left_out]
        print_json({"id": suite.id, "version": suite.version, "hash": suite.hash, "tasks": tasks, "left_out": left_out})
        return
    columns = ("task", "project", "split", "difficulty", "fail to pass", "pass to pass")
    counts = [(str(len(one.fail_to_pass)), str(len(one.pass_to_pass))) for one in chosen]
    rows = [(one.id, one.project, str(one.split), one.difficulty, *pair) for one, pair in zip(chosen, counts, strict=True)]
    print_table(f"{suite.id} {suite.version}", columns, rows)
    for name, reason in suite.left_out:
        say(f"{name}: left out: {reason}")
    if not all(one.solved for one in suite.tasks):
        say(
            "Tasks without a reference: agent `reference` changes nothing, and style is judged by the tree's own linter settings."
        )
    if task:
        say(suite.by_id[task].instruction)


@app.command()
def check(
    folder: Folder,
    task: Annotated[list[str] | None, typer.Option("--task", help="Only these tasks.")] = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only what has no record, and one task a project.")] = False,
    record: Annotated[bool, typer.Option("--record", help="Write admission.json beside suite.toml.")] = False,
    config: options.ConfigFile = None,
    jobs: options.Jobs = None,
    state: options.State = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Admission in real containers: each task must tell good work from none. Exit 1 when one does not."""
    from harness.cli.progress import progress_for
    from harness.cli.show import print_json
    from harness.errors import InputError
    from harness.suites.admit import RECORD, to_check, write_record
    from harness.suites.catalog import load_suite
    from harness.wiring.images import admissions

    settings = Given(config=config, suite=folder, jobs=jobs, state=state).settings()
    suite = load_suite(folder)
    unknown = sorted(set(task or ()) - suite.by_id.keys())
    if unknown:
        raise InputError(f"{folder}: no task {unknown[0]!r}")
    chosen = tuple(suite.by_id[name] for name in task) if task else suite.tasks
    if changed:
        chosen = to_check(folder, suite)
    began = time.monotonic()
    with progress_for(quiet=quiet) as progress, admissions(settings, suite, progress) as admit:
        found = admit.run(chosen, quick=changed)
    if record and not task and not changed:
        write_record(folder / RECORD, suite, found)
    if as_json:
        print_json({"suite": suite.id, "seconds": round(time.monotonic() - began, 1), "tasks": [_document(one) for one in found]})
    else:
        _print(found, time.monotonic() - began)
    if not all(one.admitted for one in found):
        raise typer.Exit(1)


def _document(found: Admission) -> dict[str, object]:
    return {
        "id": found.task,
        "admitted": found.admitted,
        "reasons": list(found.reasons),
        "flip_rate": found.flip_rate,
        "dropped": list(found.dropped),
    }


def _print(found: tuple[Admission, ...], seconds: float) -> None:
    from harness.cli.show import say

    for one in found:
        if not one.admitted:
            say(f"{one.task}: quarantined (reference failed {one.flip_rate:.0%} of its runs)")
            for reason in one.reasons:
                say(f"  {reason}")
        for rule in one.dropped:
            say(f"{one.task}: style rule {rule} is dropped, since the reference itself breaks it")
    graded = sum(one.probes for one in found)
    say(
        f"{sum(one.admitted for one in found)} of {len(found)} tasks admitted; "
        f"{counted(graded, 'tree')} graded in {seconds:.0f} s"
    )
