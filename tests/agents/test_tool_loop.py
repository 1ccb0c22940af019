import json
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from harness.agents.tool_loop import LONGEST_PROMPT, ToolLoop
from harness.errors import KeyMissingError
from harness.ports import AgentReport, Assignment, Json, Limits, TrialEndedError
from harness.rollout import Call, Ending, Usage
from harness.testing import LocalWorkspace, QueuedModel

Assign = Callable[..., Assignment]
Answer = tuple[Sequence[Json], str]


def says(text: str, stop_reason: str = "end_turn") -> Answer:
    return [{"type": "text", "text": text}], stop_reason


def calls(*commands: str, stop_reason: str = "tool_use", name: str = "bash") -> Answer:
    uses: list[Json] = [
        {"type": "tool_use", "id": f"t{n}", "name": name, "input": {"command": c}} for n, c in enumerate(commands)
    ]
    return uses, stop_reason


def last_content(model: QueuedModel) -> list[dict[str, Json]]:
    last = model.requests[-1].messages[-1]
    assert isinstance(last, dict)
    return list(last["content"])


def ran(workspace: LocalWorkspace, order: Assignment, *answers: Answer | Exception) -> tuple[AgentReport, QueuedModel]:
    model = QueuedModel(answers)
    return ToolLoop(model, "some-model", lambda _model, _usage: 0.0).run(workspace, order), model


def test_a_model_that_is_done_finishes_the_run(workspace: LocalWorkspace, assign: Assign) -> None:
    report, _ = ran(workspace, assign(), calls("echo hi > made"), says("Done."))
    assert (report.ending, report.cause, len(report.calls)) == (Ending.FINISHED, "", 2)
    assert (workspace.folder / "made").read_text() == "hi\n"


def test_parallel_tool_calls_are_all_answered_in_order(workspace: LocalWorkspace, assign: Assign) -> None:
    _, model = ran(workspace, assign(), calls("echo one", "echo two"), says("Done."))
    answers = [(block["tool_use_id"], block["content"]) for block in last_content(model)]
    assert answers == [("t0", "one"), ("t1", "two")]


def test_a_tool_that_does_not_exist_is_an_error_for_the_model(workspace: LocalWorkspace, assign: Assign) -> None:
    report, model = ran(workspace, assign(), calls("x", name="browser"), says("Done."))
    assert (report.ending, last_content(model)[0]["is_error"]) == (Ending.FINISHED, True)


def test_cache_points_stand_on_the_system_prompt_and_the_last_turn_only(workspace: LocalWorkspace, assign: Assign) -> None:
    _, model = ran(workspace, assign(), calls("true"), says("Done."))
    sent = model.requests[-1]
    assert json.dumps(sent.system).count("cache_control") == 1
    assert ["cache_control" in json.dumps(message) for message in sent.messages] == [False, False, True]


def test_earlier_turns_are_sent_again_as_they_were(workspace: LocalWorkspace, assign: Assign) -> None:
    _, model = ran(workspace, assign(), calls("true"), calls("false"), says("Done."))
    before, after = (json.dumps(request.messages[1]) for request in model.requests[1:])
    assert before == after


def test_an_answer_cut_off_in_a_tool_call_is_not_run_and_the_model_is_told(workspace: LocalWorkspace, assign: Assign) -> None:
    report, model = ran(workspace, assign(), calls("touch made", stop_reason="max_tokens"), says("Done."))
    assert (report.ending, (workspace.folder / "made").exists()) == (Ending.FINISHED, False)
    assert last_content(model)[0]["is_error"] is True


def test_a_text_cut_off_goes_on(workspace: LocalWorkspace, assign: Assign) -> None:
    report, model = ran(workspace, assign(), says("I thi", "max_tokens"), says("Done."))
    assert (report.ending, last_content(model)[0]["type"]) == (Ending.FINISHED, "text")


def test_a_paused_turn_is_sent_back_as_it_is(workspace: LocalWorkspace, assign: Assign) -> None:
    report, model = ran(workspace, assign(), says("hm", "pause_turn"), says("Done."))
    assert (report.ending, len(model.requests[-1].messages)) == (Ending.FINISHED, 2)


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        (says("No.", "refusal"), Ending.AGENT_CRASH),
        (says("", "model_context_window_exceeded"), Ending.AGENT_BUDGET),
        (says("?", "something_new"), Ending.AGENT_CRASH),
        (says("No call.", "tool_use"), Ending.AGENT_CRASH),
        (([], "max_tokens"), Ending.AGENT_CRASH),
        (([], "end_turn"), Ending.FINISHED),
    ],
)
def test_every_other_stop_has_its_ending(workspace: LocalWorkspace, assign: Assign, answer: Answer, ending: Ending) -> None:
    assert ran(workspace, assign(), answer)[0].ending == ending


@pytest.mark.parametrize(
    ("limits", "ending", "made"),
    [
        (Limits(calls=2), Ending.AGENT_BUDGET, 2),
        (Limits(tokens=6), Ending.AGENT_BUDGET, 2),
        (Limits(seconds=0.0), Ending.AGENT_TIMEOUT, 0),
    ],
)
def test_a_limit_ends_the_run_before_the_next_call(
    workspace: LocalWorkspace, assign: Assign, limits: Limits, ending: Ending, made: int
) -> None:
    report, _ = ran(workspace, assign(limits=limits), *[calls("true")] * 9)
    assert (report.ending, len(report.calls)) == (ending, made)


