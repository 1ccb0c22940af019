import pytest

from confmerge import Layer, ListStrategy, load
from confmerge.merge import merge

APPEND, UNIQUE = ListStrategy.APPEND, ListStrategy.UNIQUE


def layers(*datas):
    return [Layer(name=f"L{number}", data=data) for number, data in enumerate(datas)]


def origins(*datas, **strategies):
    return merge(layers(*datas), strategies).origins


@pytest.mark.parametrize("new", [None, 1, "x", {}, []], ids=repr)
def test_a_replaced_list_is_forgotten(new):
    assert origins({"a": [1, [2, 3]]}, {"a": new}) == {("a",): "L1"}


@pytest.mark.parametrize("new", [None, 1, "x", []], ids=repr)
def test_a_replaced_section_is_forgotten(new):
    assert origins({"a": {"b": 1, "c": {"d": 2}}}, {"a": new}) == {("a",): "L1"}


def test_a_section_in_place_of_a_scalar():
    assert origins({"a": 1}, {"a": {"b": 2}}) == {("a", "b"): "L1"}
    assert origins({"a": [1, 2]}, {"a": {"b": 2}}) == {("a", "b"): "L1"}


def test_a_shorter_list():
    found = origins({"a": [1, 2, {"b": 3}]}, {"a": [4]})
    assert found == {("a", 0): "L1"}


def test_neighbours_keep_their_origins():
    first = {"db": {"url": 1}, "db_pool": 2, "dbs": [3], "x": {"db": 4}}
    assert origins(first, {"db": None}) == {
        ("db",): "L1",
        ("db_pool",): "L0",
        ("dbs", 0): "L0",
        ("x", "db"): "L0",
    }


def test_neighbours_deep_down():
    found = origins({"a": {"b": {"c": 1}, "bc": 2, "b.c": 3}}, {"a": {"b": 4}})
    assert found == {("a", "b"): "L1", ("a", "bc"): "L0", ("a", "b.c"): "L0"}


def test_appended_items():
    found = origins({"a": [1]}, {"a": [2, 3]}, {"a": [4]}, a=APPEND)
    assert found == {("a", 0): "L0", ("a", 1): "L1", ("a", 2): "L1", ("a", 3): "L2"}


def test_appended_items_with_leaves():
    found = origins({"a": [{"b": 1}]}, {"a": [{"b": 2, "c": []}, [3]]}, a=APPEND)
    assert found == {
        ("a", 0, "b"): "L0",
        ("a", 1, "b"): "L1",
        ("a", 1, "c"): "L1",
        ("a", 2, 0): "L1",
    }


def test_unique_items():
    found = origins({"a": ["x"]}, {"a": ["x", "y"]}, {"a": ["y", "z"]}, a=UNIQUE)
    assert found == {("a", 0): "L0", ("a", 1): "L1", ("a", 2): "L2"}


def test_empty_dict_that_is_filled():
    assert origins({"a": {}}, {"a": {"b": 1}}) == {("a", "b"): "L1"}
    assert origins({"a": {}}) == {("a",): "L0"}


@pytest.mark.parametrize("strategy", [APPEND, UNIQUE])
def test_empty_list_that_is_filled(strategy):
    assert origins({"a": []}, {"a": [1]}, a=strategy) == {("a", 0): "L1"}


@pytest.mark.parametrize("empty", [{}, {"a": {}}], ids=repr)
def test_an_empty_dict_changes_nothing(empty):
    assert origins({"a": {"b": 1}}, empty) == {("a", "b"): "L0"}
    assert origins({"a": {}}, {"a": {}}) == {("a",): "L0"}


def test_an_empty_list_changes_nothing():
    assert origins({"a": [1]}, {"a": []}, a=APPEND) == {("a", 0): "L0"}


def test_sets_of_layers():
    config = load(
        layers({"a": [1], "b": {"c": 1, "d": 2}}, {"a": [2], "b": {"d": 3}}, {"b": {"c": None}}),
        strategies={"a": APPEND},
    )
    assert config.origins("a") == {"L0", "L1"}
    assert config.origins("a[0]") == {"L0"}
    assert config.origins("b") == {"L1", "L2"}
    assert config.origins("b.c") == {"L2"}


def test_environment_takes_over():
    config = load(layers({"a": ["x", "y"], "b": 1}), environ={"APP__A": "z"})
    assert config.origins("a") == {"$APP__A"}
    assert config.origins("b") == {"L0"}


def test_sections_that_are_merged():
    assert origins({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": 4}}) == {
        ("a", "b"): "L0",
        ("a", "c"): "L1",
        ("a", "d"): "L1",
    }


def test_values_are_as_before():
    merged = merge(layers({"a": [1], "b": {"c": 1}}, {"a": [2], "b": None}), {"a": APPEND})
    assert merged.data == {"a": [1, 2], "b": None}
