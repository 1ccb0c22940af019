"""What a live run tells of its cost before anything is started."""

import shutil
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


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("evolve", "--batch", "2"), "Estimate: 84 trials for one batch, about $"),
        (("compare", "skills/coding", "VARIANT"), "Estimate: 64 trials at most (4 tasks in two arms, up to 8 looks), about $"),
        (("evaluate", "skills/coding", "--split", "dev", "--repeats", "3"), "Estimate: 6 trials, about $"),
    ],
)
def test_each_command_is_told_the_price_of_what_it_runs_itself(
    harness: Harness, tiny: Path, tmp_path: Path, argv: tuple[str, ...], told: str
) -> None:
    variant = tmp_path / "coding"
    shutil.copytree("skills/coding", variant)
    given = [str(variant) if word == "VARIANT" else word for word in argv]
    done = harness(*given, "--suite", str(tiny), "--model", "claude-opus-5-5", "--max-usd", "60", env=LIVE)
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0].startswith(told)) == (3, True)
    assert any("variants" in line for line in lines) == (argv[0] == "evolve")
