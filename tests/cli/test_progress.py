import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from harness.cli.progress import PlainProgress, Totals
from harness.gates import Gate
from harness.ledger.schema import TrialRow, UsageModel


def trial(*, tests: str = "pass", usd: float | None = 0.25) -> TrialRow:
    return TrialRow(
        key="screen/1",
        stage="screen",
        confirmation="",
        arm="variant",
        variant="v",
        task="recur-\x1b[2J",
        repeat=1,
        ending="finished",
        cause="",
        verdicts={Gate.TESTS: tests, Gate.STYLE: "pass", Gate.REVIEW: "fail"},
        reasons={},
        loaded=True,
        load={},
        usage=UsageModel(),
        cost_usd=usd,
        seconds={},
        flags=(),
        dropped=(),
        change_blob="",
        transcript_blob="",
        evidence_blob="",
    )


def test_the_totals_are_trials_speed_and_money() -> None:
    seconds = iter((0.0, 30.0))
    totals = Totals(lambda: next(seconds))
    for _ in range(3):
        totals.add(trial())
    assert str(totals) == "3 trials, 6 a minute, $0.75"


def test_an_unknown_price_and_what_is_missing_are_told_and_never_counted_as_nothing() -> None:
    seconds = iter((0.0, 60.0))
    totals = Totals(lambda: next(seconds))
    for row in (trial(), trial(usd=None), trial(tests="missing")):
        totals.add(row)
    assert str(totals) == "3 trials, 3 a minute, $0.50, 1 of unknown price, 1 missing"


def test_a_log_has_one_line_a_trial_and_no_control_codes(capsys: pytest.CaptureFixture[str]) -> None:
    progress = PlainProgress()
    progress.stage("screen", 2)
    for _ in range(2):
        progress.trial(trial())
    progress.stage("look 1", 4)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert (out, len(lines), "\x1b" in err) == ("", 4, False)
    assert lines[1].startswith("  [1/2] tests+ style+ review-")
    assert lines[3].startswith("look 1: 4 trials (so far 2 trials, ")


SHOWN = """
from harness.cli.progress import progress_for
from tests.cli.test_progress import trial
with progress_for(quiet=False) as progress:
    progress.stage("look 1", 3)
    progress.note("a note\u202e")
    for row in (trial(), trial(tests="fail"), trial(tests="missing")):
        progress.trial(row)
"""


def test_in_a_terminal_a_bar_shows_the_place_the_gates_and_what_was_spent() -> None:
    ours, theirs = os.openpty()
    environment = {**os.environ, "COLUMNS": "160", "TERM": "xterm"}
    argv = [sys.executable, "-c", SHOWN]
    with subprocess.Popen(argv, cwd=Path(__file__).parents[2], env=environment, stderr=theirs, stdout=subprocess.PIPE) as shown:
        os.close(theirs)
        text = b""
        with suppress(OSError):  # what a terminal gives whose other end is closed
            while part := os.read(ours, 65536):
                text += part
        assert shown.stdout is not None
        assert shown.stdout.read() == b""
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text.decode())
    last = [line for line in re.split(r"[\r\n]+", plain) if "look 1" in line][-1]
    assert shown.returncode == 0
    assert "a note⟨U+202E⟩" in plain
    for part in ("3/3", "tests 50%", "style 100%", "review 0%", "3 trials", "$0.75", "1 missing"):
        assert part in last, last
