from __future__ import annotations

import pytest

from harness.suites.needs import needs_of
from harness.tree import Tree

PYPROJECT = """\
[project]
name = "Box"
version = "1.2"
requires-python = ">=3.9"
dependencies = ["attrs>=20", "rich @ https://example.invalid/rich.whl"]
[project.optional-dependencies]
test = ["pytest", "pytest-cov", "hypothesis", "box[extra]"]
docs = ["sphinx"]
[dependency-groups]
dev = [{include-group = "unit"}, "mypy"]
unit = ["freezegun==1.5", {include-group = "dev"}]
"""


def test_pyproject_gives_dependencies_and_what_its_tests_need() -> None:
    found = needs_of(Tree.of({"pyproject.toml": PYPROJECT}))
    assert found.requirements == ("attrs>=20", "rich", "hypothesis", "freezegun==1.5")
    assert (found.name, found.version, found.interpreter) == ("Box", "1.2", ">=3.9")
    assert "sphinx" in found.optional
    assert found.sources == ("pyproject.toml",)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"requirements.txt": "attrs==23.1 --hash=sha256:00\n# a comment\n-r other.txt\nrich # why\n"}, ("attrs==23.1", "rich")),
        ({"requirements/test.txt": "mock\n", "requirements/docs.txt": "sphinx\n"}, ("mock",)),
        ({"requirements-dev.txt": "mock\ntox\n"}, ("mock",)),
        ({"setup.cfg": "[options]\ninstall_requires =\n    attrs\n[options.extras_require]\ntests = mock\n"}, ("attrs", "mock")),
        (
            {"setup.py": "NEEDS = ['attrs']\nsetup(name='x', install_requires=NEEDS, extras_require={'test': ['mock']})\n"},
            ("attrs", "mock"),
        ),
        ({"setup.py": "setup(install_requires=open('requirements.txt').read())\n"}, ()),
        ({"setup.py": "setup(install_requires=['attrs'\n"}, ()),
        ({"tox.ini": "[testenv]\ndeps =\n    pytest\n    py38: mock\n    -r{toxinidir}/x.txt\n"}, ("mock",)),
        (
            {
                "pyproject.toml": "[tool.poetry.dependencies]\npython='^3.8'\nattrs='^23.1'\n"
                "[tool.poetry.group.test.dependencies]\nmock='*'\n"
            },
            ("attrs<24,>=23.1", "mock"),
        ),
        ({"pyproject.toml": "[tool.poetry.dev-dependencies]\nmock='~4.0.3'\n"}, ("mock<4.1,>=4.0.3",)),
        ({"pyproject.toml": "[tool.hatch.envs.test]\ndependencies=['mock']\n"}, ("mock",)),
        ({"pyproject.toml": "[tool.uv]\ndev-dependencies=['mock']\n"}, ("mock",)),
        ({"pyproject.toml": "not = [toml"}, ()),
        ({"setup.cfg": "no section\n"}, ()),
    ],
)
def test_every_place_where_needs_are_declared_is_read_and_none_is_executed(
    files: dict[str, str], expected: tuple[str, ...]
) -> None:
    assert needs_of(Tree.of(files)).requirements == expected


@pytest.mark.parametrize(
    "files",
    [
        {"poetry.lock": '[[package]]\nname = "Attrs"\nversion = "23.1.0"\n'},
        {"uv.lock": '[[package]]\nname = "attrs"\nversion = "23.1.0"\n[[package]]\nname = "box"\n'},
        {"Pipfile.lock": '{"default": {"attrs": {"version": "==23.1.0"}}, "develop": []}'},
    ],
)
def test_lock_files_give_versions(files: dict[str, str]) -> None:
    assert needs_of(Tree.of(files)).constraints == ("attrs==23.1.0",)


def test_a_package_that_a_lock_has_twice_is_not_bound() -> None:
    twice = '[[package]]\nname = "attrs"\nversion = "1"\n[[package]]\nname = "attrs"\nversion = "2"\n'
    assert needs_of(Tree.of({"uv.lock": twice, "Pipfile.lock": "no json"})).constraints == ()


def test_the_bound_of_a_caret_is_the_next_version_that_may_break() -> None:
    text = "[tool.poetry.dependencies]\na = '^1.2'\nb = '^0.3.1'\nc = '~1'\nd = '1.4'\ne = {version = '>=2', optional = true}\n"
    found = needs_of(Tree.of({"pyproject.toml": text}))
    assert found.requirements == ("a<2,>=1.2", "b<0.4,>=0.3.1", "c<2,>=1", "d==1.4")
    assert found.optional == ("e>=2",)
