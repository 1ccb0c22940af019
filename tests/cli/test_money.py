"""What a live run tells of its cost before anything is started."""

from pathlib import Path

import pytest

from tests.cli.conftest import FEW, Harness

LIVE = {"ANTHROPIC_API_KEY": "k", "DOCKER_HOST": "unix:///nonexistent/docker.sock", "HARNESS_DECISION__SMALL_HOLDOUT": FEW}


@pytest.mark.parametrize(
    ("limit", "told"),
    [("1", "That limit does not pay for one variant: give more."), ("60", "That limit pays for about 3 variants.")],
)
def test_how_many_variants_a_limit_pays_for_is_told_before_the_start(harness: Harness, tiny: Path, limit: str, told: str) -> None:
    done = harness("evolve", "--suite", str(tiny), "--model", "claude-opus-5-5", "--batch", "2", "--max-usd", limit, env=LIVE)
    assert done.returncode == 3
    assert told in done.stdout.splitlines()
