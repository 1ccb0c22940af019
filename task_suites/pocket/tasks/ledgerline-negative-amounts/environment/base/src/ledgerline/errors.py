"""The one kind of error that ledgerline raises on purpose."""


class LedgerError(Exception):
    """A problem in what the user wrote, with the line where it stands if known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        """Keep message and line apart, and show them together."""
        super().__init__(message if line is None else f"line {line}: {message}")
        self.message = message
        self.line = line

    def at(self, line: int) -> "LedgerError":
        """Return the same problem, placed at a line of the ledger."""
        return LedgerError(self.message, line)
