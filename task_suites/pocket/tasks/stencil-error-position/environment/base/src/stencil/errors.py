"""What stencil raises, and the place in a template that an error points at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a template; line and column count from one."""

    template: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.template}:{self.line}:{self.column}"


class TemplateError(Exception):
    """Anything wrong with a template or with rendering it."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(f"{position}: {message}")
        self.message = message
        self.position = position


class TemplateSyntaxError(TemplateError):
    """The text of a template cannot be understood."""


class UndefinedError(TemplateError):
    """A name, a filter or an included template does not exist."""
