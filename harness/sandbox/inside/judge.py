"""What makes a process the judge: imports of the project's packages find stand-ins, and answers become values or stand-ins.

Everything in an answer is a claim of the agent's: checked as it is read, and nothing in it is ever executed.
"""

# ruff: noqa: SLF001, ANN401  (stand-ins are made here, and stand for anything)

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

from .codec import PLAIN, SPECIAL, CodecError, decode, encode
from .line import Line, UnfitError
from .standins import (
    ENUMERATION,
    NONE,
    ORDER,
    ErrorStandIn,
    Method,
    ModuleStandIn,
    StandIn,
    StandInType,
    copied,
    fault_of,
    plain_equality,
    special,
)
from .wire import packed, write_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from .standins import Request

FAULTS = (CodecError, LookupError, TypeError, ValueError, AttributeError, RecursionError, MemoryError)
CHANGING = (list, dict, set)
DECIDING = ORDER | {"__contains__", "__bool__"}  # of what extends a plain type, the plain type's own are found here


def attach(order: dict[str, Any], requests: int, answers: int) -> None:
    """Let imports of the order's packages reach for the subject at the line's other end, which is told where to find them."""
    write_all(requests, packed({name: order[name] for name in ("import_path", "environment", "packages")}))
    subject = Subject(Line(requests, os.fdopen(answers, "rb")), frozenset(order["classes"]))
    sys.meta_path.insert(0, _Finder(subject, frozenset(order["packages"])))


class Subject:
    """The code under test as the judge sees it. `classes` are names that must be classes, as they are in base or reference."""

    def __init__(self, line: Line, classes: frozenset[str]) -> None:
        self._line = line
        self._names = classes
        self._objects: dict[int, Any] = {}
        self._classes: dict[int, StandInType] = {}
        self._clock = 0

    def ask(self, request: Request, args: Sequence[object] = (), named: Mapping[str, object] = NONE) -> Any:
        """One request; its value. What it raised there is raised here.

        Raises:
            SubjectDiedError: there is no answer, or one that is no answer; and on every further request.
            UnfitError: something cannot be sent either way.
        """
        with self._line.lock:
            value, raised = self._answer(request, args, named)
        if raised is not None:
            raise raised.with_traceback(None)
        return value

    def attribute(self, module: str, name: str) -> Any:
        """A module's attribute. Where the project has a class of that name it must be one: what it makes is then checked."""
        found = self.ask(("get", module, name))
        if name in self._names and not isinstance(found, type):
            raise UnfitError(f"{module}.{name} is no class")
        return found

    def constructed(self, cls: StandInType, args: tuple[object, ...], named: dict[str, object]) -> Any:
        """A new object from its constructor, checked to be new and to hold what it was given where that can be told."""
        known = set(self._objects)
        made = self.ask(("call", cls._handle, ""), args, named)
        if not isinstance(made, cls):
            raise UnfitError(f"the constructor of {cls.__name__} gave something else")
        if isinstance(made, StandIn):
            fresh = made._handle not in known
            why = fault_of(made, args, named, fresh=fresh)
            if why and not fresh:
                made = copied(made, self._clock)  # so that not even `is` takes it for what was there before
            made.__dict__.update(_why=why, **({"_built": self._clock} if fresh else {}))
        return made

    def _answer(self, request: Request, args: Sequence[object], named: Mapping[str, object]) -> tuple[Any, BaseException | None]:
        do, of, name = request
        self._clock += 1
        try:
            sent = [encode(part, _reference) for part in args]
            also = {key: encode(part, _reference) for key, part in named.items()}
        except CodecError as error:
            raise UnfitError(str(error)) from error
        answer = self._line.exchange({"do": do, "of": of, "name": name, "args": sent, "named": also})
        try:
            return self._opened(answer, [*args, *named.values()])
        except FAULTS as error:
            raise self._line.broken(f"the code under test gave an answer that is none: {error}") from error

    def _opened(self, answer: dict[str, Any], arguments: list[Any]) -> tuple[Any, BaseException | None]:
        for stream, text in zip((sys.stdout, sys.stderr), answer["said"], strict=True):
            if text:
                stream.write(text)
        for told in answer["classes"]:
            if told["handle"] in self._classes or told["handle"] in self._objects:
                raise CodecError("a class that is told twice")
            self._classes[told["handle"]] = self._class(told)
        if "unfit" in answer:
            raise UnfitError(str(answer["unfit"]))
        for place, new in answer["changed"]:
            _replace(arguments[place], self._decoded(new))
        if "raised" not in answer:
            return self._decoded(answer["value"]), None
        error = self._decoded(answer["raised"])
        if not isinstance(error, BaseException) or isinstance(error, (KeyboardInterrupt, GeneratorExit)):
            raise CodecError("an exception that is none")
        return None, error

    def _decoded(self, data: Any) -> Any:
        return decode(data, self._made)

    def _made(self, data: list[Any]) -> Any:
        tag = data[0]
        if tag == "plain":
            return PLAIN[data[1]]
        if tag == "error":
            return _standard_error(data[1], data[2])
        if tag == "class":
            return self._classes[data[1]]
        if tag == "module":
            return import_module(data[1]) if data[1] in sys.modules else ModuleStandIn(data[1], self)
        if tag == "exception":
            return self._exception(data)
        if tag != "object" or type(data[1]) is not int or data[1] in self._classes:
            raise CodecError("a value of no known kind")
        return self._object(data)

    def _object(self, data: list[Any]) -> Any:
        _, handle, kind, fields, content = data
        known = self._objects.get(handle)
        if isinstance(known, BaseException):
            return known
        if known is not None:
            value = known._built and type(known)._equality == "fields" and type(known)._fields != ENUMERATION
            return copied(known, self._clock) if value else known
        cls = self._decoded(kind)
        if not isinstance(cls, StandInType):
            raise CodecError("an object of no class of its own")
        made = _new(cls, self._decoded(content))
        told = tuple(self._decoded(part) for part in fields or ())
        if cls._fields is not None and cls._plain is not tuple and len(told) != len(cls._fields):
            raise CodecError("an object without its fields")
        made.__dict__.update(_subject=self, _handle=handle, _told=told, _kept=self._clock, _built=0, _why="")
        if cls._plain not in CHANGING:
            self._objects[handle] = made  # those can change, and come anew each time
        return made

    def _exception(self, data: list[Any]) -> BaseException:
        _, handle, kind, arguments, text, cause, context, suppressed = data
        if handle in self._objects:
            return self._objects[handle]  # type: ignore[no-any-return]
        cls = self._decoded(kind)
        given = [self._decoded(part) for part in arguments]
        ours = isinstance(cls, StandInType)
        error: BaseException = BaseException.__new__(cls, *given) if ours else cls(*given)
        if not isinstance(error, BaseException) or type(text) is not str:
            raise CodecError("an exception that is none")
        if ours:
            error.args = tuple(given)
            error.__dict__.update(_subject=self, _handle=handle, _text=text)
        self._objects[handle] = error
        error.__cause__, error.__context__ = (self._decoded(link) for link in (cause, context))
        error.__suppress_context__ = suppressed is True
        return error

    def _class(self, told: dict[str, Any]) -> StandInType:
        plain = PLAIN[told["plain"]] if told["plain"] else None
        error = _standard_error(*told["error"]) if told["error"] else None
        fields = None if told["fields"] is None else tuple((str(name), a is True, b is True) for name, a, b in told["fields"])
        own: dict[str, Any] = {name: Method(str(name)) for name in told["methods"] if not name.startswith("_")}
        told_of = SPECIAL - DECIDING if plain else SPECIAL
        own |= {name: special(name) for name in told["special"] if name in told_of}
        own |= plain_equality(plain) if plain else {}
        own |= {
            "__module__": str(told["module"]),
            "_subject": self,
            "_handle": told["handle"],
            "_plain": plain,
            "_fields": fields,
        }
        own["_equality"] = "fields" if fields is not None else "identity" if told["equality"] == "identity" else "own"
        bases = [base for base in map(self._decoded, told["bases"]) if isinstance(base, StandInType)]
        root: list[type] = [ErrorStandIn, error] if error else [StandIn, plain] if plain else [StandIn]
        for choice in ([*bases, *root], bases, root):
            if choice and (not error or any(issubclass(base, error) for base in choice)):
                with suppress(TypeError):  # an order of bases that Python does not allow
                    return type.__new__(StandInType, str(told["name"]), tuple(dict.fromkeys(choice)), own)
        raise CodecError(f"{told['name']} is no class that can be stood in for")


