from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness.executors.local import LocalExecutor
from harness.leak import leaks
from harness.suites.emit import Entry, Origin
from harness.suites.equip import Equipper
from harness.suites.mutating import Drop, Healthy, Mutant, Mutator, Plan, Tried, draw, mutants_of, split_by_cluster
from harness.suites.mutations import Operator
from harness.suites.rejected import Reason, Rejected
from harness.suites.unfinished import Unfinished
from harness.task import Split, Task
from harness.testing import LocalLab
from harness.tree import Tree, difference

SOURCE = """\
def total(prices, discount=0):
    if discount > 100:
        raise ValueError(discount)
    full = sum(prices)
    return full - full * discount // 100


def count(prices):
    left = len(prices)
    while left != 0:
        left = left - 1
    return len(prices)


def unused(a, b):
    return a + b
"""
TESTS = '''\
import pytest
from basket import total


def test_sum():
    """Prices add up."""
    assert total([1, 2]) == 3


def test_discount():
    assert total([100], 25) == 75


def test_too_much_is_refused():
    with pytest.raises(ValueError):
        total([1], 101)
'''
OTHERS = "from basket import count\n\n\ndef test_count():\n    assert count([1, 2]) == 2\n"
HEALTHY = Tree.of(
    {
        "pyproject.toml": '[project]\nname = "Basket"\nversion = "1.0"\n',
        "basket.py": SOURCE,
        "setup.py": "def f(): return 1 + 1\n",
        "docs/conf.py": "def f(): return 1 + 1\n",
        "tests/test_basket.py": TESTS,
        "tests/test_count.py": OTHERS,
        "tests/helpers.py": "def h(): return 1 + 1\n",
    }
)
Find = Callable[[str, Operator], Tried]


def mutator(out: Path = Path("nowhere"), **changed: object) -> Mutator:
    lab = LocalLab()
    plan = replace(Plan(project="basket", limit=2, seconds=30.0), **changed)  # type: ignore[arg-type]
    return Mutator(lab=lab, equipper=Equipper(lab), plan=plan, memory=Unfinished(out, plan, ()))


@pytest.fixture(scope="module")
def healthy() -> Healthy:
    return mutator().healthy(HEALTHY)


@pytest.fixture(scope="module")
def tried(healthy: Healthy) -> Find:
    """The outcome of the mutant at a text of the source, by an operator, on one healthy tree."""
    made = mutator()

    @cache
    def find(text: str, operator: Operator) -> Tried:
        line = SOURCE[: SOURCE.index(text)].count("\n") + 1
        mutant = next(it for it in mutants_of(healthy.tree) if (it.mutation.first_line, it.mutation.operator) == (line, operator))
        return made.tried(healthy, mutant)

    return find


def mutant_of(tree: Tree, function: str, operator: Operator) -> Mutant:
    return next(it for it in mutants_of(tree) if (it.mutation.function, it.mutation.operator) == (function, operator))


def entry_of(found: Tried) -> Entry:
    assert found.entry is not None, (found.reason, found.detail)
    return found.entry


def task_of(found: Tried) -> Task:
    return entry_of(found).task


def test_a_task_has_the_fault_as_its_base_and_one_changed_line_as_its_reference(tried: Find) -> None:
    task = task_of(tried("return full -", Operator.ARITHMETIC))
    (change,) = difference(task.base, task.reference)
    assert change.old is not None
    assert change.old.text == SOURCE.replace("return full - full", "return full + full")
    assert change.new == HEALTHY.get("basket.py")
    assert task.fail_to_pass == ("tests/test_basket.py::test_discount",)
    assert set(task.pass_to_pass) == {
        "tests/test_basket.py::test_sum",
        "tests/test_basket.py::test_too_much_is_refused",
        "tests/test_count.py::test_count",
    }


def test_the_agent_does_not_see_the_modules_that_fail_and_sees_the_others(tried: Find) -> None:
    task = task_of(tried("return full -", Operator.ARITHMETIC))
    for tree in (task.base, task.reference):
        assert tree.get("tests/test_basket.py") is None
        assert tree.get("tests/test_count.py")
        assert tree.get("tests/helpers.py")
    assert task.hidden.get("tests/test_basket.py")


