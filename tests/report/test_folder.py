"""A large campaign is a folder of pages that lead to each other; its first page stays within the budget of one."""

import re
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest

from harness.audit.verify import anchors_in
from harness.ledger.store import Store
from harness.report.page import MOST_GENERATIONS, build_page, build_pages, write_report
from tests.ledger import sample


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of one generation more than fits on a page."""
    path = tmp_path_factory.mktemp("large") / "ledger.db"
    steps = sample.STEPS[:1] + sample.STEPS[1:2] * (MOST_GENERATIONS - 2) + sample.STEPS[2:]
    sample.fill(path, steps)
    return path


@pytest.fixture(scope="module")
def pages(large: Path) -> dict[str, str]:
    with Store.read(large) as store:
        return build_pages(store, sample.CAMPAIGN)


def test_a_large_campaign_has_a_first_page_one_of_its_tasks_and_one_of_each_generation_not_promoted(
    pages: dict[str, str],
) -> None:
    assert {PurePosixPath(name).parent.name for name in pages} == {sample.CAMPAIGN[:16]}
    names = [PurePosixPath(name).name for name in pages]
    assert names[:2] == ["index.html", "tasks.html"]
    assert sorted(names[2:]) == sorted(f"g{number}.html" for number in range(1, MOST_GENERATIONS + 2) if number != 40)
    assert f"Generation {MOST_GENERATIONS} is the new baseline" in pages[f"{sample.CAMPAIGN[:16]}/index.html"]


def test_every_page_of_the_folder_stays_within_the_budget_of_one(pages: dict[str, str]) -> None:
    assert max(len(page.encode()) for page in pages.values()) < 150_000


def test_every_link_of_every_page_leads_to_a_part_that_is_there(pages: dict[str, str]) -> None:
    names = {PurePosixPath(name).name: page for name, page in pages.items()}
    for name, page in names.items():
        for target in re.findall(r'<(?:a|use)[^>]* href="([^"]*)"', page):
            where, _, part = target.partition("#")
            assert where in {*names, ""}, (name, target)
            assert f' id="{part}"' in names[where or name], (name, target)


def test_every_page_of_the_folder_has_one_headline_its_own_title_and_the_head_of_the_ledger(pages: dict[str, str]) -> None:
    assert {page.count("<h1") for page in pages.values()} == {1}
    assert len({re.findall("<title>(.*?)</title>", page)[0] for page in pages.values()}) == len(pages)
    assert {page.count('name="ledger-head"') for page in pages.values()} == {1}


def test_a_campaign_that_grew_leaves_no_page_from_when_it_was_small_and_its_heads_are_still_found(
    large: Path, tmp_path: Path
) -> None:
    old = tmp_path / f"{sample.CAMPAIGN[:16]}.html"
    old.write_text("small", encoding="utf-8")
    with Store.read(large) as store:
        first = write_report(store, sample.CAMPAIGN, tmp_path)
        assert set(anchors_in(tmp_path)) == {store.head()}
    assert (first, old.exists()) == (tmp_path / sample.CAMPAIGN[:16] / "index.html", False)
    assert len(list(first.parent.iterdir())) == MOST_GENERATIONS + 2


def test_a_campaign_at_the_limit_is_one_page_and_one_asked_for_whole_is_too(tmp_path: Path, large: Path) -> None:
    sample.fill(tmp_path / "ledger.db", sample.STEPS[1:2] * MOST_GENERATIONS)
    with Store.read(tmp_path / "ledger.db") as store:
        assert list(build_pages(store, sample.CAMPAIGN)) == [f"{sample.CAMPAIGN[:16]}.html"]
    with Store.read(large) as store:
        assert 'id="g41"' in build_page(store, sample.CAMPAIGN)


def test_the_same_ledger_gives_the_same_folder(large: Path, pages: dict[str, str]) -> None:
    with Store.open(large, lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        assert build_pages(store, sample.CAMPAIGN) == pages
