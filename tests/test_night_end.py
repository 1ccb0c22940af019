"""What a night runs beside its confirmations: A/A shadows, the vault test, control arms, and going back."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.budget import Amount, Budget, Limit
from harness.controls import control_variant
from harness.decision.options import Control, Options
from harness.errors import IncompleteError, InputError
from harness.ledger.schema import ConfirmationRow, DecisionRow, EventRow, PromotionRow, TrialRow, VariantRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.rollback import roll_back
from harness.skill import Variant
from harness.task import Split
from harness.testing import DrawnTrials
from harness.trial import TrialKey
from tests.test_loop import BAD, GOOD, IDLE, SIDE, SKILL, SUITE, Night, task, true_rates


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def event(night: Night, key: str) -> dict[str, object]:
    found = night.ledger.find(EventRow, key)
    assert found is not None
    document = json.loads(found.data)
    assert isinstance(document, dict)
    return document


def with_vault(night: Night) -> Night:
    tasks = tuple(task(f"vault-{n}", Split.VAULT) for n in range(12))
    night.campaign = replace(night.campaign, suite=replace(SUITE, tasks=SUITE.tasks + tasks))
    return night


def with_options(night: Night, **options: object) -> Night:
    night.campaign = replace(night.campaign, options=replace(Options(), **options))  # type: ignore[arg-type]
    return night


def test_a_shadow_is_run_for_every_so_many_decided_variants_and_its_crossings_stand_in_the_ledger(store: Store) -> None:
    night = with_options(Night(store, [BAD, IDLE, SIDE, GOOD]), shadow_every=2)
    evolve(night.campaign, 2)
    assert set(event(night, "shadow/1")) == {"key", "baseline", "looks", "decision", "crossed"}
    assert event(night, "shadow/1")["crossed"] == dict.fromkeys(("tests", "style", "review"))
    evolve(night.campaign, 2)
    shadows = [row for row in night.ledger.rows(EventRow) if row.name == "A/A shadow"]
    assert len(shadows) == 2


def test_a_shadow_spends_no_alpha_and_promotes_nothing(store: Store) -> None:
    night = with_options(Night(store, [BAD, IDLE]), shadow_every=2)
    evolve(night.campaign, 2)
    rows = [row for row in night.ledger.rows(TrialRow) if row.stage == "shadow"]
    assert {row.variant for row in rows} == {SKILL.id}
    assert {row.arm for row in rows} == {"baseline", "variant"}
    assert not {row.confirmation for row in rows} & {row.key for row in night.ledger.rows(ConfirmationRow)}
    assert not night.ledger.rows(PromotionRow)


def test_a_cut_shadow_is_finished_by_the_next_run_with_the_same_baseline(store: Store) -> None:
    night = with_options(Night(store, [BAD, IDLE]), shadow_every=2)
    evolve(night.campaign, 2)
    whole = event(night, "shadow/1")
    trials = len(night.ledger.rows(TrialRow))
    cut = with_options(Night(store, [BAD, IDLE], name="cut", interrupt_after=trials - 5), shadow_every=2)
    with pytest.raises(KeyboardInterrupt):
        evolve(cut.campaign, 2)
    again = with_options(Night(store, [BAD, IDLE], name="cut"), shadow_every=2)
    evolve(again.campaign, 2)
    assert {name: value for name, value in event(again, "shadow/1").items() if name != "key"}.keys() == whole.keys() - {"key"}
    assert event(again, "shadow/1")["baseline"] == SKILL.id


def test_the_vault_is_opened_once_a_night_with_the_final_against_the_first_baseline(store: Store) -> None:
    night = with_vault(Night(store, [BAD, GOOD, IDLE, SIDE]))
    evolve(night.campaign, 4)
    found = event(night, "vault/1")
    rows = [row for row in night.ledger.rows(TrialRow) if row.stage == "vault"]
    assert (found["from"], found["to"], found["sweeps"]) == (SKILL.id, night.campaign.baseline().id, 3)
    assert len(rows) == 2 * 3 * 12
    gates = found["gates"]
    assert isinstance(gates, dict)
    assert all(gates[gate]["delta"] > 0 for gate in ("tests", "style", "review"))


def test_without_vault_tasks_or_a_promotion_the_vault_is_skipped_and_says_why(store: Store) -> None:
    none = Night(store, [BAD])
    evolve(none.campaign, 1)
    assert event(none, "vault/1") == {"skipped": "the suite has no vault tasks"}
    same = with_vault(Night(store, [BAD], name="same"))
    evolve(same.campaign, 1)
    assert event(same, "vault/1") == {"skipped": "the baseline is the one that the night started from"}
    assert not [row for row in same.ledger.rows(TrialRow) if row.stage == "vault"]


class Paid(DrawnTrials):
    """Each trial costs a dollar of a budget."""

    budget: Budget

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """One after the other, each paid before it is run."""
        rows: dict[TrialKey, TrialRow] = {}
        for key, variant in plans:
            if self._ledger.find(TrialRow, str(key)) is None:
                self.budget.reserve(Amount(usd=1.0))
                self.budget.book(Amount(usd=1.0), Amount(usd=1.0), trials=1)
            rows |= super().run(title, [(key, variant)])
        return rows


def paid(store: Store, name: str, limit: float | Limit) -> tuple[Night, Budget]:
    limit = limit if isinstance(limit, Limit) else Limit(name="run", usd=limit)
    night = with_vault(Night(store, [GOOD, *(f"{IDLE} {n}." for n in range(7))], name=name))
    trials = Paid(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
    trials.budget = Budget((limit,), max_hours=None, clock=lambda: 0.0)
    night.campaign = replace(night.campaign, evaluator=trials, keep_back=trials.budget.keep_back)
    return night, trials.budget


def test_a_night_that_ends_at_its_money_still_has_its_vault_test_within_that_money(store: Store) -> None:
    whole, cost = paid(store, "whole", 10_000)
    evolve(whole.campaign, 8)
    short, budget = paid(store, "short", cost.spent - 20)
    ended = evolve(short.campaign, 8)
    assert "but for 72 trials at the night's end" in ended.reason
    assert ended.reason.endswith(f"; generations decided: {len(short.decisions())} of 8; the same command goes on from here")
    assert event(short, "vault/1")["to"] == short.campaign.baseline().id != SKILL.id
    assert len(short.decisions()) < 8
    assert budget.spent <= cost.spent - 20


def test_how_to_go_on_from_a_limit_is_said_once_and_as_that_limit_says_it(store: Store) -> None:
    then = "raise [budget] generation_usd, and the same command goes on from here"
    own = Limit(name="generation 1", usd=100, then=then)
    night, _ = paid(store, "stopped", own)
    with pytest.raises(
        IncompleteError, match=rf"^nothing was decided: .* of generation 1's \$100\.00 .*; {re.escape(then)}$"
    ) as cut:
        evolve(night.campaign, 1)
    assert str(cut.value).count("goes on from here") == 1


def test_the_next_run_is_a_new_night_that_first_decides_the_batch_that_a_limit_left(store: Store) -> None:
    whole, cost = paid(store, "whole", 10_000)
    evolve(whole.campaign, 8)
    short, _ = paid(store, "short", cost.spent - 3)
    evolve(short.campaign, 8)
    left = [row.generation for row in short.campaign.open_batch() if row.generation not in short.campaign.decided()]
    again, _ = paid(store, "short", 10_000)
    ended = evolve(again.campaign, len(left))
    assert ended.generations == tuple(left) != ()
    assert (again.campaign.night, event(again, "vault/2")["skipped"]) == (
        2,
        "the baseline is the one that the night started from",
    )


def test_a_vault_test_that_is_cut_itself_is_finished_by_the_same_command(store: Store) -> None:
    whole, cost = paid(store, "whole", 10_000)
    evolve(whole.campaign, 1)
    cut, _ = paid(store, "cut", cost.spent - 5)
    ended = evolve(cut.campaign, 1)
    assert "; the vault test was cut: " in ended.reason
    assert ended.reason.endswith("; the same command goes on from here")
    assert cut.ledger.find(EventRow, "vault/1") is None
    again, more = paid(store, "cut", 10_000)
    evolve(again.campaign, 1)
    assert (event(again, "vault/1")["tasks"], more.spent, len(again.decisions())) == (12, 5.0, 1)


def test_the_proposer_never_hears_of_vault_shadow_or_control_trials(store: Store) -> None:
    night = with_options(with_vault(Night(store, [GOOD, IDLE, BAD])), shadow_every=1, controls=(Control.PLACEBO,))
    evolve(night.campaign, 1)
    evolve(night.campaign, 2)
    assert {failure.task[:4] for request in night.proposer.requests for failure in request.failures} == {"dev-"}


def test_control_arms_are_shown_beside_the_start_and_decide_nothing(store: Store) -> None:
    night = with_options(Night(store, [BAD]), controls=(Control.PLACEBO, Control.NO_SKILL))
    evolve(night.campaign, 1)
    arms = [row.key for row in night.ledger.rows(EventRow) if row.name == "control arm"]
    assert arms == ["control/skill", "control/placebo", "control/no_skill"]
    assert event(night, "control/placebo")["trials"] == 2 * 34
    assert len(night.ledger.rows(VariantRow)) == 2
    assert len(night.ledger.rows(DecisionRow)) == 1


def test_a_placebo_is_as_long_as_the_skill_and_shares_nothing_but_its_head() -> None:
    placebo = control_variant(Control.PLACEBO, SKILL).skill
    assert (len(placebo.body), placebo.name, placebo.description) == (len(SKILL.body), SKILL.name, SKILL.description)
    assert "Begin" not in placebo.body
    assert control_variant(Control.NO_SKILL, SKILL).skill.body == "No instructions.\n"


def test_a_rollback_is_a_ledger_entry_and_the_next_run_goes_on_from_the_parent(store: Store) -> None:
    night = Night(store, [GOOD, IDLE])
    evolve(night.campaign, 1)
    promoted = night.campaign.baseline().id
    row = roll_back(night.ledger, "it does not hold up in daily work")
    assert (row.key, row.old, row.new, row.reason) == ("rollback/1", promoted, SKILL.id, "it does not hold up in daily work")
    evolve(night.campaign, 1)
    assert night.ledger.rows(VariantRow)[2].parent == SKILL.id
    assert night.published == [0, 1, 0]


def test_a_rollback_ends_the_open_batch_of_the_baseline_that_goes(store: Store) -> None:
    sentences = [GOOD, IDLE, BAD, SIDE, IDLE + " More."]
    whole = Night(store, sentences, name="whole")
    evolve(whole.campaign, 1)
    evolve(whole.campaign, 1)
    cut = Night(store, sentences, interrupt_after=whole.trials.drawn - 3)
    evolve(cut.campaign, 1)
    with pytest.raises(KeyboardInterrupt):
        evolve(cut.campaign, 1)
    roll_back(cut.ledger, "no")
    assert cut.decisions()[2] == "not_confirmed"
    again = Night(store, sentences)
    evolve(again.campaign, 1)  # ends the run that was cut: its one generation is decided
    evolve(again.campaign, 1)
    rows = {row.generation: row for row in again.ledger.rows(VariantRow)}
    assert (rows[2].parent, rows[3].parent) == (rows[1].variant, SKILL.id)


def test_there_is_nothing_to_roll_back_to_before_a_promotion_and_after_the_last_step(store: Store) -> None:
    night = Night(store, [GOOD])
    with pytest.raises(InputError, match="nothing to roll back"):
        roll_back(night.ledger, "no")
    evolve(night.campaign, 1)
    roll_back(night.ledger, "no")
    with pytest.raises(InputError, match="nothing to roll back"):
        roll_back(night.ledger, "no")


@pytest.mark.parametrize(("confirmations", "worn"), [(99, False), (100, True)])
def test_a_holdout_that_served_a_hundred_confirmations_is_told_as_worn_whatever_the_campaign(
    store: Store,
    confirmations: int,
    worn: bool,  # noqa: FBT001
) -> None:
    plain = {"baseline": "b", "variant": "v", "alpha": 0.05, "alpha_sum": 0.05, "orders": ()}
    rows = [
        ConfirmationRow(key=f"k{n}", generation=n, number=n, holdout_hash=SUITE.holdout_hash, **plain)  # type: ignore[arg-type]
        for n in range(confirmations)
    ]
    store.campaign("earlier").add(*rows)
    night = Night(store, [BAD])
    evolve(night.campaign, 1)
    assert any("exchange a third" in note for note in night.notes.notes) is worn


def with_reserve_tasks(night: Night, count: int = 40) -> Night:
    tasks = tuple(task(f"spare-{n}", Split.RESERVE) for n in range(count))
    night.campaign = replace(night.campaign, suite=replace(SUITE, tasks=SUITE.tasks + tasks))
    return night


def worn(store: Store, holdout: str, confirmations: int = 100) -> None:
    plain = {"baseline": "b", "variant": "v", "alpha": 0.05, "alpha_sum": 0.05, "orders": (), "generation": 1}
    rows = [
        ConfirmationRow(key=f"{holdout[:8]}-{n}", number=n, holdout_hash=holdout, **plain)  # type: ignore[arg-type]
        for n in range(confirmations)
    ]
    store.campaign(f"earlier {holdout[:8]}").add(*rows)


def served(night: Night, generation: int) -> set[str]:
    [key] = [row.key for row in night.ledger.rows(ConfirmationRow) if row.generation == generation]
    return {row.task for row in night.ledger.rows(TrialRow) if row.confirmation == key}


def test_a_third_of_a_worn_holdout_is_exchanged_for_reserve_tasks_when_a_run_begins(store: Store) -> None:
    worn(store, SUITE.holdout_hash)
    night = with_reserve_tasks(Night(store, [GOOD]))
    evolve(night.campaign, 1)
    tasks = served(night, 1)
    assert (len(tasks), sum(name.startswith("spare") for name in tasks)) == (34, 12)
    assert "holdout rotated: 12 of its 34 tasks come from the reserve" in night.notes.notes
    [registered] = night.ledger.rows(ConfirmationRow)
    assert (registered.number, registered.alpha_sum, registered.holdout_hash == SUITE.holdout_hash) == (1, 0.05, False)
    assert not any("exchange a third" in note for note in night.notes.notes)


def test_the_holdout_stays_as_it_is_within_a_run_and_the_baseline_through_a_rotation(store: Store) -> None:
    night = with_reserve_tasks(Night(store, [GOOD, f"{IDLE} 1.", f"{IDLE} 2."]))
    evolve(night.campaign, 1)
    assert not any(name.startswith("spare") for name in served(night, 1))
    worn(store, SUITE.holdout_hash)
    promoted = night.campaign.baseline().id
    evolve(night.campaign, 1)
    assert night.ledger.rows(VariantRow)[2].parent == promoted
    rotated = [row.data for row in night.ledger.rows(EventRow) if row.name == "holdout rotated"]
    assert rotated == ["0", "1"]


def test_a_used_up_reserve_is_told_and_one_taken_away_is_asked_for(store: Store) -> None:
    once = SUITE.rotated(0)
    assert once is not None
    worn(store, once.holdout_hash)
    night = with_reserve_tasks(Night(store, [BAD, IDLE]), 12)
    after = night.campaign.suite.rotated(1)
    assert after is not None
    worn(store, after.holdout_hash)
    evolve(night.campaign, 1)
    assert any("no task waits in its reserve" in note for note in night.notes.notes)
    night.campaign = replace(night.campaign, suite=SUITE)
    with pytest.raises(InputError, match="too few tasks for that; put them back"):
        evolve(night.campaign, 1)
