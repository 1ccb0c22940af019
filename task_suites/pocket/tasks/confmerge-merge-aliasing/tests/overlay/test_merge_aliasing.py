from copy import deepcopy

import pytest

from confmerge import ConfigError, Layer, ListStrategy, load

DEFAULTS = {
    "server": {"host": "h", "tls": {"on": True, "ciphers": ["a", "b"]}},
    "plugins": ["auth"],
    "rules": [{"allow": ["x"]}],
    "empty": {},
}
SITE = {
    "server": {"host": "i", "tls": {"on": False, "level": 3}},
    "plugins": ["cache"],
    "rules": [{"allow": ["y"]}],
    "empty": {"key": 1},
}
STRATEGIES = {"plugins": ListStrategy.APPEND, "rules": ListStrategy.UNIQUE}


def layers():
    return [
        Layer(name="defaults", data=deepcopy(DEFAULTS)),
        Layer(name="site", data=deepcopy(SITE)),
    ]


def test_values_and_origins():
    config = load(layers(), strategies=STRATEGIES)
    assert config.as_dict() == {
        "server": {"host": "i", "tls": {"on": False, "ciphers": ["a", "b"], "level": 3}},
        "plugins": ["auth", "cache"],
        "rules": [{"allow": ["x"]}, {"allow": ["y"]}],
        "empty": {"key": 1},
    }
    assert config.origins("server") == {"defaults", "site"}


def test_loading_leaves_the_layers_alone():
    both = layers()
    load(both)
    assert [layer.data for layer in both] == [DEFAULTS, SITE]


def test_strategies_leave_the_layers_alone():
    both = layers()
    load(both, strategies=STRATEGIES)
    assert [layer.data for layer in both] == [DEFAULTS, SITE]


def test_the_environment_leaves_the_layers_alone():
    both = layers()
    environ = {"APP__SERVER__TLS__LEVEL": "4", "APP__PLUGINS": "log"}
    config = load(both, strategies=STRATEGIES, environ=environ)
    assert [layer.data for layer in both] == [DEFAULTS, SITE]
    assert config.get("plugins") == ["auth", "cache", "log"]


def test_loading_twice_gives_the_same():
    both = layers()
    first = load(both, strategies=STRATEGIES).as_dict()
    assert load(both, strategies=STRATEGIES).as_dict() == first


def test_one_layer_after_the_other():
    defaults, site = layers()
    load([defaults, site])
    assert load([defaults]).as_dict() == DEFAULTS


def test_layers_changed_after_loading():
    both = layers()
    config = load(both, strategies=STRATEGIES)
    before = deepcopy(config.as_dict())
    for layer in both:
        layer.data["server"]["tls"]["new"] = 1
        layer.data["plugins"].append("new")
        layer.data["rules"][0]["allow"].append("new")
        layer.data["empty"]["new"] = 1
    assert config.as_dict() == before


def test_get_hands_out_copies():
    both = layers()
    config = load(both)
    config.get("server")["host"] = "changed"
    config.get("server")["tls"]["ciphers"].append("changed")
    config.get("rules")[0]["allow"].append("changed")
    assert config.get("server.host") == "i"
    assert config.get("server.tls.ciphers") == ["a", "b"]
    assert config.get("rules") == [{"allow": ["y"]}]
    assert [layer.data for layer in both] == [DEFAULTS, SITE]


def test_as_dict_hands_out_copies():
    config = load(layers())
    before = deepcopy(config.as_dict())
    config.as_dict()["server"]["tls"]["ciphers"].clear()
    config.as_dict().clear()
    assert config.as_dict() == before


def test_references_do_not_share():
    config = load([Layer(name="x", data={"a": ["x"], "b": "${a}"})])
    config.get("b").append("changed")
    assert (config.get("a"), config.get("b")) == (["x"], ["x"])


def test_scalars_and_defaults():
    config = load(layers())
    assert config.get("server.host") == "i"
    assert config.get("missing", None) is None
    with pytest.raises(ConfigError):
        config.get("missing")
