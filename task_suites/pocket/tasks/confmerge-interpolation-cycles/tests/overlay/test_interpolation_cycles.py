import pytest

from confmerge import ConfigError, Layer, load
from confmerge.interpolate import interpolate


def circle_of(data):
    with pytest.raises(ConfigError) as caught:
        interpolate(data)
    place, _, message = str(caught.value).partition(": ")
    words, _, circle = message.partition(": ")
    assert words == "references run in a circle"
    assert circle.startswith(f"{place} -> ")
    return circle


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"a": "${b}", "b": "${a}"}, "a -> b -> a"),
        ({"a": "x${b}", "b": "${a}y"}, "a -> b -> a"),
        ({"a": "${b}", "b": "${c}", "c": "-${a}-"}, "a -> b -> c -> a"),
        ({"a": "${a}"}, "a -> a"),
        ({"a": "${b} ${a}", "b": 1}, "a -> a"),
    ],
    ids=["two", "in-text", "three", "itself", "second-reference"],
)
def test_circles(data, expected):
    assert circle_of(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"x": "${a}", "a": "${b}", "b": "${a}"}, "a -> b -> a"),
        ({"x": "${y}", "y": "${b}", "a": "${b}", "b": "${a}"}, "b -> a -> b"),
        ({"x": ["${b}"], "b": "<${b}>"}, "b -> b"),
    ],
    ids=["one-step", "two-steps", "from-a-list"],
)
def test_the_way_into_the_circle_is_not_shown(data, expected):
    assert circle_of(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"a": {"b": "${a}"}}, "a.b -> a.b"),
        ({"a": ["x", "${a}"]}, "a[1] -> a[1]"),
        ({"a": {"b": 1, "c": "${d}"}, "d": {"e": "${a}"}}, "a.c -> d.e -> a.c"),
        ({"a": {"b": {"c": "<${a.b.c}>"}}}, "a.b.c -> a.b.c"),
        ({"a": {"b": "x${a}"}}, "a.b -> a.b"),
    ],
    ids=["section", "list", "two-sections", "deep", "section-in-text"],
)
def test_sections_and_lists(data, expected):
    assert circle_of(data) == expected


def test_the_place_of_the_error():
    with pytest.raises(ConfigError) as caught:
        interpolate({"x": "${s.a}", "s": {"a": "${s.b}", "b": "${s.a}"}})
    assert caught.value.path == ("s", "a")


def test_layers_can_make_a_circle():
    layers = [
        Layer(name="one", data={"a": "${b}", "b": "x"}),
        Layer(name="two", data={"b": "${a}"}),
    ]
    with pytest.raises(ConfigError, match="a -> b -> a"):
        load(layers)
    assert load(layers[:1]).get("a") == "x"


def test_several_references_to_one_value():
    data = {"a": "${c} ${c}", "b": ["${c}", "${c}", "${a}"], "c": "${d}", "d": 1}
    assert interpolate(data)["a"] == "1 1"
    assert interpolate(data)["b"] == [1, 1, "1 1"]


def test_a_diamond():
    data = {"a": "${b}${c}", "b": "${d}", "c": "${d}", "d": "x"}
    assert interpolate(data)["a"] == "xx"


def test_a_long_chain():
    data = {f"k{number}": f"${{k{number + 1}}}" for number in range(50)} | {"k50": "end"}
    assert set(interpolate(data).values()) == {"end"}


def test_a_section_that_refers_to_itself_elsewhere():
    data = {"a": {"b": "${a.c}", "c": "${a.d.e}", "d": {"e": "x"}}, "f": "${a}"}
    assert interpolate(data)["f"] == {"b": "x", "c": "x", "d": {"e": "x"}}


def test_what_leads_nowhere():
    with pytest.raises(ConfigError, match="refers to nothing"):
        interpolate({"a": "${b}", "b": "${c}"})


def test_an_escape_is_no_circle():
    assert interpolate({"a": "$${a}"}) == {"a": "${a}"}
