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
