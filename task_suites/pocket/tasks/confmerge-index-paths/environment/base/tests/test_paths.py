import pytest

from confmerge.paths import format_path, look_up, parse_path


def test_text_of_nested_keys_has_dots():
    assert format_path(("server", "host")) == "server.host"
    assert parse_path("server.host") == ("server", "host")


@pytest.mark.parametrize("text", ["", "a..b", ".a", "a."])
def test_text_without_keys_is_no_path(text):
    with pytest.raises(ValueError, match="not a path"):
        parse_path(text)


@pytest.mark.parametrize("path", [("b",), ("a", "b"), ("a", "b", "c")])
def test_looking_up_what_is_not_there(path):
    with pytest.raises(LookupError):
        look_up({"a": 1}, path)
