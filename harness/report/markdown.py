"""A campaign's answer as Markdown, for a pull request or a job's page: words and figures of the HTML page's first screen.

Everything from the ledger is escaped: no text of a proposer's can become a heading, a link, an image, markup or a mention.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.ledger.history import read_history
from harness.printable import printable
from harness.report.answer import PILLS, answer_of
from harness.report.gates import gate_table
from harness.report.generations import generation_rows
from harness.report.view import Scene

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from harness.ledger.store import Store
    from harness.report.prose import Prose

MOST_ROWS = 30  # generations in the table; the page has all
_MARKUP = re.compile(r"([\\`*_{}\[\]#!|~]|^[-+]|(?<=^\d)[.)])")
_BREAK = "<!-- -->"  # nothing to see, and neither a mention nor a bare address goes over it


def build_markdown(store: Store, campaign: str) -> str:
    """The summary of one campaign.

    Raises:
        InputError: the ledger knows no such campaign.
        LedgerError: a row cannot be read.
    """
    history = read_history(store, campaign)
    return "\n".join(_lines(Scene(history=history, blob=store.blobs.get, private=history.settings.private))) + "\n"


def write_markdown(store: Store, campaign: str, path: Path) -> None:
    """Write the summary to a file, whole or not at all.

    Raises:
        OSError: the file cannot be written.
        LedgerError: a row cannot be read.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(build_markdown(store, campaign), encoding="utf-8")
    fresh.replace(path)


def escaped(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    shown = printable(" ".join(text.split()), lines=False).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\1", shown).replace("@", f"@{_BREAK}").replace("://", f":{_BREAK}//")


def _lines(scene: Scene) -> Iterator[str]:
    answer, history = answer_of(scene), scene.history
    mark = "REHEARSAL: " if history.settings.rehearsal else ""
    yield f"## {mark}{escaped(answer.title)}"
    yield ""
    yield _prose(answer.lead)
    if history.settings.rehearsal:
        yield ""
        yield "No model was called; this proves the pipeline and says nothing about the skill."
    yield ""
    table = gate_table(scene.decision) if scene.decision else None
    if table:
        yield from _table(("gate", "before", "after", "change", "interval", "tasks", "luck", "verdict"), _gates(scene))
    rows = generation_rows(scene)
    if rows:
        told = [
            (f"{row.number}", row.tried, PILLS.get(row.pill[0], row.pill)[0], row.reached, row.cost) for row in rows[-MOST_ROWS:]
        ]
        yield from _table(("generation", "tried", "decision", "reached", "cost"), told)
        if len(rows) > MOST_ROWS:
            yield f"Left out here: {counted(len(rows) - MOST_ROWS, 'earlier generation')}."
    for fact in answer.facts:
        small = _prose(fact.small)
        yield f"- {escaped(fact.name)}: {_prose(fact.value)}" + (f" ({small})" if small else "")
    yield f"- Ledger: campaign {history.campaign[:16]}, head `{history.head}`"


def _gates(scene: Scene) -> Iterator[tuple[str, ...]]:
    table = gate_table(scene.decision) if scene.decision else None
    for row in table.rows if table else ():
        yield row.name, row.before, row.after, row.delta, row.interval, row.tasks, row.luck, row.verdict


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(map(escaped, row))} |" for row in rows)
    yield ""


def _prose(parts: Prose) -> str:
    """A sentence of the page. Pointers to other parts of the page are left out, with the sign that leads to them."""
    shown = "".join(part.text for part in parts if part.ref != "generations")
    return escaped(shown.rstrip(": "))
