"""Reads, checks and writes skill folders and single instruction files: the only path by which a skill enters a trial.

Front matter is held to the narrower YAML subset that agents agree on: one line a key, quoted when needed, nothing silently
cut. Limits stand in one table, `LIMITS`, with their source. Keys are those that any known agent documents (`agent_facts`).
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import yaml

from harness.agent_facts import shipped_facts
from harness.errors import SkillError
from harness.python_source import parsed
from harness.skill import ENTRIES, Skill
from harness.tree import File, Tree
from harness.tree_io import read_tree, write_tree

if TYPE_CHECKING:
    from pathlib import Path

# The agents' documented limits for SKILL.md (Agent Skills specification and upload checks, read 2026-11).
LIMITS = {"name": 64, "description": 1024}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


def read_skill(path: Path) -> Skill:
    """The skill in a folder (with SKILL.md, AGENTS.md or CLAUDE.md), or in one such file.

    Raises:
        SkillError: saying what is wrong, where, and what to do.
    """
    if path.is_file():
        if path.name not in ENTRIES:
            raise SkillError(f"{path}: instructions in one file are called {', '.join(ENTRIES)}; name such a file, or a folder")
        return make_skill(Tree.of({path.name: path.read_bytes()}), path.resolve().parent.name, str(path.parent))
    if not path.is_dir():
        raise SkillError(f"{path}: no such skill; name a folder with a SKILL.md, or an AGENTS.md or CLAUDE.md file")
    return make_skill(read_tree(path), path.resolve().name, str(path))


def make_skill(tree: Tree, folder: str, where: str) -> Skill:
    """A checked skill from its files; `folder` is the name it must carry, `where` its place, named in messages.

    Raises:
        SkillError: as `read_skill`.
    """
    entries = [name for name in ENTRIES if tree.get(name)]
    if not entries:
        raise SkillError(f"{where}: holds none of {', '.join(ENTRIES)}; add one")
    entry = entries[0]
    nested = [path for path, _ in tree if path.endswith("/SKILL.md")]
    if nested:
        raise SkillError(f"{where}/{nested[0]}: a second SKILL.md inside a skill is refused by agents; rename it")
    place = str(PurePosixPath(where, entry))
    text = _utf8(tree.by_path[entry], place)
    _check_scripts(tree, where)
    if entry != "SKILL.md":
        if not text.strip():
            raise SkillError(f"{place}: is empty; write at least one instruction")
        return Skill(name=folder, description="", entry=entry, tree=tree)
    fields = front_matter(text, place)
    _check_fields(fields, folder, place)
    skill = Skill(name=fields["name"], description=fields["description"], entry=entry, tree=tree)
    if not skill.body.strip():
        raise SkillError(f"{place}: has front matter but no instructions; write at least one")
    return skill


def with_text(skill: Skill, text: str, where: str) -> Skill:
    """The skill with another text in its entry file, checked as on reading.

    Raises:
        SkillError: if the text is not a valid entry file for this skill.
    """
    return make_skill(skill.tree.overlaid(Tree.of({skill.entry: text})), skill.name, where)


def write_skill(folder: Path, skill: Skill) -> None:
    """Write the skill's files below a folder."""
    write_tree(folder, skill.tree)


def front_matter(text: str, where: str) -> dict[str, str]:
    """The front matter's keys and values, in the narrow subset.

    Raises:
        SkillError: no front matter, a value over several lines, a duplicate key, or one that YAML reads differently.
    """
    found = _FRONT.match(text)
    if not found:
        raise SkillError(f"{where}: must begin with front matter: a line ---, name and description, a line ---")
    fields: dict[str, str] = {}
    for number, line in enumerate(found.group(1).split("\n"), start=2):
        key, colon, value = line.partition(":")
        if not colon or not re.fullmatch(r"[a-z][a-z-]*", key):
            raise SkillError(f"{where}:{number}: not a line `key: value`; values over several lines reach agents cut off")
        if key in fields:
            raise SkillError(f"{where}:{number}: {key} stands twice; keep one")
        fields[key] = _scalar(value.strip(), f"{where}:{number}")
    try:
        loaded = yaml.safe_load(found.group(1))
    except yaml.YAMLError as error:
        raise SkillError(f"{where}: front matter is not valid YAML ({error}); quote the value") from error
    differing = [key for key, value in fields.items() if str(loaded.get(key)) != value and value not in {"true", "false"}]
    if differing:
        raise SkillError(f"{where}: YAML reads {differing[0]} as {loaded.get(differing[0])!r}; quote the value")
    return fields


def quoted(value: str) -> str:
    """A front matter value on one line, quoted when a plain one could be misread."""
    plain = re.fullmatch(r"[A-Za-z][\w ,.()/'-]*", value) and not value.endswith(" ")
    return value if plain and yaml.safe_load(value) == value else json.dumps(value, ensure_ascii=False)


def _scalar(value: str, where: str) -> str:
    if value[:1] in {"|", ">", "[", "{", "&", "*", "!"}:
        raise SkillError(f"{where}: only a plain or quoted value on one line reaches every agent; write it so")
    if value[:1] in {'"', "'"}:
        try:
            return str(yaml.safe_load(value))
        except yaml.YAMLError as error:
            raise SkillError(f"{where}: the quotes do not close") from error
    return value


def _check_fields(fields: dict[str, str], folder: str, where: str) -> None:
    for key, limit in LIMITS.items():
        value = fields.get(key, "")
        if not value.strip():
            raise SkillError(f"{where}: {key} is missing or empty; agents never choose such a skill")
        if len(value) > limit:
            raise SkillError(f"{where}: {key} has {len(value)} characters, at most {limit} are read")
    if not _NAME.fullmatch(fields["name"]) or fields["name"] != folder:
        raise SkillError(
            f"{where}: name {fields['name']!r} must be lower case, digits and hyphens, and equal the folder {folder!r}"
        )
    if set("<>") & set(fields["description"]):
        raise SkillError(f"{where}: description must not hold angle brackets")
    allowed = {key for row in shipped_facts() for key in row.keys}
    unknown = sorted(fields.keys() - allowed)
    if unknown:
        raise SkillError(f"{where}: unknown key {unknown[0]!r}; known: {', '.join(sorted(allowed))}")


def _check_scripts(tree: Tree, where: str) -> None:
    for path, file in tree:
        if path.endswith(".py"):
            try:
                parsed(file.content)
            except (SyntaxError, ValueError) as error:
                raise SkillError(f"{where}/{path}: does not compile: {error}") from error


def _utf8(file: File, where: str) -> str:
    try:
        text = file.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SkillError(f"{where}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    if "\r" in text or text.startswith("\ufeff"):
        raise SkillError(f"{where}: has carriage returns or a byte order mark; save it with plain line ends")
    return text
