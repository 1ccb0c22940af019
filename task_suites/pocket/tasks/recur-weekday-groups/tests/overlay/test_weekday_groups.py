import pytest

from recur import RuleSyntaxError, parse_rule

FULL = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


@pytest.mark.parametrize("number", range(7))
def test_full_names(number):
    assert parse_rule(f"weekly on {FULL[number]}").weekdays == (number,)


@pytest.mark.parametrize("number", range(7))
def test_three_letters_still_do(number):
    assert parse_rule(f"weekly on {FULL[number][:3].upper()}").weekdays == (number,)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ("weekdays", (0, 1, 2, 3, 4)),
        ("Weekends", (5, 6)),
        ("wed, weekends", (2, 5, 6)),
        ("weekends wed", (2, 5, 6)),
        ("Sunday,weekdays", (0, 1, 2, 3, 4, 6)),
        ("weekdays, weekends", (0, 1, 2, 3, 4, 5, 6)),
        ("friday, fri, weekdays", (0, 1, 2, 3, 4)),
    ],
    ids=["weekdays", "weekends", "day-first", "group-first", "sunday", "both", "twice"],
)
def test_groups_and_days_are_joined(days, expected):
    assert parse_rule(f"every 2 weeks on {days}").weekdays == expected


def test_clauses_may_follow_a_group():
    rule = parse_rule("weekly on weekdays for 4 times")
    assert (rule.weekdays, rule.count) == ((0, 1, 2, 3, 4), 4)


def test_full_name_in_a_place_of_the_month():
    place = parse_rule("monthly on the last friday").nth_weekday
    assert (place.nth, place.weekday) == (-1, 4)


@pytest.mark.parametrize(
    "word",
    ["mond", "thurs", "tues", "mondays", "sunny", "monkey", "mo", "weekday", "weekend", "week"],
)
def test_other_words_stay_errors(word):
    with pytest.raises(RuleSyntaxError):
        parse_rule(f"weekly on {word}")


@pytest.mark.parametrize("group", ["weekdays", "weekends"])
def test_a_group_is_no_place_in_the_month(group):
    with pytest.raises(RuleSyntaxError):
        parse_rule(f"monthly on the last {group}")
