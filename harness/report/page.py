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

from harness.counted import counted
from harness.errors import ReportError
from harness.ledger.history import read_history
from harness.ledger.schema import TrialRow
from harness.printable import printable
from harness.proposing import PLATEAU
from harness.report.answer import answer_of
from harness.report.beside import beside_rows
from harness.report.figures import day_and_hours
from harness.report.flagged import flag_lines
from harness.report.gates import gate_table, look_rows, looks_views
from harness.report.generations import cards, change_of, generation_rows
from harness.report.lineage import lineage
from harness.report.matrix import matrix_of
from harness.report.recorded import recorded
from harness.report.reviews import MOST_TASKS, reviewed_tasks, seats
from harness.report.styles import styles_of
from harness.report.timings import timings_of
from harness.report.trust import bottom_line, trust_items
from harness.report.view import Scene
from harness.report.words import glossary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harness.ledger.store import Store

HEAD_META = "ledger-head"  # the name of the meta element that anchors the ledger's head in every page
# Beyond either, or so many tasks, one page is too long to load and to read (150 kB, as measured), and it becomes a folder.
MOST_GENERATIONS = 40
_FIRST, _TASKS = "index.html", "tasks.html"
_FIRST_SECTIONS = (
    *("answer.html", "contents.html", "generations.html", "beside.html", "costs.html", "record.html", "words.html"),
)
_TASK_SECTIONS = ("tasks.html", "reviews.html", "words.html")
_CARD_SECTIONS = ("generation.html", "words.html")
_WHOLE = (
    *("answer.html", "contents.html", "generations.html", "not.html", "beside.html", "tasks.html", "reviews.html"),
    *("costs.html", "record.html", "words.html"),
)
_TASK_PARTS = frozenset({"tasks", "looks", "style", "votes", "panel"})


def build_page(store: Store, campaign: str, *, private: bool = False, estimate: str = "") -> str:
    """One campaign's page, whole. `private` leaves out task names, code and quotes; `estimate` tells a rehearsal's live price.

    Raises:
        InputError: the ledger knows no such campaign.
        LedgerError: a row cannot be read.
    """
    scene = _scene(store, campaign, private=private)
    return _rendered(_sections(scene, estimate), _WHOLE, lambda part: f"#{part}")


def build_pages(store: Store, campaign: str, *, private: bool = False, estimate: str = "") -> dict[str, str]:
    """One campaign's pages by file name, the first screen first: one page, or a folder of them for a large campaign.

    In the folder the first page is the same but for the parts that grow: the tasks have a page, and so has each generation that
    was not promoted.

    Raises:
        InputError: the ledger knows no such campaign.
        LedgerError: a row cannot be read.
    """
    scene = _scene(store, campaign, private=private)
    shown, name = _sections(scene, estimate), campaign[:16]
    if not _is_large(scene):
        return {f"{name}.html": _rendered(shown, _WHOLE, lambda part: f"#{part}")}
    pages = {_FIRST: _rendered(shown, _FIRST_SECTIONS, _places(_FIRST))}
    if shown["matrix"]:
        pages[_TASKS] = _rendered(shown | {"title": "Task by task"}, _TASK_SECTIONS, _places(_TASKS), back=True)
    for card in cards(scene):
        more = {"title": f"Generation {card.number}", "card": card}
        pages[f"g{card.number}.html"] = _rendered(shown | more, _CARD_SECTIONS, _places(f"g{card.number}.html"), back=True)
    return {f"{name}/{page}": text for page, text in pages.items()}


def _scene(store: Store, campaign: str, *, private: bool) -> Scene:
    return Scene(history=read_history(store, campaign), blob=store.blobs.get, private=private)


def _is_large(scene: Scene) -> bool:
    tasks = {outcome.task for outcome in scene.shown.record.outcomes} if scene.shown else set[str]()
    return len(tasks) > MOST_TASKS or len(scene.history.generations) > MOST_GENERATIONS


