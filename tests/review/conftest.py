"""The rehearsal's reviewers without a socket, so that calibrations of thousands of answers against known truth take seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.models.rehearsal import reviewer
from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.wire import MessagesRequest
from harness.ports import ModelReply
from harness.review.personas import load_personas
from harness.rollout import Call, Usage
from harness.suites.catalog import load_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.models.rehearsal.settings import ReviewerErrors
    from harness.ports import ModelRequest
    from harness.review.personas import Persona
    from harness.task import Suite


class PlayedReviewers:
    """`ports.Model`: the rehearsal's reviewer part on a suite, with set errors by persona."""

    def __init__(self, suite: Suite, errors: Mapping[str, ReviewerErrors], seed: int = 1) -> None:
        self.requests: list[ModelRequest] = []
        self._suite = suite
        self._errors = errors
        self._seed = seed

    def send(self, request: ModelRequest) -> ModelReply:
        """Its answer, at a tenth of a cent."""
        self.requests.append(request)
        body = {"model": request.model, "max_tokens": request.max_tokens, "messages": request.messages}
        read = MessagesRequest.model_validate_json(json.dumps(body))
        draws = Draws(seed=self._seed, subject=request.subject, role=request.role)
        answer = reviewer.play(read, self._suite.by_id[request.task], draws, self._errors)
        call = Call(role=request.role, model=request.model, usage=Usage(input=1, output=1, calls=1), cost_usd=0.001)
        return ModelReply(call=call, stop_reason=answer.stop_reason, content=answer.content)


@pytest.fixture(scope="session")
def pocket() -> Suite:
    """The bundled suite."""
    return load_suite(Path("task_suites/pocket"))


@pytest.fixture(scope="session")
def shipped() -> dict[str, Persona]:
    """The three reviewers that ship, by name."""
    return {persona.name: persona for persona in load_personas(Path("reviewers"))}
