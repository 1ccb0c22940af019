from confmerge.merge import Layer, ListStrategy, merge


def merged(*datas, **strategies):
    layers = [Layer(name=f"layer {number}", data=data) for number, data in enumerate(datas)]
    return merge(layers, strategies)


def test_later_layer_wins_over_earlier():
    assert merged({"a": 1, "b": 2}, {"b": 3}).data == {"a": 1, "b": 3}


def test_dicts_are_merged_key_by_key():
    data = merged({"db": {"host": "a", "port": 1}}, {"db": {"port": 2}}).data
    assert data == {"db": {"host": "a", "port": 2}}


def test_false_and_zero_are_values_too():
    assert merged({"debug": True, "port": 80}, {"debug": False, "port": 0}).data == {
        "debug": False,
        "port": 0,
    }


def test_lists_are_replaced_by_default():
    assert merged({"a": [1, 2]}, {"a": [3]}).data == {"a": [3]}


def test_lists_are_appended_on_demand():
    strategies = {"a.b": ListStrategy.APPEND}
    assert merged({"a": {"b": [1]}}, {"a": {"b": [1, 2]}}, **strategies).data == {
        "a": {"b": [1, 1, 2]}
    }


def test_unique_lists_take_new_items_only():
    data = merged({"a": ["x", "y"]}, {"a": ["z", "x"]}, a=ListStrategy.UNIQUE).data
    assert data == {"a": ["x", "y", "z"]}


def test_layers_are_left_as_they_were():
    first = {"db": {"port": 1}}
    merged(first, {"db": {"port": 2}})
    assert first == {"db": {"port": 1}}


def test_origin_of_each_leaf_is_noted():
    origins = merged({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}).origins
    assert origins == {("a", "b"): "layer 0", ("a", "c"): "layer 1"}
