import pytest

from confmerge import ConfigError
from confmerge.env import read_environment

DATA = {"server": {"port": 80, "debug": False, "ratio": 0.5, "hosts": ["a"], "name": "x"}}


def override(name, text):
    (layer,) = read_environment({f"APP__SERVER__{name}": text}, "APP", DATA)
    return layer.data["server"][name.lower()]


def test_text_takes_the_type_it_overrides():
    assert override("PORT", "8080") == 8080
    assert override("RATIO", "0.25") == 0.25
    assert override("NAME", "8080") == "8080"
    assert override("OTHER", "8080") == "8080"
    assert override("DEBUG", "true") is True


def test_booleans_have_more_than_one_word():
    assert override("DEBUG", "Yes") is True
    assert override("DEBUG", "off") is False


def test_lists_are_written_with_commas():
    assert override("HOSTS", "a, b,") == ["a", "b"]


def test_other_variables_are_left_alone():
    assert read_environment({"PATH": "/bin", "APPLE__X": "1"}, "APP", DATA) == []


def test_layers_are_named_after_their_variables():
    layers = read_environment({"APP__B": "2", "APP__A": "1"}, "APP", {})
    assert [layer.name for layer in layers] == ["$APP__A", "$APP__B"]


def test_text_of_another_type_names_the_path():
    with pytest.raises(ConfigError, match=r"^server\.port: expected int, found 'many'$"):
        override("PORT", "many")
    with pytest.raises(ConfigError, match=r"^server\.debug: expected a boolean"):
        override("DEBUG", "maybe")


def test_section_cannot_be_overridden_by_text():
    with pytest.raises(ConfigError, match="^server: a whole section"):
        read_environment({"APP__SERVER": "x"}, "APP", DATA)
