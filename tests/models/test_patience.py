"""A service that trickles its answers: nobody waits for it longer than the client's patience, and nothing fails by it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.gates import Outcome, judge_review
from harness.models.anthropic_api import AnthropicModel, Patience
from harness.models.prices import list_prices
from harness.models.rehearsal import Rehearsal
from harness.models.rehearsal.settings import Faults, Settings
from harness.ports import ProposalRequest, TrialEndedError
from harness.proposers.model_edit import MAX_TOKENS, ModelProposer
from harness.review.panel import ReviewPanel, Terms
from harness.review.personas import load_personas
from harness.rollout import Change, Ending
from harness.skill import Variant
from harness.skill_io import read_skill
from harness.task import Task
from harness.tree import difference
from harness.trial import Arm, Stage, TrialKey

MODEL = "claude-sonnet-5-5"
WHY = "the service gave no whole answer in 0.4 s"


@pytest.fixture(scope="module")
def trickling(suite_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnthropicModel]:
    """The real SDK, waiting 0.4 s for a whole answer, before a service that sends one byte after the other for minutes."""
    table = tmp_path_factory.mktemp("table") / "tags.jsonl"
    settings = Settings(faults=(Faults(trickled=1.0),))
    with Rehearsal.start(suite=suite_folder, table=table, seed=7, settings=settings) as service:
        model = AnthropicModel(
            api_key="k",
            base_url=service.base_url,
            announce=service.announce,
            prices=list_prices(),
            patience=Patience(timeout=20, retries=2, total=0.4),
        )
        with closing(model):
            yield model


def test_a_reviewers_answer_that_does_not_come_to_its_end_is_a_missing_vote_and_is_booked(
    trickling: AnthropicModel, task: Task
) -> None:
    panel = ReviewPanel(load_personas(Path("reviewers")), trickling, Terms(model_id=MODEL))
    key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant="0" * 64, task=task.id, repeat=1)
    reviewed = panel.review(task, Change(files=difference(task.base, task.reference), patch=b""), key)
    verdict = judge_review(reviewed.report)
    assert (verdict.outcome, verdict.reason) == (Outcome.MISSING, f"no answer from the service: {WHY}")
    assert [call.usage.calls for call in reviewed.calls] == [1]


def test_a_proposal_that_does_not_come_to_its_end_is_a_fault_of_the_service_and_is_booked(trickling: AnthropicModel) -> None:
    baseline = Variant(skill=read_skill(Path("skills/coding")))
    request = ProposalRequest(generation=1, campaign="c", baseline=baseline, failures=(), rejected=())
    with pytest.raises(TrialEndedError) as error:
        ModelProposer(trickling, MODEL).propose(request)
    assert (error.value.ending, error.value.cause) == (Ending.MISSING_API, WHY)
    assert [(call.usage.calls, call.usage.output) for call in error.value.calls] == [(1, MAX_TOKENS)]
