import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.edits import Refusal
from harness.ports import DevFailure, Proposal, ProposalRequest, RejectedEdit, TrialEndedError, WorkedExample
from harness.proposers import shown as limits
from harness.proposers.model_edit import LENSES, ModelProposer
from harness.rollout import Ending
from harness.skill import Skill, Variant
from harness.testing import QueuedModel
from harness.tree import Tree

ENTRY = "---\nname: coding\ndescription: How we work.\n---\n\n# Coding\n\nLook first.\n\nLook again.\n"


def answered(find: str, replace: str, file: str = "SKILL.md") -> str:
    return json.dumps({"file": file, "rationale": " It failed. ", "find": find, "replace": replace})


def variant(text: str = ENTRY) -> Variant:
    return Variant(skill=Skill(name="coding", description="How we work.", entry="SKILL.md", tree=Tree.of({"SKILL.md": text})))


def asked(
    *,
    text: str = ENTRY,
    failures: Sequence[DevFailure] = (),
    rejected: Sequence[RejectedEdit] = (),
    generation: int = 3,
    operator: str = "reflect",
) -> ProposalRequest:
    return ProposalRequest(
        generation=generation,
        campaign="c",
        baseline=variant(text),
        failures=tuple(failures),
        rejected=tuple(rejected),
        operator=operator,
    )


def propose(request: ProposalRequest, text: str, stop_reason: str = "end_turn") -> Proposal:
    return ModelProposer(QueuedModel([([{"type": "text", "text": text}], stop_reason)]), "m").propose(request)


def shown(request: ProposalRequest) -> str:
    """All that the model is sent in one proposal's user turn."""
    model = QueuedModel([([], "refusal")])
    ModelProposer(model, "m").propose(request)
    (turn,) = model.requests[0].messages
    assert isinstance(turn, dict)
    return "\n\n".join(block["text"] for block in turn["content"])


def test_an_edit_becomes_a_variant_of_the_baseline() -> None:
    made = propose(asked(), answered("Look first.", "Look twice."))
    assert made.variant is not None
    assert made.variant.skill.text == ENTRY.replace("Look first.", "Look twice.")
    assert (made.variant.parent, made.variant.operator, made.variant.rationale, made.variant.generation) == (
        variant().id,
        "reflect",
        "It failed.",
        3,
    )
    assert (made.find, made.replace, made.problem, len(made.calls)) == ("Look first.", "Look twice.", "", 1)


@pytest.mark.parametrize(
    ("find", "replace", "kind"),
    [
        ("Look never.", "x", Refusal.NOT_APPLICABLE),
        ("Look", "x", Refusal.NOT_APPLICABLE),
        ("", "x", Refusal.NOT_APPLICABLE),
        (" \n", "x", Refusal.NOT_APPLICABLE),
        ("Look first.", "Look first.", Refusal.NO_OP),
        ("Look first.\n\nLook", "Look   first.\nLook", Refusal.NO_OP),
        ("Look first.", "long " * 500, Refusal.OUT_OF_BOUNDS),
        ("name: coding", "name: other", Refusal.INVALID),
        ("description: How we work.", "description: |", Refusal.INVALID),
        ("description: How we work.", "description: a -> b", Refusal.INVALID),
        ("name: coding\n", "name: coding\nname: coding\n", Refusal.INVALID),
        (ENTRY, "", Refusal.INVALID),
    ],
)
def test_an_answer_that_cannot_be_a_variant_is_refused_by_kind_and_its_call_is_booked(
    find: str, replace: str, kind: Refusal
) -> None:
    made = propose(asked(), answered(find, replace))
    assert (made.variant, made.problem.partition(":")[0], len(made.calls)) == (None, kind, 1)


def test_a_file_that_the_skill_does_not_have_is_refused() -> None:
    assert propose(asked(), answered("a", "b", "notes.md")).problem.startswith("not applicable: the skill has no file notes.md")


