import pytest

from confmerge import Layer, ListStrategy, load


def config_of(*lists, strategy="unique"):
    layers = [Layer(name=f"layer {number}", data={"a": items}) for number, items in enumerate(lists)]
    return load(layers, strategies={"a": ListStrategy(strategy)})


def merged(*lists, strategy="unique"):
    return config_of(*lists, strategy=strategy).get("a")


def kinds(items):
    return [(type(item), item) for item in items]


def test_it_has_a_name():
    assert ListStrategy("unique") is ListStrategy.UNIQUE


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ((["x", "y"], ["z", "x"]), ["x", "y", "z"]),
        ((["x"], ["z", "y", "z"]), ["x", "z", "y"]),
        (([], ["x", "x"]), ["x"]),
        ((["x"], []), ["x"]),
        ((["x"], ["y"], ["z", "y", "x"]), ["x", "y", "z"]),
        ((["x", "x"], ["x", "y"]), ["x", "x", "y"]),
        ((["x", "x"],), ["x", "x"]),
    ],
)
def test_only_new_items_are_appended(lists, expected):
    assert merged(*lists) == expected


def test_types_make_a_difference():
    items = [1, 1.0, True, "1", 0, False, None, ""]
    assert kinds(merged([1], items)) == kinds(items)


def test_types_make_a_difference_deep_down():
    items = [[1], [True], [1.0], {"k": 1}, {"k": True}, {"k": [0]}, {"k": [False]}]
    assert repr(merged([[1]], items)) == repr(items)


def test_dicts_and_lists_are_items():
    first = [{"k": 1, "l": [1, {"m": 2}]}, [1, 2]]
    second = [{"l": [1, {"m": 2}], "k": 1}, [2, 1], [1, 2], {"k": 1}]
    assert merged(first, second) == [*first, [2, 1], {"k": 1}]


def test_order_of_keys_does_not_matter_deep_down():
    assert merged([{"a": {"b": 1, "c": 2}}], [{"a": {"c": 2, "b": 1}}]) == [{"a": {"b": 1, "c": 2}}]


def test_origins_name_the_first_layer():
    config = config_of(["x"], ["y", "x"], ["z", "y"])
    assert [config.origins(f"a[{index}]") for index in range(3)] == [
        {"layer 0"},
        {"layer 1"},
        {"layer 2"},
    ]
    assert config_of(["x"], ["x"]).origins("a") == {"layer 0"}


def test_layers_are_not_changed():
    first, second = ["x"], ["y", "y"]
    merged(first, second)
    assert (first, second) == (["x"], ["y", "y"])


def test_a_nested_list_by_its_path():
    layers = [Layer(name="x", data={"a": {"b": [1]}, "b": [1]}) for _ in range(2)]
    config = load(layers, strategies={"a.b": ListStrategy.UNIQUE, "b": ListStrategy.APPEND})
    assert config.as_dict() == {"a": {"b": [1]}, "b": [1, 1]}


def test_a_list_over_something_else():
    assert load(
        [Layer(name="x", data={"a": "y"}), Layer(name="z", data={"a": ["y", "y"]})],
        strategies={"a": ListStrategy.UNIQUE},
    ).get("a") == ["y", "y"]


def test_append_keeps_duplicates():
    assert merged(["x", "y"], ["x"], strategy="append") == ["x", "y", "x"]


def test_replace_keeps_the_last_list():
    assert merged(["x"], ["y", "y"], strategy="replace") == ["y", "y"]


def test_lists_without_strategy_are_replaced():
    layers = [Layer(name="x", data={"a": [1]}), Layer(name="y", data={"a": [2]})]
    assert load(layers).get("a") == [2]
