"""Builds the page: all sections from one reading of the ledger, through one template, with style and script inside.

The same ledger gives the same bytes. Style and script are allowed by their hashes alone, so nothing that stands in the
data could run even if it got past the escaping.
"""

from __future__ import annotations

import base64
import hashlib
import os
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.errors import ReportError
from harness.ledger.history import read_history
from harness.ledger.schema import TrialRow
from harness.printable import printable
from harness.report.answer import answer_of
from harness.report.beside import beside_rows
from harness.report.figures import day_and_hours
from harness.report.flagged import flag_lines
from harness.report.gates import gate_table, look_rows, looks_views
from harness.report.generations import cards, change_of, generation_rows
from harness.report.matrix import matrix_of
from harness.report.recorded import recorded
from harness.report.reviews import example, seats
from harness.report.styles import styles_of
from harness.report.trust import bottom_line, trust_items
from harness.report.view import Scene
from harness.report.words import glossary

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ledger.store import Store

HEAD_META = "ledger-head"  # the name of the meta element that anchors the ledger's head in every page


def build_page(store: Store, campaign: str, *, private: bool = False, estimate: str = "") -> str:
    """One campaign's page. `private` leaves out task names, code and quotes; `estimate` tells a rehearsal's live price.

    Raises:
        InputError: the ledger knows no such campaign.
        LedgerError: a row cannot be read.
    """
    history = read_history(store, campaign)
    scene = Scene(history=history, blob=store.blobs.get, private=private)
    style, script = asset("page.css"), asset("page.js")
    return (
        environment()
        .get_template("page.html")
        .render(
            style=style,
            script=script,
            style_hash=csp_hash(style),
            script_hash=csp_hash(script),
            head_meta=HEAD_META,
            words={word.id: word for word in glossary(scene.rules)},
            **_sections(scene, estimate),
        )
    )


def write_report(store: Store, campaign: str, folder: Path, *, private: bool = False, estimate: str = "") -> Path:
    """Write `<campaign>.html` into the folder, whole or not at all; its path.

    Raises:
        ReportError: the file cannot be written.
        LedgerError: a row cannot be read.
    """
    page = build_page(store, campaign, private=private, estimate=estimate)
    path = folder / f"{campaign[:16]}.html"
    fresh = folder / f".{path.name}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh.write_text(page, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror}); the ledger is complete, run harness report") from error
    return path


def _sections(scene: Scene, estimate: str) -> dict[str, object]:
    """Everything that the template shows, by the name it has there."""
    decision, shown, history = scene.decision, scene.shown, scene.history
    confirmed = [placed.seq for placed in scene.trials]
    return {
        "settings": history.settings,
        "head": history.head,
        "when": day_and_hours(*history.times),
        "last_time": history.times[1],
        "tasks_run": _task_counts(scene),
        "answer": answer_of(scene, estimate),
        "shown": shown,
        "reason": scene.reason(shown) if shown else "",
        "private": scene.private,
        "gates": gate_table(decision) if decision else None,
        "diff": change_of(scene, shown) if shown else (),
        "bottom_line": bottom_line(scene),
        "trust": trust_items(scene),
        "generations": generation_rows(scene),
        "start": history.start,
        "baseline": history.baseline,
        "baseline_generation": scene.generation_of_variant(history.baseline),
        "cards": cards(scene),
        "beside": beside_rows(scene),
        "matrix": matrix_of(scene),
        "looks": looks_views(decision, scene.rules) if decision else (),
        "look_rows": look_rows(decision, scene.rules) if decision else (),
        "styles": styles_of(scene),
        "example": example(scene),
        "seats": seats(scene),
        "unreadable": len(scene.trials) - len(scene.documents),
        "costs": scene.costs,
        "flags": flag_lines(scene),
        "record": recorded(scene),
        "trial_rows": (min(confirmed), max(confirmed)) if confirmed else None,
    }


def _task_counts(scene: Scene) -> str:
    """How many tasks of each split were run, as the ledger knows them."""
    holdout = {name for generation in scene.history.generations for name in (row.task for row in generation.record.outcomes)}
    stages = {"screen": "dev", "vault": "vault"}
    found: dict[str, set[str]] = {"dev": set(), "holdout": holdout, "vault": set()}
    for placed in scene.history.placed(TrialRow):
        if split := stages.get(placed.row.stage):
            found[split].add(placed.row.task)
    told = [f"{len(names)} {split}" for split, names in found.items() if names]
    return f"{', '.join(told)} tasks run" if told else ""


def environment() -> Environment:
    """Everything printed is escaped, and its hidden characters are shown, whatever a section forgot."""
    environment = Environment(
        loader=PackageLoader("harness.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment


def asset(name: str) -> Markup:
    """Our own style or script: the one text that is not escaped, since it is ours and hashed."""
    return Markup((files("harness.report") / "templates" / name).read_text("utf-8"))  # noqa: S704  (package data)


def csp_hash(content: str) -> str:
    """The hash by which a page's content security policy allows one style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")
