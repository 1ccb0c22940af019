import pytest

from ledgerline import LedgerError, load_journal

OPENING = """\
2024-01-01 Opening
    assets:bank      100.00 EUR
    equity
"""


def failure(text):
    with pytest.raises(LedgerError) as caught:
        load_journal(text)
    return str(caught.value), caught.value.line


def test_assertions_that_hold_pass():
    text = OPENING + "2024-01-02 Bakery\n  assets:bank  EUR -4.00 = 96 EUR\n  food\n"
    bank = load_journal(text)[1].postings[0]
    assert str(bank.amount) == "-4.00 EUR"


def test_failure_names_line_account_balance_and_assertion():
    text = OPENING + "2024-01-02 Bakery\n  food  4.00 EUR\n  assets:bank  = 95.00 EUR\n"
    expected = "line 6: assets:bank holds 96.00 EUR, not 95.00 EUR"
    assert failure(text) == (expected, 6)


def test_assertions_follow_the_dates_not_the_file():
    later = "2024-01-03 Later\n  assets:bank  EUR -10.00 = 90.00 EUR\n  food\n"
    assert len(load_journal(later + OPENING)) == 2


def test_entries_of_one_day_count_in_the_order_of_the_file():
    text = OPENING + (
        "2024-01-01 First\n  assets:bank  EUR -1.00 = 99.00 EUR\n  food\n"
        "2024-01-01 Second\n  assets:bank  EUR -2.00 = 97.00 EUR\n  food\n"
    )
    assert len(load_journal(text)) == 3


def test_assertion_sees_the_postings_above_it_only():
    text = OPENING + (
        "2024-01-02 Split\n"
        "  assets:bank  EUR -1.00 = 99.00 EUR\n"
        "  assets:bank  EUR -2.00 = 97.00 EUR\n"
        "  food  3.00 EUR\n"
    )
    assert len(load_journal(text)) == 2


def test_first_assertion_that_fails_by_date_is_reported():
    text = (
        "2024-02-01 Later\n  assets:bank  1.00 EUR = 7.00 EUR\n  equity\n"
        "2024-01-01 Sooner\n  assets:bank  1.00 EUR = 8.00 EUR\n  equity\n"
    )
    assert failure(text)[1] == 5


def test_accounts_below_do_not_count():
    text = OPENING + "2024-01-02 x\n  assets  5.00 EUR = 5.00 EUR\n  assets:bank\n"
    assert len(load_journal(text)) == 2


def test_other_commodities_do_not_count():
    text = OPENING + "2024-01-02 x\n  assets:bank  5.00 USD = 5.00 USD\n  equity\n"
    assert len(load_journal(text)) == 2


def test_commodity_never_held_is_zero():
    text = OPENING + "2024-01-02 x\n  assets:bank  5.00 EUR = 0 GBP\n  equity\n"
    assert len(load_journal(text)) == 2
    message, _ = failure(text.replace("0 GBP", "1 GBP"))
    assert message == "line 5: assets:bank holds 0 GBP, not 1 GBP"


def test_quantities_count_not_prices():
    text = "2024-01-02 x\n  shares  10 ACME @ 5.00 EUR = 10 ACME\n  assets:bank\n"
    assert len(load_journal(text)) == 1


def test_open_posting_is_filled_before_it_is_checked():
    text = OPENING + "2024-01-02 x\n  food  4.00 EUR\n  assets:bank  = 96.00 EUR\n"
    assert str(load_journal(text)[1].postings[1].amount) == "-4.00 EUR"


@pytest.mark.parametrize("asserted", ["-4.00 EUR", "-3.00 USD"], ids=["eur", "usd"])
def test_open_posting_is_checked_once_every_commodity_is_counted(asserted):
    text = f"2024-01-02 x\n  food  4 EUR\n  fun  3 USD\n  cash  = {asserted}\n"
    assert len(load_journal(text)) == 1


@pytest.mark.parametrize(
    "tail", ["=", "= 5", "= five EUR"], ids=["nothing", "no-commodity", "no-number"]
)
def test_assertion_without_a_readable_amount_is_an_error(tail):
    message, line = failure(f"2024-01-02 x\n  food  4 EUR {tail}\n  cash\n")
    assert (message[:7], line) == ("line 2:", 2)


def test_assertion_alone_does_not_make_up_for_a_missing_balance():
    message, _ = failure("2024-01-02 x\n  food  4 EUR\n  cash  EUR -3\n")
    assert "out of balance" in message


def test_ledger_without_assertions_loads_as_before():
    text = OPENING + "2024-01-02 x\n  food  4.00 EUR\n  assets:bank\n"
    amounts = [str(posting.amount) for posting in load_journal(text)[1].postings]
    assert amounts == ["4.00 EUR", "-4.00 EUR"]
