"""The loop over drawn trials: the real decision code and the real ledger, without containers or models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.campaign import Campaign, Rates, short_id
from harness.decision.rules import Rules
from harness.errors import IncompleteError
from harness.ledger.schema import ConfirmationRow, DecisionRow, PromotionRow, TrialRow, VariantRow
from harness.ledger.store import Store
from harness.loop import compare, evolve
from harness.skill import Skill, Variant
from harness.skill_io import make_skill
from harness.task import Split, Suite, Task
from harness.testing import DrawnTrials, Notes, ScriptedProposer
from harness.tree import Tree
from harness.trial import Arm, TrialKey

HEAD = "---\nname: coding\ndescription: How to code.\n---\n"
SKILL = make_skill(Tree.of({"SKILL.md": HEAD + "Begin.\nEnd.\n"}), "coding", "test")
GOOD, BAD, SIDE, IDLE = "Good habit.", "Bad habit.", "Trade.", "Filler."
EFFECTS = {GOOD: (0.35, 0.35, 0.35), BAD: (-0.3, -0.3, -0.3), SIDE: (0.3, -0.3, 0.0), IDLE: (0.0, 0.0, 0.0)}
BASE = (0.5, 0.47, 0.43)


def true_rates(skill: Skill) -> Rates:
    found = [EFFECTS[sentence] for sentence in EFFECTS if sentence in skill.text]
    tests, style, review = (min(0.97, base + sum(effect[gate] for effect in found)) for gate, base in enumerate(BASE))
    return tests, style, review


def task(name: str, split: Split) -> Task:
    tree = Tree.of({"a.py": "x = 1\n"})
    return Task(
        id=name,
        project="p",
        split=split,
        instruction="do",
        difficulty="medium",
        kind="behaviour",
        interface=(),
        base=tree,
        reference=tree,
        hidden=tree,
        fail_to_pass=("t",),
        pass_to_pass=(),
        pack="",
    )


SUITE = Suite(
    id="s",
    version="1",
    tasks=tuple(task(f"dev-{n}", Split.DEV) for n in range(14)) + tuple(task(f"hold-{n}", Split.HOLDOUT) for n in range(34)),
    packs=(),
    tools=(),
)


def order(label: str, items: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(items, key=lambda item: short_id(label, item)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


class Night:
    """One campaign over drawn trials; `published` lists the generations whose files were written."""

    def __init__(
        self,
        store: Store,
        sentences: Sequence[str | None],
        *,
        name: str = "c",
        interrupt_after: int = -1,
        memory: bool = True,
    ) -> None:
        self.ledger = store.campaign(name)
        self.published: list[int] = []
        self.notes = Notes()
        self.trials = DrawnTrials(self.ledger, lambda variant: true_rates(variant.skill), seed=3, interrupt_after=interrupt_after)
        self.proposer = ScriptedProposer(sentences)
        self.campaign = Campaign(
            ledger=self.ledger,
            suite=SUITE,
            rules=Rules(),
            evaluator=self.trials,
            proposer=self.proposer,
            progress=self.notes,
            shuffle=order,
            leaks=lambda variant: "leak: an answer" if "Answer." in variant.skill.text else "",
            truth=true_rates,
            publish=lambda variant: self.published.append(variant.generation),
            batch=4,
            memory=memory,
        )
        self.campaign.start(SKILL)

    def decisions(self) -> dict[int, str]:
        """By generation."""
        return {row.generation: row.decision for row in self.ledger.rows(DecisionRow)}


def test_a_batch_promotes_the_helpful_variant_and_nothing_else(store: Store) -> None:
    night = Night(store, [BAD, GOOD, IDLE, SIDE])
    evolve(night.campaign, 4)
    decisions = night.decisions()
    assert decisions[2] == "promote"
    assert {decisions[n] for n in (1, 3, 4)} <= {"reject", "not_confirmed"}
    assert night.campaign.baseline().generation == 2
    assert night.published == [0, 2]


class Flagged(DrawnTrials):
    """The variant's agents did what honest ones do not."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """As drawn, with a flag on every trial of the variant."""
        rows = super().run(title, plans)
        seen = {"flags": ("a.py: reads frames",)}
        return {key: row.model_copy(update=seen) if key.arm is Arm.VARIANT else row for key, row in rows.items()}


