import pytest

from confmerge import Config, ConfigError, Layer, ListStrategy, load

LAYERS = [
    Layer(name="defaults", data={"server": {"host": "h", "port": 80}, "tags": ["a"]}),
    Layer(name="site", data={"server": {"port": 81}, "tags": ["b"], "url": "//${server.host}"}),
]


def test_values_are_read_by_path():
    config = load(LAYERS)
    assert config.get("server.port") == 81
    assert config.get("url") == "//h"


def test_missing_value_needs_a_default():
    config = load(LAYERS)
    assert config.get("server.name", None) is None
    with pytest.raises(ConfigError, match=r"^server\.name: there is no such value$") as caught:
        config.get("server.name")
    assert caught.value.path == ("server", "name")


def test_text_that_is_no_path():
    with pytest.raises(ConfigError, match="^configuration: not a path"):
        load(LAYERS).get("server..port")


def test_strategies_reach_the_merge():
    config = load(LAYERS, strategies={"tags": ListStrategy.APPEND})
    assert config.get("tags") == ["a", "b"]


def test_environment_is_the_strongest_layer():
    config = load(LAYERS, environ={"X__SERVER__PORT": "82"}, prefix="X")
    assert config.get("server.port") == 82
    assert config.origins("server.port") == {"$X__SERVER__PORT"}


def test_section_comes_from_several_layers():
    config = load(LAYERS)
    assert config.origins("server") == {"defaults", "site"}
    assert config.origins("server.host") == {"defaults"}


def test_handed_out_values_are_copies():
    config = Config({"tags": ["a"]}, {("tags", 0): "defaults"})
    config.get("tags").append("b")
    config.as_dict()["tags"].append("c")
    assert config.as_dict() == {"tags": ["a"]}
