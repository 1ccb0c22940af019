from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.models.anthropic_api import AnthropicModel, Patience
from harness.models.prices import list_prices
from harness.models.rehearsal import Rehearsal
from harness.models.rehearsal.settings import Faults, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAULTS = tuple(
    Faults.model_validate({name: 1.0, "attempts": attempts, "roles": (f"coder:{name}:{attempts}",)})
    for name in Faults.model_fields
    if name not in {"attempts", "roles"}
    for attempts in (0, 1)
)


@pytest.fixture(scope="session")
def rehearsal(suite_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """A running service; roles `coder:<fault>:<tries>` meet that fault in the first so many tries, 0 meaning always."""
    settings = Settings(faults=FAULTS, key="the key", models=("claude-sonnet-5-5", "rehearsal"))
    table = tmp_path_factory.mktemp("table") / "tags.jsonl"
    with Rehearsal.start(suite=suite_folder, table=table, seed=7, settings=settings) as service:
        yield service


@pytest.fixture(scope="session")
def model(rehearsal: Rehearsal) -> Iterator[AnthropicModel]:
    """The real SDK before the service, in a hurry."""
    client = AnthropicModel(
        api_key="the key",
        base_url=rehearsal.base_url,
        announce=rehearsal.announce,
        prices=list_prices(),
        patience=Patience(timeout=20, retries=2, pause=0.01),
    )
    yield client
    client.close()
