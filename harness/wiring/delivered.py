"""Whether the agent will read what is delivered to it: by its version's own rules, beside the files of every task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.agent_facts import CLAUDE_CODE, facts_of, shipped_facts
from harness.delivery import collisions, deliver
from harness.errors import ConfigError
from harness.skill import Variant
from harness.skill_io import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.agent_facts import Facts
    from harness.agents.claude_cli import Cli
    from harness.skill import Skill
    from harness.task import Suite


def check_delivery(mode: str, skill: Skill, suite: Suite, cli: Cli | None, rows: Iterable[Facts] | None = None) -> str:
    """What the agent will read, in words; by the newest rules that are known where it has no program of its own.

    Raises:
        ConfigError: its version does not know a key of the skill; or a file of a task would be replaced, or would hide the skill.
    """
    delivered = deliver(Variant(skill=skill), mode)
    version = cli.version if cli else ""
    facts = facts_of(CLAUDE_CODE, version, rows or shipped_facts())
    if cli and mode == "skill" and skill.entry == "SKILL.md":
        unknown = sorted(front_matter(skill.text, skill.entry).keys() - set(facts.keys))
        if unknown:
            raise ConfigError(f"skill {skill.name}: {facts.name} {version} knows no key {unknown[0]!r}; remove it")
    for task in suite.tasks:
        found = collisions(delivered, task.base, facts.hides_agents_md)
        if found:
            raise ConfigError(
                f"task {task.id} has a {found[0]} of its own, which delivery {mode!r} would replace, or which would hide what is "
                "delivered; choose another delivery"
            )
    files = ", ".join(path for path, _ in delivered.inject) or "no file"
    return f"{mode}: {files}; in no task's way" + (f" by the rules of {facts.name} from {facts.since} on" if cli else "")