def test_the_statement_says_what_is_seen_and_names_neither_fault_nor_place(tried: Find) -> None:
    for text, operator in (
        ("return full -", Operator.ARITHMETIC),
        ("if discount", Operator.GUARD),
        ("full = sum", Operator.BODY),
    ):
        found = tried(text, operator) if operator is not Operator.BODY else tried("if discount", Operator.BODY)
        task = task_of(found)
        assert leaks(task.instruction, [task]) == ()
        for word in ("basket.py", "total", "line ", str(operator), found.mutant.mark):
            assert word not in task.instruction
    assert "- Prices add up\n" in task_of(tried("if discount", Operator.BODY)).instruction
    assert "- Too much is refused\n" in task_of(tried("if discount", Operator.GUARD)).instruction


def test_a_mutant_that_no_test_sees_is_dropped(tried: Find) -> None:
    found = tried("return a + b", Operator.ARITHMETIC)
    assert (found.entry, found.reason, found.detail) == (None, Drop.UNSEEN, "4 tests pass with it")


def test_an_equivalent_mutant_is_dropped_by_being_run(tried: Find) -> None:
    assert tried("if discount", Operator.BOUNDARY).reason == Drop.UNSEEN


def test_a_mutant_that_never_ends_is_dropped_in_time(healthy: Healthy) -> None:
    short = replace(healthy, bench=replace(healthy.bench, seconds=3.0))
    found = mutator().tried(short, mutant_of(HEALTHY, "count", Operator.ARITHMETIC))
    assert found.reason == Reason.TIMEOUT


def test_a_mutant_of_which_everything_fails_is_dropped(healthy: Healthy) -> None:
    hidden = Tree(files=tuple((path, file) for path, file in healthy.bench.hidden if path != "tests/test_count.py"))
    passing = frozenset(name for name in healthy.passing if "test_count" not in name)
    alone = replace(healthy, bench=replace(healthy.bench, hidden=hidden), passing=passing)
    found = mutator().tried(alone, mutant_of(HEALTHY, "total", Operator.BODY))
    assert (found.reason, found.detail) == (Drop.NOTHING_PASSES, "3 tests fail of it")


