from datetime import date
from itertools import islice

import pytest

import recur
from recur import Frequency, Rule, RuleError, RuleSyntaxError, expand, format_rule, parse_rule


def days_of(start, number, nth, weekday, **parts):
    parts.setdefault("frequency", Frequency.MONTHLY)
    rule = Rule(nth_weekday=recur.NthWeekday(nth=nth, weekday=weekday), **parts)
    return [f"{day:%Y-%m-%d}" for day in islice(expand(rule, start), number)]


@pytest.mark.parametrize(
    ("nth", "weekday", "expected"),
    [
        (1, 0, date(2024, 1, 1)),
        (2, 1, date(2024, 1, 9)),
        (4, 6, date(2024, 1, 28)),
        (5, 2, date(2024, 1, 31)),
        (5, 3, None),
        (-1, 2, date(2024, 1, 31)),
        (-1, 3, date(2024, 1, 25)),
    ],
)
def test_place_in_january(nth, weekday, expected):
    assert recur.dates.nth_weekday(2024, 1, weekday, nth) == expected


def test_second_tuesday():
    expected = ["2024-01-09", "2024-02-13", "2024-03-12"]
    assert days_of(date(2024, 1, 1), 3, 2, 1) == expected


def test_the_start_is_a_date_only_in_its_place():
    assert days_of(date(2024, 1, 9), 1, 2, 1) == ["2024-01-09"]
    assert days_of(date(2024, 1, 10), 1, 2, 1) == ["2024-02-13"]


def test_last_friday():
    assert days_of(date(2024, 1, 31), 2, -1, 4) == ["2024-02-23", "2024-03-29"]


def test_months_without_a_fifth_are_left_out():
    expected = ["2024-01-29", "2024-04-29", "2024-07-29"]
    assert days_of(date(2024, 1, 1), 3, 5, 0) == expected
    assert days_of(date(2024, 1, 1), 9, 5, 0, count=3) == expected


def test_clamping_has_no_influence():
    clamp = recur.MonthEnd.CLAMP
    assert days_of(date(2024, 1, 31), 2, 5, 0, month_end=clamp) == ["2024-04-29", "2024-07-29"]


def test_yearly_and_intervals():
    expected = ["2024-11-28", "2025-11-27"]
    assert days_of(date(2024, 11, 1), 2, 4, 3, frequency=Frequency.YEARLY) == expected
    assert days_of(date(2024, 1, 1), 2, 1, 0, interval=3) == ["2024-01-01", "2024-04-01"]


@pytest.mark.parametrize("nth", [0, 6, -2])
def test_places_that_no_month_has(nth):
    with pytest.raises(RuleError):
        recur.NthWeekday(nth=nth, weekday=0)


@pytest.mark.parametrize("weekday", [-1, 7])
def test_days_that_no_week_has(weekday):
    with pytest.raises(RuleError):
        recur.NthWeekday(nth=1, weekday=weekday)


@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.WEEKLY])
def test_places_need_months(frequency):
    place = recur.NthWeekday(nth=1, weekday=0)
    with pytest.raises(RuleError):
        Rule(frequency=frequency, nth_weekday=place)


@pytest.mark.parametrize(
    "text",
    [
        "every month on the 2nd tue",
        "every month on the 5th sun for 3 times",
        "every 2 years on the last fri until 2030-01-01",
    ],
)
def test_text_reads_back(text):
    assert format_rule(parse_rule(text)) == text


def test_text_is_read():
    rule = parse_rule("Monthly for 2 times on the 3rd WED")
    assert rule.nth_weekday == recur.NthWeekday(nth=3, weekday=2)
    assert rule.count == 2


@pytest.mark.parametrize("clause", ["on the 6th mon", "on the second mon", "on the 1st", "on the mon", "on the"])
def test_other_text_is_refused(clause):
    with pytest.raises(RuleSyntaxError):
        parse_rule(f"monthly {clause}")


@pytest.mark.parametrize("text", ["weekly on the 1st mon", "daily on the last fri"])
def test_text_of_a_rule_without_months(text):
    with pytest.raises(RuleError):
        parse_rule(text)


def test_rules_without_a_place():
    days = islice(expand(parse_rule("monthly"), date(2024, 1, 31)), 2)
    assert list(days) == [date(2024, 1, 31), date(2024, 3, 31)]


def test_weekday_lists_stay():
    assert parse_rule("weekly on tue, mon").weekdays == (0, 1)
    assert format_rule(parse_rule("weekly on tue")) == "every week on tue"
