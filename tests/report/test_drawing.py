from fractions import Fraction

from harness.decision.result import LookResult
from harness.report.drawing import axis_for, looks_chart, strip, whisker


def test_the_usual_axis_runs_from_minus_30_to_plus_60() -> None:
    axis = axis_for([(-0.1, 0.4)])
    assert (axis.x(-0.3), axis.x(0), axis.x(0.6)) == (0.0, 100.0, 300.0)
    assert [tick.label for tick in axis.ticks] == ["−20", "0", "+20", "+40", "+60"]  # noqa: RUF001


def test_an_axis_is_widened_for_all_rows_together() -> None:
    axis = axis_for([(-0.62, 0.1), (0.1, 0.75)])
    assert (axis.low, axis.high) == (-70, 80)


def test_what_leaves_the_axis_is_cut_and_told() -> None:
    axis = axis_for([])
    placed = whisker(axis, -0.4, (-0.5, 0.1))
    assert (placed.low, placed.high, placed.middle, placed.cut_low, placed.cut_high) == (0.0, 133.3, 0.0, True, False)


def test_a_difference_without_an_interval_has_no_whisker() -> None:
    placed = whisker(axis_for([]), 0.3, None)
    assert (placed.low, placed.high, placed.middle) == (None, None, 200.0)


def look(number: int, p: float) -> LookResult:
    return LookResult(look=number, n_tasks=20, informative=9, p=Fraction(p), level=0.01, t=1.0)


def test_a_look_is_hit_at_or_under_its_level_and_stays_on_the_chart() -> None:
    chart = looks_chart([look(1, 0.2), look(2, 0.01), look(3, 1e-30)], [0.01] * 8)
    assert [dot.hit for dot in chart.dots] == [False, True, True]
    assert all(10 <= dot.y <= 164 for dot in chart.dots)
    assert len(chart.looks) == 8


def test_one_look_alone_has_a_chart() -> None:
    assert looks_chart([look(1, 0.5)], [0.05]).looks == ((177.0, "look 1"),)


def test_a_strip_names_its_symbol_by_its_outcomes_and_draws_each_kind_in_one_path() -> None:
    drawn = strip("1-0")
    assert (drawn.id, drawn.width, drawn.height) == ("k1m0", 37, 11)
    assert (drawn.filled, drawn.dashes) == ("M0.75 .75h9.5v9.5h-9.5z", "M14 5.5h9")
    assert drawn.hollow == "M26.75 .75h9.5v9.5h-9.5z"
    assert strip("10101010").height < drawn.height
