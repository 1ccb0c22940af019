from harness.merging import Candidate, merged
from harness.ports import Growth
from harness.skill import SkillEdit
from harness.skill_io import make_skill
from harness.tree import Tree

SKILL = make_skill(
    Tree.of({"SKILL.md": "---\nname: coding\ndescription: How.\n---\n\n- One.\n- Two.\n- Three.\n"}), "coding", "test"
)
FAR = 1000  # trials: draws stay close to what was measured


def candidate(generation: int, find: str, replace: str, *gates: float) -> Candidate:
    effects = tuple((gate * FAR, FAR) for gate in gates or (0.0, 0.0, 0.0))
    return Candidate(generation=generation, edit=SkillEdit(find=find, replace=replace), effects=effects)


TESTS = candidate(1, "- One.", "- One, tested.", 0.3, 0.0, 0.0)
STYLE = candidate(2, "- Two.", "- Two, tidy.", 0.0, 0.3, 0.0)
REVIEW = candidate(3, "- Three.", "- Three, reviewed.", 0.0, 0.0, 0.3)
HARM = candidate(4, "One", "Nothing", -0.3, -0.3, -0.3)


def test_edits_that_move_one_gate_each_are_united_to_one_that_moves_all() -> None:
    found = merged(SKILL, (TESTS, STYLE, HARM, REVIEW), (), Growth(), "c/9")
    assert found is not None
    assert found.parts == (1, 2, 3)
    assert found.skill.body.strip() == "- One, tested.\n- Two, tidy.\n- Three, reviewed."


def test_a_union_is_made_once() -> None:
    found = merged(SKILL, (TESTS, STYLE, REVIEW), {(1, 2, 3)}, Growth(), "c/9")
    assert found is not None
    assert len(found.parts) == 2


def test_edits_at_the_same_place_are_united_where_both_still_apply() -> None:
    more = candidate(5, "- Three.", "- Three.\n- Four.", 0.1, 0.1, 0.1)
    also = candidate(6, "- Three.", "- Three.\n- Five.", 0.1, 0.1, 0.1)
    found = merged(SKILL, (more, also), (), Growth(), "c/9")
    assert found is not None
    assert "- Three.\n- Five.\n- Four.\n" in found.skill.text


def test_edits_that_get_into_each_others_way_are_not_united() -> None:
    assert merged(SKILL, (TESTS, candidate(7, "- One.", "- Once.", 0.2, 0.2, 0.2)), (), Growth(), "c/9") is None


def test_one_edit_is_no_union() -> None:
    assert merged(SKILL, (TESTS,), (), Growth(), "c/9") is None


def test_a_union_may_grow_by_what_its_parts_may_and_no_more() -> None:
    long = "word " * 30
    parts = (candidate(1, "- One.", f"- One. {long}"), candidate(2, "- Two.", f"- Two. {long}"))
    assert merged(SKILL, parts, (), Growth(generation=45), "c/9") is not None
    assert merged(SKILL, parts, (), Growth(generation=45, total=60), "c/9") is None


def test_the_same_label_gives_the_same_union() -> None:
    unsure = [candidate(number, f"- {name}.", f"- {name}, {number}.") for number, name in enumerate(("One", "Two", "Three"), 1)]
    unions = {label: merged(SKILL, unsure, (), Growth(), label) for label in map(str, range(20))}
    assert {label: merged(SKILL, unsure, (), Growth(), label) for label in unions} == unions
    assert len({union.parts for union in unions.values() if union}) > 1
