"""The process that holds the agent's code in out-of-process judging: imports it, answers the judge's requests, returns values.

It runs under a user of its own, which can read no hidden test and reach no other process. Nothing here is trusted: whatever it
answers is decoded by the strict codec and compared elsewhere.
"""

# ruff: noqa: BLE001  (whatever the agent's code raises is an answer)

from __future__ import annotations

import dataclasses
import enum
import importlib
import io
import os
import sys
import sysconfig
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from .codec import PLAIN, SPECIAL, CodecError, decode, encode
from .wire import packed, receive, write_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

MOST_SAID = 1024 * 1024
SCRATCH = "/tmp"  # noqa: S108  (a tmpfs of this container alone)
MUTABLE = (list, dict, set, bytearray, io.StringIO, io.BytesIO)
SUBCLASSED: dict[type, Callable[[Any], object]] = {
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    int: int.__int__,
    float: float.__float__,
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}


def serve(requests: BinaryIO, answers: int) -> NoReturn:
    """Answer requests until they end. The first one names import path, environment and the packages that are the project's."""
    first = receive(requests)
    if first is None:
        os._exit(0)  # the task is judged in process, or the judge has died
    subject = _Subject(frozenset(first[0]["packages"]))
    prepare(first[0])
    sys.argv[:] = [""]
    while (message := receive(requests)) is not None:
        write_all(answers, packed(subject.answered(message[0])))
    os._exit(0)


def prepare(order: dict[str, Any], *, project: bool = True) -> None:
    """Make environment, working folder and import path those of the order.

    The standard library stands first, then the project, then installed packages: a project can shadow neither pytest nor json.
    """
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(SCRATCH)
    sys.dont_write_bytecode = True
    site = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = order["import_path"] if project else []
    sys.path[:] = [*(path for path in sys.path if path not in site), *found, *(path for path in sys.path if path in site)]


