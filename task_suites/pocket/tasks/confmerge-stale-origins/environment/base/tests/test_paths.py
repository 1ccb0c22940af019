import pytest

from confmerge.paths import format_path, look_up, parse_path


def test_text_of_nested_keys_has_dots():
    assert format_path(("server", "host")) == "server.host"
    assert parse_path("server.host") == ("server", "host")


def test_list_indexes_stand_in_brackets():
    assert format_path(("servers", 0, "host")) == "servers[0].host"
    assert parse_path("servers[0].host") == ("servers", 0, "host")
    assert look_up({"servers": [{"host": "a"}]}, ("servers", 0, "host")) == "a"


@pytest.mark.parametrize("text", ["", "a..b", ".a", "a."])
def test_text_without_keys_is_no_path(text):
    with pytest.raises(ValueError, match="not a path"):
        parse_path(text)


@pytest.mark.parametrize("path", [("b",), ("a", "b"), ("a", "b", "c")])
def test_looking_up_what_is_not_there(path):
    with pytest.raises(LookupError):
        look_up({"a": 1}, path)
