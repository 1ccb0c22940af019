from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import KeyMissingError, ServiceUnavailableError
from harness.models.anthropic_api import AnthropicModel
from harness.models.anthropic_batches import BatchModel, Waiting
from harness.models.prices import list_prices
from harness.models.rehearsal import Rehearsal
from harness.models.rehearsal.settings import Faults, Settings
from harness.ports import ModelRequest, TrialEndedError
from harness.rollout import Ending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REQUEST = ModelRequest(
    role="coder",
    subject="preflight/1",
    task="basket-discount",
    model="claude-sonnet-5-5",
    system=[{"type": "text", "text": "You work."}],
    messages=[{"role": "user", "content": [{"type": "text", "text": "Do it."}]}],
    max_tokens=900,
)
QUICK = {"linger": 0.05, "first": 0.02, "longest": 0.1}


@pytest.fixture(scope="module")
def slow(suite_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """A service whose batches end at the third look."""
    settings = Settings(faults=(Faults(overloaded=1.0, roles=("coder:bad",)),), batch_polls=3)
    table = tmp_path_factory.mktemp("table") / "tags.jsonl"
    with Rehearsal.start(suite=suite_folder, table=table, seed=7, settings=settings) as service:
        yield service


def batches(service: Rehearsal, folder: Path, most: float = 60.0) -> closing[BatchModel]:
    return closing(
        BatchModel(
            api_key="k",
            base_url=service.base_url,
            announce=service.announce,
            prices=list_prices(),
            waiting=Waiting(notes=folder / "batches.jsonl", **QUICK, retries=0, most=most),
        )
    )


def noted(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "batches.jsonl").read_text(encoding="utf-8").splitlines()]


def test_requests_of_many_threads_go_out_together_and_each_gets_its_own_answer_at_half_the_price(
    slow: Rehearsal, tmp_path: Path
) -> None:
    requests = [replace(REQUEST, subject=f"preflight/{number}") for number in range(12)]
    live = AnthropicModel(api_key="k", base_url=slow.base_url, announce=slow.announce, prices=list_prices())
    with batches(slow, tmp_path) as model, ThreadPoolExecutor(12) as pool:
        found = list(pool.map(model.send, requests))
    assert sum(len(note["ids"]) for note in noted(tmp_path)) == 12  # type: ignore[arg-type]
    assert len(noted(tmp_path)) < 6
    for request, reply in zip(requests, found, strict=True):
        alone = live.send(replace(request, schema={"type": "object", "properties": {}, "additionalProperties": False}))
        assert (reply.content, reply.stop_reason) == (alone.content, alone.stop_reason)
        assert reply.call.cost_usd == pytest.approx((reply.call.usage.input * 2 + reply.call.usage.output * 10) / 2_000_000)
    live.close()


def test_a_batch_that_does_not_end_in_its_time_is_missing(slow: Rehearsal, tmp_path: Path) -> None:
    with batches(slow, tmp_path, most=0.01) as model, pytest.raises(TrialEndedError, match=r"no answer in 0\.01 s") as error:
        model.send(replace(REQUEST, subject="preflight/for ever"))
    assert error.value.ending is Ending.MISSING_API


def test_a_run_that_was_killed_takes_up_the_batch_that_it_has_paid_for(slow: Rehearsal, tmp_path: Path) -> None:
    request = replace(REQUEST, subject="preflight/killed")
    with batches(slow, tmp_path) as model:
        first = model.send(request)
    with batches(slow, tmp_path) as model:
        again = model.send(request)
    assert (again.content, again.call) == (first.content, first.call)
    assert len(noted(tmp_path)) == 1


def test_a_batch_that_the_service_has_forgotten_is_asked_anew(slow: Rehearsal, tmp_path: Path) -> None:
    request = replace(REQUEST, subject="preflight/forgotten")
    with batches(slow, tmp_path) as model:
        model.send(request)
    (note,) = noted(tmp_path)
    (tmp_path / "batches.jsonl").write_text(json.dumps(note | {"batch": "msgbatch_gone"}) + "\n", encoding="utf-8")
    with batches(slow, tmp_path) as model:
        assert model.send(request).stop_reason
    assert [one["ids"] for one in noted(tmp_path)] == [note["ids"], note["ids"]]


def test_the_same_request_is_answered_once_and_booked_once(slow: Rehearsal, tmp_path: Path) -> None:
    request = replace(REQUEST, subject="preflight/twice")
    with batches(slow, tmp_path) as model:
        first, second = model.send(request), model.send(request)
    assert (first.content, first.call.usage.calls, second.call.usage.calls, second.call.cost_usd) == (second.content, 1, 0, 0.0)


def test_an_error_within_a_batch_is_its_own_requests_and_no_others(slow: Rehearsal, tmp_path: Path) -> None:
    good, bad = replace(REQUEST, subject="preflight/good"), replace(REQUEST, role="coder:bad")
    with batches(slow, tmp_path) as model, ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(model.send, request) for request in (good, bad)]
        assert answers[0].result().stop_reason
        with pytest.raises(TrialEndedError, match="overloaded_error") as caught:
            answers[1].result()
    assert caught.value.ending is Ending.MISSING_API


def test_a_request_that_can_never_work_is_a_set_up_error(slow: Rehearsal, tmp_path: Path) -> None:
    with batches(slow, tmp_path) as model, pytest.raises(ServiceUnavailableError, match="no part for role"):
        model.send(replace(REQUEST, role="nobody"))


def test_a_line_that_a_crash_has_cut_counts_for_nothing_and_a_foreign_file_is_refused(slow: Rehearsal, tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    path.write_text('{"batch": "msgb', encoding="utf-8")
    with batches(slow, tmp_path) as model:
        model.send(replace(REQUEST, subject="preflight/cut"))
    assert len(noted(tmp_path)) == 1
    path.write_text("not a note\n", encoding="utf-8")
    with pytest.raises(ServiceUnavailableError, match="not a note of batches"):
        batches(slow, tmp_path)


def test_without_a_key_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(KeyMissingError):
        BatchModel(
            api_key="", base_url=None, announce=lambda *_: None, prices=list_prices(), waiting=Waiting(notes=tmp_path / "n")
        )
