"""One trial and many of them, with doubles in the place of containers, agents and reviewers."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from harness.budget import Amount, Budget, BudgetSpentError, Generations, Limit, Purse
from harness.errors import StoppedError, SuiteError, UnavailableError
from harness.evaluate import MOST_IN_A_ROW, RETRIES, Bench, Evaluator, generation_of, run_trial, spent_on
from harness.evidence import PanelReport, StyleReport, TestReport, TestResult
from harness.executors.local import LocalExecutor
from harness.ledger.rows import call_rows
from harness.ledger.schema import CallRow, ConfirmationRow, TrialRow, VariantRow
from harness.ledger.store import Store
from harness.ports import AgentReport, Delivered, Graded, Limits, LintRun, Reviewed, ToolRun, TrialEndedError
from harness.rollout import Call, Change, Ending, LoadEvidence, Usage
from harness.skill import Skill, Variant
from harness.task import Suite, Task
from harness.testing import Notes
from harness.tree import Tree, difference
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harness.ledger.store import CampaignLedger

VARIANT = Variant(skill=Skill(name="s", description="d", entry="SKILL.md", tree=Tree.of({"SKILL.md": "Look first.\n"})))
CLEAN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
LINT = LintRun(version="1", base_check=CLEAN, base_format=CLEAN, after_check=CLEAN, after_format=CLEAN)


class World:
    """All ports of one trial in one object: each answers as it is set, and notes that it was asked."""

    def __init__(self, task: Task) -> None:
        self.asked: list[str] = []
        self.ending = Ending.FINISHED
        self.said = ""
        self.change = Change(files=difference(task.base, task.reference), patch=b"diff")
        self.faults: dict[str, Exception] = {}
        self.panel = ["pass"]
        self.price: float | None = 0.25
        self.during: Callable[[], None] = lambda: None
        self.workspace = self
        self._expected = task.expected

    def _note(self, what: str) -> None:
        self.asked.append(what)
        if what in self.faults:
            raise self.faults[what]

    def call(self, role: str) -> Call:
        """One call at the world's price."""
        return Call(role=role, model="m", usage=Usage(output=1, calls=1), cost_usd=self.price)

    @contextmanager
    def open(self, *_: object) -> Iterator[World]:
        """As a sandbox: this world is the trial too."""
        self._note("open")
        yield self

    def close(self) -> None:
        """As a sandbox."""
        self._note("close")

    def run(self, *_: object, **__: object) -> AgentReport:
        """As an agent."""
        self._note("agent")
        self.during()
        load = LoadEvidence(delivery="system", loaded=True)
        return AgentReport(ending=self.ending, cause="why", transcript=self.said, calls=(self.call("coder"),), load=load)

    def take_out(self) -> Change:
        """As a trial's containers."""
        self._note("take out")
        return self.change

    def grade(self, change: Change) -> Graded:  # noqa: ARG002  (the port's signature)
        """As a trial's containers."""
        self._note("grade")
        results = tuple(TestResult(id=name, outcome="passed") for name in self._expected)
        tests = TestReport(expected=self._expected, tests=results, canaries=4, canaries_failed=4, exit_code=1)
        return Graded(tests=tests, lint=LINT)

    def measure(self, *_: object) -> StyleReport:
        """As a style instrument."""
        self._note("style")
        return StyleReport(new=())

    def review(self, *_: object) -> Reviewed:
        """As a panel: its outcomes in turn, the last one for good."""
        self._note("review")
        outcome = self.panel[0] if len(self.panel) == 1 else self.panel.pop(0)
        return Reviewed(report=PanelReport(votes=(), outcome=outcome, reason="said"), calls=(self.call("reviewer:a"),))


@pytest.fixture
def world(task: Task) -> World:
    """A world in which everything goes well."""
    return World(task)


