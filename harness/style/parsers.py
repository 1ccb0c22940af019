"""Other tools' output into one shape: SARIF, eslint's JSON, `path:line:column: message`, JUnit and Checkstyle XML.

Owns reading alone. Exit codes, and what is new, are judged elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from xml.etree import ElementTree as ET

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from harness.style.compare import SYNTAX
from harness.style.toolrun import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a tool: its code for the rule, the file's name as the tool writes it, row from 1 (0: the whole file)."""

    code: str
    name: str
    line: int
    message: str
    error: bool = True
    fixable: bool = False


class _Json(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class _EslintMessage(_Json):
    rule_id: str | None = None
    severity: int = 2
    fatal: bool = False
    message: str = ""
    line: int | None = None
    fix: object = None


class _EslintFile(_Json):
    file_path: str
    messages: tuple[_EslintMessage, ...]


class _Text(_Json):
    text: str = ""


class _Region(_Json):
    start_line: int = 0


class _ArtifactLocation(_Json):
    uri: str = ""


class _PhysicalLocation(_Json):
    artifact_location: _ArtifactLocation = _ArtifactLocation()
    region: _Region = _Region()


class _Location(_Json):
    physical_location: _PhysicalLocation = _PhysicalLocation()


class _Result(_Json):
    rule_id: str = ""
    level: str = "warning"  # SARIF 2.1.0, section 3.27.10
    message: _Text = _Text()
    locations: tuple[_Location, ...] = ()
    fixes: tuple[object, ...] = ()
    suppressions: tuple[object, ...] = ()


class _Run(_Json):
    results: tuple[_Result, ...] | None = ()


class _Sarif(_Json):
    runs: tuple[_Run, ...] = Field(min_length=1)


_T = TypeVar("_T")
_ESLINT = TypeAdapter(tuple[_EslintFile, ...])
_LINE = re.compile(r"^(?P<path>(?:[A-Za-z]:)?[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)*:? +(?P<message>\S.*)$", re.MULTILINE)
_LEVEL = re.compile(r"^(?P<level>error|warning|note|info|hint)\b[: ]*", re.IGNORECASE)
_CODE = re.compile(r"^\[?(?P<first>[A-Z]{1,4}\d{1,5})\]?\b[: ]*|\[(?P<last>[a-z][\w-]*|[A-Z]\d+)\]$|\((?P<round>[a-z][\w/-]*)\)$")
_ROW = re.compile(r"\bline[: ]+(\d+)", re.IGNORECASE)


def eslint(output: bytes) -> Iterator[Said]:
    """`eslint --format json`. A file that eslint cannot parse is a syntax error."""
    for file in _validated(lambda: _ESLINT.validate_json(output), "eslint's JSON"):
        for item in file.messages:
            code = SYNTAX if item.fatal else item.rule_id or "eslint"
            error, fixable = item.severity > 1, item.fix is not None
            yield Said(code=code, name=file.file_path, line=item.line or 0, message=item.message, error=error, fixable=fixable)


def sarif(output: bytes) -> Iterator[Said]:
    """SARIF 2.1.0, each result at its first location; suppressed results are left out."""
    for run in _validated(lambda: _Sarif.model_validate_json(output), "SARIF").runs:
        for item in run.results or ():
            if item.suppressions:
                continue
            place = item.locations[0].physical_location if item.locations else _PhysicalLocation()
            yield Said(
                code=item.rule_id or "sarif",
                name=place.artifact_location.uri,
                line=place.region.start_line,
                message=item.message.text,
                error=item.level == "error",
                fixable=bool(item.fixes),
            )


def lines(output: bytes) -> Iterator[Said]:
    """`path:line: message` or `path:line:column: message`, as of compilers, mypy, flake8 and pylint; notes are left out.

    The code is a leading `E501`, or a trailing `[attr-defined]` or `(no-unused)`; else the code is `message`.
    """
    for match in _LINE.finditer(output.decode("utf-8", "replace")):
        level = _LEVEL.match(match["message"])
        words = match["message"][level.end() :] if level else match["message"]
        severity = level["level"].lower() if level else "error"
        if severity not in {"note", "info", "hint"}:
            code = _CODE.search(words)
            name = next((group for group in code.groups() if group), "") if code else "message"
            error = severity == "error"
            yield Said(code=name, name=match["path"], line=int(match["line"]), message=words.strip(), error=error)


def junit(output: bytes) -> Iterator[Said]:
    """JUnit XML: each failed or broken case is a violation, in the file that the case or its suite names."""
    for suite in _xml(output).iter("testsuite"):
        for case in suite.findall("testcase"):
            for problem in (*case.findall("failure"), *case.findall("error")):
                text = (problem.get("message") or "").strip() or (problem.text or "").strip()
                row = case.get("line") or next(iter(_ROW.findall(f"{text} {problem.text or ''}")), "0")
                yield Said(
                    code=case.get("name") or problem.get("type") or "case",
                    name=case.get("file") or case.get("classname") or suite.get("name") or "",
                    line=int(row) if row.isdigit() else 0,
                    message=text.partition("\n")[0],
                )


def checkstyle(output: bytes) -> Iterator[Said]:
    """Checkstyle XML, which many linters of other languages write."""
    for file in _xml(output).iter("file"):
        for item in file.findall("error"):
            row = item.get("line") or "0"
            yield Said(
                code=item.get("source") or "checkstyle",
                name=file.get("name") or "",
                line=int(row) if row.isdigit() else 0,
                message=item.get("message") or "",
                error=item.get("severity", "error") == "error",
            )


def _validated(read: Callable[[], _T], what: str) -> _T:
    try:
        return read()
    except ValidationError as error:
        raise UnreadableError(f"not {what} ({error.errors()[0]['msg']})") from error


def _xml(output: bytes) -> ET.Element:
    if b"<!DOCTYPE" in output or b"<!ENTITY" in output:
        raise UnreadableError("XML with a document type, which no checker writes")
    try:
        return ET.fromstring(output)  # noqa: S314  (no document type, so no entities)
    except ET.ParseError as error:
        raise UnreadableError(f"not XML ({error})") from error


PARSERS: dict[str, Callable[[bytes], Iterator[Said]]] = {
    "eslint": eslint,
    "sarif": sarif,
    "lines": lines,
    "junit": junit,
    "checkstyle": checkstyle,
}
