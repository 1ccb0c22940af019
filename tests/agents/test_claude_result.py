import json
from typing import Any

import pytest

from harness.agents.claude_result import judged, last_event
from harness.agents.traffic import Traffic
from harness.errors import ConfigError, KeyMissingError
from harness.ports import CommandResult, Exchange
from harness.rollout import Call, Ending, Usage

TASK = "Make `add` add."
RESULT: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "api_error_status": None}
CALL = Call(role="coder", model="m", usage=Usage(input=5, output=3, calls=1), cost_usd=0.0)
BODY = json.dumps({"messages": [{"role": "user", "content": TASK}]}).encode()
GOOD = Exchange(body=BODY, status=200, message={"content": [], "stop_reason": "end_turn"}, call=CALL)
OVERLOADED = Exchange(body=BODY, status=529, fault="529: Overloaded")


def ran(output: str = json.dumps(RESULT), code: int | None = 0, *, idle: bool = False) -> CommandResult:
    return CommandResult(exit_code=code, output=output.encode(), truncated=False, timed_out=code is None, seconds=2.0, idle=idle)


def ending(result: CommandResult, *exchanges: Exchange) -> tuple[Ending, str]:
    return judged(result, Traffic(exchanges or (GOOD,)), TASK)


def stopped(reason: str) -> Exchange:
    return Exchange(body=BODY, status=200, message={"content": [], "stop_reason": reason}, call=CALL)


def test_a_run_that_went_well_by_every_field_is_finished() -> None:
    assert ending(ran(f'{{"type": "system"}}\nnoise\n{json.dumps(RESULT)}\n')) == (Ending.FINISHED, "")


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (ran(code=1), "exit code 1"),
        (ran(json.dumps(RESULT | {"is_error": True, "result": "API Error: 400"})), "an error: API Error: 400"),
        (ran(json.dumps(RESULT | {"subtype": "error_max_turns"})), "ended as error_max_turns"),
        (ran(json.dumps(RESULT | {"api_error_status": 400})), "status 400"),
        (ran(""), "the stream has no last event (exit code 0): "),
        (ran('{"type": "assistant"}\n{"type": "resu'), "the last event is torn (exit code 0)"),
        (ran('{"type": "result"}'), "the last event has an unknown form"),
    ],
)
def test_any_one_field_that_is_not_well_is_a_crash(result: CommandResult, why: str) -> None:
    found, cause = ending(result)
    assert (found, why in cause) == (Ending.AGENT_CRASH, True)


def test_success_after_an_error_of_the_service_is_the_services_fault() -> None:
    assert ending(ran(), GOOD, OVERLOADED) == (Ending.MISSING_API, "529: Overloaded")


def test_a_fault_that_a_later_try_made_good_is_none() -> None:
    assert ending(ran(), OVERLOADED, GOOD)[0] is Ending.FINISHED


def test_a_limit_is_a_limit_whatever_the_program_says_of_it() -> None:
    limited = Exchange(body=BODY, refused="2 model calls are used up", ending=Ending.AGENT_BUDGET)
    assert ending(ran(), GOOD, limited) == (Ending.AGENT_BUDGET, "2 model calls are used up")
    assert ending(ran(code=1), GOOD, limited, OVERLOADED)[0] is Ending.AGENT_BUDGET


@pytest.mark.parametrize(("idle", "words"), [(True, "without output"), (False, "in all")])
def test_a_killed_run_says_which_limit_it_was(idle: bool, words: str) -> None:  # noqa: FBT001
    found, cause = ending(ran(code=None, idle=idle))
    assert (found, words in cause) == (Ending.AGENT_TIMEOUT, True)


def test_a_run_without_a_single_answer_is_a_crash_though_it_says_success() -> None:
    refused = Exchange(body=b"", refused="no way to GET /")
    assert ending(ran(), refused)[0] is Ending.AGENT_CRASH


def test_a_run_whose_requests_never_held_the_task_is_none_of_the_variants() -> None:
    other = Exchange(body=b'{"messages": [{"role": "user", "content": "hello"}]}', status=200, message={}, call=CALL)
    assert ending(ran(), other)[0] is Ending.MISSING_API


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("refusal", Ending.AGENT_CRASH),
        ("max_tokens", Ending.AGENT_CRASH),
        ("model_context_window_exceeded", Ending.AGENT_BUDGET),
    ],
)
def test_a_stop_that_is_no_end_is_read_from_the_last_answer(reason: str, found: Ending) -> None:
    assert ending(ran(), GOOD, stopped(reason))[0] is found
    assert ending(ran(), stopped(reason), GOOD)[0] is Ending.FINISHED


@pytest.mark.parametrize(("status", "error"), [(401, KeyMissingError), (403, KeyMissingError), (404, ConfigError)])
def test_a_set_up_that_can_never_work_is_raised(status: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        ending(ran(code=1), Exchange(body=BODY, status=status))


def test_of_several_results_the_last_counts() -> None:
    event, _ = last_event(f"{json.dumps(RESULT | {'subtype': 'error_during_execution'})}\n{json.dumps(RESULT)}\n")
    assert event is not None
    assert event.subtype == "success"
