import pytest

from ledgerline import LedgerError, load_journal

LEDGER = """\
2024-01-01 Opening
    assets:bank      100.00 EUR
    equity
2024-01-02 Bakery
    expenses:food    4.00 EUR
    assets:bank      EUR -4.00  = {asserted}
"""


def test_assertion_that_holds_passes():
    assert len(load_journal(LEDGER.format(asserted="96.00 EUR"))) == 2


def test_assertion_that_does_not_hold_is_an_error():
    with pytest.raises(LedgerError, match="line 6: assets:bank holds 96.00 EUR"):
        load_journal(LEDGER.format(asserted="95.00 EUR"))
