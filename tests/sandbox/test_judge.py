"""Judging out of process: what carries over, and what code that wants to be taken for right does not gain by it."""

# ruff: noqa: ISC004, E501  (small programs stand on a line or two)

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import harness

PACKAGE = """
import enum, io, os, sys
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import NamedTuple


class ShopError(ValueError):
    def __init__(self, text, place):
        super().__init__(f"{text} at {place}")
        self.place = place


@dataclass(frozen=True)
class Price:
    amount: Decimal
    unit: str = "EUR"

    def twice(self):
        return Price(self.amount * 2, self.unit)

    @property
    def text(self):
        return f"{self.amount} {self.unit}"

    @classmethod
    def of(cls, text):
        amount, _, unit = text.partition(" ")
        return cls(Decimal(amount), unit)


class Point(NamedTuple):
    x: int
    y: int = 0


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Mark(str):
    def shout(self):
        return Mark(self.upper() + "!")


class Basket:
    limit = 3

    def __init__(self, *items, owner=None):
        self.items = list(items)
        self.owner = owner

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, item):
        return item in self.items

    def __getitem__(self, place):
        return self.items[place]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.items.clear()

    def __add__(self, other):
        return Basket(*self.items, *other.items)


def echo(value):
    return value


def fail(place):
    try:
        raise KeyError("inner")
    except KeyError as error:
        raise ShopError("no such thing", place) from error


def count(up_to):
    yield from range(up_to)


def shuffle(values):
    values.reverse()


def write(stream, text):
    stream.write(text)


def say(text):
    print(text)
    print(text, file=sys.stderr)


def save(path, text):
    path.write_text(text)
    return path.read_text()
"""

CARRIES_OVER = """
import io
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest

import shop.errors
from shop import Basket, Colour, Mark, Point, Price, ShopError, count, echo, fail, save, say, shuffle, write

PLAIN = [
    None, True, 0, -5, 2**80, 1.5, float("inf"), "", "caf\\xe9 \\ud800", b"\\xff\\0", bytearray(b"x"), [1, [2]], (1, (2,)), {"a": {1: 2}},
    {1, 2}, frozenset({3}), Decimal("1.10"), Fraction(1, 3), date(2024, 2, 29), datetime(2024, 1, 1, 12, tzinfo=timezone.utc),
    timedelta(days=-1, microseconds=5), range(1, 5, 2), 3 + 4j,
]


@pytest.mark.parametrize("value", PLAIN, ids=[str(number) for number in range(len(PLAIN))])
def test_plain(value):
    found = echo(value)
    assert (type(found), found) == (type(value), value)


def test_errors():
    with pytest.raises(ShopError, match="no such thing at 7") as caught:
        fail(7)
    assert caught.value.place == 7
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.args == ("no such thing at 7",)
    assert shop.errors.ShopError is ShopError


def test_standard_errors():
    with pytest.raises(TypeError, match="missing 1 required"):
        fail()
    with pytest.raises(AttributeError):
        Price(Decimal(1)).nothing
    with pytest.raises(Exception, match="cannot assign"):
        Price(Decimal(1)).unit = "x"


def test_values_with_fields():
    assert Price.of("3 EUR") == Price(Decimal(3))
    assert Price.of("3 EUR").twice() == Price(Decimal(6), unit="EUR")
    assert Price.of("3 EUR") != Price(Decimal(4))
    assert Price.of("3 EUR").text == "3 EUR"
    assert [Price.of("3 EUR")] == [Price(Decimal(3))]
    assert {Price.of("3 EUR"): 1} == {Price.of("3 EUR"): 1}
    assert repr(Price.of("3 EUR")) == "Price(amount=Decimal('3'), unit='EUR')"


def test_subclasses_of_plain_types():
    assert echo(Point(1, 2)) == (1, 2)
    assert Point(1).y == 0
    assert Mark("a").shout() == "A!"
    assert isinstance(Mark("a").shout(), Mark)
    assert "<" + Mark("a") == "<a"


def test_enumerations():
    assert echo(Colour.RED) is Colour.RED
    assert Colour("b") is Colour.BLUE
    assert Colour.RED != Colour.BLUE
    assert Colour.RED.value == "r"
    assert [colour.name for colour in Colour] == ["RED", "BLUE"]


def test_objects():
    basket = Basket(1, 2, owner=Basket(3))
    assert len(basket) == 2
    assert list(basket) == [1, 2]
    assert 2 in basket and 3 not in basket
    assert basket[-1] == 2
    assert list(basket + basket.owner) == [1, 2, 3]
    basket.limit = 9
    assert (basket.limit, Basket.limit) == (9, 3)
    with basket as same:
        assert same is basket
    assert not basket
    assert isinstance(basket, Basket) and not isinstance(basket, Price)


def test_generators():
    assert list(count(3)) == [0, 1, 2]
    assert next(iter(count(1))) == 0


def test_arguments_that_change():
    values, stream = [1, 2], io.StringIO("x")
    stream.seek(0, 2)
    shuffle(values)
    write(stream, "y")
    assert (values, stream.getvalue()) == ([2, 1], "xy")


def test_output(capsys):
    say("hello")
    assert capsys.readouterr() == ("hello\\n", "hello\\n")


def test_files(tmp_path):
    assert save(tmp_path / "a", "b") == "b"
    assert (tmp_path / "a").read_text() == "b"


def test_patching(monkeypatch):
    monkeypatch.setattr("shop.Basket.limit", 5)
    assert Basket().limit == 5


def test_a_module_that_is_not_there():
    with pytest.raises(ModuleNotFoundError, match="shop.none"):
        import shop.none
"""

