"""Stand-ins for the agent's modules, classes, objects and exceptions: each use of one is a request to the subject.

Equality is decided here: an object of the agent's is equal to another only by identity, or by fields that the subject told
before it could see what they are compared with. Where that cannot be had, the test is unfit, which is no pass.
"""

# ruff: noqa: SLF001, ANN401  (stand-ins know each other's insides, and stand for anything)

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from .line import UnfitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Request = tuple[str, "int | str", str]  # what to do, with which object or module, and a name
Field = tuple[str, bool, bool]  # a name, whether the constructor takes it, whether by position
NONE: Mapping[str, object] = MappingProxyType({})
ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
_ARITHMETIC = "and or xor lshift rshift add sub mul truediv floordiv mod pow divmod matmul"
OPERATORS = ORDER | {f"__{sign}{name}__" for name in _ARITHMETIC.split() for sign in ("", "r")}
MEASURES = (bool, int, float, complex, Decimal, Fraction, timedelta, tuple)
ENUMERATION: tuple[Field, ...] = (("value", True, True), ("name", False, False))


class Asked(Protocol):
    """What a stand-in needs of its subject."""

    def ask(self, request: Request, args: Sequence[object] = (), named: Mapping[str, object] = NONE) -> Any:
        """The answer, or what was raised there."""

    def constructed(self, cls: StandInType, args: tuple[object, ...], named: dict[str, object]) -> Any:
        """A new object."""

    def attribute(self, module: str, name: str) -> Any:
        """A module's attribute."""


class StandInType(type):
    """The type of the classes here that stand for the agent's: real classes, so that `isinstance` and `except` work."""

    _subject: Asked
    _handle: int
    _plain: type | None
    _fields: tuple[Field, ...] | None
    _equality: str

    def __call__(cls, *args: object, **named: object) -> Any:
        """A new object, made by the subject and checked here."""
        return cls._subject.constructed(cls, args, named)

    def __getattr__(cls, name: str) -> Any:
        _refuse_special(name)
        found = cls._subject.ask(("get", cls._handle, name))
        if cls._fields == ENUMERATION and type(found) is cls and found._told[1] != name:
            raise UnfitError(f"{cls.__name__}.{name} calls itself {found._told[1]}")
        return found

    def __setattr__(cls, name: str, value: object) -> None:
        cls._subject.ask(("set", cls._handle, name), (value,))

    def __delattr__(cls, name: str) -> None:
        cls._subject.ask(("delete", cls._handle, name))

    def __iter__(cls) -> Iterator[Any]:
        return iter(cls._subject.ask(("special", cls._handle, "__iter__")))


class StandIn:
    """One object of the agent's. `_told` are its fields as they were at `_kept`; `_built` is when a test constructed it, or 0."""

    _subject: Asked
    _handle: int
    _told: tuple[object, ...]
    _kept: int
    _built: int
    _why: str

    def __getattr__(self, name: str) -> Any:
        for (field, *_), value in zip(_type(self)._fields or (), self._told, strict=False):
            if field == name:
                return value
        _refuse_special(name)
        return self._subject.ask(("get", self._handle, name))

    def __setattr__(self, name: str, value: object) -> None:
        self._subject.ask(("set", self._handle, name), (value,))

    def __delattr__(self, name: str) -> None:
        self._subject.ask(("delete", self._handle, name))

    def __repr__(self) -> str:
        return str(self._subject.ask(("special", self._handle, "__repr__")))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StandIn):
            return NotImplemented
        require_fair(self, other)
        if other is self or type(self) is not type(other):
            return other is self
        if _type(self)._equality == "own":
            raise UnfitError(f"{type(self).__name__} compares itself, which the judge cannot leave to it")
        return _type(self)._equality == "fields" and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._told or self._handle)

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise UnfitError(f"a copy of {type(self).__name__} cannot be made in the judge")


class ErrorStandIn:
    """Mixed into the stand-ins of exceptions, which are exceptions here too."""

    _subject: Asked
    _handle: int
    _text: str

    def __getattr__(self, name: str) -> Any:
        _refuse_special(name)
        return self._subject.ask(("get", self._handle, name))

    def __str__(self) -> str:
        return self._text


class Method:
    """A method by name, found without a request; on the class, it is the class's own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> BoundMethod:
        return BoundMethod(owner if instance is None else instance, self._name)


class BoundMethod:
    """A method of one stand-in; a call is one request. One that replaces a plain type's may answer with anything but a number."""

    def __init__(self, of: Any, name: str) -> None:
        self._of = of
        self.__name__ = name

    def __call__(self, *args: object, **named: object) -> Any:
        """Call it there."""
        found = self._of._subject.ask(("call", self._of._handle, self.__name__), args, named)
        return _no_measure(self._of, found) if hasattr(getattr(self._of, "_plain", None), self.__name__) else found


