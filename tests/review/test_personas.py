import hashlib
from pathlib import Path

import pytest

from harness.errors import PersonaError
from harness.review.personas import load_personas, parse_persona

HEAD = """name: correctness
version: 3
model: claude-sonnet-5-5
rubric:
  - { id: COR-1, ask: "Is there an input with a wrong result?" }
"""
SHIPPED = Path(__file__).parents[2] / "reviewers"


def text(head: str = HEAD, body: str = "Look at results.\n") -> bytes:
    return f"---\n{head}---\n{body}".encode()


def refused(content: bytes, where: str = "reviewers/correctness.md") -> str:
    with pytest.raises(PersonaError) as caught:
        parse_persona(content, where)
    assert str(caught.value).startswith(where)
    return str(caught.value)


def test_a_persona_is_its_file_and_its_id_is_the_hash_of_the_bytes() -> None:
    persona = parse_persona(text(), "reviewers/correctness.md")
    assert (persona.name, persona.version, persona.effort, persona.weight, persona.veto) == ("correctness", 3, "low", 1.0, False)
    assert persona.views == ("original", "stripped")
    assert persona.id == hashlib.sha256(text()).hexdigest()
    assert [(item.id, item.fail_when, item.blocking) for item in persona.rubric] == [("COR-1", "yes", True)]
    assert persona.guidance == "Look at results."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (text(HEAD + "temperature: 0\n"), "temperature"),
        (text(HEAD + "version: 4\n"), "stand twice: version"),
        (text(HEAD.replace("ask:", "aks:")), "rubric.0.aks"),
        (text(HEAD.replace("COR-1", "first")), "rubric.0.id"),
        (text(HEAD + '  - { id: COR-1, ask: "Is there another question?" }\n'), "stand twice: COR-1"),
        (text(HEAD + "passes: [stripped]\n"), "passes"),
        (text(HEAD + "weight: 0\n"), "weight"),
        (text(HEAD + "weight: .inf\n"), "weight"),
        (text(HEAD + "min_calibration: { tpr: 1.2, tnr: 0.8 }\n"), "tpr"),
        (text(HEAD.split("rubric", maxsplit=1)[0]), "rubric"),
        (text(HEAD.split("rubric", maxsplit=1)[0] + "rubric: []\n"), "rubric"),
        (text(body="\n"), "no text"),
        (text(HEAD.replace("name: correctness", "name: security")), "one name"),
        (text("name: [\n"), "while parsing"),
        (text("just words\n"), "valid dictionary"),
        (b"name: correctness\n", "front matter"),
        (b"---\nname: correctness\n", "front matter"),
        (b"---\nname: \xff\n---\nx", "UTF-8"),
    ],
)
def test_a_file_that_is_no_persona_is_refused_by_name(content: bytes, said: str) -> None:
    assert said in refused(content)


def test_a_scope_includes_and_excludes_paths() -> None:
    persona = parse_persona(text(HEAD + 'scope: { include: ["src/**"], exclude: ["src/gen/**"] }\n'), "correctness.md")
    assert [path for path in ("src/a.py", "src/gen/a.py", "docs/x.md") if persona.sees(path)] == ["src/a.py"]


def test_a_folder_without_reviewers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="no reviewer files"):
        load_personas(tmp_path)


def test_the_shipped_reviewers_are_three_with_two_vetoes_and_no_two_items_of_one_id() -> None:
    personas = load_personas(SHIPPED)
    assert [(persona.name, persona.veto) for persona in personas] == [
        ("correctness", True),
        ("maintainer", False),
        ("security", True),
    ]
    ids = [question.id for persona in personas for question in persona.rubric]
    assert len(set(ids)) == len(ids)
    assert all(4 <= len(persona.rubric) <= 6 for persona in personas)


def test_a_shipped_maintainers_no_is_not_outvoted_by_the_two_specialists() -> None:
    weights = {persona.name: persona.weight for persona in load_personas(SHIPPED)}
    assert weights["maintainer"] * 2 >= sum(weights.values())
