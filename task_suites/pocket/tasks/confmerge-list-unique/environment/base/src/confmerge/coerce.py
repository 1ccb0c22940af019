"""Turning text from outside into the type of the value that it overrides."""

from confmerge.errors import ConfigError
from confmerge.paths import Path, Value

_TRUE_WORDS = ("true", "yes", "on", "1")
_FALSE_WORDS = ("false", "no", "off", "0")


def coerce(text: str, like: Value, path: Path) -> Value:
    """Return `text` as a value of the type of `like`.

    A list is written with commas, and its items take the type of the first item of
    `like`. Where `like` is None or text, the text stays as it is.
    """
    if isinstance(like, bool):
        return _read_bool(text, path)
    if isinstance(like, int):
        return _read_number(text, int, path)
    if isinstance(like, float):
        return _read_number(text, float, path)
    if isinstance(like, list):
        model = like[0] if like else None
        items = [item.strip() for item in text.split(",")]
        return [coerce(item, model, path) for item in items if item]
    if isinstance(like, dict):
        raise ConfigError(path, "a whole section cannot be given as text")
    return text


def _read_bool(text: str, path: Path) -> bool:
    word = text.strip().lower()
    if word in _TRUE_WORDS:
        return True
    if word in _FALSE_WORDS:
        return False
    raise ConfigError(path, f"expected a boolean, found {text!r}")


def _read_number(text: str, kind: type[int] | type[float], path: Path) -> int | float:
    try:
        return kind(text)
    except ValueError:
        raise ConfigError(path, f"expected {kind.__name__}, found {text!r}") from None
