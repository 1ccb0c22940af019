"""A small template engine: variables, filters, conditionals, loops, includes, exact errors."""

from stencil.environment import DictLoader, Environment
from stencil.errors import TemplateError, TemplateSyntaxError, UndefinedError
from stencil.markup import Markup, escape

__all__ = [
    "DictLoader",
    "Environment",
    "Markup",
    "TemplateError",
    "TemplateSyntaxError",
    "UndefinedError",
    "escape",
]
