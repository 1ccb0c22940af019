"""Rule packs as text that a person reads and edits: written once by `compile`, and its labels replaced in place by `replay`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import SuiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.ports import Json

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ID = re.compile(r'^id\s*=\s*"([^"]*)"')
_CALIBRATION = re.compile(r"^calibration\s*=\s*\{.*\}\s*(#.*)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A rule as it is about to be written, before it has been measured."""

    id: str
    kind: str
    check: str
    params: Mapping[str, Json]
    file: str
    line: int
    quote: str

    @property
    def toml(self) -> str:
        """Its table in a pack."""
        lines = ["[[rule]]", f"id = {value(self.id)}", f"kind = {value(self.kind)}"]
        lines += [f"check = {value(self.check)}"] if self.check else []
        lines += [f"params = {value(self.params)}"] if self.params else []
        lines.append('calibration = { label = "unproven" }')
        lines.append(f"provenance = {value({'file': self.file, 'line': self.line, 'quote': self.quote})}")
        return "\n".join(lines) + "\n"


def pack_text(commit: str, tools: Mapping[str, str], drafts: Iterable[Draft], notes: Iterable[str] = ()) -> str:
    """A whole pack; notes stand as comments at its head."""
    head = [*(f"# {' '.join(note.split())}" for note in notes), "spec = 1", f"commit = {value(commit)}"]
    pinned = ["", "[tools]", *(f"{_key(name)} = {value(version)}" for name, version in sorted(tools.items()))] if tools else []
    return "\n".join([*head, *pinned, ""]) + "".join(f"\n{draft.toml}" for draft in drafts)


def relabelled(text: str, calibrations: Mapping[str, Mapping[str, Json]], where: str) -> str:
    """The pack with each named rule's one-line `calibration` replaced; comments, order and everything else stay.

    Raises:
        SuiteError: a named rule has no `calibration = { ... }` on a line of its own.
    """
    lines, rule, left = [], "", set(calibrations)
    for line in text.splitlines():
        found = _ID.match(line)
        rule = found[1] if found else "" if line.strip() == "[[rule]]" else rule
        if rule in left and _CALIBRATION.match(line):
            left.discard(rule)
            lines.append(f"calibration = {value(calibrations[rule])}")
        else:
            lines.append(line)
    if left:
        raise SuiteError(f"{where}: rule {min(left)} has no line `calibration = {{ ... }}` after its id; write it on one line")
    return "\n".join(lines) + "\n"


def value(item: Json) -> str:
    """A TOML value: JSON's strings are TOML's, but for the one control character that JSON lets stand."""
    if isinstance(item, str):
        return json.dumps(item.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(item, bool | int | float):
        return json.dumps(item)
    if item is None:
        raise ValueError("TOML has no null")
    if hasattr(item, "items"):
        return "{ " + ", ".join(f"{_key(name)} = {value(one)}" for name, one in item.items()) + " }"
    return "[" + ", ".join(value(one) for one in item) + "]"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else value(name)
