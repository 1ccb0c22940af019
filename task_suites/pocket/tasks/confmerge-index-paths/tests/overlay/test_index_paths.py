import pytest

from confmerge import ConfigError, Layer, ListStrategy, load
from confmerge.interpolate import interpolate
from confmerge.paths import format_path, look_up, parse_path

LAYERS = [
    Layer(
        name="defaults",
        data={"servers": [{"host": "a"}, {"host": "b", "ports": [1, 2]}], "matrix": [[1, 2], [3, 4]]},
    ),
    Layer(name="site", data={"servers": [{"host": "c"}], "main": "main"}),
]
CONFIG = load(LAYERS, strategies={"servers": ListStrategy.APPEND})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("servers", 0), "servers[0]"),
        (("servers", 0, "host"), "servers[0].host"),
        (("matrix", 1, 0), "matrix[1][0]"),
        (("a", "b", 12, "c", 3, 4, "d"), "a.b[12].c[3][4].d"),
        (("a", "0"), "a.0"),
        (("a", "b"), "a.b"),
        (("a-b_c d",), "a-b_c d"),
    ],
    ids=["item", "within-item", "list-in-list", "long", "digit-key", "keys", "odd-key"],
)
def test_text_of_a_path_and_back(path, text):
    assert format_path(path) == text
    assert parse_path(text) == path


def test_the_whole_configuration_has_no_text():
    assert format_path(()) == ""


@pytest.mark.parametrize(
    "text",
    ["[0]", "a.[0]", "a[x]", "a[-1]", "a[]", "a[0", "a0]", "a[0]b", "a[0][", "a[0]]", "a[ 0]", "", "a..b"],
    ids=repr,
)
def test_what_is_no_path(text):
    with pytest.raises(ValueError, match="not a path"):
        parse_path(text)
    with pytest.raises(ConfigError):
        CONFIG.get(text, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("servers[0].host", "a"),
        ("servers[2]", {"host": "c"}),
        ("servers[1].ports[1]", 2),
        ("matrix[0][1]", 2),
        ("matrix[1]", [3, 4]),
    ],
)
def test_values_in_lists(text, value):
    assert CONFIG.get(text) == value


@pytest.mark.parametrize(
    "text", ["servers[3]", "servers[0].host[0]", "main[0]", "matrix[0][2]", "servers.0", "servers[0].port"]
)
def test_missing_values(text):
    assert CONFIG.get(text, "default") == "default"
    with pytest.raises(ConfigError) as caught:
        CONFIG.get(text)
    assert str(caught.value).startswith(f"{text}: ")


def test_origins_of_items():
    assert CONFIG.origins("servers[0].host") == {"defaults"}
    assert CONFIG.origins("servers[2]") == {"site"}


def test_references_into_lists():
    data = {"a": "${servers[1].host}:${matrix[1][0]}", "servers": [{}, {"host": "b"}], "matrix": [[], [3]]}
    assert interpolate(data)["a"] == "b:3"


def test_errors_within_lists():
    with pytest.raises(ConfigError, match=r"^servers\[1\]\.host: "):
        interpolate({"servers": [{}, {"host": "${nothing}"}]})


def test_looking_up():
    data = {"a": [{"0": "x"}]}
    assert look_up(data, ("a", 0, "0")) == "x"
    with pytest.raises(LookupError):
        look_up(data, ("a", "0"))
    with pytest.raises(LookupError):
        look_up(data, ("a", 0, 0))


def test_keys_as_before():
    assert load([Layer(name="x", data={"a": {"b": 1}})]).get("a.b") == 1
