"""What nodes need to know while they render. Frames never change; blocks make new ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from stencil.errors import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The variables in reach, whether output is escaped, and how to find other templates."""

    variables: Mapping[str, object]
    autoescape: bool
    load: Callable[[str, Position], "Rendering"]

    def having(self, variables: Mapping[str, object]) -> Self:
        """Return a frame in which ``variables`` hide those of the same name."""
        return replace(self, variables={**self.variables, **variables})


Rendering = Callable[[Frame], str]
"""A template that is ready to be rendered."""
