"""The error for tables that cannot be built or drawn as asked."""


class TableError(ValueError):
    """A table, or a wish about its looks, that makes no sense."""
