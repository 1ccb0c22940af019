"""The page in a real Chromium: it asks nobody for anything, says nothing on the console, and checks itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from harness.ledger.store import Store
from harness.report.page import write_report
from tests.chromium import Opened, chromium
from tests.ledger import sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.browser
Ledgers = Callable[[str], Path]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def pages(ledger: Ledgers, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    def get(kind: str) -> str:
        with Store.read(ledger(kind)) as store:
            return write_report(store, store.campaigns()[0], tmp_path_factory.mktemp("page")).as_uri()

    return get


@pytest.mark.parametrize("kind", ["promoted", "rehearsal", "none", "screened", "rewritten"])
@pytest.mark.parametrize("width", [360, 1440])
def test_no_console_message_no_request_and_no_sideways_scrolling(
    browser: "Browser", pages: Callable[[str], str], kind: str, width: int
) -> None:
    address = pages(kind)
    opened = Opened(browser.new_page(viewport={"width": width, "height": 900}), address)
    opened.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert (opened.said, opened.asked) == ([], [address])
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    opened.page.close()


def places(page: "Page", selector: str) -> list[tuple[int, int, str]]:
    """Where the elements that can be seen stand, and their text, in the order of the document."""
    found = [(one.bounding_box(), one.inner_text()) for one in page.locator(selector).all()]
    return [(round(box["x"]), round(box["y"]), text) for box, text in found if box]


def test_a_wide_screen_shows_the_change_side_by_side_without_javascript(browser: "Browser", pages: Callable[[str], str]) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    opened = Opened(context.new_page(), pages("promoted"))
    ((left, top, gone),) = places(opened.page, "#change del")
    (reworded, added) = places(opened.page, "#change ins")
    assert gone == "- Look for tests that cover it."
    assert (reworded[1], reworded[2][:16], added[2][:10]) == (top, "- Find the tests", "- Read CON")
    assert left + 400 < reworded[0] == added[0]
    assert added[1] > top
    assert [text for _, _, text in places(opened.page, "#change th")] == ["Baseline", "Variant"]
    context.close()


@pytest.mark.parametrize("width", [360, 800])
def test_a_narrow_screen_shows_it_in_one_column_what_went_before_what_came(
    browser: "Browser", pages: Callable[[str], str], width: int
) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    opened = Opened(context.new_page(), pages("reworded"))
    gone, came = places(opened.page, "#change del"), places(opened.page, "#change ins")
    assert len(gone) == 2 < len(came)
    assert len({x for x, _, _ in (*gone, *came)}) == 1
    assert max(y for _, y, _ in gone) < min(y for _, y, _ in came)
    unchanged = [text for _, _, text in places(opened.page, "#change tbody:not(.c):not(.h) td:not(.n):not(.s)")]
    assert unchanged.count("## While you edit") == 1
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


def test_the_button_computes_every_p_again_from_the_printed_table(browser: "Browser", pages: Callable[[str], str]) -> None:
    opened = Opened(browser.new_page(), pages("promoted") + "#record")
    opened.page.click("summary:has-text('All outcomes')")
    opened.page.click("#recompute")
    told = opened.page.inner_text("#recomputed")
    assert told.startswith("Computed here, now: tests 0.00")
    assert told.count("(same as the record)") == 3
    opened.page.close()


def test_the_button_tells_a_table_that_was_changed(browser: "Browser", pages: Callable[[str], str]) -> None:
    opened = Opened(browser.new_page(), pages("promoted"))
    opened.page.evaluate("raw.textContent = raw.textContent.replace(/000(?=[^0-9])/, '111')")
    opened.page.evaluate("document.querySelector('#recompute').click()")
    assert "DIFFERS from the record" in str(opened.page.text_content("#recomputed"))
    opened.page.close()


@pytest.mark.parametrize("width", [360, 1440])
def test_the_table_of_tasks_is_narrowed_by_name_and_by_the_gate_that_changed(
    browser: "Browser", pages: Callable[[str], str], width: int
) -> None:
    opened = Opened(browser.new_page(viewport={"width": width, "height": 900}), pages("promoted"))
    rows = opened.page.locator("#tasks tbody tr:not(.gh):visible")
    every, name = rows.count(), str(rows.first.locator("th").text_content())
    opened.page.select_option("#pickgate", "1")
    changed = opened.page.locator("#tasks tbody tr:not(.gh):has(td.c:nth-child(7):not(.eq))").count()
    assert 0 < rows.count() == changed < every
    assert opened.page.inner_text("#picked") == f"{changed} of {every} tasks"
    opened.page.select_option("#pickgate", "")
    opened.page.fill("#pickname", name.upper())
    assert (rows.count(), opened.page.locator("#tasks tbody:visible").count()) == (1, 1)
    opened.page.fill("#pickname", "no such task")
    assert rows.count() == opened.page.locator("#tasks tbody:visible").count() == 0
    opened.page.fill("#pickname", "")
    assert rows.count() == every
    opened.page.close()


def test_a_link_into_a_closed_card_opens_it(browser: "Browser", pages: Callable[[str], str]) -> None:
    opened = Opened(browser.new_page(), pages("promoted"))
    assert not opened.page.is_visible("#g4 .body")
    opened.page.click("#generations a[href='#g4']")
    assert opened.page.is_visible("#g4 .body")
    opened.page.close()


def test_a_folder_of_pages_leads_from_its_first_page_to_every_kind_and_back(browser: "Browser", tmp_path: Path) -> None:
    sample.fill(tmp_path / "ledger.db", sample.STEPS[:1] * 40 + sample.STEPS[2:3])
    with Store.read(tmp_path / "ledger.db") as store:
        first = write_report(store, sample.CAMPAIGN, tmp_path / "reports")
    opened = Opened(browser.new_page(viewport={"width": 1440, "height": 900}), first.as_uri())
    opened.page.click(".tree a:has-text('40')")
    assert opened.page.inner_text("h1") == "Generation 40"
    opened.page.click(".back a")
    opened.page.click(".toc a:has-text('Votes and quotes')")
    assert opened.page.is_visible("#votes")
    opened.page.click(".back a")
    assert opened.page.inner_text("h1") == "Generation 41 is the new baseline"
    assert opened.said == []
    assert {Path(address.partition("#")[0]).name for address in opened.asked} == {"index.html", "g40.html", "tasks.html"}
    opened.page.close()


def test_hostile_text_runs_nothing_and_stands_on_the_page(browser: "Browser", pages: Callable[[str], str]) -> None:
    dialogs: list[str] = []

    def refuse(dialog: "Dialog") -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page = browser.new_page()
    page.on("dialog", refuse)
    opened = Opened(page, pages("promoted"))
    assert opened.page.is_visible("""#tasks th:has-text('<script>alert("holdout")</script>')""")
    assert dialogs == []
    opened.page.close()


def test_the_page_is_complete_without_javascript(browser: "Browser", pages: Callable[[str], str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = Opened(context.new_page(), pages("promoted"))
    assert opened.page.is_visible("h1:has-text('Generation 3 is the new baseline')")
    assert not opened.page.is_visible("#recompute")
    context.close()


def test_the_page_follows_the_readers_colours(browser: "Browser", pages: Callable[[str], str]) -> None:
    address = pages("screened")
    grounds = []
    schemes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
    for scheme in schemes:
        page = browser.new_page(color_scheme=scheme)
        page.goto(address)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert grounds == ["rgb(255, 255, 255)", "rgb(15, 19, 23)"]