class _Finder:
    """Finds the project's packages, and nothing else, in the subject."""

    def __init__(self, subject: Subject, packages: frozenset[str]) -> None:
        self._subject = subject
        self._packages = packages

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """The import system's question."""
        return ModuleSpec(name, self) if name.partition(".")[0] in self._packages else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import it there first, so that a failure there is one here."""
        self._subject.ask(("import", "", spec.name))
        return ModuleStandIn(spec.name, self._subject)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is executed here."""


def _reference(value: object) -> Any:
    if isinstance(value, StandInType):
        return ["class", value._handle]
    if isinstance(value, (StandIn, ErrorStandIn)):
        return ["object", value._handle]
    if isinstance(value, ModuleStandIn):
        return ["module", value.__name__]
    if isinstance(value, type) and PLAIN.get(value.__name__) is value:
        return ["plain", value.__name__]
    raise CodecError(f"a {type(value).__name__} of the test's own cannot be given to the code under test")


def _standard_error(module: str, name: str) -> type[BaseException]:
    """An exception class of the standard library, and nothing else of it."""
    if module.partition(".")[0] not in sys.stdlib_module_names or module.startswith("unittest"):
        raise CodecError(f"{module} is not of the standard library")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        raise CodecError(f"{module}.{name} is no exception")
    return found


def _new(cls: Any, content: Any) -> Any:
    """An empty stand-in; where its class extends a plain type, one with the plain value."""
    plain: Any = cls._plain or object
    if cls._plain and type(content) is not cls._plain:
        raise CodecError("an object that is not what it extends")
    changing = isinstance(content, CHANGING)
    made = plain.__new__(cls) if changing or plain is object else plain.__new__(cls, content)
    if changing:
        plain.__init__(made, content)
    return made


def _replace(target: Any, new: Any) -> None:
    """Make a mutable argument what the call left of it."""
    if type(target) is not type(new):
        raise CodecError("an argument that became something else")
    if isinstance(target, (list, bytearray)):
        target[:] = new
    elif isinstance(target, (dict, set)):
        target.clear()
        target.update(new)
    elif isinstance(target, (io.StringIO, io.BytesIO)):
        target.seek(0)
        target.truncate()
        target.write(new.getvalue())
        target.seek(new.tell())
    else:
        raise CodecError("an argument that cannot change")
