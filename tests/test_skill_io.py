import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import SkillError
from harness.skill_io import front_matter, make_skill, quoted, read_skill, with_text
from harness.tree import Tree

HEAD = "---\nname: coding\ndescription: How to code.\n---\n"


def skill_with(text: str, **files: str) -> object:
    return make_skill(Tree.of({"SKILL.md": text, **files}), "coding", "skills/coding")


def test_a_folder_with_a_skill_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "coding").mkdir()
    (tmp_path / "coding/SKILL.md").write_text(HEAD + "Do it → well 🙂.\n", encoding="utf-8")
    skill = read_skill(tmp_path / "coding")
    assert (skill.name, skill.description, skill.body) == ("coding", "How to code.", "Do it → well 🙂.\n")


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
def test_a_single_instruction_file_is_a_skill(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Run the tests.\n", encoding="utf-8")
    assert read_skill(tmp_path / name).body == "Run the tests.\n"


def test_a_file_of_instructions_is_named_once_and_one_of_another_name_is_none(tmp_path: Path) -> None:
    for name, words in (("AGENTS.md", "is empty"), ("NOTES.md", "are called SKILL.md, AGENTS.md, CLAUDE.md")):
        path = tmp_path / name
        path.write_text("", encoding="utf-8")
        with pytest.raises(SkillError, match=rf"^{re.escape(str(path))}: .*{re.escape(words)}"):
            read_skill(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no front matter", "must begin with front matter"),
        ("---\nname: coding\n---\nx", "description is missing or empty"),
        ('---\nname: ""\ndescription: d\n---\nx', "name is missing or empty"),
        ("---\nname: coding\nname: coding\ndescription: d\n---\nx", "name stands twice"),
        ("---\nname: coding\ndescription: |\n---\nx", "only a plain or quoted value on one line"),
        ("---\nname: coding\ndescription: a\n  b\n---\nx", "not a line `key: value`"),
        ("---\nname: coding\ndescription: a\nb\n---\nx", "not a line `key: value`"),
        ("---\nname: other\ndescription: d\n---\nx", "must be lower case, digits and hyphens, and equal the folder"),
        ("---\nname: coding\ndescription: a -> b\n---\nx", "angle brackets"),
        (f"---\nname: coding\ndescription: {'d' * 1025}\n---\nx", "1025 characters, at most 1024"),
        ("---\nname: coding\ndescription: d\nversion: 2\n---\nx", "unknown key 'version'"),
        ("---\nname: coding\ndescription: a: b\n---\nx", "not valid YAML"),
        ("---\nname: coding\ndescription: yes # no\n---\nx", "YAML reads description as"),
        (HEAD + " \n", "no instructions"),
        (HEAD + "a\r\nb", "carriage returns"),
    ],
)
def test_a_malformed_skill_is_refused_with_what_and_where(text: str, message: str) -> None:
    with pytest.raises(SkillError, match=message) as caught:
        skill_with(text)
    assert str(caught.value).startswith("skills/coding")


def test_a_key_that_an_agent_documents_is_allowed() -> None:
    skill_with("---\nname: coding\ndescription: d\ndisable-model-invocation: true\n---\nx")


def test_a_script_that_does_not_compile_is_refused() -> None:
    with pytest.raises(SkillError, match=r"skills/coding/scripts/run\.py: does not compile"):
        make_skill(Tree.of({"SKILL.md": HEAD + "x", "scripts/run.py": "def ("}), "coding", "skills/coding")


def test_a_second_skill_file_inside_is_refused() -> None:
    with pytest.raises(SkillError, match=r"a second SKILL\.md"):
        make_skill(Tree.of({"SKILL.md": HEAD + "x", "more/SKILL.md": "y"}), "coding", "skills/coding")


@pytest.mark.parametrize("path", ["missing", "empty"])
def test_a_missing_or_empty_folder_is_named(tmp_path: Path, path: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SkillError, match=path):
        read_skill(tmp_path / path)


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=80))
def test_a_quoted_value_is_read_back_as_it_was(value: str) -> None:
    assert front_matter(f"---\ndescription: {quoted(value)}\n---\n", "x") == {"description": value}


def test_the_same_words_with_other_white_space_have_one_normal_form() -> None:
    one, two = (with_text(skill_with(HEAD + "x"), HEAD + text, "here") for text in ("a b\nc", "a  b\n\nc\n"))  # type: ignore[arg-type]
    assert one.id != two.id
    assert one.normal == two.normal


def test_the_bundled_skills_are_valid() -> None:
    root = Path(__file__).parent.parent / "skills"
    assert [read_skill(path).name for path in sorted(root.iterdir())] == ["coding", "four-step"]
