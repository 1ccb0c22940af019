from dataclasses import replace

import pytest

from harness.errors import LedgerError
from harness.ledger.chain import Entry, Head, breaks, canonical, following


def chain(length: int) -> list[Entry]:
    entries: list[Entry] = []
    for number in range(length):
        head = entries[-1].head if entries else Head()
        entries.append(following(head, "2026-01-01T00:00:00.000Z", "c", ("event", str(number), canonical({"n": number}))))
    return entries


def test_an_untouched_chain_has_no_break() -> None:
    entries = chain(5)
    assert breaks(entries, (entries[2].head, entries[4].head)) == ()


@pytest.mark.parametrize("field", ["time", "campaign", "kind", "key", "body", "prev", "hash"])
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_change_of_any_field_of_any_entry_is_found_where_it_is(field: str, place: int) -> None:
    entries = chain(5)
    entries[place] = replace(entries[place], **{field: "f" * 64})  # type: ignore[arg-type]
    found = breaks(entries)
    assert found[0].seq in {place + 1, place + 2 if field == "hash" else place + 1}
    assert len(found) <= 2


def test_an_entry_taken_out_of_the_middle_is_found() -> None:
    entries = chain(5)
    del entries[2]
    assert [(found.seq, found.problem) for found in breaks(entries)] == [(4, "follows entry 2 with 1 entry gone between them")]


def test_exchanged_entries_are_found() -> None:
    entries = chain(5)
    entries[1], entries[2] = replace(entries[2], seq=2), replace(entries[1], seq=3)
    assert [found.seq for found in breaks(entries)][:2] == [2, 3]


def test_a_tail_cut_off_is_found_by_an_anchor_and_only_by_it() -> None:
    entries = chain(5)
    assert breaks(entries[:3]) == ()
    assert [(found.seq, found.problem) for found in breaks(entries[:3], (entries[4].head,))] == [
        (5, "anchored outside, but the ledger ends at 3")
    ]


def test_a_chain_written_anew_is_found_by_an_anchor() -> None:
    before, after = chain(5), chain(5)
    for number in range(1, 5):
        body = after[number].body if number > 1 else '{"n":"forged"}'
        after[number] = following(after[number - 1].head, after[number].time, "c", ("event", str(number), body))
    assert breaks(after) == ()
    assert [found.seq for found in breaks(after, (before[3].head,))] == [4]


def test_a_head_reads_back_what_it_prints() -> None:
    head = chain(3)[-1].head
    assert Head.parse(f" {head}\n") == head


@pytest.mark.parametrize("text", ["", "5", "x:" + "0" * 64, "5:" + "g" * 64, "5:abc"])
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(LedgerError, match="no head of a ledger"):
        Head.parse(text)
