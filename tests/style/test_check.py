"""`rules check` on folders and histories made here, with ruff and git for real."""

import json
import subprocess
from pathlib import Path

import pytest

from harness.errors import InputError, SuiteError, UnavailableError
from harness.git_history import Commit
from harness.own_files import own
from harness.style.check import NO_PACK, checked
from harness.style.checkout import checkout
from harness.style.history import History
from harness.style.host import renames_here, version_of
from harness.style.packs import Pack, load_pack
from harness.style.sarif import sarif_document
from harness.tree import Tree
from harness.tree_io import write_tree

RULE = """
spec = 1
[tools]
{tools}
[[rule]]
id = "{id}"
kind = "{kind}"
{check}
params = {{ {params} }}
calibration = {{ label = "declared" }}
provenance = {{ file = "CONTRIBUTING.md", line = 1, quote = "Every rule is quoted." }}
"""


def pack(kind: str, params: str, check: str = "", tools: str = "") -> Pack:
    named = f'check = "{check}"' if check else ""
    return load_pack(RULE.format(id="house", kind=kind, params=params, check=named, tools=tools), "p")


def found(base: Tree, after: Tree, rules: Pack = NO_PACK) -> list[tuple[str, str, int, bool]]:
    return [(item.rule, item.path, item.line, item.gating) for item in checked(base, after, rules).report.new]