@pytest.fixture
def bench(world: World, task: Task) -> Bench:
    """A bench of that world."""
    return Bench(
        suite=Suite(id="s", version="1", tasks=(task,), packs=(), tools=()),
        agent=world,
        sandbox=world,
        stylist=world,
        panel=world,
        limits=Limits(),
        deliver=lambda _: Delivered(mode="system", inject=Tree(), system="", preface="", proof="x"),
        flags=lambda _: (),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ledger."""
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


@pytest.fixture
def evaluator(bench: Bench, store: Store) -> Evaluator:
    """An evaluator of that bench."""
    budget = Budget((), max_hours=None, clock=lambda: 0.0)
    return Evaluator(bench, store.campaign("c"), LocalExecutor(1), budget, Notes())


def held(*limits: Limit) -> Budget:
    return Budget(limits, max_hours=None, clock=lambda: 0.0)


def purse() -> Purse:
    """Of a trial that may spend what it likes."""
    return Purse((held(),), Amount())


def key(task: Task, repeat: int = 1) -> TrialKey:
    return TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant=VARIANT.id, task=task.id, repeat=repeat)


def test_what_the_agent_reached_for_is_kept_with_its_trial_and_decides_nothing(bench: Bench, world: World, task: Task) -> None:
    block = {"type": "tool_use", "name": "bash", "input": {"command": "curl https://code.example"}}
    world.said = json.dumps({"type": "assistant", "content": [block]}) + "\n"
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert (trial.events, trial.flags) == (("network: curl",), ())
    assert [verdict.passed for verdict in trial.verdicts] == [True, True, True]


def test_a_trial_goes_from_container_to_verdicts_in_one_order(bench: Bench, world: World, task: Task) -> None:
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert [verdict.passed for verdict in trial.verdicts] == [True] * 3
    assert world.asked == ["open", "agent", "take out", "grade", "style", "review"]
    assert (trial.attempts, trial.cost_usd, trial.rollout.ending) == (1, 0.5, Ending.FINISHED)


def test_a_finished_agent_that_changed_nothing_fails_as_an_empty_change_without_grading(
    bench: Bench, world: World, task: Task
) -> None:
    world.change = Change(files=(), patch=b"")
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert (trial.rollout.ending, world.asked) == (Ending.EMPTY_CHANGE, ["open", "agent", "take out"])
    assert {verdict.passed for verdict in trial.verdicts} == {False}


@pytest.mark.parametrize("ending", [Ending.AGENT_TIMEOUT, Ending.AGENT_BUDGET, Ending.AGENT_CRASH])
def test_an_agent_that_did_not_finish_is_taken_out_but_not_judged(bench: Bench, world: World, task: Task, ending: Ending) -> None:
    world.ending = ending
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert (trial.rollout.change, world.asked) == (world.change, ["open", "agent", "take out"])
    assert {verdict.reason for verdict in trial.verdicts} == {f"{ending}: why"}


def test_an_agent_that_failed_stays_failed_when_its_container_is_gone_afterwards(bench: Bench, world: World, task: Task) -> None:
    world.ending = Ending.AGENT_TIMEOUT
    world.faults["take out"] = TrialEndedError(Ending.MISSING_CONTAINER, "gone")
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert (trial.rollout.ending, trial.attempts) == (Ending.AGENT_TIMEOUT, 1)


@pytest.mark.parametrize("place", ["open", "take out", "grade"])
def test_a_container_that_is_gone_makes_all_gates_missing(bench: Bench, world: World, task: Task, place: str) -> None:
    world.faults[place] = TrialEndedError(Ending.MISSING_CONTAINER, "gone")
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert (trial.rollout.ending, trial.attempts) == (Ending.MISSING_CONTAINER, 1 + RETRIES)
    assert {verdict.passed for verdict in trial.verdicts} == {None}


def test_a_linter_that_cannot_be_used_is_our_fault(bench: Bench, world: World, task: Task) -> None:
    world.faults["style"] = SuiteError("ruff cannot be used on the untouched base")
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert trial.rollout.ending is Ending.MISSING_GRADER
    assert {verdict.passed for verdict in trial.verdicts} == {None}


def test_a_fault_of_ours_is_tried_again_and_every_call_of_every_try_is_booked(bench: Bench, world: World, task: Task) -> None:
    world.panel = ["missing", "pass"]
    trial = run_trial(bench, key(task), VARIANT, purse())
    assert ([verdict.passed for verdict in trial.verdicts], trial.attempts) == ([True] * 3, 2)
    assert [call.role for call in trial.rollout.calls] == ["coder", "reviewer:a"] * 2
    assert trial.cost_usd == pytest.approx(1.0)


def test_a_failed_trial_is_not_tried_again(bench: Bench, world: World, task: Task) -> None:
    world.panel = ["fail"]
    assert run_trial(bench, key(task), VARIANT, purse()).attempts == 1


def test_one_unknown_price_makes_a_trials_cost_unknown(bench: Bench, world: World, task: Task) -> None:
    world.price = None
    assert run_trial(bench, key(task), VARIANT, purse()).cost_usd is None


def test_a_trial_is_written_with_its_calls_before_it_is_used(evaluator: Evaluator, store: Store, task: Task) -> None:
    plans = [(key(task, repeat), VARIANT) for repeat in (2, 1)]
    rows = evaluator.run("some", plans)
    assert list(rows) == [planned for planned, _ in plans]
    assert store.campaign("c").rows(TrialRow) == tuple(rows.values())
    assert len(store.campaign("c").rows(CallRow)) == 4


def test_a_trial_in_the_ledger_is_not_run_again(evaluator: Evaluator, world: World, task: Task) -> None:
    first = evaluator.run("some", [(key(task), VARIANT)])
    world.asked.clear()
    assert evaluator.run("the same", [(key(task), VARIANT)]) == first
    assert world.asked == []


@pytest.fixture
def tasks(evaluator: Evaluator, bench: Bench, task: Task) -> tuple[Task, ...]:
    """More tasks than may be missing in a row, in the evaluator's suite."""
    several = tuple(replace(task, id=f"task-{number}") for number in range(MOST_IN_A_ROW + 2))
    evaluator.bench = replace(bench, suite=replace(bench.suite, tasks=several))
    return several


def test_trial_after_trial_missing_stops_the_run_so_that_the_rest_can_still_be_run(
    evaluator: Evaluator, world: World, store: Store, tasks: tuple[Task, ...]
) -> None:
    world.faults["open"] = TrialEndedError(Ending.MISSING_CONTAINER, "no space left on device")
    plans = [(key(one), VARIANT) for one in tasks]
    with pytest.raises(UnavailableError, match=r"3 tasks in a row .*missing: container: no space left on device.*same command"):
        evaluator.run("some", plans)
    assert [row.task for row in store.campaign("c").rows(TrialRow)] == [one.id for one in tasks[:MOST_IN_A_ROW]]
    world.faults.clear()
    assert len(evaluator.run("the same", plans)) == len(tasks)


def test_single_missing_trials_and_one_task_that_always_is_stop_nothing(
    evaluator: Evaluator, world: World, tasks: tuple[Task, ...]
) -> None:
    world.panel = [*["missing"] * 3 * (1 + RETRIES), "pass", *["missing"] * 2 * (1 + RETRIES), "pass"]
    always, *others = tasks
    plans = [key(always), key(always, 2), key(others[0]), key(others[1]), key(always, 3), key(others[2]), key(others[3])]
    rows = evaluator.run("some", [(plan, VARIANT) for plan in plans])
    assert ["missing" in row.verdicts.values() for row in rows.values()] == [True, True, True, False, True, True, False]


def test_at_a_limit_no_further_container_is_opened_and_a_later_run_does_the_rest(
    bench: Bench, world: World, store: Store, task: Task
) -> None:
    ledger = store.campaign("c")
    bench = replace(bench, limits=Limits(usd=0.5))
    plans = [(key(task, repeat), VARIANT) for repeat in range(1, 6)]

    def run(usd: float) -> None:
        budget = Budget((Limit(name="run", usd=usd),), max_hours=None, clock=lambda: 0.0)
        Evaluator(bench, ledger, LocalExecutor(1), budget, Notes()).run("some", plans)

    with pytest.raises(BudgetSpentError):  # an agent may cost .50 and costs .25; reviewers pay for themselves
        run(1.2)
    assert (world.asked.count("open"), len(ledger.rows(TrialRow))) == (3, 3)
    run(2.0)
    assert (world.asked.count("open"), len(ledger.rows(TrialRow))) == (5, 5)


def test_what_a_stopped_trial_came_to_is_thrown_away_but_each_of_its_tries_is_booked(
    evaluator: Evaluator, world: World, store: Store, task: Task
) -> None:
    world.during = evaluator.stop
    for _ in range(2):
        with pytest.raises(StoppedError):
            evaluator.run("some", [(key(task), VARIANT)])
    assert store.campaign("c").rows(TrialRow) == ()
    booked = store.campaign("c").rows(CallRow)
    assert [row.subject for row in booked] == [f"{key(task)}/given up {number}" for number in (1, 1, 2, 2)]
    assert sum(row.cost_usd or 0.0 for row in booked) == pytest.approx(1.0)


def test_a_stop_closes_the_sandbox(evaluator: Evaluator, world: World) -> None:
    evaluator.stop()
    assert world.asked == ["close"]


def limited(bench: Bench, store: Store, *limits: Limit) -> tuple[Evaluator, Budget]:
    """An evaluator with a budget, of trials whose agents may cost a dollar each."""
    budget = held(*limits)
    spending = replace(bench, limits=Limits(usd=1.0))
    return Evaluator(spending, store.campaign("c"), LocalExecutor(1), budget, Notes()), budget


def test_the_agents_part_is_booked_before_the_review_so_that_reviewers_pay_from_what_is_left(
    bench: Bench, world: World, store: Store, task: Task
) -> None:
    seen: list[tuple[float, float]] = []

    class Watching:
        def review(self, *given: object) -> Reviewed:
            seen.append((budget.spent, budget.in_flight))
            return world.review(*given)

    evaluator, budget = limited(replace(bench, panel=Watching()), store, Limit(name="run", usd=1.5))
    evaluator.run("one", [(key(task), VARIANT)])
    assert seen == [(0.25, 0.0)]
    assert budget.spent == 0.25  # the reviewers' part is booked by who meters their calls


def test_each_try_after_a_fault_of_ours_is_reserved_anew(bench: Bench, world: World, store: Store, task: Task) -> None:
    world.panel = ["missing"]
    evaluator, budget = limited(bench, store, Limit(name="run", usd=1.3))
    with pytest.raises(BudgetSpentError, match=r"\$0\.50 of the run's \$1\.30 are spent"):
        evaluator.run("one", [(key(task), VARIANT)])
    assert (world.asked.count("agent"), budget.spent) == (2, 0.5)


def test_at_a_limit_the_error_says_how_many_of_the_planned_trials_were_made(
    bench: Bench, world: World, store: Store, task: Task
) -> None:
    plans = [(replace(key(task), repeat=repeat), VARIANT) for repeat in range(1, 11)]
    with pytest.raises(BudgetSpentError, match=r"may cost .*; 7 of 10 trials were made \(ten\)$"):
        limited(bench, store, Limit(name="run", usd=2.5))[0].run("ten", plans)
    with pytest.raises(BudgetSpentError, match=r"; 9 of 10 trials were made \(ten\)$"):  # those of earlier runs are used again
        limited(bench, store, Limit(name="run", usd=1.25))[0].run("ten", plans)
    assert world.asked.count("agent") == 9


def test_a_trial_that_a_limit_gives_up_at_its_review_leaves_its_calls_in_the_ledger_each_time(
    bench: Bench, world: World, store: Store, task: Task
) -> None:
    class Refused:
        def review(self, *_: object) -> Reviewed:
            raise BudgetSpentError("the line", (world.call("reviewer:a"),))

    evaluator, budget = limited(replace(bench, panel=Refused()), store, Limit(name="run", usd=5.0))
    for _ in range(2):
        with pytest.raises(BudgetSpentError, match="the line"):
            evaluator.run("one", [(key(task), VARIANT)])
    ledger = store.campaign("c")
    assert ledger.rows(TrialRow) == ()
    assert [row.subject.rpartition("/")[2] for row in ledger.rows(CallRow)] == ["given up 1"] * 2 + ["given up 2"] * 2
    assert [row.role for row in ledger.rows(CallRow)] == ["coder", "reviewer:a"] * 2
    assert (budget.spent, budget.in_flight) == (0.5, 0.0)


CONFIRMING = "confirmation-3"


def in_generation(task: Task, repeat: int = 1, arm: Arm = Arm.VARIANT) -> TrialKey:
    return TrialKey(stage=Stage.CONFIRM, confirmation=CONFIRMING, arm=arm, variant=VARIANT.id, task=task.id, repeat=repeat)


def confirming(store: Store) -> CampaignLedger:
    """A ledger in which generation 3 is being confirmed, and variant and batch are as yet unknown."""
    ledger = store.campaign("c")
    confirmation = ConfirmationRow(
        key=CONFIRMING, generation=3, baseline="b", variant=VARIANT.id, number=1, alpha=0.05, alpha_sum=0.05, holdout_hash="h",
        orders=(),
    )  # fmt: skip
    ledger.add(confirmation)
    return ledger


def sharing(bench: Bench, ledger: CampaignLedger, limit: Limit) -> Evaluator:
    generations = Generations(lambda number: replace(limit, name=f"generation {number}", before=spent_on(number, ledger)))
    return Evaluator(
        replace(bench, limits=Limits(usd=1.0, calls=2)), ledger, LocalExecutor(1), held(), Notes(), generations=generations
    )


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (Limit(name="", usd=1.3, then="raise it"), r"\$0\.50 of generation 3's \$1\.30 are spent"),
        (Limit(name="", calls=3), "2 of generation 3's 3 model calls are used"),
    ],
)
def test_a_generation_has_a_budget_of_its_own_for_both_arms_and_over_all_runs(
    bench: Bench, store: Store, task: Task, limit: Limit, words: str
) -> None:
    ledger = confirming(store)
    sharing(bench, ledger, limit).run("first run", [(in_generation(task), VARIANT)])
    later = sharing(bench, ledger, limit)
    assert spent_on(3, ledger) == Amount(usd=0.5, tokens=2, calls=2)
    with pytest.raises(BudgetSpentError, match=words) as stopped:
        later.run("second run", [(in_generation(task, 2, Arm.BASELINE), VARIANT)])
    assert stopped.value.then == limit.then
    assert len(later.run("of no generation", [(key(task), VARIANT)])) == 1


def test_a_proposal_a_screen_and_what_was_given_up_are_the_generations_too(store: Store, task: Task) -> None:
    ledger = store.campaign("c")
    ledger.add(
        VariantRow(
            key="generation/3", generation=3, batch=1, variant=VARIANT.id, parent="b", operator="reflect", rationale="", find="",
            replace="", name="x", tree_blob="", refused="",
        )
    )  # fmt: skip
    screened = TrialKey(stage=Stage.SCREEN, confirmation="", arm=Arm.VARIANT, variant=VARIANT.id, task=task.id, repeat=1)
    one = Call(role="coder", model="m", usage=Usage(output=1, calls=1), cost_usd=1.0)
    for subject in (
        "proposal/c/3",
        str(screened),
        f"{screened}/given up 1",
        "proposal/c/3/given up 1",
        "proposal/c/4",
        "proposal/c/33",
        str(key(task)),
    ):
        ledger.add(*call_rows(subject, (one,)))
    assert generation_of(screened, ledger) == 3
    assert generation_of(key(task), ledger) is None
    assert spent_on(3, ledger) == Amount(usd=4.0, tokens=4, calls=4)
