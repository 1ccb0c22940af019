import json
from pathlib import Path

import pytest

from harness.errors import SuiteError
from harness.suites.catalog import load_suite
from harness.suites.npm_lock import check_lock

PINNED = {"ruff": "0.17.6", "npm:which": "5.0.0"}


def lock(version: str = "5.0.0", integrity: str = "sha512-b", kind: int = 3) -> str:
    packages = {
        "": {"dependencies": {"which": version}},
        "node_modules/isexe": {"version": "3.1.1", "integrity": integrity},
        "node_modules/which": {"version": version, "integrity": "sha512-a", "dependencies": {"isexe": "^3.1.1"}},
        "node_modules/which/node_modules/own": {"version": "1.0.0", "inBundle": True},
    }
    return json.dumps({"name": "x", "lockfileVersion": kind, "requires": True, "packages": packages})


def test_a_lock_of_the_suites_own_tools_is_taken() -> None:
    check_lock(lock(), PINNED, "package-lock.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not a package-lock.json"),
        (lock(kind=1), "not a package-lock.json"),
        (lock("4.0.0"), r"locks which 4\.0\.0, and suite\.toml pins which 5\.0\.0"),
        (lock(integrity=""), "node_modules/isexe has no integrity hash"),
    ],
)
def test_another_lock_is_refused_with_the_command_that_makes_it(text: str, words: str) -> None:
    with pytest.raises(SuiteError, match=rf"^package-lock\.json: .*{words}.*npm install --package-lock-only .* which@5\.0\.0$"):
        check_lock(text, PINNED, "package-lock.json")


def test_a_lock_beside_the_suite_is_part_of_its_identity_and_of_what_its_images_hold(suite_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "tasks").symlink_to(suite_folder / "tasks")
    text = (suite_folder / "suite.toml").read_text(encoding="utf-8")
    (folder / "suite.toml").write_text(f'{text}[tools]\n"npm:which" = "5.0.0"\n', encoding="utf-8")
    bare = load_suite(folder)
    (folder / "package-lock.json").write_text(lock(), encoding="utf-8")
    locked = load_suite(folder)
    (task,) = locked.tasks
    assert bare.hash != locked.hash
    assert bare.judged_hash(task) != locked.judged_hash(task)
    assert (bare.pins, locked.pins) == (("npm:which==5.0.0",), ("npm:which==5.0.0", f"package-lock.json=={lock()}"))
