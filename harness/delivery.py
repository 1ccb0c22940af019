"""Delivery: a variant and a mode become what an agent is given, and whether a request shows that it was. Pure.

Owns the wording around a skill and the proof that it was read. Which file an agent reads by itself is that agent's business.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.errors import ConfigError
from harness.ports import Delivered
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.skill import Skill, Variant

_GUTTER = re.compile(r"^\s*\d+\t")


def deliver(variant: Variant, mode: str) -> Delivered:
    """The variant made ready for an agent in one of `MODES`.

    `system` appends the body to the system prompt. `agents_md` and `claude_md` lay a file into the workspace and show it
    before the task, as agents that know such files do. `skill` lays the folder into the workspace and lists its name and
    description only: the agent is shown the body when it reads the file.

    Raises:
        ConfigError: if the mode is unknown; the message lists the modes.
    """
    if mode not in _DELIVERIES:
        raise ConfigError(f"delivery {mode!r} is unknown; choose one of {', '.join(MODES)}")
    return _DELIVERIES[mode](variant.skill)


def collisions(delivered: Delivered, base: Tree, hiding: Iterable[str]) -> tuple[str, ...]:
    """Files of the project that the delivery would replace, or that keep an agent from reading what is delivered.

    `hiding` are those beside which the agent leaves AGENTS.md unread.
    """
    found = {path for path, _ in delivered.inject if base.get(path)}
    if delivered.mode == "agents_md":
        found |= {path for path in hiding if base.get(path)}
    return tuple(sorted(found))


def shows(text: str, proof: str) -> bool:
    """Whether a text shows the proof, line by line: blank lines, indentation and line numbers in front do not matter."""
    wanted = _lines(proof)
    return bool(wanted) and f"\n{wanted}\n" in f"\n{_lines(text)}\n"


def _lines(text: str) -> str:
    lines = (_GUTTER.sub("", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _system(skill: Skill) -> Delivered:
    text = f'<skill name="{skill.name}">\n{skill.body.strip()}\n</skill>{_companions_note(skill)}'
    return Delivered(mode="system", inject=_companions(skill), system=text, preface="", proof=skill.body.strip())


def _instruction_file(name: str, mode: str) -> Callable[[Skill], Delivered]:
    def delivery(skill: Skill) -> Delivered:
        body = skill.body.strip()
        preface = f'Contents of {name}:\n\n<skill name="{skill.name}">\n{body}\n</skill>{_companions_note(skill)}'
        inject = _companions(skill).overlaid(Tree.of({name: f"{body}\n"}))
        return Delivered(mode=mode, inject=inject, system="", preface=preface, proof=body)

    return delivery


def _skill(skill: Skill) -> Delivered:
    folder = _folder(skill)
    files = {f"{folder}/{path}": file for path, file in skill.tree if path != skill.entry}
    listing = f"- {skill.name}: {skill.description or 'how work is done here'} (file: {folder}/SKILL.md)"
    system = f"Skills are available. Before you start a task that one fits, read its file with a tool.\n{listing}"
    inject = Tree.of({**files, f"{folder}/SKILL.md": skill.tree.by_path[skill.entry]})
    meant = f"{skill.name}: {skill.description}" if skill.description else ""
    return Delivered(mode="skill", inject=inject, system=system, preface="", proof=skill.body.strip(), listing=meant)


def _folder(skill: Skill) -> str:
    return f".claude/skills/{skill.name}"


def _companions(skill: Skill) -> Tree:
    return Tree.of({f"{_folder(skill)}/{path}": file for path, file in skill.tree if path != skill.entry})


def _companions_note(skill: Skill) -> str:
    return f"\nFiles that it names are in {_folder(skill)}/." if len(skill.tree) > 1 else ""


_DELIVERIES: dict[str, Callable[[Skill], Delivered]] = {
    "system": _system,
    "agents_md": _instruction_file("AGENTS.md", "agents_md"),
    "claude_md": _instruction_file("CLAUDE.md", "claude_md"),
    "skill": _skill,
}
MODES = tuple(_DELIVERIES)
