import pytest

from confmerge import ConfigError, Layer, load
from confmerge.interpolate import interpolate


def filled(text, **data):
    return interpolate({"it": text, **data})["it"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${a:-x}", "x"),
        ("${a.b.c:-x}", "x"),
        ("${a:-}", ""),
        ("${a:- some text }", " some text "),
        ("${a:-http://x.y:80/}", "http://x.y:80/"),
        ("${a:-b:-c}", "b:-c"),
        ("${a:--1}", "-1"),
        ("${a:-8080}", "8080"),
        ("${a:-true}", "true"),
        ("${:-x}", "x"),
        ("${a..b:-x}", "x"),
        ("<${a:-x}>", "<x>"),
        ("${a:-x}${b:-y}", "xy"),
        ("${a:-}-${a:-}", "-"),
    ],
)
def test_missing_values(text, expected):
    assert filled(text) == expected


@pytest.mark.parametrize("value", ["y", "", 0, 0.0, 7, False, True, [], [1], {"c": 1}], ids=repr)
def test_values_that_exist(value):
    result = filled("${a:-x}", a=value)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("value", "expected"), [("", "<>"), (0, "<0>"), (False, "<false>"), ("y", "<y>")], ids=repr
)
def test_values_within_text(value, expected):
    assert filled("<${a:-x}>", a=value) == expected


def test_null_takes_the_default():
    assert filled("${a:-x}", a=None) == "x"
    assert filled("<${a.b:-x}>", a={"b": None}) == "<x>"


def test_null_without_default():
    assert filled("${a}", a=None) is None
    assert filled("<${a}>", a=None) == "<>"


@pytest.mark.parametrize("text", ["${a}", "<${a}>", "${a.b}", "${a:x}"])
def test_missing_without_default(text):
    with pytest.raises(ConfigError) as caught:
        filled(text)
    assert str(caught.value).startswith("it: ")
    assert text.strip("<>") in str(caught.value)


def test_the_default_is_for_one_reference_only():
    with pytest.raises(ConfigError, match=r"^a: \$\{b\}"):
        filled("${a:-x}", a="${b}")


def test_defaults_on_the_way():
    assert filled("${a:-x}", a="${b:-y}") == "y"


def test_escapes_as_before():
    assert filled("$${a:-x}") == "${a:-x}"
    assert filled("$${a} ${b}", b=1) == "${a} 1"


def test_in_a_loaded_configuration():
    layers = [
        Layer(name="defaults", data={"url": "//${server.host:-localhost}:${server.port:-80}"}),
        Layer(name="site", data={"server": {"port": 8080}}),
    ]
    assert load(layers).get("url") == "//localhost:8080"
    assert load(layers[:1], environ={"APP__SERVER__HOST": "h"}).get("url") == "//h:80"
