from dataclasses import replace
from pathlib import Path

import pytest

from harness.agent_facts import CLAUDE_CODE, facts_of, shipped_facts
from harness.agents.claude_cli import Cli
from harness.errors import ConfigError
from harness.skill import Skill
from harness.skill_io import make_skill
from harness.task import Suite, Task
from harness.tree import Tree
from harness.wiring.delivered import check_delivery

CLI = Cli(path=Path("claude"), version="2.1.332")
SHIPPED = facts_of(CLAUDE_CODE, "", shipped_facts())


def skill(front: str = "") -> Skill:
    entry = f"---\nname: coding\ndescription: How we work.\n{front}---\n\nLook first.\n"
    return make_skill(Tree.of({"SKILL.md": entry}), "coding", "here")


def suite(task: Task, **files: str) -> Suite:
    base = task.base.overlaid(Tree.of({path.replace("__", "/"): text for path, text in files.items()}))
    return Suite(id="basket", version="1", tasks=(replace(task, base=base),), packs=(), tools=())


def test_what_will_be_read_is_told_with_the_rules_that_hold(task: Task) -> None:
    told = check_delivery("agents_md", skill(), suite(task), CLI)
    assert told == "agents_md: AGENTS.md; in no task's way by the rules of claude-code from 2.1 on"
    assert check_delivery("system", skill(), suite(task), None) == "system: no file; in no task's way"


@pytest.mark.parametrize("path", SHIPPED.hides_agents_md)
def test_a_file_of_the_project_that_hides_agents_md_is_an_error_before_anything_is_spent(task: Task, path: str) -> None:
    with pytest.raises(ConfigError, match=f"basket-discount has a {path} of its own"):
        check_delivery("agents_md", skill(), suite(task, **{path: "theirs"}), CLI)
    assert check_delivery("skill", skill(), suite(task, **{path: "theirs"}), CLI).startswith("skill: ")


def test_a_key_that_this_version_does_not_know_is_an_error_where_the_front_matter_reaches_it(task: Task) -> None:
    rows = (SHIPPED, SHIPPED.model_copy(update={"since": "1.0", "keys": ("name", "description")}))
    front, old = skill("disable-model-invocation: true\n"), replace(CLI, version="1.4.0")
    with pytest.raises(ConfigError, match=r"claude-code 1\.4\.0 knows no key 'disable-model-invocation'"):
        check_delivery("skill", front, suite(task), old, rows)
    assert check_delivery("system", front, suite(task), old, rows).startswith("system: ")
    assert check_delivery("skill", front, suite(task), CLI, rows).startswith("skill: ")
