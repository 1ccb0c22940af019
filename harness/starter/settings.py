"""harness.toml and the configuration reference, written from the configuration's own models so that neither can fall behind."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from harness.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

    from harness.ports import Json

_WIDE = 110
_KINDS = {"integer": "whole number", "number": "number", "boolean": "`true`, `false`", "string": "text", "array": "list"}
_LIMITS = {"exclusiveMinimum": ">", "minimum": "≥", "exclusiveMaximum": "<", "maximum": "≤"}
_HEAD = """\
# Settings of the coding-skill harness. Every key has a default; a flag wins over an environment variable
# (HARNESS_AGENT__KIND), that over this file. Lines with # in front show the defaults.
"""


def settings_file(chosen: Mapping[str, Mapping[str, object]]) -> str:
    """A commented harness.toml: every key with its meaning, those chosen set, all others shown with their defaults.

    Args:
        chosen: section (dotted) to key to value.
    """
    lines = [_HEAD]
    for section, model in _sections():
        lines += [f"[{section}]" if section else ""]
        for name, field in _keys(model):
            value = chosen.get(section, {}).get(name)
            allowed = _allowed(model, name).replace("`", "")
            lines += [f"# {part}" for part in textwrap.wrap(f"{field.description} ({allowed}).", _WIDE)]
            shown = _toml(field.default)
            lines.append(f"{name} = {_toml(value)}" if value is not None else f"# {name} = {shown}".rstrip())
        lines.append("")
    return "\n".join(lines)


def reference() -> str:
    """The configuration reference in Markdown: a table a section, from the same models."""
    lines = ["# Configuration", "", "Made from the configuration's models by `python scripts/reference.py`; do not edit.", ""]
    lines += [_HEAD.replace("# ", "").split("Lines")[0].strip(), ""]
    for section, model in _sections():
        lines += [
            f"## `[{section}]`" if section else "## Top level",
            "",
            "| key | default | allowed | means |",
            "|---|---|---|---|",
        ]
        for name, field in _keys(model):
            default = f"`{_toml(field.default)}`" if _toml(field.default) else "none"
            lines.append(f"| `{name}` | {default} | {_allowed(model, name)} | {field.description} |")
        lines.append("")
    return "\n".join(lines)


def _sections() -> Iterator[tuple[str, type[BaseModel]]]:
    """Every section with its dotted name; the top level first, under an empty name."""
    yield "", Config
    for name, field in Config.model_fields.items():
        yield from _nested(name, field)


def _nested(name: str, field: FieldInfo) -> Iterator[tuple[str, type[BaseModel]]]:
    model = field.annotation
    if isinstance(model, type) and issubclass(model, BaseModel):
        if any(True for _ in _keys(model)):
            yield name, model
        for inner, inside in model.model_fields.items():
            yield from _nested(f"{name}.{inner}", inside)


def _keys(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    return ((name, field) for name, field in model.model_fields.items() if field.description)


def _toml(value: object) -> str:
    """A value as TOML writes it; empty for none."""
    if value is None or value is PydanticUndefined:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    text = value.as_posix() if isinstance(value, Path) else str(value)
    return json.dumps(text, ensure_ascii=False)


def _allowed(model: type[BaseModel], name: str) -> str:
    """The values that a key takes, in words, from the model's JSON schema."""
    schema = model.model_json_schema()
    found = schema["properties"][name]
    options = [
        schema["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part for part in found.get("anyOf", [found])
    ]
    return " or ".join(filter(None, map(_values, options)))


def _values(option: Mapping[str, Json]) -> str:
    if "enum" in option:
        return ", ".join(f"`{value}`" for value in cast("list[str]", option["enum"]))
    kind = _KINDS.get(str(option.get("type")), "")
    limits = [f"{sign} {option[key]}" for key, sign in _LIMITS.items() if key in option]
    return f"{kind} {', '.join(limits)}".strip()