@pytest.mark.parametrize(("worst", "cost", "made"), [(0.4, 0.4, 2), (0.4, 0.1, 7), (0.4, None, 1), (None, 0.1, 0)])
def test_no_call_is_made_that_could_pass_the_money_limit_or_whose_price_is_unknown(
    workspace: LocalWorkspace, assign: Assign, worst: float | None, cost: float | None, made: int
) -> None:
    model = QueuedModel([calls("true")] * 9, cost_usd=cost)
    report = ToolLoop(model, "m", lambda _model, _usage: worst).run(workspace, assign(limits=Limits(usd=1.05)))
    assert (report.ending, len(report.calls)) == (Ending.AGENT_BUDGET, made)


def test_a_command_without_a_sign_of_life_is_killed_and_the_run_goes_on(workspace: LocalWorkspace, assign: Assign) -> None:
    report, model = ran(workspace, assign(limits=Limits(idle_seconds=1.0)), calls("sleep 60"), says("Done."))
    assert (report.ending, last_content(model)[0]["is_error"]) == (Ending.FINISHED, True)


def test_a_fault_of_the_service_ends_the_run_with_all_that_was_done(workspace: LocalWorkspace, assign: Assign) -> None:
    fault = TrialEndedError(Ending.MISSING_API, "529 after all tries")
    report, _ = ran(workspace, assign(), calls("echo hi > made"), fault)
    assert (report.ending, report.cause, len(report.calls)) == (Ending.MISSING_API, "529 after all tries", 1)
    assert [json.loads(line)["type"] for line in report.transcript.splitlines()] == ["system", "user", "assistant", "user", "end"]


def test_what_the_service_charges_for_broken_answers_is_booked_under_a_money_limit_too(
    workspace: LocalWorkspace, assign: Assign
) -> None:
    lost = Call(role="coder", model="m", usage=Usage(output=1, calls=1), cost_usd=0.25)
    model = QueuedModel(
        [calls("true"), TrialEndedError(Ending.MISSING_API, "529 inside every stream", (lost, lost))], cost_usd=0.1
    )
    report = ToolLoop(model, "m", lambda _model, _usage: 0.4).run(workspace, assign(limits=Limits(usd=5.0)))
    assert (report.ending, [call.cost_usd for call in report.calls]) == (Ending.MISSING_API, [0.1, 0.25, 0.25])


def test_a_set_up_that_can_never_work_is_not_booked_but_raised(workspace: LocalWorkspace, assign: Assign) -> None:
    with pytest.raises(KeyMissingError):
        ran(workspace, assign(), KeyMissingError("no"))


def plain(message: Json) -> str:
    """A message without its cache points."""
    return json.dumps(message).replace(', "cache_control": {"type": "ephemeral"}', "")


def test_every_request_begins_with_the_whole_of_the_one_before_so_that_the_cache_hits(
    workspace: LocalWorkspace, assign: Assign
) -> None:
    _, model = ran(workspace, assign(), *[calls(f"echo {number}") for number in range(5)], says("Done."))
    sent = [[plain(message) for message in request.messages] for request in model.requests]
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier
    assert len({json.dumps([request.system, request.tools]) for request in model.requests}) == 1


def test_a_conversation_that_becomes_long_is_shortened_at_once_and_keeps_the_variant(
    workspace: LocalWorkspace, assign: Assign
) -> None:
    look = calls("cat .claude/skills/coding/SKILL.md; printf 'x%.0s' $(seq 900)")
    long = [calls(f"printf '{number}%.0s' $(seq 500)") for number in range(8)]
    model = QueuedModel([look, *long, says("Done.")], prompt=LONGEST_PROMPT + 1)
    report = ToolLoop(model, "m", lambda _model, _usage: 0.0).run(workspace, assign("skill"))
    results = [block["content"] for message in model.requests[-1].messages[2::2] for block in message["content"]]  # type: ignore[index,call-overload,union-attr]
    assert "# Coding" in results[0]
    assert [text.startswith("[left out") for text in results] == [False] + [True] * 3 + [False] * 5
    assert report.ending is Ending.FINISHED
    assert any(json.loads(line)["type"] == "shortened" for line in report.transcript.splitlines())


@pytest.mark.parametrize(("mode", "how"), [("system", "in the system prompt"), ("claude_md", "in the first message")])
def test_what_is_sent_at_once_is_load_evidence(workspace: LocalWorkspace, assign: Assign, mode: str, how: str) -> None:
    report, _ = ran(workspace, assign(mode), says("Done."))
    assert (report.load.delivery, report.load.loaded, report.load.how, len(report.load.text_hash)) == (mode, True, how, 64)


def test_a_skill_counts_as_loaded_once_the_model_read_its_file(workspace: LocalWorkspace, assign: Assign) -> None:
    report, _ = ran(workspace, assign("skill"), calls("cat .claude/skills/coding/SKILL.md"), says("Done."))
    assert (report.load.loaded, report.load.how) == (True, "in message 3, a tool's result")


def test_each_call_is_told_how_much_of_the_trials_time_is_left(workspace: LocalWorkspace, assign: Assign) -> None:
    _, model = ran(workspace, assign(limits=Limits(seconds=50.0)), calls("sleep 0.05"), says("Done."))
    first, second = (request.seconds or 0.0 for request in model.requests)
    assert 40.0 < second < first - 0.05 < 50.0


def test_a_skill_that_the_model_never_read_is_not_loaded(workspace: LocalWorkspace, assign: Assign) -> None:
    report, _ = ran(workspace, assign("skill"), calls("ls"), says("Done."))
    assert (report.load.loaded, report.load.text_hash) == (False, "")


def test_every_call_of_a_trial_has_one_subject_and_names_its_task(workspace: LocalWorkspace, assign: Assign) -> None:
    order = assign()
    _, model = ran(workspace, order, calls("true"), says("Done."))
    assert {(request.subject, request.task, request.role) for request in model.requests} == {
        (str(order.key), "basket-discount", "coder")
    }
