import time
from dataclasses import replace

import pytest

from harness.leak import Kind, LeakIndex, all_words, leaks
from harness.skill import Skill, Variant
from harness.task import Split, Task
from harness.tree import Tree

BASE = Tree.of({"src/money.py": "def parse(text):\n    return int(text)\n", "README.md": "Reads amounts.\n"})
FIX = """def parse(text):
    sign_factor = -1 if text.startswith("-") else 1
    ledger = text.lstrip("+-").strip()
    return sign_factor * int(ledger)
"""
HIDDEN = "from money import parse\n\n\ndef test_sign_is_kept_for_negative():\n    assert parse('-12') == -12\n"


def task(name: str = "ledger-sign", split: Split = Split.DEV, base: Tree = BASE) -> Task:
    return Task(
        id=name,
        project="ledger",
        split=split,
        instruction="Negative amounts lose their sign.",
        difficulty="easy",
        kind="behaviour",
        interface=("money.parse",),
        base=base,
        reference=Tree.of({**base.by_path, "src/money.py": FIX}),
        hidden=Tree.of({"tests/test_sign.py": HIDDEN, "tests/conftest.py": ""}),
        fail_to_pass=(),
        pass_to_pass=(),
        pack="",
    )


def found(text: str, *tasks: Task) -> list[tuple[Kind, str]]:
    return [(leak.kind, leak.text) for leak in leaks(text, tasks or (task(),))]


@pytest.mark.parametrize(
    "text",
    [
        "Run the tests, read CONTRIBUTING.md, and consider negative numbers, zero and empty input.",
        "Parse the text with `int(text)` and return it: def parse(text): return int(text)",
        "Keep a ledger of what you changed.",
        "---------------------------------\n| a | b | c |\n================",
        "Use conftest.py for fixtures.",
        "",
    ],
)
def test_general_advice_and_words_of_the_base_are_no_leak(text: str) -> None:
    assert found(text) == []


def test_a_quoted_line_of_the_reference_is_a_leak_as_long_as_it_goes() -> None:
    text = 'Remember to write: -1 if TEXT.startswith("-")   else 1\nand then test.'
    assert found(text) == [(Kind.TEXT, '-1 if TEXT.startswith("-")   else 1')]


def test_a_quoted_line_of_a_hidden_test_is_a_leak() -> None:
    assert found("It must hold that assert parse('-12') == -12 always") == [(Kind.TEXT, "assert parse('-12')")]


def test_text_that_stands_elsewhere_in_the_base_is_no_leak() -> None:
    base = Tree.of({**BASE.by_path, "notes.md": 'Idea: -1 if text.startswith("-") else 1\n'})
    assert found('Use -1 if text.startswith("-") else 1', task(base=base)) == []


def test_a_name_that_only_the_fix_defines_is_a_leak() -> None:
    assert found("Set the sign_factor first.") == [(Kind.NAME, "sign_factor")]


def test_an_everyday_word_counts_only_where_it_is_written_as_code() -> None:
    assert found("Assign `ledger` before returning.") == [(Kind.NAME, "`ledger`")]
    assert found("The ledger (of notes) helps.") == []


@pytest.mark.parametrize(
    ("name", "telling"), [("RUNS", False), ("JSON", False), ("MOST_RUNS", True), ("HTTPReader", True), ("runsOf", True)]
)
def test_a_constant_in_capitals_alone_may_be_an_everyday_word(name: str, telling: bool) -> None:  # noqa: FBT001
    fixed = replace(task(), reference=Tree.of({**BASE.by_path, "src/money.py": f"{name} = 1\n"}))
    for text in (f"Count {name} once.", f"Count {name.lower()} once."):
        assert [leak.kind for leak in leaks(text, [fixed])] == [Kind.NAME] * telling
    assert [leak.kind for leak in leaks(f"Set `{name}`.", [fixed])] == [Kind.NAME]


def test_a_task_id_is_a_leak_and_a_part_of_a_longer_one_is_not() -> None:
    assert found("For ledger-sign do this.") == [(Kind.TASK, "ledger-sign")]
    assert found("For ledger-sign-two do this.") == []


def test_the_name_of_a_hidden_test_file_or_function_is_a_leak() -> None:
    assert found("Make tests/test_sign.py pass.") == [(Kind.PATH, "test_sign.py")]
    assert found("Make test_sign_is_kept_for_negative pass.") == [(Kind.PATH, "test_sign_is_kept_for_negative")]


def test_the_data_of_hidden_tests_is_known_by_its_whole_path_where_its_name_is_anybodys() -> None:
    data = Tree.of({"tests/data/pyproject.toml": "", "tests/bad_sign_42.csv": "", "setup.py": "", "tests/a/__init__.py": ""})
    hidden = replace(task(), hidden=data)
    assert found("Read pyproject.toml, setup.py, __init__.py and csv files.", hidden) == []
    assert found("See tests/data/pyproject.toml and bad_sign_42.csv.", hidden) == [
        (Kind.PATH, "bad_sign_42.csv"),
        (Kind.PATH, "tests/data/pyproject.toml"),
    ]


def test_a_variant_is_looked_at_whole_its_files_their_names_and_its_reason() -> None:
    files = Tree.of({"SKILL.md": "---\nname: a\ndescription: b\n---\nRead.\n", "more/test_sign.py": "x = 1\n"})
    variant = Variant(
        skill=Skill(name="a", description="b", entry="SKILL.md", tree=files),
        rationale="It failed test_sign_is_kept_for_negative.",
    )
    assert found(all_words(variant)) == [(Kind.PATH, "test_sign.py"), (Kind.PATH, "test_sign_is_kept_for_negative")]


def test_a_refusal_tells_a_proposer_text_of_dev_tasks_only() -> None:
    dev, held = task(), task("ledger-held", Split.HOLDOUT)
    assert LeakIndex((dev,)).refusal("For ledger-sign do this.") == "leak: task id 'ledger-sign'"
    assert LeakIndex((dev, held)).refusal("For ledger-held do this.") == "leak"
    assert LeakIndex((dev, held)).refusal("Do this.") == ""


def test_a_leak_is_found_once_per_task_that_it_comes_from() -> None:
    held = task("ledger-held", Split.HOLDOUT)
    both = leaks('-1 if text.startswith("-") else 1', (task(), held))
    assert [(leak.task, leak.dev) for leak in both] == [("ledger-sign", True), ("ledger-held", False)]


def test_a_large_suite_is_indexed_and_asked_quickly() -> None:
    files = {f"src/m{number}.py": f"def f{number}(a):\n    return a + {number}\n" * 20 for number in range(200)}
    base = Tree.of({**BASE.by_path, **files})
    tasks = tuple(task(f"ledger-sign-{number}", base=base) for number in range(50))
    started = time.process_time()
    index = LeakIndex(tasks)
    assert time.process_time() - started < 5
    skill = "Run the tests, and read what the project says about its own style.\n" * 300
    started = time.process_time()
    assert index.refusal(skill) == ""
    assert time.process_time() - started < 1
