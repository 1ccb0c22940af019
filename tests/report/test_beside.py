"""What the page says of A/A shadows, vault tests, control arms and rollbacks; nothing where there were none."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.decision.options import Control
from harness.ledger.history import read_history
from harness.ledger.schema import CampaignRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.report.beside import beside_rows
from harness.report.page import build_page
from harness.report.view import Scene
from harness.rollback import roll_back
from tests.test_loop import BAD, GOOD, IDLE, SIDE, Night
from tests.test_night_end import event, with_options, with_vault


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def night_of_everything(store: Store) -> Night:
    night = with_options(with_vault(Night(store, [GOOD, IDLE, BAD, SIDE])), shadow_every=1, controls=(Control.PLACEBO,))
    plain = {"skill": "s", "suite": "s", "suite_hash": "", "holdout_hash": "", "rehearsal": True, "versions": {}}
    night.ledger.add(CampaignRow.model_validate({"key": "c", "settings": "{}", **plain}))
    evolve(night.campaign, 1)
    evolve(night.campaign, 1)
    roll_back(night.ledger, "it made <b>reviews</b> longer")
    return night


def test_each_thing_that_ran_beside_has_its_line_with_its_figures(store: Store) -> None:
    night = night_of_everything(store)
    rows = {row.what: row for row in beside_rows(Scene(history=read_history(store, "c"), blob=store.blobs.get))}
    assert list(rows) == [
        "2 A/A shadows",
        "Vault, run 1",
        "Vault, run 2",
        "Control arm: skill",
        "Control arm: placebo",
        "Rollback",
    ]
    gates = event(night, "vault/1")["gates"]
    assert isinstance(gates, dict)
    assert rows["Vault, run 1"].gates[0].startswith(f"+{100 * gates['tests']['delta']:.0f} (")
    assert rows["Vault, run 2"].told == "Skipped: the baseline is the one that the night started from."
    rates = event(night, "control/placebo")["rates"]
    assert isinstance(rates, dict)
    assert rows["Control arm: placebo"].gates == tuple(f"{100 * rates[gate]:.0f} %" for gate in ("tests", "style", "review"))
    assert rows["Rollback"].told == "The baseline went back from generation 1 to generation 0: it made <b>reviews</b> longer"


def test_the_page_shows_the_section_and_its_untrusted_words_escaped(store: Store) -> None:
    night_of_everything(store)
    page = build_page(store, "c")
    assert '<section id="beside"' in page
    assert '<a href="#beside">' in page
    assert "it made &lt;b&gt;reviews&lt;/b&gt; longer" in page
    assert "Fresh tasks agree." in page


@pytest.mark.parametrize("kind", ["promoted", "none", "screened"])
def test_a_campaign_without_any_of_it_has_no_such_section(ledger: Callable[[str], Path], kind: str) -> None:
    with Store.read(ledger(kind)) as store:
        page = build_page(store, store.campaigns()[0])
    assert 'id="beside"' not in page
    assert "#beside" not in page
