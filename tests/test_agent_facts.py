import pytest

from harness.agent_facts import CLAUDE_CODE, Facts, facts_of, shipped_facts
from harness.errors import ConfigError
from harness.skill_io import make_skill
from harness.tree import Tree


def row(since: str, *keys: str) -> Facts:
    return Facts(name="a", since=since, source="seen", keys=keys, hides_agents_md=())


ROWS = (row("2.10", "name", "mode"), row("2.1", "name"), row("3", "title"))


@pytest.mark.parametrize(
    ("version", "since"),
    [("2.1", "2.1"), ("2.1.332", "2.1"), ("2.9.9", "2.1"), ("2.10.0-beta", "2.10"), ("3.0.1", "3"), ("17", "3"), ("", "3")],
)
def test_a_version_has_the_facts_of_the_newest_row_that_is_not_newer(version: str, since: str) -> None:
    assert facts_of("a", version, ROWS).since == since


@pytest.mark.parametrize("version", ["1.9.3", "2.0", "unknown"])
def test_of_a_version_that_is_too_old_or_none_nothing_is_known(version: str) -> None:
    with pytest.raises(ConfigError, match=f"a {version}: what it reads of a skill is known from version 2.1 on"):
        facts_of("a", version, ROWS)


@pytest.mark.parametrize("key", facts_of(CLAUDE_CODE, "", shipped_facts()).keys)
def test_every_key_that_an_agent_documents_may_stand_in_a_skill(key: str) -> None:
    given = {"name": "coding", "description": "How we work.", **({} if key in {"name", "description"} else {key: "x"})}
    front = "".join(f"{name}: {value}\n" for name, value in given.items())
    assert make_skill(Tree.of({"SKILL.md": f"---\n{front}---\n\nLook.\n"}), "coding", "here").name == "coding"
