import pytest

from confmerge import ConfigError
from confmerge.interpolate import interpolate


def test_whole_reference_keeps_the_type():
    data = interpolate({"a": "${b}", "b": 8080, "c": "${d.e}", "d": {"e": [1]}})
    assert (data["a"], data["c"]) == (8080, [1])


def test_reference_within_text_becomes_text():
    data = interpolate({"url": "http://${host}:${port}/", "host": "h", "port": 80, "on": True})
    assert data["url"] == "http://h:80/"
    assert interpolate({"a": "x${b}", "b": True})["a"] == "xtrue"


def test_references_lead_on_to_references():
    assert interpolate({"a": "${b}", "b": "${c}!", "c": "x"})["a"] == "x!"


def test_doubled_dollar_is_no_reference():
    assert interpolate({"a": "$${b} ${c}", "c": 1})["a"] == "${b} 1"


def test_missing_value_takes_the_default():
    assert interpolate({"a": "${b:-x}", "c": "${a}-${d:-}"}) == {"a": "x", "c": "x-"}


def test_reference_to_nothing_names_both_places():
    with pytest.raises(ConfigError, match=r"^a\.b: \$\{c\.d\} refers to nothing$"):
        interpolate({"a": {"b": "${c.d}"}})


def test_section_cannot_be_part_of_text():
    with pytest.raises(ConfigError, match="^a: .* no single value"):
        interpolate({"a": "x${b}", "b": {}})
