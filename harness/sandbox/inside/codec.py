"""The strict codec between judge and subject: plain data by exact type as JSON, everything else left to the caller.

Decoding makes nothing but plain values of the types named here, so what comes from the subject can run no code in the judge.
"""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from pathlib import Path, PosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEEPEST = 60
SAFE = 2**53  # beyond it an integer travels as text, so that no reader's limit on digits matters
_NAMES = """
call len iter next getitem setitem delitem contains missing length_hint reversed
bool str int float complex index format bytes fspath round floor ceil trunc
enter exit lt le gt ge neg pos abs invert and or xor lshift rshift
add radd iadd sub rsub isub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow rpow divmod matmul
"""
SPECIAL = frozenset(f"__{name}__" for name in _NAMES.split())  # equality is not among them: it is the judge's


class CodecError(ValueError):
    """A value that cannot be sent, or an answer that is no value."""


def encode(value: object, other: Callable[[object], Any], depth: int = 0) -> Any:  # noqa: ANN401  (JSON)
    """A value as JSON; what is not plain data by exact type is given to `other`, which returns JSON or raises CodecError."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -SAFE < value < SAFE else ["int", hex(value)]  # type: ignore[operator,arg-type]
    if kind in _WRITERS:
        return [kind.__name__, _WRITERS[kind](value)]
    if depth > DEEPEST:
        raise CodecError("a value that is nested too deeply, or in itself")
    parts = _PARTS.get(kind)
    if parts is None:
        return other(value)
    return [kind.__name__, *(encode(part, other, depth + 1) for part in parts(value))]


def decode(data: Any, other: Callable[[list[Any]], object]) -> object:  # noqa: ANN401  (JSON)
    """The value of some JSON; lists whose first item names no plain type are given to `other`.

    Raises:
        CodecError: for anything malformed.
    """
    if data is None or isinstance(data, (bool, int, str)):
        return data
    if not (isinstance(data, list) and data and isinstance(data[0], str)):
        raise CodecError("an answer that is no value")
    tag, *parts = data
    reader = _READERS.get(tag)
    if reader is None:
        return other(data)
    try:
        return reader(parts, lambda part: decode(part, other))
    except CodecError:
        raise
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:
        raise CodecError(f"an answer that is no {tag}") from error


_WRITERS: dict[type, Callable[[Any], Any]] = {
    float: float.hex,
    complex: repr,
    bytes: lambda value: value.decode("latin-1"),
    bytearray: lambda value: value.decode("latin-1"),
    Decimal: str,
    Fraction: str,
    date: date.isoformat,
    timedelta: lambda value: [value.days, value.seconds, value.microseconds],
    timezone: lambda value: value.utcoffset(None).total_seconds(),
    ZoneInfo: lambda value: value.key,
    PosixPath: str,
}


# Everything that holds other values: what it is made of.
_PARTS: dict[type, Callable[[Any], Iterable[object]]] = {
    **dict.fromkeys((list, tuple, set, frozenset), iter),
    **dict.fromkeys((dict, MappingProxyType), lambda value: chain.from_iterable(value.items())),
    **dict.fromkeys((datetime, time), lambda value: (value.replace(tzinfo=None).isoformat(), value.fold, value.tzinfo)),
    **dict.fromkeys((range, slice), lambda value: (value.start, value.stop, value.step)),
    **dict.fromkeys((io.StringIO, io.BytesIO), lambda value: (value.getvalue(), value.tell())),
}


def _moment(kind: type[datetime | time]) -> Callable[[list[Any], Callable[[Any], Any]], Any]:
    return lambda parts, inner: kind.fromisoformat(parts[0]).replace(fold=parts[1], tzinfo=inner(parts[2]))


def _buffer(kind: type[io.StringIO | io.BytesIO]) -> Callable[[list[Any], Callable[[Any], Any]], Any]:
    def made(parts: list[Any], inner: Callable[[Any], Any]) -> io.StringIO | io.BytesIO:
        value = kind(inner(parts[0]))
        value.seek(parts[1])
        return value

    return made


def _paired(items: list[Any]) -> dict[Any, Any]:
    return dict(zip(items[::2], items[1::2], strict=True))


_READERS: dict[str, Callable[[list[Any], Callable[[Any], Any]], Any]] = {
    "int": lambda parts, _: int(parts[0], 16),
    "float": lambda parts, _: float.fromhex(parts[0]),
    "complex": lambda parts, _: complex(parts[0]),
    "bytes": lambda parts, _: parts[0].encode("latin-1"),
    "bytearray": lambda parts, _: bytearray(parts[0].encode("latin-1")),
    "Decimal": lambda parts, _: Decimal(parts[0]),
    "Fraction": lambda parts, _: Fraction(parts[0]),
    "date": lambda parts, _: date.fromisoformat(parts[0]),
    "datetime": _moment(datetime),
    "time": _moment(time),
    "timedelta": lambda parts, _: timedelta(*parts[0]),
    "timezone": lambda parts, _: timezone(timedelta(seconds=parts[0])),
    "ZoneInfo": lambda parts, _: ZoneInfo(parts[0]),
    "PosixPath": lambda parts, _: Path(parts[0]),
    "list": lambda parts, inner: [inner(item) for item in parts],
    "tuple": lambda parts, inner: tuple([inner(item) for item in parts]),
    "set": lambda parts, inner: {inner(item) for item in parts},
    "frozenset": lambda parts, inner: frozenset([inner(item) for item in parts]),
    "dict": lambda parts, inner: _paired([inner(item) for item in parts]),
    "mappingproxy": lambda parts, inner: MappingProxyType(_paired([inner(item) for item in parts])),
    "range": lambda parts, inner: range(*[inner(part) for part in parts]),
    "slice": lambda parts, inner: slice(*[inner(part) for part in parts]),
    "StringIO": _buffer(io.StringIO),
    "BytesIO": _buffer(io.BytesIO),
}
PLAIN = {kind.__name__: kind for kind in (bool, str, int, *_WRITERS, *_PARTS)}
