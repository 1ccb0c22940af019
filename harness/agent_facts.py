"""What agents read of instruction files, by version. The facts stand in `agent_facts.toml`, with their source."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from harness.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

CLAUDE_CODE = "claude-code"


class Facts(BaseModel):
    """One agent from one version on: the front matter keys that it knows, and the files beside which it reads no AGENTS.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    since: str
    source: str
    keys: tuple[str, ...]
    hides_agents_md: tuple[str, ...]


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    agent: tuple[Facts, ...]


@cache
def shipped_facts() -> tuple[Facts, ...]:
    """The facts that ship with this version."""
    return _File.model_validate(tomllib.loads(files("harness").joinpath("agent_facts.toml").read_text(encoding="utf-8"))).agent


def facts_of(name: str, version: str, rows: Iterable[Facts]) -> Facts:
    """What holds for a version of an agent; an empty one stands for the newest that is known.

    Raises:
        ConfigError: nothing is known of so old a version, or of what it says instead of one.
    """
    known = sorted((row for row in rows if row.name == name), key=lambda row: _numbers(row.since))
    found = [row for row in known if not version or _numbers(row.since) <= _numbers(version)]
    if not found:
        raise ConfigError(
            f"{name} {version}: what it reads of a skill is known from version {known[0].since} on; install a newer one "
            "(`make claude`), or name its program with [agent] cli"
        )
    return found[-1]


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()
