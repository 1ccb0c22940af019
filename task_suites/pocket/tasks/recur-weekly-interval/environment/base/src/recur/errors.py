"""The exceptions of the package; callers catch `RecurError` to catch them all."""


class RecurError(Exception):
    """Anything that recur refuses."""


class RuleError(RecurError):
    """The parts of a rule do not make sense together."""


class RuleSyntaxError(RuleError):
    """A rule's text cannot be read.

    Attributes:
        text: The text as it was handed in.
        position: Index in `text` of the word at fault, or `len(text)` where the text
            ends too early.
    """

    def __init__(self, message: str, *, text: str, position: int) -> None:
        """Remember where in the text reading stopped."""
        super().__init__(f"{message} (column {position + 1})")
        self.text = text
        self.position = position

    def pointer(self) -> str:
        """Return the text, and below it a caret under the word at fault."""
        return f"{self.text}\n{' ' * self.position}^"