def test_a_promotion_that_rests_on_flagged_trials_is_invalid_and_moves_nothing(store: Store) -> None:
    night = Night(store, [GOOD])
    flagged = Flagged(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
    night.campaign = replace(night.campaign, evaluator=flagged)
    evolve(night.campaign, 1)
    [decided] = night.ledger.rows(DecisionRow)
    assert decided.decision == "invalid"
    assert "flagged trials are counted as fails" in decided.reason
    assert night.campaign.baseline().generation == 0


def test_every_decision_of_a_known_world_carries_whether_it_was_right(store: Store) -> None:
    night = Night(store, [BAD, GOOD, IDLE, SIDE])
    evolve(night.campaign, 4)
    assert {row.right for row in night.ledger.rows(DecisionRow) if row.decision != "not_confirmed"} == {True}


def test_every_variant_is_an_edit_of_the_current_best_and_a_failed_one_leaves_nothing_behind(store: Store) -> None:
    night = Night(store, [BAD, IDLE, SIDE, GOOD, "Another."])
    evolve(night.campaign, 5)
    rows = {row.generation: row for row in night.ledger.rows(VariantRow)}
    assert {rows[n].parent for n in (1, 2, 3, 4)} == {rows[0].variant}
    assert rows[5].parent == rows[4].variant
    assert night.campaign.variant(rows[5]).skill.body == f"Begin.\nEnd.\n{GOOD}\nAnother.\n"


def test_the_confirmation_is_registered_before_its_first_trial_and_both_arms_are_fresh(store: Store) -> None:
    night = Night(store, [GOOD])
    evolve(night.campaign, 1)
    [registered] = night.ledger.rows(ConfirmationRow)
    entries = [(entry.kind, entry.body) for entry in store.entries("c")]
    first = next(place for place, (kind, body) in enumerate(entries) if kind == "trial" and registered.key in body)
    assert next(place for place, (kind, _) in enumerate(entries) if kind == "confirmation") < first
    trials = [row for row in night.ledger.rows(TrialRow) if row.confirmation == registered.key]
    assert {row.stage for row in trials} == {"confirm"}
    assert sum(row.arm == "baseline" for row in trials) == sum(row.arm == "variant" for row in trials)


def test_the_arms_of_a_confirmation_run_interleaved(store: Store) -> None:
    night = Night(store, [GOOD])
    evolve(night.campaign, 1)
    [registered] = night.ledger.rows(ConfirmationRow)
    trials = [row for row in night.ledger.rows(TrialRow) if row.confirmation == registered.key and row.repeat == 1]
    assert tuple(f"{row.arm}:{row.task}" for row in trials) == registered.orders[0]
    half = len(trials) // 2
    assert [{row.arm for row in trials[:half]}, {row.arm for row in trials[half:]}] == [{"baseline", "variant"}] * 2


def test_an_unusable_answer_a_repeated_text_and_a_leak_cost_no_trial(store: Store) -> None:
    night = Night(store, [None, IDLE, f"{IDLE} ", "Answer."])
    evolve(night.campaign, 4)
    reasons = {row.generation: row.reason for row in night.ledger.rows(DecisionRow)}
    assert reasons[1] == "Not tried: unusable: empty answer."
    assert reasons[3] == "Not tried: no-op: after normalising white space its text is that of generation 2."
    assert reasons[4] == "Not tried: leak: an answer."
    tried = {row.variant for row in night.ledger.rows(TrialRow)}
    assert tried == {row.variant for row in night.ledger.rows(VariantRow) if row.generation in {0, 2}}


def test_memory_shows_the_edits_tried_since_the_last_promotion_and_nothing_of_holdout(store: Store) -> None:
    night = Night(store, [BAD, GOOD, IDLE, SIDE, BAD])
    evolve(night.campaign, 5)
    seen = [[edit.replace.rpartition("\n")[2] for edit in request.rejected] for request in night.proposer.requests]
    assert seen[:4] == [[], [BAD], [BAD, GOOD], [BAD, GOOD, IDLE]]
    assert seen[4] == []
    assert all(failure.task.startswith("dev-") for request in night.proposer.requests for failure in request.failures)


def test_without_memory_no_edit_is_shown(store: Store) -> None:
    night = Night(store, [BAD, GOOD, IDLE, SIDE])
    evolve(replace(night.campaign, memory=False), 4)
    assert [request.rejected for request in night.proposer.requests] == [()] * 4


def test_the_first_promotion_ends_its_batch(store: Store) -> None:
    night = Night(store, [GOOD, f"{GOOD} Twice.", IDLE, SIDE])
    evolve(night.campaign, 4)
    decisions = night.decisions()
    assert sorted(decisions[n] for n in (1, 2)) == ["not_confirmed", "promote"]
    assert len(night.ledger.rows(ConfirmationRow)) == len(night.ledger.rows(PromotionRow)) == 1


class Unread(DrawnTrials):
    """Trials that never show that the agent was given its skill."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """As drawn, but for the load evidence."""
        rows = super().run(title, plans)
        return {key: row.model_copy(update={"loaded": False}) for key, row in rows.items()}


def test_a_win_of_a_variant_that_no_agent_was_shown_is_no_answer(store: Store) -> None:
    night = Night(store, [GOOD])
    unread = Unread(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
    evolve(replace(night.campaign, evaluator=unread), 1)
    [decided] = night.ledger.rows(DecisionRow)
    assert (decided.decision, decided.reason.partition(":")[0]) == ("invalid", "No answer")
    assert not night.ledger.rows(PromotionRow)


class Again(DrawnTrials):
    """Trials of which every one of the variant's needed a second try."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """As drawn, but for the number of tries."""
        rows = super().run(title, plans)
        return {key: row.model_copy(update={"attempts": 1 + (key.arm is Arm.VARIANT)}) for key, row in rows.items()}


def test_second_tries_are_told_by_arm_after_each_look(store: Store) -> None:
    night = Night(store, [GOOD])
    evolve(replace(night.campaign, evaluator=Again(night.ledger, lambda variant: true_rates(variant.skill), seed=3)), 1)
    told = [note for note in night.notes.notes if note.startswith("tried again")]
    assert told[0].startswith("tried again after faults of ours: 0 of the baseline's and 34 of the variant's 34 trials, too")


def test_no_new_dev_baseline_is_run_after_the_last_generation(store: Store) -> None:
    night = Night(store, [GOOD])
    evolve(night.campaign, 1)
    assert night.campaign.baseline().generation == 1
    preflights = {row.variant for row in night.ledger.rows(TrialRow) if row.stage == "preflight"}
    assert preflights == {SKILL.id}


@pytest.mark.parametrize("after", [0, 1, 57, 90, 95, 130, 200, 260])
def test_a_run_cut_anywhere_and_resumed_ends_as_the_uninterrupted_one(tmp_path: Path, after: int) -> None:
    sentences = [BAD, GOOD, IDLE, SIDE]
    ends = []
    for name, cut in (("whole", -1), ("cut", after)):
        with Store.open(tmp_path / f"{name}{after}.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as store:
            night = Night(store, sentences, interrupt_after=cut)
            drawn = 0
            if cut >= 0:
                with pytest.raises(KeyboardInterrupt):
                    evolve(night.campaign, 4)
                drawn = night.trials.drawn
                night = Night(store, sentences)
            evolve(night.campaign, 4)
            ends.append((drawn + night.trials.drawn, rows_of(night)))
    assert ends[0] == ends[1]


def rows_of(night: Night) -> list[str]:
    tables = (VariantRow, TrialRow, ConfirmationRow, DecisionRow, PromotionRow)
    return sorted(row.model_dump_json() for table in tables for row in night.ledger.rows(table))


def test_running_again_after_the_end_goes_on_with_new_generations(store: Store) -> None:
    night = Night(store, [BAD, IDLE, GOOD, SIDE])
    evolve(night.campaign, 2)
    assert set(night.decisions()) == {1, 2}
    evolve(night.campaign, 2)
    assert set(night.decisions()) == {1, 2, 3, 4}


def test_confirmations_and_alpha_are_counted_over_all_campaigns_of_the_ledger(store: Store) -> None:
    for name in ("one", "two"):
        evolve(Night(store, [GOOD], name=name).campaign, 1)
    rows = store.campaign("two").everywhere(ConfirmationRow)
    assert [(row.number, round(row.alpha_sum, 6)) for row in rows] == [(1, 0.05), (2, 0.1)]


def test_comparing_a_skill_with_its_own_copy_runs_its_trials_and_never_promotes(store: Store) -> None:
    night = Night(store, [])
    decided = compare(night.campaign, Variant(skill=SKILL, parent=SKILL.id, operator="given", generation=1))
    assert decided.decision != "promote"
    assert len(night.ledger.rows(TrialRow)) >= 2 * 34
    assert not night.ledger.rows(PromotionRow)


def test_comparing_with_a_better_skill_says_so_and_moves_no_baseline(store: Store) -> None:
    night = Night(store, [])
    better = make_skill(Tree.of({"SKILL.md": f"{SKILL.text}{GOOD}\n"}), "coding", "test")
    decided = compare(night.campaign, Variant(skill=better, parent=SKILL.id, operator="given", generation=1))
    assert decided.decision == "promote"
    assert night.campaign.baseline().id == SKILL.id
    assert not night.ledger.rows(PromotionRow)


def test_comparing_again_gives_the_recorded_decision_without_a_trial(store: Store) -> None:
    night = Night(store, [])
    variant = Variant(skill=SKILL, parent=SKILL.id, operator="given", generation=1)
    first = compare(night.campaign, variant)
    drawn = night.trials.drawn
    assert compare(night.campaign, variant) == first
    assert night.trials.drawn == drawn


def test_a_baseline_that_passes_nothing_stops_before_any_variant(store: Store) -> None:
    night = Night(store, [GOOD])
    night.trials._rates = lambda _: (0.0, 0.0, 0.0)  # noqa: SLF001  (a world of its own)
    with pytest.raises(IncompleteError, match="check the set-up"):
        evolve(night.campaign, 1)
    assert len(night.ledger.rows(VariantRow)) == 1


def test_a_gate_without_room_is_blocked_after_as_many_sweeps_as_there_are_looks(store: Store) -> None:
    night = Night(store, [GOOD])
    night.trials._rates = lambda _: (0.5, 1.0, 0.4)  # noqa: SLF001  (a world of its own)
    with pytest.raises(IncompleteError, match="style"):
        evolve(night.campaign, 1)
    holdout = [row for row in night.ledger.rows(TrialRow) if row.task.startswith("hold-")]
    assert max(row.repeat for row in holdout) == 8
    assert not night.ledger.rows(ConfirmationRow)
