"""What is told of many trials: whatever they came to, every one is counted, and once."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from harness.cli.show import endings, rates
from harness.evidence import Evidence, PanelReport, StyleReport, TestReport
from harness.gates import Gate, Outcome, judge
from harness.ledger.schema import TrialRow
from harness.rollout import Ending
from tests.cli.test_progress import trial

TESTS = TestReport(expected=(), tests=(), canaries=0, canaries_failed=0, exit_code=1)
Come = tuple[Ending, bool, str]


def row(ending: Ending, sound: bool, panel: str) -> TrialRow:  # noqa: FBT001  (drawn by position)
    """A trial as it is judged: its ending, whether its tests passed, what the panel said."""
    tests = TESTS if sound else replace(TESTS, problem="time limit")
    review = PanelReport(votes=(), outcome=panel, reason="")
    verdicts = judge(ending, "", Evidence(tests=tests, style=StyleReport(new=()), review=review))
    return trial().model_copy(
        update={"ending": str(ending), "verdicts": {str(one.gate): str(one.outcome) for one in verdicts}},
    )


@given(st.lists(st.tuples(st.sampled_from(Ending), st.booleans(), st.sampled_from(["pass", "fail", "missing"])), max_size=30))
def test_classes_of_trials_are_disjoint_and_add_up_to_all_trials(drawn: Sequence[Come]) -> None:
    rows = [row(*one) for one in drawn]
    classes = endings(rows)
    assert classes == {str(one): count for one in sorted(Ending) if (count := [ending for ending, *_ in drawn].count(one))}
    assert sum(classes.values()) == len(rows)
    for gate, (passed, judged, missing) in rates(rows).items():
        verdicts = [found.verdicts[gate] for found in rows]
        assert (passed, judged + missing) == (verdicts.count(Outcome.PASS), len(rows))
        assert judged - passed == verdicts.count(Outcome.FAIL)
    absent = sum(classes.get(one, 0) for one in Ending if one.missing or one is Ending.NOT_RUN)
    assert [rates(rows)[gate][2] for gate in (Gate.TESTS, Gate.STYLE)] == [absent, absent]
