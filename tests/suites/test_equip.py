from __future__ import annotations

import pytest

from harness.suites.equip import Equipped, Equipper
from harness.suites.probing import Bench
from harness.suites.rejected import Reason, Rejected
from harness.testing import LocalLab
from harness.tree import Tree

TEST = "tests/test_box.py"
PROJECT = '[project]\nname = "the-box"\nversion = "1.4"\n'


def equipped(tests: str, lab: LocalLab | None = None, *, hidden: dict[str, str] | None = None, **files: str) -> Equipped:
    """What a project with these files and hidden tests is equipped with."""
    tree = Tree.of({"box/__init__.py": "", "pyproject.toml": PROJECT} | files)
    return Equipper(lab or LocalLab()).equipped(tree, Bench(project="box", hidden=Tree.of({TEST: tests, **(hidden or {})})))


def test_tests_that_run_need_no_mending() -> None:
    found = equipped("import box\n\n\ndef test_it():\n    pass\n")
    assert (found.fixes, len(found.support), found.first.passed) == ((), 0, {f"{TEST}::test_it"})


def test_the_version_file_that_a_build_writes_is_written() -> None:
    found = equipped("from box._version import version\n\n\ndef test_it():\n    assert version == '1.4'\n")
    assert found.fixes == ("box._version, which a build would have written",)
    assert found.support.get("box/_version.py")


def test_metadata_that_an_installation_leaves_is_laid_beside_the_package() -> None:
    tests = "from importlib.metadata import version\n\n\ndef test_it():\n    assert version('the-box') == '1.4'\n"
    found = equipped(tests)
    assert found.fixes == ("metadata of the-box, as an installation would leave it",)


def test_a_helper_imported_by_its_bare_name_is_found_beside_the_tests() -> None:
    found = equipped("import helper\n\n\ndef test_it():\n    assert helper.X\n", hidden={"tests/helper.py": "X = 1\n"})
    assert found.fixes == ("tests on the import path",)


def test_a_missing_package_that_the_project_names_elsewhere_is_added() -> None:
    lab = LocalLab({"no_such_thing>1": "no-such-thing==2"})
    extra = PROJECT + "[project.optional-dependencies]\nfast = ['no_such_thing>1']\n"
    with pytest.raises(Rejected):
        equipped("import no_such_thing\n", lab, **{"pyproject.toml": extra})
    assert lab.provided[-1] == ("no-such-thing==2",)


def test_what_old_projects_took_for_granted_is_added() -> None:
    lab = LocalLab({"mock": "mock==5"})
    with pytest.raises(Rejected) as caught:
        equipped("import mock\n", lab)
    assert lab.provided == [(), ("mock==5",)]
    assert caught.value.reason is Reason.ENVIRONMENT
    assert "No module named 'mock'" in caught.value.log


def test_nothing_is_fetched_for_its_name_alone() -> None:
    lab = LocalLab()
    with pytest.raises(Rejected, match="No module named 'whatever_this_is'"):
        equipped("import whatever_this_is\n", lab)
    assert lab.provided == [()]


def test_what_helped_once_is_tried_first_the_next_time() -> None:
    lab = LocalLab()
    equipper = Equipper(lab)
    tests = Tree.of({TEST: "from box._version import version\n\n\ndef test_it():\n    pass\n"})
    for text in ("", "x = 1\n"):
        tree = Tree.of({"box/__init__.py": text, "pyproject.toml": PROJECT})
        equipper.equipped(tree, Bench(project="box", hidden=tests))
    assert lab.graded == 3


def test_a_project_of_another_python_has_it_among_its_pins_and_is_not_told_of_what_cannot_be_had() -> None:
    lab = LocalLab(pythons=("3.11", "3.13", "3.12"))
    tests = "def test_it():\n    pass\n"
    found = equipped(tests, lab, **{"pyproject.toml": PROJECT + "requires-python = '>=3.12'\n"})
    assert (found.bench.requirements, lab.provided) == (("python==3.13",), [("python==3.13",)])


def test_tests_that_a_changed_test_imports_come_with_it() -> None:
    tests = "from tests.sub.test_more import ONE\nfrom tests.test_other import TWO\n\n\ndef test_it():\n    assert ONE < TWO\n"
    others = {
        "tests/sub/test_more.py": "ONE = 1\n",
        "tests/test_other.py": "TWO = 2\n",
        "tests/test_third.py": "import nothing\n",
    }
    found = equipped(tests, **others)
    assert found.fixes == ("tests.sub beside the tests", "tests.test_other beside the tests")
    assert [path for path, _ in found.bench.hidden] == ["tests/sub/test_more.py", TEST, "tests/test_other.py"]


def test_tests_that_come_along_are_each_trees_own_though_their_needs_are_the_same() -> None:
    equipper = Equipper(LocalLab())
    for word in ("NEW", "OLD"):
        tests = f"from tests.test_other import {word}\n\n\ndef test_it():\n    assert {word}\n"
        tree = Tree.of({"box/__init__.py": "", "pyproject.toml": PROJECT, "tests/test_other.py": f"{word} = 1\n"})
        found = equipper.equipped(tree, Bench(project="box", hidden=Tree.of({TEST: tests})))
        assert found.bench.hidden.by_path["tests/test_other.py"].text == f"{word} = 1\n"


def test_a_module_that_cannot_be_collected_is_left_out_where_others_can() -> None:
    good = "def test_it():\n    pass\n"
    bad = {"tests/test_bad.py": "import whatever_this_is\n", "tests/test_worse.py": "import nor_this\n", "tests/helper.py": ""}
    found = equipped(good, hidden=bad)
    assert found.fixes == tuple(f"tests/test_{name}.py left out, which cannot be collected" for name in ("bad", "worse"))
    assert ([path for path, _ in found.bench.hidden], found.first.passed) == (["tests/helper.py", TEST], {f"{TEST}::test_it"})
    with pytest.raises(Rejected, match="whatever_this_is"):
        equipped("import whatever_this_is\n", hidden=bad)