def _places(here: str) -> Callable[[str], str]:
    """Where a part stands, as seen from one page of a folder."""

    def at(part: str) -> str:
        if part in _TASK_PARTS:
            page = _TASKS
        elif part.startswith("g") and part[1:].isdigit():
            page = f"{part}.html"
        else:
            page = here if part == "words" else _FIRST
        return f"#{part}" if page == here else f"{page}#{part}"

    return at


def _rendered(shown: dict[str, object], sections: Sequence[str], at: Callable[[str], str], *, back: bool = False) -> str:
    """A page of these sections. `at` gives the address of a part, `back` says whether this is not the first page."""
    style, script = asset("page.css"), asset("page.js")
    made = environment()
    made.globals["at"] = at
    return made.get_template("page.html").render(
        style=style,
        script=script,
        style_hash=csp_hash(style),
        script_hash=csp_hash(script),
        head_meta=HEAD_META,
        sections=sections,
        back=back,
        **shown,
    )


def write_report(store: Store, campaign: str, folder: Path, *, private: bool = False, estimate: str = "") -> Path:
    """Write a campaign's page or pages into the folder, each whole or not at all, the first page last; its path.

    Raises:
        ReportError: a file cannot be written.
        LedgerError: a row cannot be read.
    """
    pages = build_pages(store, campaign, private=private, estimate=estimate)
    first, *_ = pages
    try:
        for name in reversed(pages):
            _write(folder / name, pages[name])
        if len(pages) > 1:
            (folder / f"{campaign[:16]}.html").unlink(missing_ok=True)  # from when it was small
    except OSError as error:
        raise ReportError(
            f"{folder / first}: cannot be written ({error.strerror}); the ledger is complete, run harness report"
        ) from error
    return folder / first


def _write(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _sections(scene: Scene, estimate: str) -> dict[str, object]:
    """Everything that the template shows, by the name it has there."""
    decision, shown, history = scene.decision, scene.shown, scene.history
    confirmed = [placed.seq for placed in scene.trials]
    answer = answer_of(scene, estimate)
    reviewed = reviewed_tasks(scene)
    return {
        "words": {word.id: word for word in glossary(scene.rules)},
        "title": f"{answer.pill[0]}: {answer.title}",
        "settings": history.settings,
        "head": history.head,
        "when": day_and_hours(*history.times),
        "last_time": history.times[1],
        "tasks_run": _task_counts(scene),
        "answer": answer,
        "shown": shown,
        "reason": scene.reason(shown) if shown else "",
        "private": scene.private,
        "gates": gate_table(decision) if decision else None,
        "diff": change_of(scene, shown) if shown else (),
        "bottom_line": bottom_line(scene),
        "trust": trust_items(scene),
        "generations": generation_rows(scene),
        "plateaus": tuple(placed.row.data for placed in history.events(PLATEAU)),
        "lineage": lineage(scene),
        "start": history.start,
        "baseline": history.baseline,
        "baseline_generation": scene.generation_of_variant(history.baseline),
        "cards": cards(scene),
        "beside": beside_rows(scene),
        "matrix": matrix_of(scene),
        "looks": looks_views(decision, scene.rules) if decision else (),
        "look_rows": look_rows(decision, scene.rules) if decision else (),
        "styles": styles_of(scene),
        "reviewed": reviewed[:MOST_TASKS],
        "reviewed_more": max(0, len(reviewed) - MOST_TASKS),
        "seats": seats(scene),
        "unreadable": len(scene.trials) - len(scene.documents),
        "costs": scene.costs,
        "timings": timings_of(history),
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
    told = ", ".join(f"{len(names)} {split}" for split, names in found.items() if names)
    noun = "task" if sum(map(len, found.values())) == 1 else "tasks"
    return f"{told} {noun} run" if told else ""


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
    environment.filters["counted"] = counted
    return environment


def asset(name: str) -> Markup:
    """Our own style or script: the one text that is not escaped, since it is ours and hashed."""
    return Markup((files("harness.report") / "templates" / name).read_text("utf-8"))  # noqa: S704  (package data)


def csp_hash(content: str) -> str:
    """The hash by which a page's content security policy allows one style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")
