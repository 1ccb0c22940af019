import pytest

from recur import RuleError, RuleSyntaxError, parse_rule


def error_of(text):
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rule(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("sometimes on mon", "sometimes"),
        ("  sometimes", "sometimes"),
        ("every 2 fortnights", "fortnights"),
        ("every -2 weeks", "-2"),
        ("weekly on mon,  tu, wed", "tu"),
        ("weekly on mon every", "every"),
        ("daily for three times", "three"),
        ("daily for 3 days", "days"),
        ("daily until 2024-02-30", "2024-02-30"),
        ("monthly on the 6th mon", "6th"),
        ("monthly on the 1st day", "day"),
        ("monthly or first day", "first"),
        ("monthly or last week", "week"),
        ("monthly please", "please"),
    ],
    ids=lambda value: value.strip().replace(" ", "-"),
)
def test_the_position_is_that_of_the_word(text, word):
    error = error_of(text)
    assert error.position == text.index(word)
    assert repr(word) in str(error)


@pytest.mark.parametrize("text", ["", "   ", "every", "weekly on", "weekly on  ", "daily for 3\t", "daily until "], ids=repr)
def test_the_end_of_the_text(text):
    error = error_of(text)
    assert error.position == len(text)
    assert str(error).endswith(f"(column {len(text) + 1})")


def test_a_repeated_clause():
    text = "daily for 2 times for 2 times"
    assert error_of(text).position == text.rindex("for")


def test_a_word_that_occurs_twice():
    text = "weekly on mon, until, until"
    assert error_of(text).position == text.rindex("until")


def test_the_text_is_kept_as_it_was():
    text = " Weekly ON  Mon, Xyz "
    assert error_of(text).text == text


def test_words_are_quoted_as_written():
    error = error_of("Every 2 Wekes")
    assert str(error) == "expected a unit of time, found 'Wekes' (column 9)"


def test_pointer():
    assert error_of("every 2 wekes").pointer() == "every 2 wekes\n        ^"
    assert error_of("nope").pointer() == "nope\n^"
    assert error_of("every").pointer() == "every\n     ^"


def test_built_by_hand():
    error = RuleSyntaxError("no such word", text="abc", position=1)
    assert (str(error), error.text, error.position) == ("no such word (column 2)", "abc", 1)


def test_it_stays_a_rule_error():
    assert isinstance(error_of("hourly"), RuleError)


@pytest.mark.parametrize("text", ["every 0 days", "daily on mon", "daily for 0 times"])
def test_parts_that_do_not_go_together(text):
    with pytest.raises(RuleError) as caught:
        parse_rule(text)
    assert type(caught.value) is RuleError


def test_case_does_not_matter():
    assert parse_rule("EVERY 2 Weeks On MON").weekdays == (0,)
