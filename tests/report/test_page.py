import base64
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.errors import InputError, ReportError
from harness.ledger.rows import given_up_rows
from harness.ledger.schema import EventRow, PromotionRow, TrialRow
from harness.ledger.store import Store
from harness.report.markdown import build_markdown
from harness.report.page import build_page, write_report
from harness.rollback import roll_back
from harness.rollout import Call, Usage
from harness.suites.catalog import load_suite
from harness.tree import unified
from tests.ledger.sample import fill

Ledgers = Callable[[str], Path]
KINDS = ("promoted", "rehearsal", "none", "screened", "always", "rewritten")


class Page(HTMLParser):
    """What a browser would see of a page: elements with their attributes, and the text outside style and script."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the element."""
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        """Leave style and script."""
        self._inside = "" if tag in {"style", "script"} else self._inside

    def handle_data(self, data: str) -> None:
        """Keep what is read as text."""
        if self._inside not in {"style", "script"}:
            self.text += data


@pytest.fixture(scope="session")
def source(ledger: Ledgers) -> Callable[[str], str]:
    made: dict[str, str] = {}

    def get(kind: str) -> str:
        if kind not in made:
            with Store.read(ledger(kind)) as store:
                made[kind] = build_page(store, store.campaigns()[0])
        return made[kind]

    return get


Sources = Callable[[str], str]


