"""ruff's output into findings: check and format, JSON or plain list, of one tree. What is new is compared elsewhere.

`format --output-format json` came as a preview with 0.14 and works by itself from 0.16; before, its text is read.
Exit codes, tried with 0.17: check 0 none, 1 findings (syntax errors included), 2 configuration or usage; format 0 none, 1 would
reformat, 2 the same or a file that cannot be read, with findings, or configuration without.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from harness.evidence import Finding
from harness.style.compare import SYNTAX, key
from harness.style.toolrun import Lines, UnreadableError, places, raw, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.ports import ToolRun
    from harness.tree import Tree

FORMAT = "format"
_UNREADABLE_FILE = frozenset({"io", "E902"})
_DEFINITION = re.compile(r"\s*(?:async\s+def|def|class)\s+(?=(\w+))")
_SUMMARY = re.compile(r"(?:\d+ files? already formatted)?")
_PARAGRAPH = re.compile(r"^(unformatted|invalid-syntax|io): (.*)\n *--> (.+?)(?::cell \d+)?:\d+:\d+$", re.MULTILINE)
_OLD_LINE = re.compile(r"^Would reformat: (.+)$", re.MULTILINE)
_OLD_UNPARSED = re.compile(r"^error: Failed to parse (.+?):\d+:\d+: (.*)$", re.MULTILINE)


def check_findings(run: ToolRun, tree: Tree) -> tuple[Finding, ...]:
    """The findings of one `ruff check --output-format json`, exit code 0 or 1 (0 with findings under `--exit-zero`).

    Raises:
        UnreadableError: the raw text is in the message.
    """
    if run.exit_code not in {0, 1}:
        raise UnreadableError(raw(run))
    diagnostics = _parsed(run)
    if run.exit_code and not diagnostics:
        raise UnreadableError(f"exit code 1 without findings; {raw(run)}")
    lines = _Cells(tree)
    return _once(_finding(item, path, lines) for item, path in _placed(diagnostics, tree))


def format_findings(run: ToolRun, tree: Tree) -> tuple[Finding, ...]:
    """The files that one `ruff format --check` would change, from JSON or text: exit code 0, or 1 or 2 with a file named.

    Raises:
        UnreadableError: the raw text is in the message.
    """
    if run.exit_code not in {0, 1, 2}:
        raise UnreadableError(raw(run))
    if run.stdout.lstrip().startswith(b"["):
        found = tuple(_formatting(item.code, item.message or "", path) for item, path in _placed(_parsed(run), tree))
    else:
        found = tuple(finding for finding in _listed(run) if tree.get(finding.path))
    if run.exit_code and not found:
        raise UnreadableError(f"exit code {run.exit_code} without a file named; {raw(run)}")
    return found


class _Place(BaseModel):
    model_config = ConfigDict(frozen=True)

    row: int
    column: int


class _Fix(BaseModel):
    applicability: str = "safe"


class _Diagnostic(BaseModel):
    code: str | None
    filename: str
    message: str | None = None
    location: _Place | None = None
    end_location: _Place | None = None
    cell: int | None = None
    fix: _Fix | None = None


_DIAGNOSTICS = TypeAdapter(tuple[_Diagnostic, ...])


class _Cells:
    """Source lines as ruff counts them, each file split once; a notebook's by cell."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lines = Lines(tree)
        self._split: dict[tuple[str, int], list[str]] = {}

    def at(self, path: str, cell: int | None, row: int) -> str:
        """The line, or empty where there is none."""
        if cell is None:
            return self._lines.at(path, row)
        if (path, cell) not in self._split:
            file = self._tree.get(path)
            self._split[path, cell] = split(_cell(file.text if file else "", cell))
        lines = self._split[path, cell]
        return lines[row - 1] if 0 < row <= len(lines) else ""


def _finding(item: _Diagnostic, path: str, lines: _Cells) -> Finding:
    """Keyed on the name where a definition's own name is marked, on the file where nothing is, else on the stripped line."""
    rule = SYNTAX if item.code in {None, "invalid-syntax"} else str(item.code)
    place = item.location or _Place(row=1, column=1)
    line = lines.at(path, item.cell, place.row)
    definition = _DEFINITION.match(line)
    if rule == SYNTAX or (item.end_location in {None, item.location} and place.row == place.column == 1):
        symbol = "file"
    elif definition and definition.end() == place.column - 1:
        symbol = definition[1]
    else:
        symbol = line.strip()
    cell = f" (cell {item.cell})" if item.cell is not None else ""
    fixable = item.fix is not None and item.fix.applicability != "display"
    message = f"{item.message or ''}{cell}"
    return Finding(rule=rule, path=path, line=place.row, message=message, key=key(path, rule, symbol), fixable=fixable)


def _formatting(code: str | None, message: str, path: str) -> Finding:
    if code == "invalid-syntax":
        return Finding(rule=SYNTAX, path=path, line=1, message=message, key=key(path, SYNTAX, "file"))
    if code in _UNREADABLE_FILE:
        return Finding(rule="E902", path=path, line=1, message=message, key=key(path, "E902", "file"))
    return _unformatted(path)


def _unformatted(path: str) -> Finding:
    message = "is not formatted as the project's formatter would"
    return Finding(rule=FORMAT, path=path, line=1, message=message, key=key(path, FORMAT, "file"), fixable=True)


def _listed(run: ToolRun) -> Iterator[Finding]:
    """Text output: paragraphs headed `unformatted: ...` and `--> path:row:column`, or older versions' one line a file."""
    out, err = (text.decode("utf-8", "surrogateescape") for text in (run.stdout, run.stderr))
    if not run.exit_code and not _SUMMARY.fullmatch(out.strip()):
        raise UnreadableError(raw(run))
    yield from (_formatting(match[1], match[2], match[3]) for match in _PARAGRAPH.finditer(out))
    yield from (_unformatted(match[1]) for match in _OLD_LINE.finditer(out))
    yield from (_formatting("invalid-syntax", match[2], match[1]) for match in _OLD_UNPARSED.finditer(err))


def _once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """A broken file is one violation, however many errors the parser meets in it."""
    kept: list[Finding] = []
    broken: set[str] = set()
    for finding in findings:
        if finding.rule != SYNTAX or finding.path not in broken:
            kept.append(finding)
        if finding.rule == SYNTAX:
            broken.add(finding.path)
    return tuple(kept)


def _parsed(run: ToolRun) -> tuple[_Diagnostic, ...]:
    try:
        return _DIAGNOSTICS.validate_json(run.stdout)
    except ValidationError as error:
        raise UnreadableError(f"not ruff's JSON; {raw(run)}") from error


def _placed(diagnostics: tuple[_Diagnostic, ...], tree: Tree) -> Iterator[tuple[_Diagnostic, str]]:
    """Each diagnostic with its path in the tree. Those of files that are not in it (hidden tests) are left out."""
    paths = places({item.filename: None for item in diagnostics}, tree)
    for item in diagnostics:
        if item.filename in paths:
            yield item, paths[item.filename]


def _cell(text: str, number: int) -> str:
    """The source of a notebook's cell, counted from 1 over all cells; outputs never count."""
    try:
        source = json.loads(text)["cells"][number - 1]["source"]
    except (ValueError, LookupError, TypeError):
        return ""
    return source if isinstance(source, str) else "".join(map(str, source)) if isinstance(source, list) else ""
