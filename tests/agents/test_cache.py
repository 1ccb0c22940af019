"""Whole rollouts of our agent before the rehearsal service: the prompt cache hits at every call but the first."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.agents.tool_loop import ToolLoop
from harness.models.anthropic_api import AnthropicModel
from harness.models.prices import list_prices
from harness.models.rehearsal import Rehearsal
from harness.ports import Assignment
from harness.rollout import Ending
from harness.testing import LocalWorkspace


@pytest.fixture(scope="module")
def model(suite_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnthropicModel]:
    """The real SDK before the service."""
    table = tmp_path_factory.mktemp("table") / "tags.jsonl"
    with Rehearsal.start(suite=suite_folder, table=table, seed=7) as service:
        made = AnthropicModel(api_key="k", base_url=service.base_url, announce=service.announce, prices=list_prices())
        with closing(made):
            yield made


def test_no_call_of_a_rollout_misses_the_cache_and_all_but_the_first_read_from_it(
    model: AnthropicModel, workspace: LocalWorkspace, assign: Callable[..., Assignment]
) -> None:
    report = ToolLoop(model, "claude-sonnet-5-5", list_prices().cost).run(workspace, assign("system"))
    assert (report.ending, [call.cache_miss for call in report.calls]) == (Ending.FINISHED, [""] * 3)
    assert [call.usage.cache_read > 0 for call in report.calls] == [False, True, True]
    assert [call.usage.input for call in report.calls] == [1] * 3  # all else was read from the cache, or written to it