def headline(source: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", source)
    assert found
    return found[1]


def test_the_same_ledger_gives_the_same_bytes(ledger: Ledgers, source: Sources) -> None:
    with Store.read(ledger("promoted")) as store:
        assert build_page(store, store.campaigns()[0]) == source("promoted")


def votes_of(page: str) -> str:
    return "".join(re.findall(r'<section id="votes".*?</section>', page, re.DOTALL))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_stays_within_its_budget_beside_the_changes_that_were_reviewed(source: Sources, kind: str) -> None:
    assert len(source(kind).encode()) - len(votes_of(source(kind)).encode()) < 120_000


@pytest.fixture(scope="module")
def whole_suite(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a comparison on all tasks of the bundled suite, with their own changes in both arms."""
    suite = load_suite(Path("task_suites/pocket"))
    ledger = tmp_path_factory.mktemp("whole") / "ledger.db"
    fill(ledger, patches={task.id: unified(task.base, task.reference).encode() for task in suite.tasks})
    with Store.read(ledger) as store:
        return build_page(store, store.campaigns()[0])


def test_every_task_shows_both_changes_with_each_vote_at_its_line_in_less_than_four_kilobytes(whole_suite: str) -> None:
    votes = votes_of(whole_suite)
    tasks = votes.split('<details class="task"')[1:]
    assert len(tasks) == 48
    assert len(votes.encode()) < 48 * 4_000
    assert all(len(re.findall(r"<h3>(?:Baseline|Variant), repeat", task)) == 2 for task in tasks)
    assert "Style: 95 more new violations." in votes
    for task in tasks:
        named = [re.sub("<[^>]*>", "", note) for note in re.findall(r'<div class="note[^"]*"><p>(.*?)</p>', task)]
        assert all(sum(name in note for note in named) >= 2 for name in ("correctness", "security", "maintainer")), task


def test_a_long_change_shows_what_stands_around_its_remarks_and_counts_the_rest(whole_suite: str) -> None:
    long = [task for task in votes_of(whole_suite).split('<details class="task"')[2:] if " more lines\n" in task]
    assert long
    for task in long:
        for side in task.split("<h3>")[1:]:
            shown = len(re.findall(r"\n", "".join(re.findall(r"<pre>(.*?)</pre>", side, re.DOTALL))))
            assert shown <= 40
    quoted = re.findall(
        r'<(?:ins|del)> *\d+ [^ ] ([^<]*)\n</(?:ins|del)></pre><div class="note no">.*?<q>([^<]*)</q>', "".join(long)
    )
    assert len(quoted) > 20
    assert all(" ".join(line.split()) == " ".join(quote.split()) for line, quote in quoted)


@pytest.mark.parametrize("kind", KINDS)
def test_style_and_script_are_allowed_by_their_own_hashes_and_nothing_else_is(source: Sources, kind: str) -> None:
    page = source(kind)
    hashes = []
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes.append("sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode())
    style, script = hashes
    policy = f"default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"' in page


@pytest.mark.parametrize("kind", KINDS)
def test_no_element_carries_style_or_script_or_an_address_outside_the_page(source: Sources, kind: str) -> None:
    for tag, attributes in Page(source(kind)).elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], tag
        assert not attributes.keys() & {"src", "srcset", "action", "xlink:href"}, tag
        assert (attributes.get("href") or "#").startswith("#"), tag


@pytest.mark.parametrize("kind", KINDS)
def test_every_link_leads_to_a_part_of_the_page_and_no_id_is_given_twice(source: Sources, kind: str) -> None:
    elements = Page(source(kind)).elements
    ids = [str(attributes["id"]) for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(attributes["href"])[1:] for _, attributes in elements if "href" in attributes} <= set(ids)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_hold_no_text_of_others(source: Sources, kind: str) -> None:
    ids = [str(attributes["id"]) for _, attributes in Page(source(kind)).elements if "id" in attributes]
    assert [name for name in ids if not re.fullmatch(r"[a-z]+|h-[a-z]+|w-[a-z]+|g\d+|k[01m]+", name)] == []


def test_hostile_text_is_shown_and_never_becomes_markup(source: Sources) -> None:
    page = source("promoted")
    assert '<script>alert("holdout")</script>' in Page(page).text
    assert page.count("<script") == 1
    assert "<i>as a pattern</i>" in Page(page).text
    assert "<b>ValueError</b>" in Page(page).text


def test_hidden_characters_are_shown_by_their_names(source: Sources) -> None:
    page = source("promoted")
    assert "function⟨U+200B⟩" in page
    assert "pattern ⟨U+202E⟩" in page
    assert not {"\u200b", "\u202e"} & set(page)


def test_a_promotion_is_the_headline_with_its_reason_and_its_gates(source: Sources) -> None:
    page = source("promoted")
    assert headline(page) == "Generation 3 is the new baseline"
    assert "on 24 holdout tasks, each by more than luck explains." in page
    text = Page(page).text
    assert "By luck alone 15 in 100,000; up to 258 allowed." in text
    assert len(re.findall(r"By luck alone [\d,]+ in 100,000; up to [\d,]+ allowed\.", text)) == 6
    assert "10,000;" not in text.replace("100,000;", "")


def test_without_a_promotion_the_closest_stands_on_the_first_screen(source: Sources) -> None:
    page = source("none")
    assert headline(page) == "Nothing was promoted; the baseline stays"
    assert "The closest: generation 3" in page
    assert "Not shown to be better is not shown to be worse." in page


def test_without_a_holdout_trial_the_reason_stands_in_the_place_of_the_plot(source: Sources) -> None:
    page = source("screened")
    assert headline(page) == "Nothing was promoted; the baseline stays"
    assert "No holdout trial was run." in page
    assert 'class="fx"' not in page
    assert 'id="tasks"' not in page


def test_a_rehearsal_says_so_on_top_in_the_title_beside_every_decision_and_names_the_truth(source: Sources) -> None:
    page = source("rehearsal")
    assert "<title>[REHEARSAL] Promoted: Generation 3 is the new baseline, py-change</title>" in page
    assert '<aside class="reh" id="rehearsal" aria-label="Rehearsal">' in page
    assert page.count("in rehearsal</b>") == 5
    assert "True effects were set to +37, +45 and +38 points, so this decision was right." in page
    assert "REHEARSAL" not in source("promoted")


def test_a_rehearsal_tells_what_a_live_run_would_have_cost(ledger: Ledgers) -> None:
    with Store.read(ledger("rehearsal")) as store:
        page = build_page(store, store.campaigns()[0], estimate="about $203 with claude-sonnet-5-5")
    assert "about $203 with claude-sonnet-5-5; " in page


def test_what_agents_reached_for_is_told_as_what_came_of_it(source: Sources) -> None:
    found = re.search(
        r"<tr[^>]*><th[^>]*>Reached for the network: git fetch</th><td[^>]*>(\d+) trials; first .*?</tr>", source("promoted")
    )
    assert found
    assert "Nothing came of it: there is no network" in found.group()


def test_missing_is_never_shown_as_failed(source: Sources) -> None:
    page = source("promoted")
    assert "1 of 72" in Page(page).text
    assert re.search(r"^decimal-round-half +[01]-[01] ", Page(page).text, re.MULTILINE)


def test_the_raw_table_holds_every_outcome_of_the_decision(source: Sources) -> None:
    (raw,) = re.findall(r'<pre id="raw"[^>]*>(.*?)</pre>', source("promoted"), re.DOTALL)
    rows = [line.split()[-6:] for line in raw.splitlines()[1:]]
    assert len(rows) == 24
    assert {len(cell) for row in rows for cell in row} == {3}


def test_costs_of_roles_and_steps_add_up_to_the_strip_to_the_cent(source: Sources) -> None:
    page = source("promoted")
    (section,) = re.findall(r'<section id="costs".*?</section>', page, re.DOTALL)
    for table in re.findall(r"<table.*?</table>", section, re.DOTALL)[:2]:
        *parts, total = (float(cost) for cost in re.findall(r"\$([\d.]+)", table))
        assert round(sum(parts), 2) == total
        assert f"<dd>${total:.2f} <small>" in page


def test_the_page_anchors_the_head_of_its_ledger_and_prints_the_commands_that_check_it(ledger: Ledgers, source: Sources) -> None:
    with Store.read(ledger("promoted")) as store:
        head = store.head()
    assert f'<meta name="ledger-head" content="{head}">' in source("promoted")
    assert "harness audit verify" in source("promoted")


def test_votes_stand_at_the_lines_they_quote(source: Sources) -> None:
    section = votes_of(source("promoted"))
    quoted = section.index("+     if not total:\n</ins>")
    assert 0 < section.index("<b>correctness</b> answers yes to COR-1.") - quoted < 200
    assert section.index("Style: new violation.") < quoted


def test_a_private_suite_shows_numbers_but_no_name_code_or_quote(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        text = Page(build_page(store, store.campaigns()[0], private=True)).text
    for secret in (
        "parse-duration-zero",
        "cache-ttl",
        "parse_duration",
        "if not total",
        "Zero is a duration",
        "opening and closing",
    ):
        assert secret not in text
    assert "task 3" in text
    assert "By luck alone 15 in 100,000" in text


def test_a_variant_refused_because_it_carries_a_private_suites_text_is_shown_without_it(ledger: Ledgers) -> None:
    with Store.read(ledger("private")) as store:
        campaign = store.campaigns()[0]
        shown = (build_page(store, campaign, private=True), build_markdown(store, campaign))
        open_page = build_page(store, campaign)
    for secret in ("if not total", "parse_duration_zero"):
        assert secret in open_page
        assert [text for text in shown if secret in text] == []
    assert "Not tried: leak." in shown[0]


def test_every_table_has_a_caption_and_every_header_cell_a_scope(source: Sources) -> None:
    page = source("promoted")
    elements = Page(page).elements
    assert all("scope" in attributes for tag, attributes in elements if tag == "th")
    tables = re.findall(r"<table[^>]*>(?!<caption)", page)
    assert [table for table in tables if 'class="plain"' not in table] == []  # a looks table is named by its region


def test_a_damaged_blob_costs_the_page_that_trial_alone(ledger: Ledgers, tmp_path: Path) -> None:
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.read(tmp_path / "copy" / "ledger.db") as store:
        campaign = store.campaigns()[0]
        row = next(row for row in store.campaign(campaign).rows(TrialRow) if row.stage == "confirm")
        (tmp_path / "copy" / "blobs" / row.evidence_blob[:2] / row.evidence_blob[2:]).write_bytes(b"damaged")
        page = build_page(store, campaign)
    assert " left out here: the evidence cannot be read." in page


def test_an_unknown_campaign_is_an_input_error_that_names_those_there_are(ledger: Ledgers) -> None:
    with (
        Store.read(ledger("screened")) as store,
        pytest.raises(InputError, match="no campaign nothing; known are: 3dc260b2470f4f5f"),
    ):
        build_page(store, "nothing")


def test_the_report_is_written_whole_under_the_campaigns_name(ledger: Ledgers, source: Sources, tmp_path: Path) -> None:
    with Store.read(ledger("promoted")) as store:
        path = write_report(store, store.campaigns()[0], tmp_path / "reports")
    assert path == tmp_path / "reports" / "3dc260b2470f4f5f.html"
    assert path.read_text("utf-8") == source("promoted")
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_a_report_error(ledger: Ledgers, tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("in the way")
    with Store.read(ledger("screened")) as store, pytest.raises(ReportError, match="cannot be written"):
        write_report(store, store.campaigns()[0], tmp_path / "reports")


def test_the_page_says_which_conventions_changed_and_which_do_not_count(source: Sources) -> None:
    text = " ".join(Page(source("promoted")).text.split())
    assert "Kept better by the variant: docstring-quotes-own-lines." in text
    assert "Left out of the count: COM812 (" in text


def test_a_reviewer_that_a_canary_threw_out_is_told_among_the_cautions(ledger: Ledgers, source: Sources, tmp_path: Path) -> None:
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        campaign = store.campaigns()[0]
        said = {"out": {"maintainer": "it approved"}, "notes": []}
        store.campaign(campaign).add(EventRow(key="canaries/1", name="canaries", data=json.dumps(said)))
        page = build_page(store, campaign)
    told = "1 reviewer obeyed a canary and did not vote in that session."
    assert (told in page, told in source("promoted")) == (True, False)


def test_a_plateau_is_told_above_the_generations(ledger: Ledgers, tmp_path: Path) -> None:
    shutil.copytree(ledger("screened").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        campaign = store.campaigns()[0]
        told = "plateau: no promotion in 24 generations. From generation 25 on <b>all</b> is wide"
        store.campaign(campaign).add(EventRow(key="plateau/1", name="plateau", data=told))
        text = " ".join(Page(build_page(store, campaign)).text.split())
    assert "Plateau: no promotion in 24 generations. From generation 25 on <b>all</b> is wide." in text


def test_a_style_rule_names_the_first_place_that_broke_it(source: Sources) -> None:
    text = " ".join(Page(source("promoted")).text.split())
    assert re.search(r"quotes on lines of their own\. src/durations\.py:2, [a-z-]+", text)


def undo(page: str) -> str:
    found = re.search(r"<dt>Can it be undone\?</dt><dd>(.*?)</dd>", page)
    assert found
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", "", found[1]))


def test_the_way_back_is_named_where_there_is_one(ledger: Ledgers, source: Sources, tmp_path: Path) -> None:
    assert undo(source("none")).startswith("Nothing to undo the baseline is ")
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        rows = store.campaign(store.campaigns()[0])
        start = rows.rows(PromotionRow)[0].old[:10]
        assert undo(source("promoted")) == f"Yes harness rollback restores {start}"
        roll_back(rows, "slow")
        assert undo(build_page(store, rows.campaign)) == f"Nothing to undo the baseline is {start}"


@pytest.mark.parametrize("kind", KINDS)
def test_one_is_never_counted_in_the_plural(source: Sources, kind: str) -> None:
    text = " ".join(Page(source(kind)).text.split())
    plurals = "tasks|trials|calls|looks|rows|votes|generations|words|lines|repeats|confirmations|promotions|reviewers"
    assert re.findall(rf"\b1 (?:{plurals})\b", text) == []


def test_a_gate_that_was_always_passed_does_not_cost_the_page(source: Sources) -> None:
    text = " ".join(Page(source("always")).text.split())
    assert len(re.findall(r"100 % → \d+ %", text)) == 2
    assert "Only large effects are visible. On 24 holdout tasks a gate must gain about" in text


def steps_of(page: str) -> dict[str, str]:
    """The costs by step."""
    (section,) = re.findall(r'<section id="costs".*?</section>', page, re.DOTALL)
    table = re.findall(r"<table.*?</table>", section, re.DOTALL)[1]
    return dict(re.findall(r'<tr><th scope="row">(.*?)</th>.*?([^>]*)</td></tr>', table))


def test_what_was_given_up_is_among_the_costs_of_its_generation(ledger: Ledgers, source: Sources, tmp_path: Path) -> None:
    shutil.copytree(ledger("promoted").parent, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "ledger.db", lambda: datetime(2026, 12, 1, tzinfo=UTC)) as store:
        campaign = store.campaign(store.campaigns()[0])
        screened = next(row for row in campaign.rows(TrialRow) if row.stage == "screen")
        preflight = next(row for row in campaign.rows(TrialRow) if row.stage == "preflight")
        lost = Call(role="coder", model="m", usage=Usage(calls=1), cost_usd=10.0, request_id="")
        for subject in (screened.key, f"proposal/{campaign.campaign}/2", preflight.key):
            campaign.add(*given_up_rows(campaign, subject, (lost,)))
        page = build_page(store, campaign.campaign)
    before, after = steps_of(source("promoted")), steps_of(page)
    grown = {name: round(float(after[name][1:]) - float(before[name][1:])) for name in before}
    expected = {"Generation 1": 10, "Generation 2": 10, "Preflight: the baseline alone": 10}
    assert {name: cost for name, cost in grown.items() if cost} == expected
    assert f'<td role="cell" class="co r">{after["Generation 2"]}</td>' in page


def test_the_change_of_the_skill_stands_side_by_side_with_words_marked(source: Sources) -> None:
    (change,) = re.findall(r'<div id="change">.*?</table>', source("promoted"), re.DOTALL)
    assert "<del>- <mark>Look for</mark> tests that cover it.</del>" in change
    assert '<td role="cell" colspan="3" class="gap"></td><td role="cell" class="n a">10</td>' in change
    assert re.findall(r"<th [^>]*>(\w+)</th>", change) == ["Baseline", "Variant"]


def test_of_a_long_change_forty_rows_are_shown_and_the_others_are_a_click_away(source: Sources) -> None:
    (change,) = re.findall(r'<div id="change">.*?<div id="trust">', source("rewritten"), re.DOTALL)
    shown, folded = change.split("<details>")
    assert shown.count("<tr") == 1 + 40
    assert f"<summary>{folded.count('<tr') - 1} more lines of SKILL.md</summary>" in folded
    assert "Rule 70" in folded
