"""The schedulers' examples in docs/: every command of theirs is one that this harness takes."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.starter import files

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs/examples"
TEMPLATE = Path(files.__file__).with_name("templates") / "nightly.yml"


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(EXAMPLES / name)
    return parser


def commands() -> list[str]:
    steps = yaml.safe_load(TEMPLATE.read_text())["jobs"]["nightly"]["steps"]
    cron = next(line for line in (ROOT / "docs/nights.md").read_text().splitlines() if "2 * * *" in line)
    texts = [
        unit("harness-nightly.service")["Service"]["ExecStart"],
        cron.partition(">>")[0],
        *(step.get("run", "") for step in steps),
    ]
    return [text.partition("harness nightly")[2] for text in texts if "harness nightly" in text]


def test_every_option_of_the_examples_is_one_of_the_commands() -> None:
    harness = Path(sys.executable).parent / "harness"
    told = subprocess.run([harness, "nightly", "--help"], capture_output=True, text=True, check=True).stdout
    assert len(commands()) == 3
    for command in commands():
        assert set(re.findall(r"(?<=\s)--?[a-z-]+", command)) <= set(re.findall(r"(?<=\s)--?[a-z-]+", told)), command


def test_the_timer_starts_the_service_once_a_night() -> None:
    assert unit("harness-nightly.timer")["Timer"]["OnCalendar"] == "*-*-* 02:17:00"
    assert (unit("harness-nightly.service")["Service"]["Type"], (EXAMPLES / "harness-nightly.service").exists()) == (
        "oneshot",
        True,
    )


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd's own check of a unit")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    for name in ("harness-nightly.service", "harness-nightly.timer"):
        text = (EXAMPLES / name).read_text()
        text = re.sub(r"%h\S*/bin/harness", "/bin/true", text).replace("%h/our-repository", str(tmp_path))
        (tmp_path / name).write_text(text.replace("%h/.config/harness.env", "-/dev/null"))
    argv = ["systemd-analyze", "verify", str(tmp_path / "harness-nightly.timer"), str(tmp_path / "harness-nightly.service")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "harness-nightly" in line] == []
