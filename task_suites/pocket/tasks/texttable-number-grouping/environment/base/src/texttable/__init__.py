"""Tables for terminals, log files and Markdown."""

from texttable.errors import TableError
from texttable.markdown import to_markdown
from texttable.render import render
from texttable.table import Column, Table

__all__ = ["Column", "Table", "TableError", "render", "to_markdown"]