def become(user: int, output: int, keep: set[int]) -> None:
    """Be another user without any rights, talking to `output`, with no descriptor but standard ones and those named."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  (starting should not import pathlib)
        if int(name) > 2 and int(name) not in keep:  # noqa: PLR2004  (standard streams)
            try:
                os.close(int(name))
            except OSError:
                continue  # the listing's own
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    os.setsid()


class _Subject:
    def __init__(self, packages: frozenset[str]) -> None:
        self._packages = packages
        self._objects: list[object] = []
        self._handles: dict[int, int] = {}
        self._classes: list[dict[str, Any]] = []
        self._sent: set[int] = set()

    def answered(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request: a value or what was raised, what was printed, and mutable arguments that were changed."""
        said = [_listening(name) for name in ("stdout", "stderr")]
        self._classes = []
        arguments: list[Any] = []
        try:
            before: list[Any] = []
            try:
                arguments = [self._decoded(part) for part in request.get("args", [])]
                named = {name: self._decoded(part) for name, part in request.get("named", {}).items()}
                arguments += named.values()
                before = [self._known(value) for value in arguments]
                result = self._done(request, arguments[: len(arguments) - len(named)], named)
            except BaseException as error:
                answer: dict[str, Any] = {"raised": self._exception(error)}
            else:
                answer = {"value": self._encoded(result)}
            after = [self._known(value) for value in arguments]
            changed = [[place, new] for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
        except CodecError as error:
            answer, changed = {"unfit": str(error)}, []
        return {**answer, "classes": self._classes, "changed": changed, "said": [_said(*stream) for stream in said]}

    def _done(self, request: dict[str, Any], arguments: list[Any], named: dict[str, Any]) -> object:
        do, name = request["do"], request.get("name", "")
        if do == "import":
            importlib.import_module(name)
            return None
        target: Any = self._objects[request["of"]] if isinstance(request["of"], int) else sys.modules[request["of"]]
        if do == "call":
            return (getattr(target, name) if name else target)(*arguments, **named)
        if do == "special":
            return getattr(type(target), name)(target, *arguments, **named)
        if do == "set":
            setattr(target, name, *arguments)
        elif do == "delete":
            delattr(target, name)
        else:
            return getattr(target, name)
        return None

    def _known(self, value: object) -> Any:  # noqa: ANN401  (JSON)
        """A mutable argument as it stands, to tell whether a call changed it."""
        return self._encoded(value) if type(value) in MUTABLE else None

    def _decoded(self, data: Any) -> Any:  # noqa: ANN401  (JSON in, any value out)
        return decode(data, self._object)

    def _object(self, data: list[Any]) -> object:
        return sys.modules[data[1]] if data[0] == "module" else PLAIN[data[1]] if data[0] == "plain" else self._objects[data[1]]

    def _encoded(self, value: object) -> Any:  # noqa: ANN401  (JSON)
        return encode(value, self._reference)

    def _reference(self, value: object) -> Any:  # noqa: ANN401  (JSON)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, BaseException):
            return self._exception(value)
        if isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value and self._ours(value.__name__):
            return ["module", value.__name__]
        kind = type(value)
        base = _base(kind)
        handle = self._handle(value)
        fresh = handle not in self._sent
        self._sent.add(handle)
        wanted = _fields(kind) if not base or issubclass(kind, enum.Enum) else None
        fields = [self._encoded(getattr(value, name)) for name, *_ in wanted or ()] if fresh else None
        return ["object", handle, self._class(kind), fields, self._encoded(SUBCLASSED[base](value)) if base else None]

    def _handle(self, value: object) -> int:
        if id(value) not in self._handles:
            self._handles[id(value)] = len(self._objects)
            self._objects.append(value)  # kept, so that its id stays its own
        return self._handles[id(value)]

    def _exception(self, error: BaseException, depth: int = 0) -> Any:  # noqa: ANN401  (JSON)
        def arguments() -> Iterator[Any]:
            for part in error.args:
                try:
                    yield self._encoded(part)
                except CodecError:
                    yield repr(part)

        chain = [
            self._exception(link, depth + 1) if link and depth < 30 else None  # noqa: PLR2004  (far beyond honest chains)
            for link in (error.__cause__, error.__context__)
        ]
        kind = self._class(type(error))
        handle = self._handle(error)
        return ["exception", handle, kind, list(arguments()), str(error), *chain, bool(error.__suppress_context__)]

    def _class(self, kind: type) -> Any:  # noqa: ANN401  (JSON)
        if PLAIN.get(kind.__name__) is kind:
            return ["plain", kind.__name__]
        standard = kind.__module__.partition(".")[0] in sys.stdlib_module_names
        if standard and issubclass(kind, BaseException):
            return ["error", kind.__module__, kind.__qualname__]
        handle = self._handle(kind)
        if handle not in self._sent:
            self._sent.add(handle)
            bases = [self._class(base) for base in kind.__bases__ if self._ours(base.__module__)]
            errors = [base for base in kind.__mro__[1:] if issubclass(base, BaseException) and not self._ours(base.__module__)]
            base = _base(kind)
            fields = _fields(kind)
            self._classes.append(
                {
                    "handle": handle,
                    "module": kind.__module__,
                    "name": kind.__qualname__,
                    "bases": bases,
                    "plain": base.__name__ if base else "",
                    "error": [errors[0].__module__, errors[0].__qualname__] if errors else None,
                    "methods": sorted(_methods(kind)),
                    "special": sorted(name for name in SPECIAL if any(name in vars(base) for base in _own(kind))),
                    "fields": fields,
                    "equality": "fields" if fields is not None else _equality(kind),
                }
            )
        return ["class", handle]

    def _ours(self, module: str) -> bool:
        return module.partition(".")[0] in self._packages


def _base(kind: type) -> type | None:
    """The plain type that a class extends, if any. Enumerations stay objects, unless they are numbers or text too."""
    return next((base for base in kind.__mro__ if base in SUBCLASSED), None)


def _fields(kind: type) -> list[list[Any]] | None:
    """What two values of a class are compared by, as (name, whether the constructor takes it, whether by position); else None.

    Only for what cannot change: frozen dataclasses with the generated comparison, enumerations, named tuples.
    """
    if issubclass(kind, enum.Enum):
        return [["value", True, True], ["name", False, False]]
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return [[name, True, True] for name in kind._fields]
    settings = getattr(kind, "__dataclass_params__", None)
    if not (settings and settings.eq and settings.frozen and _generated(kind)):
        return None
    return [
        [field.name, field.init, field.init and not field.kw_only]
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]  # it has the parameters of one
        if field.compare or field.init
    ]


def _generated(kind: type) -> bool:
    owner = next(item for item in kind.__mro__ if "__eq__" in vars(item))
    return "__dataclass_params__" in vars(owner) and getattr(owner.__eq__, "__code__", None) is not None


def _equality(kind: type) -> str:
    return "own" if _defines(kind, "__eq__") else "identity"


def _defines(kind: type, name: str) -> bool:
    return any(name in vars(base) for base in kind.__mro__ if base is not object)


def _own(kind: type) -> Iterator[type]:
    """The classes that make up a class, but for what its stand-in has in the judge anyway."""
    for base in kind.__mro__:
        standard = base.__module__ == "builtins" and issubclass(base, BaseException)
        if not (base is object or base in SUBCLASSED or standard):
            yield base


def _methods(kind: type) -> Iterator[str]:
    for base in _own(kind):
        for name, value in vars(base).items():
            if isinstance(value, (FunctionType, staticmethod, classmethod)) and not name.startswith("__"):
                yield name


def _listening(name: str) -> tuple[io.BytesIO, io.TextIOWrapper]:
    """Put a listener in the place of a standard stream, for the length of one request."""
    heard = io.BytesIO()
    stream = io.TextIOWrapper(heard, encoding="utf-8", errors="backslashreplace", write_through=True)
    setattr(sys, name, stream)
    return heard, stream


def _said(heard: io.BytesIO, _: io.TextIOWrapper) -> str:
    try:
        return heard.getvalue()[:MOST_SAID].decode("utf-8", "replace")
    except ValueError:
        return ""  # the agent's code closed it
