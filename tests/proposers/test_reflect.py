import json
from collections.abc import Sequence

import pytest

from harness.ports import DevFailure, Json, Proposal, ProposalRequest, RejectedEdit, TrialEndedError
from harness.proposers.reflect import MAX_FAILURES, MAX_GROWTH, MAX_SHOWN_EDITS, MAX_SHOWN_SKILL, MAX_SIZE, ReflectProposer
from harness.rollout import Ending
from harness.skill import Skill, Variant
from harness.testing import QueuedModel
from harness.tree import Tree

ENTRY = "---\nname: coding\ndescription: How we work.\n---\n\n# Coding\n\nLook first.\n\nLook again.\n"


def answered(find: str, replace: str, operator: str = "reflect") -> str:
    return json.dumps({"operator": operator, "rationale": " It failed. ", "find": find, "replace": replace})


def variant(text: str = ENTRY) -> Variant:
    return Variant(skill=Skill(name="coding", description="How we work.", entry="SKILL.md", tree=Tree.of({"SKILL.md": text})))


def asked(
    *, text: str = ENTRY, failures: Sequence[DevFailure] = (), rejected: Sequence[RejectedEdit] = (), generation: int = 3
) -> ProposalRequest:
    return ProposalRequest(
        generation=generation, campaign="c", baseline=variant(text), failures=tuple(failures), rejected=tuple(rejected)
    )


def propose(request: ProposalRequest, text: str, stop_reason: str = "end_turn") -> Proposal:
    return ReflectProposer(QueuedModel([([{"type": "text", "text": text}], stop_reason)]), "m").propose(request)


def shown(request: ProposalRequest) -> str:
    """All that the model is sent in one proposal's user turn."""
    model = QueuedModel([([], "refusal")])
    ReflectProposer(model, "m").propose(request)
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
    ("find", "replace", "problem"),
    [
        ("Look never.", "x", "occurs 0 times"),
        ("Look", "x", "occurs 2 times"),
        ("", "x", "occurs 0 times"),
        (" \n", "x", "occurs 0 times"),
        ("Look first.", "Look first.", "no-op"),
        ("Look first.\n\nLook", "Look   first.\nLook", "no-op"),
        ("Look first.", "long " * (MAX_GROWTH // 5 + 4), "too large"),
        ("name: coding", "name: other", "not a valid skill"),
        ("description: How we work.", "description: |", "not a valid skill"),
        (ENTRY, "", "not a valid skill"),
    ],
)
def test_an_answer_that_cannot_be_a_variant_is_a_problem_and_its_call_is_booked(find: str, replace: str, problem: str) -> None:
    made = propose(asked(), answered(find, replace))
    assert (made.variant, problem in made.problem, len(made.calls)) == (None, True, 1)


def test_a_skill_over_its_size_may_shrink_but_not_grow() -> None:
    big = ENTRY + "word " * (MAX_SIZE // 5)
    assert propose(asked(text=big), answered("Look first.", "Look first. Twice.")).problem.startswith("too large")
    assert propose(asked(text=big), answered("Look first.", "Look.")).problem == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "{}",
        answered("Look first.", "\ud800"),
        '{"operator": "guess", "rationale": "", "find": "a", "replace": "b"}',
    ],
)
def test_an_answer_of_another_form_is_a_problem(text: str) -> None:
    assert propose(asked(), text).problem.startswith("the proposer's answer has not the form asked for")


@pytest.mark.parametrize("stop_reason", ["refusal", "max_tokens"])
def test_a_refusal_or_a_cut_is_no_schema_error(stop_reason: str) -> None:
    made = propose(asked(), answered("Look first.", "Look twice."), stop_reason)
    assert (made.variant, made.problem) == (None, f"the proposer's answer is not whole: {stop_reason}")


@pytest.mark.parametrize(
    ("find", "replace"),
    [("Look first.", "Look first. Run tests."), ("first.\n", "first. Run tests.\n"), ("Look first.", "Look first.\nRun tests.")],
)
def test_a_rejected_edit_is_refused_again_wherever_it_is_anchored(find: str, replace: str) -> None:
    before = RejectedEdit(find="Look first.", replace="Look first. Run tests.", near_miss=False, figures="")
    made = propose(asked(rejected=[before]), answered(find, replace))
    assert (made.variant, made.problem) == (None, "the same edit was rejected since the last promotion")


def test_another_idea_at_the_same_place_is_welcome() -> None:
    before = RejectedEdit(find="Look first.", replace="Look first. Run tests.", near_miss=False, figures="")
    assert propose(asked(rejected=[before]), answered("Look first.", "Look first. Read rules.")).problem == ""


def test_a_fault_of_the_service_is_raised() -> None:
    model = QueuedModel([TrialEndedError(Ending.MISSING_API, "529")])
    with pytest.raises(TrialEndedError):
        ReflectProposer(model, "m").propose(asked())


def test_the_request_says_who_asks_and_wants_structure() -> None:
    model = QueuedModel([([], "refusal")])
    ReflectProposer(model, "some-model").propose(asked(generation=12))
    request = model.requests[0]
    assert (request.role, request.subject, request.task, request.model) == ("proposer", "proposal/c/12", "", "some-model")
    assert isinstance(request.schema, dict)
    assert (sorted(request.schema["properties"]), request.schema["additionalProperties"]) == (
        ["find", "operator", "rationale", "replace"],
        False,
    )


def test_the_model_is_shown_the_whole_entry_file_between_fences() -> None:
    assert f"=====\n{ENTRY}\n===== END SKILL" in shown(asked())


def test_equal_failures_are_one_line_with_a_count() -> None:
    failure = DevFailure(task="t1", gate="style", reason="2 new violations")
    assert "- style, t1: 2 new violations (times: 3)" in shown(asked(failures=[failure] * 3))


def test_too_many_failures_are_sampled_by_generation_and_said_so() -> None:
    failures = [DevFailure(task=f"t{number}", gate="tests", reason="x" * 5000) for number in range(200)]
    first, second = (shown(asked(failures=failures, generation=generation)) for generation in (1, 2))
    assert first.count("\n- tests, ") == MAX_FAILURES
    assert f"A sample: {MAX_FAILURES} of 200 different failures." in first
    assert first.split("# Edits")[0] != second.split("# Edits")[0]
    assert len(first) < 20_000


def test_only_the_newest_rejected_edits_are_shown_where_they_are_too_many() -> None:
    edits = [
        RejectedEdit(find="a", replace=f"{number} {'y' * 1000}", near_miss=number == 99, figures="tests +4 points")
        for number in range(100)
    ]
    text = shown(asked(rejected=edits))
    lines = [json.loads(line) for line in text.split("\n") if line.startswith('{"find"')]
    assert lines[0] == {"find": "a", "replace": edits[99].replace, "near_miss": True, "figures": "tests +4 points"}
    assert sum(len(json.dumps(line)) for line in lines) <= MAX_SHOWN_EDITS
    assert f"The newest {len(lines)} of 100." in text


def test_a_skill_that_cannot_be_shown_whole_is_not_cut() -> None:
    made = propose(asked(text=ENTRY + "z" * MAX_SHOWN_SKILL), "never asked")
    assert (made.variant, made.calls, "cannot be shown whole" in made.problem) == (None, (), True)


def test_operators_come_in_a_fixed_mix() -> None:
    lenses: list[Json] = [shown(asked(generation=generation)).rpartition("Preferred operator: ")[2] for generation in range(1, 6)]
    assert len(set(map(str, lenses))) == 5
