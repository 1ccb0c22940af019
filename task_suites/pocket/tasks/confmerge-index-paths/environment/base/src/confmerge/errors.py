"""The one exception that callers have to know."""

from confmerge.paths import Path, format_path


class ConfigError(Exception):
    """A configuration cannot be merged, filled in or read.

    `path` is the place at fault; the message begins with its text.
    """

    def __init__(self, path: Path, message: str) -> None:
        """Remember the place, and name it first."""
        super().__init__(f"{format_path(path) or 'configuration'}: {message}")
        self.path = path
