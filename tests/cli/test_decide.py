"""`harness decide`: outcomes made elsewhere."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Harness


def rows(tasks: int, repeats: int, better: bool) -> list[dict[str, object]]:  # noqa: FBT001
    return [
        {"arm": arm, "task": f"t{task}", "repeat": repeat} | dict.fromkeys(("tests", "style", "review"), won)
        for task in range(tasks)
        for repeat in range(1, repeats + 1)
        for arm, won in (("baseline", int(task % 3 == 0)), ("variant", int(better or task % 3 == 0)))
    ]


def test_a_clear_improvement_on_all_three_gates_is_promoted(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(rows(30, 1, better=True)), encoding="utf-8")
    found = json.loads(harness("decide", str(tmp_path / "t.json"), "--json", check=True).stdout)
    assert found["decision"] == "promote"
    assert {gate["status"] for gate in found["gates"].values()} == {"beats"}
    assert set(found["gates"]["tests"]["looks"][0]) == {"look", "n_tasks", "informative", "p", "level", "t"}


def test_two_equal_arms_are_not_and_exit_code_says_so(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(rows(30, 2, better=False)), encoding="utf-8")
    done = harness("decide", str(tmp_path / "t.json"), "--exit-code")
    assert done.returncode == 1
    assert "promote" not in done.stdout


def test_a_locale_without_the_letters_of_an_answer_changes_nothing(harness: Harness, tmp_path: Path) -> None:
    gaps = [row | ({"tests": None} if row["task"] < "t2" else {}) for row in rows(30, 1, better=True)]  # type: ignore[operator]
    (tmp_path / "t.json").write_text(json.dumps(gaps), encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = harness("decide", str(tmp_path / "t.json"), env=plain)
    assert (done.returncode, done.stdout) == (0, harness("decide", str(tmp_path / "t.json")).stdout)
    assert "its \N{GREEK SMALL LETTER ALPHA} is spent" in done.stdout


def test_csv_gives_the_same_decision_as_json(harness: Harness, tmp_path: Path) -> None:
    table = [row | ({"tests": None} if row["task"] == "t1" else {}) for row in rows(30, 1, better=True)]
    (tmp_path / "t.json").write_text(json.dumps(table), encoding="utf-8")
    names = ("arm", "task", "repeat", "tests", "style", "review")
    lines = [",".join("" if row[name] is None else str(row[name]) for name in names) for row in table]
    (tmp_path / "t.csv").write_text("\n".join([",".join(names), *lines]) + "\n", encoding="utf-8")
    documents = [json.loads(harness("decide", str(tmp_path / name), "--json").stdout) for name in ("t.json", "t.csv")]
    assert documents[0] == documents[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "holds no row"),
        ("{", "not valid JSON"),
        ('[{"arm": "x"}]', "row 0.arm"),
        ('[{"arm": "baseline", "tets": 1}]', "faults in all"),
    ],
)
def test_an_unusable_table_is_refused_with_file_and_row(harness: Harness, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "t.json").write_text(text, encoding="utf-8")
    done = harness("decide", str(tmp_path / "t.json"))
    assert done.returncode == 2
    assert words in done.stderr
    assert str(tmp_path / "t.json") in done.stderr
