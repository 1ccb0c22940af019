"""Rules that another tool checks: its command line, how its output is read, and its findings under the rule's name.

The tool sees the whole tree, base and after, under the base's settings. It must not load the project's code.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from harness.style.checks import FILE, Check
from harness.style.compare import SYNTAX, key
from harness.style.parsers import PARSERS
from harness.style.toolrun import Lines, UnreadableError, places, raw
from harness.tree import matches

if TYPE_CHECKING:
    from harness.evidence import Finding
    from harness.ports import ToolRun
    from harness.style.parsers import Said
    from harness.tree import Tree

_NUMBERS = re.compile(r"\d+")
_PROGRAM = re.compile(r"[A-Za-z0-9][\w.+-]*")


class Command(Check):
    """A tool's run: `argv` without a shell, its program found on PATH; `parser` reads `output`.

    `found` are the exit codes that mean "violations"; 0 means none, or only warnings, and anything else is no evidence.
    `codes` keeps only these codes of the tool (`*` stands for anything); `warnings` = false keeps only errors.
    """

    argv: tuple[str, ...] = Field(min_length=1)
    parser: Literal["eslint", "sarif", "lines", "junit", "checkstyle"]
    output: Literal["stdout", "stderr"] = "stdout"
    found: tuple[int, ...] = (1,)
    codes: tuple[str, ...] = ()
    warnings: bool = True
    paths: tuple[str, ...] = ("**",)

    @field_validator("argv")
    @classmethod
    def _plain(cls, argv: tuple[str, ...]) -> tuple[str, ...]:
        """Tools are pinned and found on PATH, so a program of the tree's own is refused."""
        if not _PROGRAM.fullmatch(argv[0]):
            raise ValueError(f"argv must begin with the plain name of a program, not {argv[0]!r}")
        return argv

    def findings(self, run: ToolRun, tree: Tree, rule: Finding) -> tuple[Finding, ...]:
        """The violations of one run over a tree; `rule` is a finding without a place, which says rule, quote and gating.

        Raises:
            UnreadableError: exit code and output do not fit together; the raw text is in the message.
        """
        if run.exit_code not in {0, *self.found}:
            raise UnreadableError(raw(run))
        try:
            said = list(PARSERS[self.parser](run.stdout if self.output == "stdout" else run.stderr))
        except UnreadableError as error:
            raise UnreadableError(f"{error}; {raw(run)}") from error
        if run.exit_code and not said:
            raise UnreadableError(f"exit code {run.exit_code} without findings; {raw(run)}")
        paths, lines = places({item.name: None for item in said}, tree), Lines(tree)
        if self.parser == "junit":  # a checker's case may be about no file at all
            paths = {item.name: "" for item in said} | paths
        placed = [(item, paths[item.name]) for item in said if item.name in paths]
        wanted = [(item, path) for item, path in placed if self._wanted(item, path)]
        return tuple(_finding(item, path, lines, replace(rule, path=path)) for item, path in wanted)

    def _wanted(self, item: Said, path: str) -> bool:
        if item.code == SYNTAX:
            return True
        named = not self.codes or any(fnmatchcase(item.code, one) for one in self.codes)
        return named and (item.error or self.warnings) and (not path or matches(path, self.paths))


def _finding(item: Said, path: str, lines: Lines, blank: Finding) -> Finding:
    """Keyed on code and source line; where there is no line, on the message without its numbers."""
    rule = SYNTAX if item.code == SYNTAX else blank.rule
    line = lines.at(path, item.line).strip() or _NUMBERS.sub("#", item.message)
    symbol = FILE if rule == SYNTAX else f"{item.code}:{line}" if path else f"{item.name}:{item.code}"
    told = item.message.startswith(item.code) or item.message.endswith((f"[{item.code}]", f"({item.code})"))
    message = item.message if told else f"{item.message} [{item.code}]"
    return replace(blank, rule=rule, line=max(1, item.line), message=message, key=key(path, rule, symbol), fixable=item.fixable)


CHECKS: dict[str, type[Command]] = {"": Command}
