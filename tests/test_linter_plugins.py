"""Settings and plug-ins of linters come from the base: which they are, and what a change to them comes to."""

import pytest

from harness.errors import SuiteError
from harness.linter_files import governed, plugins_of
from harness.tree import Tree

MYPY, FLAKE8, PYLINT, ESLINT, RUFF = ((name, ".") for name in ("mypy", "flake8", "pylint", "eslint", "ruff"))
PLUGIN = {"tools/plug.py": "from tools import deep\n", "tools/deep.py": "", "src/a.py": ""}
SCRIPTS = {
    "eslint.config.mjs": 'import own from "./lint/own.mjs";\nimport js from "@eslint/js";\nexport default [own, js];\n',
    "lint/own.mjs": "import { word } from './words';\nexport default {};\n",
    "lint/words.js": "export const word = 1;\n",
    "lint/unused.js": "",
    "web/a.js": "",
}


def held(files: dict[str, str], *commands: tuple[str, ...]) -> list[str]:
    found = plugins_of(Tree.of(files), commands)
    return sorted({*found.files, *(f"{folder}/" for folder in found.folders)})


@pytest.mark.parametrize(
    ("settings", "command"),
    [
        ({"mypy.ini": "[mypy]\nplugins = pydantic.mypy, tools/plug.py:plugin\n"}, MYPY),
        ({"pyproject.toml": '[tool.mypy]\nplugins = ["pydantic.mypy", "tools/plug.py"]\n'}, MYPY),
        ({"ci/strict.cfg": "[mypy]\nplugins = ../tools/plug.py\n"}, ("mypy", "--config-file=ci/strict.cfg", "src")),
        ({"setup.cfg": "[flake8:local-plugins]\nextension =\n  X1 = plug:Check\npaths = ./tools\n"}, FLAKE8),
        ({".flake8": "[flake8:local-plugins]\nreport = tools.plug:Report\n"}, FLAKE8),
        ({".pylintrc": "[MASTER]\nload-plugins=pylint.extensions.docparams,tools.plug\n"}, PYLINT),
        ({"pyproject.toml": '[tool.pylint.main]\nload-plugins = ["tools.plug"]\n'}, PYLINT),
    ],
)
def test_a_python_plug_in_is_held_with_its_folder(settings: dict[str, str], command: tuple[str, ...]) -> None:
    assert "tools/" in held(PLUGIN | settings, command)
    assert held(PLUGIN | settings, RUFF) == []


def test_a_plug_in_that_the_environment_holds_is_nothing_of_the_tree() -> None:
    assert held(PLUGIN | {"mypy.ini": "[mypy]\nplugins = pydantic.mypy\n"}, MYPY) == []


def test_scripts_are_held_with_the_scripts_that_they_import() -> None:
    assert held(SCRIPTS, ESLINT) == ["lint/own.mjs", "lint/words.js"]
    assert held(SCRIPTS, RUFF) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".eslintrc.json", '{"extends": ["eslint:recommended", "./lint/own.mjs"], "ignorePatterns": ["./web/a.js"]}'),
        (".eslintrc.yml", "extends:\n  - eslint:recommended\n  - ./lint/own.mjs\nrules: {}\n"),
        ("tsconfig.json", '{ // strict\n "extends": "./lint/own.mjs", "files": ["./web/a.js"] }'),
    ],
)
def test_shared_settings_are_held_and_what_settings_only_point_at_is_not(name: str, text: str) -> None:
    assert held({**SCRIPTS, "eslint.config.mjs": "", name: text}, ESLINT) == ["lint/own.mjs", "lint/words.js"]


def test_settings_that_ruff_extends_are_held_whatever_their_name_is() -> None:
    files = {"ruff.toml": 'extend = "ci/shared.toml"\n', "ci/shared.toml": 'extend = "more.toml"\n', "ci/more.toml": ""}
    assert held(files, RUFF) == ["ci/more.toml", "ci/shared.toml"]


def test_what_a_command_line_names_as_settings_is_held_and_what_it_checks_is_not() -> None:
    files = {"ci/eslint.js": "import '../lint/own.mjs';\n", **SCRIPTS, "rules/one.js": ""}
    command = ("eslint", "--config", "ci/eslint.js", "--rulesdir", "rules", "web/a.js")
    assert held(files, command) == ["ci/eslint.js", "lint/own.mjs", "lint/words.js", "rules/"]


def test_a_plug_in_at_the_root_is_refused_with_what_to_do() -> None:
    with pytest.raises(SuiteError, match=r"mypy loads plug\.py from the project's root.*move the plug-in to a folder of its own"):
        held({"mypy.ini": "[mypy]\nplugins = plug.py\n", "plug.py": ""}, MYPY)


def test_the_linted_tree_has_the_bases_plug_ins_and_nothing_that_a_change_put_among_them() -> None:
    base = Tree.of({**PLUGIN, "mypy.ini": "[mypy]\nplugins = tools/plug.py\n", "package.json": "{}"})
    evil = {"tools/plug.py": "evil", "tools/ast.py": "evil", "node_modules/eslint/index.js": "evil", "package.json": "evil"}
    after = base.overlaid(Tree.of({**evil, "src/b.py": "honest"}))
    assert governed(base, after, [MYPY]) == base.overlaid(Tree.of({"src/b.py": "honest"}))
    gone = Tree(files=tuple((path, file) for path, file in base if path != "tools/deep.py"))
    assert governed(base, gone, [MYPY]) == base
