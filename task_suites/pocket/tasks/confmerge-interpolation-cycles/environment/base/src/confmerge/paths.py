"""Places in a configuration, and what stands there.

A path is a tuple of keys and list indexes; the text of ("servers", 0, "host") is
"servers[0].host".
"""

import re
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Value: TypeAlias = "dict[str, Value] | list[Value] | str | int | float | bool | None"

_SEGMENT = re.compile(r"([^.\[\]]+)((?:\[[0-9]+\])*)")


def format_path(path: Path) -> str:
    """Return the text of a path; that of the whole configuration is empty."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def parse_path(text: str) -> Path:
    """Read the text of a path.

    Raises ValueError where it is none.
    """
    path: list[str | int] = []
    for segment in text.split("."):
        match = _SEGMENT.fullmatch(segment)
        if match is None:
            raise ValueError(f"not a path: {text!r}")
        key, indexes = match.groups()
        path += [key, *(int(index) for index in re.findall("[0-9]+", indexes))]
    return tuple(path)


def look_up(data: Value, path: Path) -> Value:
    """Return what stands at a path.

    Raises LookupError where the path leads nowhere.
    """
    for step in path:
        match data, step:
            case (dict(), str()) if step in data:
                data = data[step]
            case (list(), int()) if step < len(data):
                data = data[step]
            case _:
                raise LookupError(f"nothing at {format_path(path)}")
    return data
