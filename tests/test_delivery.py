import pytest

from harness.delivery import MODES, collisions, deliver, shows
from harness.errors import ConfigError
from harness.ports import Delivered
from harness.skill import Skill, Variant
from harness.tree import Tree

ENTRY = "---\nname: coding\ndescription: How we work.\n---\n\n# Coding\n\nLook first.\n"


def delivered(mode: str, **files: str) -> Delivered:
    tree = Tree.of({"SKILL.md": ENTRY, **files})
    return deliver(Variant(skill=Skill(name="coding", description="How we work.", entry="SKILL.md", tree=tree)), mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_proof_is_the_body_without_front_matter(mode: str) -> None:
    assert delivered(mode).proof == "# Coding\n\nLook first."


def test_system_delivery_shows_the_body_in_the_system_prompt_and_lays_down_no_file() -> None:
    found = delivered("system")
    assert (shows(found.system, found.proof), found.preface, found.inject) == (True, "", Tree())


@pytest.mark.parametrize(("mode", "name"), [("agents_md", "AGENTS.md"), ("claude_md", "CLAUDE.md")])
def test_an_instruction_file_is_laid_down_and_shown_before_the_task(mode: str, name: str) -> None:
    found = delivered(mode)
    assert found.inject == Tree.of({name: "# Coding\n\nLook first.\n"})
    assert (found.system, shows(found.preface, found.proof)) == ("", True)


def test_skill_delivery_lists_name_and_description_and_keeps_the_body_in_its_file() -> None:
    found = delivered("skill")
    assert found.inject == Tree.of({".claude/skills/coding/SKILL.md": ENTRY})
    assert "- coding: How we work. (file: .claude/skills/coding/SKILL.md)" in found.system
    assert shows(found.system + found.preface, found.proof) is False


@pytest.mark.parametrize("mode", MODES)
def test_other_files_of_the_skill_travel_with_it(mode: str) -> None:
    found = delivered(mode, **{"scripts/check.py": "pass\n"})
    assert found.inject.by_path[".claude/skills/coding/scripts/check.py"].content == b"pass\n"


def test_an_unknown_mode_is_refused_with_the_list_of_modes() -> None:
    with pytest.raises(ConfigError, match="system, agents_md, claude_md, skill"):
        delivered("telepathy")


def test_a_file_that_the_project_has_already_is_a_collision() -> None:
    assert collisions(delivered("claude_md"), Tree.of({"CLAUDE.md": "theirs"}), ()) == ("CLAUDE.md",)


def test_agents_md_collides_with_what_keeps_the_agent_from_reading_it_and_no_other_delivery_does() -> None:
    base, hiding = Tree.of({".claude/CLAUDE.md": "theirs"}), ("CLAUDE.md", ".claude/CLAUDE.md")
    assert [collisions(delivered(mode), base, hiding) for mode in ("agents_md", "claude_md")] == [(".claude/CLAUDE.md",), ()]


def test_no_collision_where_the_project_has_no_such_file() -> None:
    assert collisions(delivered("agents_md"), Tree.of({"README.md": ""}), ("CLAUDE.md",)) == ()


def test_a_text_shown_with_line_numbers_and_indentation_is_still_shown() -> None:
    assert shows("     1\t# Coding\n     2\t\n     3\t  Look first.\nmore", "# Coding\n\nLook first.") is True


def test_a_text_shown_only_in_part_is_not_shown() -> None:
    assert shows("# Coding\n", "# Coding\n\nLook first.") is False


def test_a_line_that_only_ends_like_the_proof_does_not_show_it() -> None:
    assert shows("Not: Look first.", "Look first.") is False


def test_an_empty_proof_is_never_shown() -> None:
    assert shows("anything", "") is False
