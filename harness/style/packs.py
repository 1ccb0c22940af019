"""Rule packs: a project's own rules, quoted from its documents, read from TOML into frozen values.

Owns the pack's format and its validity: a rule without its quote, with an unknown key or an unknown check is refused.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, StringConstraints, ValidationError

from harness.errors import SuiteError
from harness.style import ast_checks, ast_grep, commands, commit_checks, diff_checks, path_checks, text_checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.style.checks import Check
    from harness.tree import Tree

CHECKS: Mapping[str, Mapping[str, type[Check]]] = {
    "python_ast": ast_checks.CHECKS,
    "ast_grep": ast_grep.CHECKS,
    "text": text_checks.CHECKS,
    "diff": diff_checks.CHECKS,
    "path": path_checks.CHECKS,
    "commit": commit_checks.CHECKS,
    "command": commands.CHECKS,
}


class Gate(StrEnum):
    """What a finding of a rule does: fails the style gate, is reported, goes to the reviewers as text, or nothing."""

    HARD = "hard"
    REPORT = "report"
    JUDGE = "judge"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its quote and where it stands, what a finding does, and the check that finds it broken (None for judges)."""

    id: str
    kind: str
    gate: Gate
    label: str
    check: Check | None
    file: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A project's rules, the commit at which its documents were read (empty for written suites), and pinned tools."""

    commit: str
    tools: tuple[tuple[str, str], ...]
    rules: tuple[Rule, ...]

    @property
    def checked(self) -> tuple[Rule, ...]:
        """Rules that read the change itself and that count, or are reported."""
        return tuple(rule for rule in self._measured if rule.kind not in {"command", "commit"})

    @property
    def commands(self) -> tuple[Rule, ...]:
        """Rules that another tool checks over the whole tree."""
        return tuple(rule for rule in self._measured if rule.kind == "command")

    @property
    def messages(self) -> tuple[Rule, ...]:
        """Rules about commit messages: off in trials, since a change under trial has none."""
        return tuple(rule for rule in self._measured if rule.kind == "commit")

    @property
    def _measured(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.check and rule.gate in {Gate.HARD, Gate.REPORT})

    @property
    def judged(self) -> tuple[Rule, ...]:
        """Rules that go, quoted, to the reviewers."""
        return tuple(rule for rule in self.rules if rule.gate is Gate.JUDGE)


def load_pack(text: str, where: str) -> Pack:
    """Read a pack's TOML. `where` names it in messages.

    Raises:
        SuiteError: not TOML, unknown or missing keys, an unknown check, duplicate ids; says which rule.
    """
    try:
        parsed = _PackFile.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise SuiteError(f"{where}: not a rule pack: {_short(error)}") from error
    ids = [rule.id for rule in parsed.rule]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise SuiteError(f"{where}: rule ids stand twice: {', '.join(twice)}")
    rules = tuple(_rule(rule, where) for rule in parsed.rule)
    return Pack(commit=parsed.commit, tools=tuple(sorted(parsed.tools.items())), rules=rules)


def check_quotes(pack: Pack, documents: Tree, where: str) -> None:
    """Nobody invents a rule: each quote must stand at its line of its document.

    Raises:
        SuiteError: a quote that does not, with what stands there.
    """
    for rule in pack.rules:
        file = documents.get(rule.file)
        lines = file.text.splitlines() if file else []
        found = lines[rule.line - 1] if rule.line <= len(lines) else ""
        if rule.quote not in found:
            raise SuiteError(f"{where}: rule {rule.id}: {rule.file}:{rule.line} does not hold its quote, but {found!r}")


def check_tools(pack: Pack, tools: Mapping[str, str], where: str) -> None:
    """A suite's images hold what the suite pins: a pack's tools must be among them, and the programs of its command rules.

    Raises:
        SuiteError: a tool that is not pinned by the suite, or pinned to another version.
    """
    for name, version in pack.tools:
        if tools.get(name) != version:
            there = tools.get(name) or "none"
            raise SuiteError(
                f"{where}: it pins {name} {version}, and the suite {there}; pin the same under [tools] of suite.toml"
            )
    known = {name.removeprefix("npm:") for name in tools}
    for rule in pack.commands:
        program = rule.check.argv[0] if isinstance(rule.check, commands.Command) else ""
        if program not in known:
            raise SuiteError(
                f"{where}: rule {rule.id} runs {program}, which the suite does not pin; name it under [tools] of suite.toml"
            )


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Provenance(_Strict):
    file: str = Field(min_length=1)
    line: PositiveInt
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=8)]
    introduced: str = ""


class _Calibration(_Strict):
    label: Literal["enforced", "customary", "stated_only", "free", "unproven", "declared"]
    commits: int = 0
    sites: int = 0
    site_rate: float | None = None
    commit_rate: float | None = None
    contrast_rate: float | None = None


class _Applies(_Strict):
    defs: Literal["added"] = "added"
    paths: tuple[str, ...] = Field(min_length=1)


class _RuleFile(_Strict):
    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    kind: Literal["command", "ast_grep", "python_ast", "diff", "path", "commit", "text", "judge"]
    check: str = ""
    params: dict[str, object] = {}
    applies: _Applies | None = None
    gate: Gate | None = None
    provenance: _Provenance
    calibration: _Calibration


class _PackFile(_Strict):
    spec: Literal[1]
    commit: str = ""
    tools: dict[str, str] = {}
    rule: tuple[_RuleFile, ...] = Field(min_length=1)


def _rule(rule: _RuleFile, where: str) -> Rule:
    return Rule(
        id=rule.id,
        kind=rule.kind,
        gate=_gate(rule, where),
        label=rule.calibration.label,
        check=_check(rule, where) if rule.kind in CHECKS else None,
        file=rule.provenance.file,
        line=rule.provenance.line,
        quote=rule.provenance.quote,
    )


def _gate(rule: _RuleFile, where: str) -> Gate:
    """What the pack says, else hard for a rule that is proven or declared, and report for a wish."""
    if rule.kind == "judge":
        if rule.gate not in {None, Gate.JUDGE, Gate.OFF}:
            raise SuiteError(f"{where}: rule {rule.id}: a judge rule goes to the reviewers and never gates by itself")
        return rule.gate or Gate.JUDGE
    return rule.gate or (Gate.HARD if rule.calibration.label in {"enforced", "declared"} else Gate.REPORT)


def _check(rule: _RuleFile, where: str) -> Check:
    checks = CHECKS[rule.kind]
    if rule.check not in checks:
        known = f"there are {', '.join(checks)}" if "" not in checks else "leave check out"
        raise SuiteError(f"{where}: rule {rule.id}: no {rule.kind} check {rule.check!r}; {known}")
    params = dict(rule.params)
    if rule.applies:
        if "paths" in params:
            raise SuiteError(f"{where}: rule {rule.id}: paths stand in params and in applies; keep one")
        params["paths"] = rule.applies.paths
    try:
        return checks[rule.check].model_validate(params)
    except (ValidationError, re.error) as error:
        raise SuiteError(f"{where}: rule {rule.id}: {rule.check or rule.kind}: {_short(error)}") from error


def _short(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'value'}: {item['msg']}" for item in error.errors())
    return str(error)