def test_any_file_of_a_skill_may_be_changed_and_all_are_shown() -> None:
    tree = Tree.of({"SKILL.md": ENTRY, "reference/style.md": "Short lines.\n"})
    skill = Skill(name="coding", description="How we work.", entry="SKILL.md", tree=tree)
    request = ProposalRequest(generation=1, campaign="c", baseline=Variant(skill=skill), failures=(), rejected=())
    assert "# The instructions (reference/style.md)" in shown(request)
    made = propose(request, answered("Short lines.", "Short lines, always.", "reference/style.md"))
    assert made.variant is not None
    assert made.variant.skill.tree.by_path["reference/style.md"].text == "Short lines, always.\n"
    assert (made.file, made.variant.skill.text) == ("reference/style.md", ENTRY)


def test_a_script_of_a_skill_that_no_longer_compiles_is_refused() -> None:
    tree = Tree.of({"SKILL.md": ENTRY, "check.py": "print(1)\n"})
    skill = Skill(name="coding", description="How we work.", entry="SKILL.md", tree=tree)
    request = ProposalRequest(generation=1, campaign="c", baseline=Variant(skill=skill), failures=(), rejected=())
    assert propose(request, answered("print(1)", "print(", "check.py")).problem.startswith(Refusal.INVALID)


def test_a_skill_over_its_size_may_shrink_but_not_grow() -> None:
    big = ENTRY + "word " * 4000
    assert propose(asked(text=big), answered("Look first.", "Look first. Twice, and then once more.")).problem.startswith(
        "out of"
    )
    assert propose(asked(text=big), answered("Look first.", "Look.")).problem == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "{}",
        answered("Look first.", "\ud800"),
        '{"rationale": "", "find": "a", "replace": "b"}',
    ],
)
def test_an_answer_of_another_form_is_a_problem(text: str) -> None:
    assert propose(asked(), text).problem.startswith("not whole: the answer ha")


@pytest.mark.parametrize("stop_reason", ["refusal", "max_tokens"])
def test_a_refusal_or_a_cut_is_no_schema_error(stop_reason: str) -> None:
    made = propose(asked(), answered("Look first.", "Look twice."), stop_reason)
    assert (made.variant, made.problem) == (None, f"not whole: the proposer stopped with {stop_reason}")


@pytest.mark.parametrize(
    ("find", "replace"),
    [("Look first.", "Look first. Run tests."), ("first.\n", "first. Run tests.\n"), ("Look first.", "Look first.\nRun tests.")],
)
def test_a_rejected_edit_is_refused_again_wherever_it_is_anchored(find: str, replace: str) -> None:
    before = RejectedEdit(find="Look first.", replace="Look first. Run tests.", near_miss=False, figures="")
    made = propose(asked(rejected=[before]), answered(find, replace))
    assert (made.variant, made.problem) == (
        None,
        "repeated: the same edit was rejected since the last promotion",
    )


def test_another_idea_at_the_same_place_is_welcome() -> None:
    before = RejectedEdit(find="Look first.", replace="Look first. Run tests.", near_miss=False, figures="")
    assert propose(asked(rejected=[before]), answered("Look first.", "Look first. Read rules.")).problem == ""


def test_a_fault_of_the_service_is_raised() -> None:
    model = QueuedModel([TrialEndedError(Ending.MISSING_API, "529")])
    with pytest.raises(TrialEndedError):
        ModelProposer(model, "m").propose(asked())


def test_the_request_says_who_asks_and_wants_structure() -> None:
    model = QueuedModel([([], "refusal")])
    ModelProposer(model, "some-model").propose(asked(generation=12))
    request = model.requests[0]
    assert (request.role, request.subject, request.task, request.model) == ("proposer", "proposal/c/12", "", "some-model")
    assert isinstance(request.schema, dict)
    assert (sorted(request.schema["properties"]), request.schema["additionalProperties"]) == (
        ["file", "find", "rationale", "replace"],
        False,
    )


