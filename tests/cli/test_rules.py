"""`harness rules` as a person meets it: words, exit codes, JSON, SARIF."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.config import load_config
from harness.errors import ServiceUnavailableError
from harness.ports import TrialEndedError
from harness.rollout import Ending
from harness.tree import Tree
from harness.tree_io import write_tree
from harness.wiring.service import reader

HARNESS = str(Path(sys.executable).parent / "harness")
PACK = """
spec = 1
[[rule]]
id = "docs"
kind = "python_ast"
check = "docstring.public"
calibration = { label = "declared" }
provenance = { file = "CONTRIBUTING.md", line = 2, quote = "Every public function has a docstring." }
"""
BASE = {"CONTRIBUTING.md": "# Rules\nEvery public function has a docstring.\n", "a.py": "def old():\n    return 1\n"}


def made(folder: Path, **after: str) -> tuple[str, ...]:
    write_tree(folder / "base", Tree.of(BASE))
    write_tree(folder / "after", Tree.of(BASE | {name.replace("_py", ".py"): text for name, text in after.items()}))
    (folder / "pack.toml").write_text(PACK, encoding="utf-8")
    return ("--base", str(folder / "base"), "--after", str(folder / "after"), "--pack", str(folder / "pack.toml"))


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([HARNESS, "rules", *words], capture_output=True, text=True, check=False)


def test_a_new_violation_is_told_with_the_rules_quote_and_ends_with_one(tmp_path: Path) -> None:
    done = ran("check", *made(tmp_path, b_py="def new():\n    return 2\n"))
    assert done.returncode == 1
    assert "b.py:1: new has no docstring [docs]" in done.stdout
    assert '"Every public function has a docstring." (CONTRIBUTING.md:2)' in done.stdout


def test_a_change_that_keeps_the_rules_ends_with_zero_and_json_and_sarif_hold_it(tmp_path: Path) -> None:
    words = made(tmp_path, a_py="def old():\n    return 2\n")
    done = ran("check", *words, "--json", "--sarif", str(tmp_path / "out.sarif"))
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert ([item["rule"] for item in document["existing"]], document["new"], document["fixable"]) == (["docs"], [], 0)
    assert json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"] == []


def test_a_file_that_cannot_be_written_leaves_none_beside_it(tmp_path: Path) -> None:
    words, place = made(tmp_path), tmp_path / "results"
    place.mkdir()
    before = sorted(path.name for path in tmp_path.iterdir())
    done = ran("check", *words, "--sarif", str(place))
    assert (done.returncode, f"{place}: cannot be written" in done.stderr) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_wrong_input_is_one_message_and_exit_code_two(tmp_path: Path) -> None:
    words = made(tmp_path)
    (tmp_path / "after" / "CONTRIBUTING.md").write_text("# Rules\nNothing.\n", encoding="utf-8")
    told = {
        "CONTRIBUTING.md:2 does not hold its quote, but 'Nothing.'": ran("check", *words),
        "no such folder, and": ran("check", "--base", "v1", "--after", str(tmp_path / "after")),
        "none.toml: cannot be read": ran("check", *words[:4], "--pack", str(tmp_path / "none.toml")),
        "not a rule pack": ran("check", *words[:4], "--pack", str(tmp_path / "after" / "a.py")),
    }
    for message, done in told.items():
        assert (done.returncode, message in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr


def test_ten_thousand_findings_are_counted_and_the_first_two_hundred_told(tmp_path: Path) -> None:
    done = ran("check", *made(tmp_path, b_py="".join(f"def f{number}(): ...\n" for number in range(10_000))))
    assert done.returncode == 1
    assert "... and 9,800 more; --json has them all" in done.stdout
    assert "10,000 new violations: 10,000 gating" in done.stdout


def test_a_repository_is_compiled_replayed_and_checked_by_one_pack(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path / "repo"), "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True)

    repo, pack = str(tmp_path / "repo"), str(tmp_path / "pack.toml")
    write_tree(tmp_path / "repo", Tree.of({"CONTRIBUTING.md": "# How\n\n- Public functions carry a docstring.\n- Be kind.\n"}))
    git("init", "-q", "-b", "main")
    for number in range(25):
        write_tree(tmp_path / "repo", Tree.of({f"m{number}.py": f'def f():\n    """Says {number}."""\n'}))
        git("add", "-A")
        git("commit", "-qm", f"Add {number}")
    made = ran("compile", repo, "-o", pack, "--seed", "3")
    assert (made.returncode, made.stdout) == (0, ""), made.stderr
    assert "1 rule from 1 document:" in made.stderr
    assert (tmp_path / "pack.toml").read_text(encoding="utf-8").startswith("# REHEARSAL: ")
    done = ran("replay", pack, repo, "--json")
    assert done.returncode == 0, done.stderr
    (calibration,) = json.loads(done.stdout)["rules"].values()
    assert calibration == {"label": "enforced", "commits": 25, "sites": 25, "site_rate": 1.0, "commit_rate": 1.0}
    page = (tmp_path / "pack.html").read_text(encoding="utf-8")
    assert "1 enforced" in page
    assert "Public functions carry a docstring." in page
    write_tree(tmp_path / "repo", Tree.of({"new.py": "def g():\n    return 1\n"}))
    checked = ran("check", "--base", "HEAD", "--after", repo, "--pack", pack)
    assert checked.returncode == 1
    assert "g has no docstring" in checked.stdout


def test_a_live_model_needs_a_limit_before_anything_is_sent(tmp_path: Path) -> None:
    write_tree(tmp_path, Tree.of(BASE))
    done = ran("compile", str(tmp_path), "--model", "claude-sonnet-5-5")
    assert (done.returncode, "needs --max-usd" in done.stderr) == (2, True)


def test_a_pack_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    write_tree(tmp_path / "repo", Tree.of(BASE))
    pack = tmp_path / "pack.toml"
    pack.write_text("mine", encoding="utf-8")
    done = ran("compile", str(tmp_path / "repo"), "-o", str(pack))
    assert (done.returncode, "replace it with --yes" in done.stderr, pack.read_text(encoding="utf-8")) == (2, True, "mine")
    assert ran("compile", str(tmp_path / "repo"), "-o", str(pack), "--yes").returncode == 0
    assert "[[rule]]" in pack.read_text(encoding="utf-8")


def test_a_service_that_fails_while_documents_are_read_is_unavailable_and_no_trial() -> None:
    with (
        pytest.raises(ServiceUnavailableError, match="the service is down; nothing was written"),
        reader(load_config(None, {}, None)),
    ):
        raise TrialEndedError(Ending.MISSING_API, "the service is down")
