"""Places in a configuration, and what stands there.

A path is a tuple of keys; the text of ("server", "host") is "server.host".
"""

from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Value: TypeAlias = "dict[str, Value] | list[Value] | str | int | float | bool | None"


def format_path(path: Path) -> str:
    """Return the text of a path; that of the whole configuration is empty."""
    return ".".join(str(step) for step in path)


def parse_path(text: str) -> Path:
    """Read the text of a path.

    Raises ValueError where it is none.
    """
    path = tuple(text.split("."))
    if not all(path) or "[" in text or "]" in text:
        raise ValueError(f"not a path: {text!r}")
    return path


def look_up(data: Value, path: Path) -> Value:
    """Return what stands at a path.

    Raises LookupError where the path leads nowhere.
    """
    for step in path:
        if not isinstance(data, dict) or step not in data:
            raise LookupError(f"nothing at {format_path(path)}")
        data = data[step]
    return data