def test_a_mutant_whose_tests_do_not_fail_every_time_is_dropped(healthy: Healthy, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    flip = (
        f"from pathlib import Path\n\n\ndef f(a=True):\n"
        f"    return a or Path({str(seen)!r}).exists() or Path({str(seen)!r}).write_text('')\n"
    )
    files = Tree.of({"shaky.py": flip})
    tests = Tree.of({"tests/test_shaky.py": "from shaky import f\n\n\ndef test_f():\n    assert f()\n"})
    shaky = replace(
        healthy,
        tree=healthy.tree.overlaid(files),
        bench=replace(healthy.bench, hidden=healthy.bench.hidden.overlaid(tests)),
        passing=healthy.passing | {"tests/test_shaky.py::test_f"},
    )
    found = mutator().tried(shaky, mutant_of(shaky.tree, "f", Operator.DEFAULT))
    assert (found.reason, found.detail) == (Reason.UNSTABLE, "tests/test_shaky.py::test_f does not fail every time")


def test_a_secret_in_the_project_drops_every_mutant_and_is_never_told(healthy: Healthy) -> None:
    key = "sk-ant-" + "api03-" + "Zx81Qw0aMn27Pk4Lr9Tb3Vc6"
    leaky = replace(healthy, tree=healthy.tree.overlaid(Tree.of({"deploy.cfg": f"key = {key}\n"})))
    found = mutator().tried(leaky, mutant_of(HEALTHY, "total", Operator.GUARD))
    assert (found.reason, found.detail) == (Reason.PRIVATE, "deploy.cfg:1: Anthropic API key")


def test_a_project_with_a_secret_is_refused_before_anything_is_run() -> None:
    key = "sk-ant-" + "api03-" + "Zx81Qw0aMn27Pk4Lr9Tb3Vc6"
    made = mutator()
    with pytest.raises(Rejected, match=r"secret or private: deploy.cfg:1: Anthropic API key$"):
        made.healthy(HEALTHY.overlaid(Tree.of({"deploy.cfg": f"key = {key}\n"})))
    assert isinstance(made.lab, LocalLab)
    assert made.lab.graded == 0
    owned = mutator(harmless=("*.cfg",)).healthy(HEALTHY.overlaid(Tree.of({"deploy.cfg": f"key = {key}\n"})))
    assert owned.tree.get("deploy.cfg")


def test_a_password_in_the_projects_own_tests_is_test_data(healthy: Healthy) -> None:
    path = "tests/test_basket.py"
    tests = Tree.of({path: TESTS.replace("def test_sum", 'password = "hunter-Two-99"\n\n\ndef test_sum')})
    bench = replace(healthy.bench, hidden=healthy.bench.hidden.overlaid(tests))
    tried = mutator().tried(
        replace(healthy, tree=healthy.tree.overlaid(tests), bench=bench), mutant_of(HEALTHY, "total", Operator.GUARD)
    )
    assert task_of(tried).base.get(path) is None


def test_the_owners_words_do_not_stand_in_a_statement(healthy: Healthy) -> None:
    text = task_of(mutator(deny=("prices",)).tried(healthy, mutant_of(HEALTHY, "total", Operator.BODY))).instruction
    assert "prices" not in text.lower()
    assert "- [redacted] add up\n" in text


@pytest.mark.soak
def test_a_run_ends_when_as_many_are_kept_as_wanted_and_the_same_seed_gives_the_same_tasks(
    healthy: Healthy, tmp_path: Path
) -> None:
    runs = [mutator(tmp_path / str(jobs), seed=3).run(healthy, LocalExecutor(jobs)) for jobs in (1, 3)]
    kept = [[one.entry.task.id_hash for one in run if one.entry] for run in runs]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2
    assert len(runs[0]) < len(mutants_of(HEALTHY))


def test_a_tree_whose_tests_do_not_run_is_refused() -> None:
    bare = Tree(files=tuple((path, file) for path, file in HEALTHY if path.startswith("tests/")))
    with pytest.raises(Rejected, match="environment: the tests do not run"):
        mutator().healthy(bare)


def test_a_tree_with_nothing_to_mutate_is_refused(healthy: Healthy) -> None:
    flat = replace(healthy, tree=HEALTHY.overlaid(Tree.of({"basket.py": "A = 1\n"})))
    with pytest.raises(Rejected, match="no source"):
        mutator().run(flat, LocalExecutor(1))


def test_only_the_projects_own_functions_are_mutated() -> None:
    assert {mutant.path for mutant in mutants_of(HEALTHY)} == {"basket.py"}
    assert all(mutant.mutation.function for mutant in mutants_of(HEALTHY.overlaid(Tree.of({"m.py": "A = 1 == 1\n"}))))


def test_a_draw_visits_every_function_before_any_twice_and_depends_on_the_seed_alone() -> None:
    found = mutants_of(HEALTHY)
    first = draw(found, 1)
    assert set(first) == set(found)
    assert len({mutant.cluster for mutant in first[:3]}) == 3
    assert first == draw(mutants_of(HEALTHY), 1)
    assert first != draw(found, 2)


def test_tasks_of_one_function_stand_on_one_side_of_the_split(task: Task) -> None:
    entries = [
        Entry(task=replace(task, id=str(n)), title="", source="mutated", origin=Origin(cluster=str(n % 4))) for n in range(8)
    ]
    found = split_by_cluster(entries)
    assert [entry.task.split for entry in found] == [Split.DEV, Split.HOLDOUT, Split.HOLDOUT, Split.DEV] * 2


def test_a_mutants_mark_says_nothing_of_its_place() -> None:
    marks = {mutant.mark for mutant in mutants_of(HEALTHY)}
    assert len(marks) == len(mutants_of(HEALTHY))
    assert all(len(mark) == 8 and int(mark, 16) >= 0 for mark in marks)
    assert isinstance(mutants_of(HEALTHY)[0], Mutant)