def test_the_model_is_shown_the_whole_entry_file_between_fences() -> None:
    assert f"=====\n{ENTRY}\n===== END SKILL" in shown(asked())


def test_equal_failures_are_one_line_with_a_count() -> None:
    failure = DevFailure(task="t1", gate="style", reason="2 new violations")
    assert "- style, t1: 2 new violations (times: 3)" in shown(asked(failures=[failure] * 3))


def test_too_many_failures_are_sampled_by_generation_and_the_rule_is_said() -> None:
    failures = [DevFailure(task=f"t{number}", gate="tests", reason=f"{number} {'x' * 5000}") for number in range(200)]
    first, second = (shown(asked(failures=failures, generation=generation)) for generation in (1, 2))
    count = first.count("\n- tests, ")
    assert f"A sample: {count} of 200, in an order drawn anew for each proposal." in first
    assert first.split("# Edits")[0] != second.split("# Edits")[0]


def test_only_the_newest_rejected_edits_are_shown_where_they_are_too_many() -> None:
    edits = [
        RejectedEdit(find="a", replace=f"{number} {'y' * 1000}", near_miss=number == 99, figures="tests +4 points")
        for number in range(100)
    ]
    text = shown(asked(rejected=edits))
    lines = [json.loads(line) for line in text.split("\n") if line.startswith('{"find"')]
    assert lines[0] == {"find": "a", "replace": edits[99].replace, "near_miss": True, "figures": "tests +4 points"}
    assert f"A sample: {len(lines)} of 100, the newest first." in text


@settings(max_examples=25)
@given(st.integers(0, 300), st.integers(0, 4000), st.sampled_from(["x", "é", "漢", "😀"]))
def test_whatever_failed_and_was_tried_the_context_keeps_its_cap(count: int, length: int, letter: str) -> None:
    failures = [DevFailure(task=f"t{number}", gate="style", reason=letter * length) for number in range(count)]
    edits = [RejectedEdit(find=letter * length, replace=str(number), near_miss=True, figures="x") for number in range(count)]
    works = tuple(WorkedExample(task=f"t{n}", instruction=letter * length, patch=letter * length) for n in range(3))
    request = replace(asked(failures=failures, rejected=edits, operator="examples"), examples=works)
    assert len(shown(request).encode()) <= limits.MAX_ALL


def test_a_skill_that_cannot_be_shown_whole_is_not_cut() -> None:
    made = propose(asked(text=ENTRY + "z" * limits.MAX_SKILL), "never asked")
    assert (made.variant, made.calls, "cannot be shown whole" in made.problem) == (None, (), True)


@pytest.mark.parametrize("operator", LENSES)
def test_every_operator_has_a_lens_of_its_own(operator: str) -> None:
    assert shown(asked(operator=operator)).endswith(f"Kind of edit: {operator}. {LENSES[operator]}")


def test_good_solutions_are_shown_to_the_operator_that_works_from_them() -> None:
    work = WorkedExample(task="t1", instruction="Do it.", patch="+done\n")
    assert "## t1\n\nDo it.\n\n```diff\n+done\n```" in shown(replace(asked(operator="examples"), examples=(work,)))
    assert "# Good solutions" not in shown(asked())


def test_simplify_must_leave_less_text() -> None:
    longer, shorter = answered("Look first.", "Look first, and look well."), answered("Look first.", "Look.")
    assert propose(asked(operator="simplify"), longer).problem.startswith("out of bounds: simplify must leave less")
    assert propose(asked(operator="simplify"), shorter).problem == ""


def test_a_skill_does_not_lose_what_it_says_by_one_edit_unless_it_is_a_rewriting_one() -> None:
    body = "".join(f"Point {number} says something useful about how work is done.\n" for number in range(20))
    half = "".join(body.splitlines(keepends=True)[:9])
    made = propose(asked(text=ENTRY + body), answered(half, "Less.\n"))
    assert "loses" in made.problem
    assert propose(asked(text=ENTRY + body, operator="restart"), answered(half, "Less.\n")).problem == ""
