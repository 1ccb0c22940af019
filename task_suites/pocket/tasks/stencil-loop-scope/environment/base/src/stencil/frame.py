"""What nodes need to know while they render."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from stencil.errors import Position, TemplateError

# Enough for any tree of comments or menus, and far below Python's own recursion limit.
MOST_INCLUDES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The variables in reach, whether output is escaped, and how to find other templates."""

    variables: dict[str, object]
    autoescape: bool
    load: Callable[[str, Position], "Rendering"]
    depth: int = 0

    def including(self, name: str, position: Position) -> Self:
        """Return the frame for a template included here.

        Raises TemplateError where more than MOST_INCLUDES would be open at once.
        """
        if self.depth == MOST_INCLUDES:
            message = f"{name!r} is included too deep, is there a cycle of includes?"
            raise TemplateError(message, position)
        return replace(self, depth=self.depth + 1)


Rendering = Callable[[Frame], str]
"""A template that is ready to be rendered."""