def commit(folder: Path, message: str, files: dict[str, str | None], when: str = "2026-01-01T00:00:00+00:00") -> str:
    if not (folder / ".git").exists():
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    for name, text in files.items():
        if text is None:
            (folder / name).unlink()
        else:
            write_tree(folder, Tree.of({name: text}))
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    environment = {"PATH": "/usr/bin:/bin", "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(folder), *who, "commit", "-qm", message], check=True, env=environment)
    said = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return said.stdout.strip()


def test_without_a_pack_the_trees_own_linter_decides_with_the_bases_settings() -> None:
    base = Tree.of({"ruff.toml": 'lint.select = ["F401"]\n', "a.py": "import os\n"})
    after = Tree.of({"ruff.toml": 'lint.select = ["E711"]\n', "a.py": "import os\nimport sys\n"})
    assert found(base, after) == [("F401", "a.py", 2, True), ("lint-configuration", "ruff.toml", 1, False)]


def test_a_tree_that_configures_no_ruff_is_not_judged_by_it_and_this_is_told() -> None:
    outcome = checked(Tree.of({"a.py": ""}), Tree.of({"a.py": "import os\n"}))
    assert (outcome.report.new, outcome.notes[0].startswith("the base configures no ruff")) == ((), True)


def test_formatting_counts_only_where_the_base_follows_the_formatter() -> None:
    settings = {"ruff.toml": "", **{f"m{number}.py": "x = 1\n" for number in range(20)}}
    tidy, wild = Tree.of(settings), Tree.of({**settings, **{f"n{number}.py": "x=1\n" for number in range(2)}})
    assert found(tidy, tidy.overlaid(Tree.of({"new.py": "y=1\n"}))) == [("format", "new.py", 1, True)]
    outcome = checked(wild, wild.overlaid(Tree.of({"new.py": "y=1\n"})))
    assert (outcome.report.new, outcome.report.dropped) == ((), ("format",))


def test_a_broken_linter_configuration_is_told_and_charged_to_nobody() -> None:
    base = Tree.of({"ruff.toml": "lint.select = [", "a.py": ""})
    with pytest.raises(SuiteError, match="ruff check cannot be used on the untouched base"):
        checked(base, base.overlaid(Tree.of({"a.py": "x = 1\n"})))


def test_findings_follow_a_renamed_file() -> None:
    text = "import os\n" + "".join(f"x{number} = {number}\n" for number in range(30))
    base = Tree.of({"ruff.toml": "", "old name.py": text})
    after = Tree.of({"ruff.toml": "", "new.py": text.replace("x7 = 7", "x7 = 8")})
    assert renames_here(base, after) == (("old name.py", "new.py"),)
    assert found(base, after) == []


def test_generated_files_that_the_project_excludes_are_not_judged() -> None:
    base = Tree.of({"ruff.toml": 'extend-exclude = ["gen"]\n'})
    assert found(base, base.overlaid(Tree.of({"gen/x.py": "import os,sys\n"}))) == []


def test_a_command_rule_runs_here_and_a_missing_or_other_version_says_what_to_install() -> None:
    mypy = 'argv = ["mypy", "--no-incremental", "--cache-dir=/dev/null", "."], parser = "lines"'
    base, after = Tree.of({"a.py": "x = 1\n"}), Tree.of({"a.py": 'x: int = "a"\n'})
    assert found(base, after, pack("command", mypy)) == [("house", "a.py", 1, True)]
    with pytest.raises(UnavailableError, match=r"pins mypy 0\.1, and .* is installed; install 0\.1"):
        checked(base, after, pack("command", mypy, tools='mypy = "0.1"'))
    with pytest.raises(UnavailableError, match=r"needs no-such-tool 3\.2, which is not installed here"):
        version_of("no-such-tool", {"npm:no-such-tool": "3.2"})


def test_a_plug_in_of_the_change_is_never_run_and_its_edit_is_told(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    mypy = 'argv = ["mypy", "--no-incremental", "--cache-dir=/dev/null", "src"], parser = "lines"'
    plugin = "from mypy.plugin import Plugin\nimport deep\n\ndef plugin(version):\n    return Plugin\n"
    files = {"mypy.ini": "[mypy]\nplugins = tools/plug.py\n", "tools/plug.py": plugin, "tools/deep.py": "", "src/a.py": "x = 1\n"}
    base = Tree.of(files)
    evil = f"open({str(mark)!r}, 'w').close()\n"
    change = {"tools/plug.py": evil + plugin, "tools/deep.py": evil, "tools/json.py": evil, "src/a.py": "x: int = ''\n"}
    assert found(base, base.overlaid(Tree.of(change)), pack("command", mypy)) == [
        ("house", "src/a.py", 1, True),
        ("lint-configuration", "tools/deep.py", 1, False),
        ("lint-configuration", "tools/json.py", 1, False),
        ("lint-configuration", "tools/plug.py", 1, False),
    ]
    assert not mark.exists()


def test_a_linter_that_crashes_or_answers_no_json_is_told_with_its_words() -> None:
    base, after = Tree.of({"a.py": "x = 1\n"}), Tree.of({"a.py": "x = 2\n"})
    with pytest.raises(
        SuiteError, match=r"(?s)python3 \(rule house\) cannot be used on the untouched base.*not eslint's JSON.*hello"
    ):
        checked(base, after, pack("command", """argv = ["python3", "-c", "print('hello')"], parser = 'eslint'"""))
    with pytest.raises(SuiteError, match=r"(?s)untouched base.*exit code 1 without findings.*Boom"):
        checked(base, after, pack("command", """argv = ["python3", "-c", "raise SystemExit('Boom')"], parser = 'lines'"""))


def test_messages_of_the_changes_commits_are_checked_where_there_are_any() -> None:
    rules = pack("commit", "max = 10", check="subject.max_length")
    tree = Tree.of({"a": "b"})
    one = Commit(id="c" * 40, parent="", date="", message="A subject that is long\n")
    new = checked(tree, tree, rules, (one,)).report.new
    assert [(item.path, item.gating) for item in new] == [("commit cccccccccccc", True)]
    assert "1 rule about commit messages not asked" in checked(tree, tree, rules).notes[-1]


def test_a_checkout_holds_what_git_knows_or_would_add(tmp_path: Path) -> None:
    commit(tmp_path, "one", {"a.py": "x\n", ".gitignore": "built/\n", "gone.py": "y\n"})
    write_tree(tmp_path, Tree.of({"built/c.py": "", "new.py": ""}))
    (tmp_path / "gone.py").unlink()
    (tmp_path / "link").symlink_to("a.py")
    assert [path for path, _ in checkout(tmp_path)] == [".gitignore", "a.py", "new.py"]


def test_a_folder_without_git_leaves_out_what_was_installed_into_it(tmp_path: Path) -> None:
    write_tree(tmp_path, Tree.of({"a.py": "", ".venv/lib/x.py": "", "node_modules/y.js": "", "src/b.py": ""}))
    assert [path for path, _ in checkout(tmp_path)] == ["a.py", "src/b.py"]
    for nothing in (tmp_path / "none", tmp_path / ".venv" / "lib" / "empty"):
        with pytest.raises(InputError, match=r"no such folder"):
            checkout(nothing)


def test_history_gives_each_commits_step_and_when_a_line_came_in(tmp_path: Path) -> None:
    body = "".join(f"line {number}\n" for number in range(20))
    first = commit(tmp_path, "one", {"C.md": "No rule yet.\n", "a.py": body}, "2026-01-01T00:00:00+00:00")
    commit(tmp_path, "two\n\nWhy.", {"C.md": "A rule now.\n", "a.py": None, "b.py": body + "more\n"}, "2026-02-01T00:00:00+00:00")
    history = History(tmp_path)
    newest, oldest = history.commits(most=5)
    assert (newest.message.strip(), newest.parent, oldest.parent) == ("two\n\nWhy.", first, "")
    step = history.step(newest)
    assert step.renames == (("a.py", "b.py"),)
    assert [path for path, _ in step.after] == ["C.md", "b.py"]
    assert [path for path, _ in history.step(oldest).after] == ["C.md", "a.py"]
    assert history.introduced("C.md", "A rule now.").startswith("2026-02-01")
    assert history.introduced("C.md", "Never there") == ""


def test_suites_in_a_checkout_are_no_part_of_it_nor_of_its_steps(tmp_path: Path) -> None:
    suite = {f"s/{name}": "bad\n" for name in ("suite.toml", "tasks/a/task.toml", "tasks/a/instruction.md", "tasks/a/base/a.py")}
    commit(tmp_path, "one", {"a.py": "good\n"}, "2026-01-01T00:00:00+00:00")
    commit(tmp_path, "two", {"a.py": "better\n", **suite}, "2026-02-01T00:00:00+00:00")
    commit(tmp_path, "three", {"a.py": "best\n", "s/tasks/a/base/a.py": "worse\n"}, "2026-03-01T00:00:00+00:00")
    commit(tmp_path, "four", {"b.py": "bad\n", "s/tasks/a/base/a.py": None}, "2026-04-01T00:00:00+00:00")
    history = History(tmp_path)
    assert [path for path, _ in own(checkout(tmp_path))] == ["a.py", "b.py"]
    assert [[path for path, _ in history.step(one).after] for one in history.commits()] == [["b.py"], *[["a.py"]] * 3]
    assert not any(history.step(one).renames for one in history.commits())


def test_a_change_that_calls_its_own_code_a_suite_is_judged_like_any_other() -> None:
    rules = pack("text", 'paths = ["**"], pattern = "bad"', check="lines.forbidden")
    base = Tree.of({"box/a.py": "good\n", "s/task.toml": "", "s/instruction.md": "", "s/x.py": "bad\n"})
    called = base.overlaid(
        Tree.of({"box/a.py": "bad\n", "box/task.toml": "", "box/instruction.md": "", "s/x.py": "worse, bad\n"})
    )
    found = checked(base, called, rules)
    assert [finding.path for finding in found.report.new] == ["box/a.py"]
    coming = base.overlaid(Tree.of({f"new/{name}": "bad\n" for name in ("task.toml", "instruction.md", "a.py")}))
    assert "new/a.py" in [finding.path for finding in checked(base, coming, rules).report.new]
    assert found.notes[0] == "not asked of suites of tasks: s/"


def test_caches_that_git_tracks_are_nobodys_work() -> None:
    rules = pack("text", 'paths = ["**"], pattern = "bad"', check="lines.forbidden")
    caches = Tree.of({"box/__pycache__/a.txt": "bad\n", ".mypy_cache/x": "bad\n"})
    assert checked(Tree.of({"a": ""}), Tree.of({"a": ""}).overlaid(caches), rules).report.new == ()


def test_sarif_names_rule_quote_place_and_level() -> None:
    rules = pack("text", 'paths = ["**"], pattern = "bad"', check="lines.forbidden")
    outcome = checked(Tree.of({"a": ""}), Tree.of({"a": "fine\nbad\n"}), rules)
    document = json.loads(json.dumps(sarif_document(outcome.report.new, rules)))
    (run,) = document["runs"]
    assert run["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == "Every rule is quoted."
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("house", "error")
    assert result["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "a"}, "region": {"startLine": 2}}


def test_among_two_thousand_files_the_changed_ones_alone_are_new() -> None:
    lines = "".join(f"def f{number}(a):\n    return print(a)\n\n\n" for number in range(5))
    base = Tree.of({"ruff.toml": "", **{f"src/m{number}.py": f"N = {number}\n{lines}" for number in range(2000)}})
    after = base.overlaid(Tree.of({f"src/m{number}.py": "import os\n" for number in range(20)}))
    rules = pack("python_ast", 'names = ["print"]', check="calls.banned")
    assert len(checked(base, after, rules).report.new) == 20
