import pytest

from confmerge import ConfigError, Layer, load
from confmerge.coerce import coerce

DEFAULTS = Layer(
    name="defaults",
    data={"server": {"debug": False, "secure": True, "port": 80, "name": "x", "flags": [True]}},
)


def server(**variables):
    environ = {f"APP__SERVER__{name.upper()}": text for name, text in variables.items()}
    return load([DEFAULTS], environ=environ).get("server")


@pytest.mark.parametrize("text", ["true", "yes", "on", "1", "True", "YES", "oN", " yes ", "on\n"], ids=repr)
def test_words_for_true(text):
    assert coerce(text, False, ("a",)) is True
    assert server(debug=text)["debug"] is True


@pytest.mark.parametrize("text", ["false", "no", "off", "0", "False", "NO", "Off", "\toff "], ids=repr)
def test_words_for_false(text):
    assert coerce(text, True, ("a",)) is False
    assert server(secure=text)["secure"] is False


@pytest.mark.parametrize(
    "text",
    ["maybe", "", "  ", "2", "00", "01", "-1", "1.0", "10", "y", "t", "yes no", "truee", "none"],
    ids=repr,
)
def test_other_text_is_refused(text):
    with pytest.raises(ConfigError) as caught:
        server(debug=text)
    assert str(caught.value) == f"server.debug: expected a boolean, found {text!r}"
    assert caught.value.path == ("server", "debug")


def test_error_quotes_the_text_as_given():
    with pytest.raises(ConfigError, match=r"found ' Maybe '$"):
        coerce(" Maybe ", True, ("a",))


def test_lists_of_booleans():
    assert server(flags="yes, No,1,OFF")["flags"] == [True, False, True, False]


def test_numbers_stay_numbers():
    port = server(port="1")["port"]
    assert (port, type(port)) == (1, int)


@pytest.mark.parametrize("text", ["yes", "1", "off", "True"])
def test_text_stays_text(text):
    assert server(name=text)["name"] == text
    assert server(unknown=text)["unknown"] == text


def test_words_are_no_numbers():
    with pytest.raises(ConfigError, match=r"^server\.port: expected int, found 'on'$"):
        server(port="on")