class ModuleStandIn(ModuleType):
    """A module of the agent's; its attributes are asked for each time, as they may change."""

    def __init__(self, name: str, subject: Asked) -> None:
        super().__init__(name)
        self.__dict__.update(_subject=subject, __path__=[])

    def __getattr__(self, name: str) -> Any:
        _refuse_special(name)
        return self._subject.attribute(self.__name__, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("__") or isinstance(value, ModuleStandIn):
            self.__dict__[name] = value  # the import system's own
        else:
            self._subject.ask(("set", self.__name__, name), (value,))


def special(name: str) -> Any:
    """A special method that asks the subject, but for what would show it the expected value and have it say how they compare."""

    def asked(self: Any, *args: object, **named: object) -> Any:
        plainly = name in OPERATORS and not isinstance(args[0], StandIn)
        if plainly and name in ORDER:
            raise UnfitError(f"{type(self).__name__} compares itself with a plain value, which the judge cannot leave to it")
        found = self._subject.ask(("special", self._handle, name), args, named)
        return _no_measure(self, found) if plainly else found

    asked.__name__ = name
    return asked


def plain_equality(plain: Any) -> dict[str, Any]:
    """Equality of a class that extends a plain type: the plain type's, on what the subject told."""

    def equal(self: Any, other: object) -> Any:
        if isinstance(other, StandIn):
            require_fair(self, other)
        return plain.__eq__(self, other)

    def unequal(self: Any, other: object) -> Any:
        same = equal(self, other)
        return same if same is NotImplemented else not same

    return {"__eq__": equal, "__ne__": unequal, "__hash__": plain.__hash__}


def _no_measure(of: Any, found: Any) -> Any:
    """What an operation with a plain value gave, which may be anything but a number: `abs(x - 5) < 0.1` would be told, not found.

    Raises:
        UnfitError: it is one.
    """
    if isinstance(found, MEASURES):
        raise UnfitError(f"{type(of).__name__} measures itself against a plain value, which the judge cannot leave to it")
    return found


def copied(made: Any, clock: int) -> Any:
    """Another stand-in for the same object, told at another time."""
    cls = _type(made)
    plain: Any = cls._plain
    new = object.__new__(cls) if plain is None else plain.__new__(cls, plain(made))  # type: ignore[arg-type]
    new.__dict__.update(made.__dict__, _built=0, _kept=clock)
    return new


def require_fair(one: StandIn, other: StandIn) -> None:
    """Refuse a comparison in which the subject could have made one side after it had seen the other. Raises UnfitError."""
    for built, found in ((one, other), (other, one)):
        if built._why:
            raise UnfitError(built._why)
        if built._built and not found._built and found._kept > built._built:
            raise UnfitError(f"the expected {type(built).__name__} was made before the actual one")


def fault_of(made: Any, args: tuple[object, ...], named: dict[str, object], *, fresh: bool) -> str:
    """Why an object that a test constructed is no expected value: it does not hold what it was given, or is not new."""
    cls = _type(made)
    if cls._fields is None:
        holds = cls._plain is not None and len(args) == 1 and not named and args[0] == cls._plain(made)
        if not (fresh or holds):
            return f"the constructor of {cls.__name__} gave an object that was there before"
        return "" if cls._plain is None or holds else f"{cls.__name__} does not hold what it was given"
    names = [name for name, *_ in cls._fields]
    values = dict(zip(names, made if cls._plain is tuple else made._told, strict=True))
    places = [name for name, _, place in cls._fields if place]
    wanted = dict(zip(places, args, strict=False)) | named
    same = len(args) <= len(places) and all(name in values and _same(values[name], value) for name, value in wanted.items())
    return "" if same else f"{cls.__name__} does not hold what it was given"


def _same(found: object, given: object) -> bool:
    if isinstance(found, StandIn) and isinstance(given, StandIn):
        return found._handle == given._handle
    return found is given or (type(found) is type(given) and found == given)


def _type(made: Any) -> StandInType:
    found: Any = type(made)
    return found  # type: ignore[no-any-return]  # every stand-in's class is one


def _refuse_special(name: str) -> None:
    if name.startswith("__") and name.endswith("__") and name not in {"__name__", "__qualname__", "__version__", "__all__"}:
        raise AttributeError(name)
