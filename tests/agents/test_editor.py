import pytest

from harness.agents.editor import run_editor
from harness.agents.shell import ToolOutcome
from harness.ports import Json
from harness.testing import LocalWorkspace

PATH = "src/basket/prices.py"


def edit(workspace: LocalWorkspace, **arguments: Json) -> ToolOutcome:
    return run_editor(workspace, arguments, 20)


def test_view_shows_a_file_with_line_numbers(workspace: LocalWorkspace) -> None:
    shown = edit(workspace, command="view", path=PATH)
    assert shown.text.split("\n")[:2] == ['     1\t"""Prices of a basket."""', "     2\t"]


@pytest.mark.parametrize(("given", "first", "last"), [([4, 5], 4, 5), ([4, -1], 4, 7), ([4, 99], 4, 7)])
def test_view_range_counts_from_one_and_minus_one_is_the_end(
    workspace: LocalWorkspace, given: list[Json], first: int, last: int
) -> None:
    numbers = [int(line.split("\t")[0]) for line in edit(workspace, command="view", path=PATH, view_range=given).text.split("\n")]
    assert (numbers[0], numbers[-1]) == (first, last)


@pytest.mark.parametrize("given", [[0, 2], [99, 100], [3, 2], [1], "1-2"])
def test_a_range_outside_the_file_is_refused(workspace: LocalWorkspace, given: Json) -> None:
    assert edit(workspace, command="view", path=PATH, view_range=given).error is True


def test_view_lists_a_folder_two_levels_deep_without_hidden_files(workspace: LocalWorkspace) -> None:
    (workspace.folder / ".hidden").touch()
    listing = edit(workspace, command="view", path=".").text.split("\n")
    assert {"./CHANGELOG.md", "./src/basket"} <= set(listing)
    assert not {"./.hidden", f"./{PATH}"} & set(listing)


def test_create_makes_folders_and_replaces_what_stands_there(workspace: LocalWorkspace) -> None:
    for text in ("one\n", "twö\n"):
        assert edit(workspace, command="create", path="new/deep/file.txt", file_text=text).error is False
    assert (workspace.folder / "new/deep/file.txt").read_text(encoding="utf-8") == "twö\n"


def test_str_replace_replaces_the_only_place_and_shows_it(workspace: LocalWorkspace) -> None:
    outcome = edit(workspace, command="str_replace", path=PATH, old_str="return sum(prices)", new_str="return 0")
    assert "     6\t    return 0" in outcome.text
    assert "    return 0\n" in (workspace.folder / PATH).read_text()


def test_str_replace_without_new_text_removes(workspace: LocalWorkspace) -> None:
    edit(workspace, command="str_replace", path=PATH, old_str="    return sum(prices)\n")
    assert "sum(prices)" not in (workspace.folder / PATH).read_text()


@pytest.mark.parametrize("old", ["not there", "prices", ""])
def test_str_replace_refuses_a_text_that_does_not_occur_once_and_changes_nothing(workspace: LocalWorkspace, old: str) -> None:
    before = (workspace.folder / PATH).read_text()
    assert edit(workspace, command="str_replace", path=PATH, old_str=old, new_str="x").error is True
    assert (workspace.folder / PATH).read_text() == before


@pytest.mark.parametrize(("line", "expected"), [(0, "new\na\nb"), (1, "a\nnew\nb"), (2, "a\nb\nnew\n")])
def test_insert_puts_lines_after_the_given_one(workspace: LocalWorkspace, line: int, expected: str) -> None:
    (workspace.folder / "f").write_text("a\nb")
    edit(workspace, command="insert", path="f", insert_line=line, insert_text="new")
    assert (workspace.folder / "f").read_text() == expected


@pytest.mark.parametrize("line", [-1, 3, "1", True, None])
def test_insert_refuses_a_line_that_is_not_there(workspace: LocalWorkspace, line: Json) -> None:
    (workspace.folder / "f").write_text("a\nb")
    assert edit(workspace, command="insert", path="f", insert_line=line, insert_text="new").error is True


def test_the_mode_of_an_edited_file_is_kept(workspace: LocalWorkspace) -> None:
    (workspace.folder / "run.sh").write_text("a\n")
    (workspace.folder / "run.sh").chmod(0o755)
    edit(workspace, command="str_replace", path="run.sh", old_str="a", new_str="b")
    assert (workspace.folder / "run.sh").stat().st_mode & 0o777 == 0o755


def test_a_path_that_looks_like_an_option_is_a_path(workspace: LocalWorkspace) -> None:
    assert edit(workspace, command="create", path="-rf", file_text="x").error is False
    assert (workspace.folder / "-rf").read_text() == "x"


def test_absolute_paths_are_taken_as_they_are(workspace: LocalWorkspace) -> None:
    assert edit(workspace, command="view", path=str(workspace.folder / PATH)).error is False


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "undo_edit", "path": PATH},
        {"command": "view"},
        {"command": "view", "path": "nowhere"},
        {"command": "view", "path": "a\0b"},
        {"command": "str_replace", "path": "src", "old_str": "a"},
        {"command": "create", "path": PATH},
        {},
    ],
)
def test_a_wrong_call_is_an_answer_to_the_model(workspace: LocalWorkspace, arguments: dict[str, Json]) -> None:
    assert edit(workspace, **arguments).error is True


def test_a_file_that_is_not_text_is_left_to_the_shell(workspace: LocalWorkspace) -> None:
    (workspace.folder / "b").write_bytes(b"\xff\xfe")
    assert edit(workspace, command="view", path="b").text == "b: is not UTF-8 text; use bash"


def test_reading_costs_one_exec_and_replacing_two(workspace: LocalWorkspace) -> None:
    edit(workspace, command="view", path=PATH)
    assert len(workspace.commands) == 1
    edit(workspace, command="str_replace", path=PATH, old_str="sum(", new_str="max(")
    assert len(workspace.commands) == 3