CHEATS = {
    "an object equal to everything": (
        "class Any:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "an object equal to everything, on both sides": (
        "class Price:\n    def __init__(self, *a):\n        pass\n    def __eq__(self, other):\n        return True\n"
        "def price(text):\n    return Price()",
        "from shop import Price, price\ndef test_it():\n    assert price('x') == Price(5)",
    ),
    "a number equal to everything": (
        "class Any(int):\n    __hash__ = int.__hash__\n    def __eq__(self, other):\n        return True\ndef price(text):\n    return Any(0)",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "a text that is in everything": (
        "class Any(str):\n    __hash__ = str.__hash__\n    def __eq__(self, other):\n        return True\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert price('x') in {'five', 'six'}",
    ),
    "a text that contains everything": (
        "class Any(str):\n    def __contains__(self, text):\n        return True\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert 'five' in price('x')",
    ),
    "a text that begins with everything": (
        "class Any(str):\n    def startswith(self, text):\n        return True\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert price('x').startswith('five')",
    ),
    "a text that is true": (
        "class Any(str):\n    def __bool__(self):\n        return True\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert price('x')",
    ),
    "an object within every bound": (
        "class Any:\n    def __le__(self, other):\n        return 'yes'\n    __ge__ = __le__\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert 4 <= price('x') <= 5",
    ),
    "a number within every bound": (
        "class Any(int):\n    def __le__(self, other):\n        return True\n    __ge__ = __le__\ndef price(text):\n    return Any(9)",
        "from shop import price\ndef test_it():\n    assert 4 <= price('x') <= 5",
    ),
    "an object close to every number": (
        "class Any:\n    def __sub__(self, other):\n        return 0.0\ndef price(text):\n    return Any()",
        "from shop import price\ndef test_it():\n    assert abs(price('x') - 5) < 0.1",
    ),
    "a number close to every number": (
        "class Any(float):\n    def __sub__(self, other):\n        return Any(0)\ndef price(text):\n    return Any(9)",
        "from shop import price\ndef test_it():\n    assert abs(price('x') - 5) < 0.1",
    ),
    "a value whose fields are always the same": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Price:\n    amount: int\n    def __post_init__(self):\n"
        "        object.__setattr__(self, 'amount', 0)\ndef price(text):\n    return Price(5)",
        "from shop import Price, price\ndef test_it():\n    assert price('x') == Price(5)",
    ),
    "a constructor that gives back what was there": (
        "class Price:\n    last = None\n    def __new__(cls, amount):\n        Price.last = Price.last or object.__new__(cls)\n"
        "        return Price.last\ndef price(text):\n    return Price(0)",
        "from shop import Price, price\ndef test_it():\n    assert [price('x')] == [Price(5)]",
    ),
    "a constructor that is a function": (
        "def Price(amount):\n    return 0\ndef price(text):\n    return 0",
        "from shop import Price, price\ndef test_it():\n    assert price('x') == Price(5)",
    ),
    "a constructor that gives another class": (
        "class Other:\n    pass\nONE = Other()\nclass Price:\n    def __new__(cls, amount):\n        return ONE\n"
        "def price(text):\n    return ONE",
        "from shop import Price, price\ndef test_it():\n    assert price('x') == Price(5)",
    ),
    "an expected value that is seen before the answer": (
        "from dataclasses import dataclass\nSEEN = []\n@dataclass(frozen=True)\nclass Price:\n    amount: int\n"
        "    def __post_init__(self):\n        SEEN.append(self)\ndef price(text):\n    return SEEN[-1]",
        "from shop import Price, price\ndef test_it():\n    wanted = Price(5)\n    assert price('x') == wanted",
    ),
    "an enumeration with one member under all names": (
        "import enum\nclass Colour(enum.Enum):\n    RED = BLUE = 1\ndef colour():\n    return Colour.RED",
        "from shop import Colour, colour\ndef test_it():\n    assert colour() is Colour.BLUE",
    ),
    "a process that ends": (
        "import os\ndef price(text):\n    os._exit(0)",
        "import pytest\nfrom shop import price\ndef test_it():\n    with pytest.raises(Exception):\n        price('x')",
    ),
    "a farewell that ends the process well": (
        "import atexit, os\natexit.register(os._exit, 0)\ndef price(text):\n    raise SystemExit(0)",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "an interrupt": (
        "def price(text):\n    raise KeyboardInterrupt",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "a skip": (
        "import unittest\ndef price(text):\n    raise unittest.SkipTest",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "a patched pytest and a look at the callers": (
        "import gc, sys\nimport _pytest.reports as reports\nreports.TestReport.outcome = 'passed'\ndef price(text):\n"
        "    frame = sys._getframe()\n    while frame:\n        for value in frame.f_locals.values():\n"
        "            if value == 98765:\n                return value\n        frame = frame.f_back",
        "from shop import price\ndef test_it():\n    wanted = 98765\n    assert price('x') == wanted",
    ),
    "answers written past the protocol": (
        "import os\ndef price(text):\n    for number in range(3, 40):\n        try:\n            os.write(number, b'2 0\\n{}')\n"
        "        except OSError:\n            pass\n    return 0",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "an answer nested beyond all bounds": (
        "def price(text):\n    found = []\n    for _ in range(5000):\n        found = [found]\n    return found",
        "from shop import price\ndef test_it():\n    assert price('x') == 5",
    ),
    "a standard class in place of its own": (
        "import subprocess\nPrice = subprocess.Popen\ndef price(text):\n    return 0",
        "from shop import Price\ndef test_it():\n    assert Price(['true']).wait() == 0 and type(Price).__module__ == 'builtins'",
    ),
}


def judged(folder: Path, package: str, tests: str) -> dict[str, bool]:
    """Whether each test passes when judged out of process."""
    (folder / "src/shop").mkdir(parents=True)
    (folder / "src/shop/__init__.py").write_text(package, encoding="utf-8")
    (folder / "src/shop/errors.py").write_text("from shop import ShopError\n", encoding="utf-8")
    (folder / "hidden").mkdir()
    (folder / "hidden/test_shop.py").write_text(tests, encoding="utf-8")
    order = {"import_path": [str(folder / "src")], "packages": ["shop"], "classes": ["Price", "Colour"]}
    options = (
        "-q",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--rootdir",
        ".",
        f"--junitxml={folder / 'report.xml'}",
        ".",
    )
    done = subprocess.run(
        [sys.executable, "-m", "harness.sandbox.inside.local", json.dumps(order), *options],
        cwd=folder / "hidden",
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(harness.__file__).parents[1]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if not (folder / "report.xml").exists():
        return {}
    cases = ET.parse(folder / "report.xml").getroot().iter("testcase")  # noqa: S314  (our own run's)
    found = {str(case.get("name")): not len(case) for case in cases}
    assert all(found.values()) or done.returncode
    return found


def test_hidden_tests_run_unchanged_where_their_needs_fit(tmp_path: Path) -> None:
    found = judged(tmp_path, PACKAGE, CARRIES_OVER)
    assert [name for name, passed in found.items() if not passed] == []
    assert len(found) == 35


@pytest.mark.parametrize("trick", CHEATS)
def test_code_under_test_decides_no_comparison(tmp_path: Path, trick: str) -> None:
    assert not judged(tmp_path, *CHEATS[trick]).get("test_it")
