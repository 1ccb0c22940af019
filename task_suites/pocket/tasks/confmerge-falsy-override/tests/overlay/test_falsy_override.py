import pytest

from confmerge import Layer, ListStrategy, load

FALSY = [False, 0, 0.0, "", None, [], {}]


def loaded(*datas, **options):
    layers = [Layer(name=f"layer {number}", data=data) for number, data in enumerate(datas)]
    return load(layers, **options)


@pytest.mark.parametrize("value", FALSY, ids=repr)
def test_overrides_a_scalar(value):
    config = loaded({"a": "old", "b": 1}, {"a": value})
    assert config.as_dict() == {"a": value, "b": 1}
    assert type(config.get("a")) is type(value)
    assert config.origins("a") == {"layer 1"}


@pytest.mark.parametrize("value", FALSY, ids=repr)
def test_overrides_deep_down(value):
    config = loaded({"a": {"b": {"c": True, "d": 1}}}, {"a": {"b": {"c": value}}})
    assert config.as_dict() == {"a": {"b": {"c": value, "d": 1}}}


@pytest.mark.parametrize("value", [False, None, []], ids=repr)
def test_overrides_a_section(value):
    config = loaded({"a": {"b": 1}}, {"a": value})
    assert config.get("a") == value
    assert config.origins("a") == {"layer 1"}


@pytest.mark.parametrize("value", [False, None, {}], ids=repr)
def test_overrides_a_list(value):
    assert loaded({"a": [1]}, {"a": value}).get("a") == value


def test_an_empty_list_replaces():
    assert loaded({"a": [1, 2]}, {"a": []}).get("a") == []


@pytest.mark.parametrize("strategy", [ListStrategy.APPEND, ListStrategy.UNIQUE])
def test_an_empty_list_adds_nothing(strategy):
    config = loaded({"a": [1, 2]}, {"a": []}, strategies={"a": strategy})
    assert config.get("a") == [1, 2]
    assert config.origins("a") == {"layer 0"}


def test_an_empty_dict_changes_nothing():
    config = loaded({"a": {"b": 1}}, {"a": {}})
    assert config.as_dict() == {"a": {"b": 1}}
    assert config.origins("a") == {"layer 0"}


def test_a_third_layer_overrides_again():
    assert loaded({"a": 1}, {"a": 0}, {"a": 2}).get("a") == 2
    assert loaded({"a": 1}, {"a": 2}, {"a": 0}).get("a") == 0


@pytest.mark.parametrize(
    ("old", "text", "new"),
    [(True, "false", False), (80, "0", 0), ("x", "", ""), ([1], "", [])],
    ids=["false", "zero", "text", "list"],
)
def test_environment_overrides(old, text, new):
    config = loaded({"a": {"b": old}}, environ={"APP__A__B": text})
    assert config.get("a.b") == new
    assert config.origins("a.b") == {"$APP__A__B"}


def test_new_keys_may_be_falsy():
    assert loaded({"a": 1}, {"b": None, "c": 0}).as_dict() == {"a": 1, "b": None, "c": 0}
