import pytest

from harness.errors import ConfigError
from harness.models.prices import FREE, list_prices, read_prices
from harness.rollout import Usage

MILLION = 1_000_000


def test_each_billing_class_has_its_own_price() -> None:
    usage = Usage(input=MILLION, cache_read=MILLION, cache_write_5m=MILLION, cache_write_1h=MILLION, output=MILLION, calls=1)
    assert list_prices().cost("claude-sonnet-5-5", usage) == pytest.approx(2 + 0.1 + 2.5 + 4 + 10)


@pytest.mark.parametrize(("prompt", "price"), [(100_000, 0.1), (100_001, 0.5)])
def test_haiku_costs_five_times_as_much_above_a_hundred_thousand_prompt_tokens(prompt: int, price: float) -> None:
    cost = list_prices().cost("claude-haiku-5-5", Usage(input=1, cache_read=prompt - 1, output=MILLION, calls=1))
    assert cost == pytest.approx((price + (prompt - 1) * price / 10 + MILLION * price * 5) / MILLION)


def test_a_dated_id_has_the_price_of_its_model() -> None:
    usage = Usage(input=100, output=10, calls=1)
    assert list_prices().cost("claude-opus-5-5-20261001", usage) == list_prices().cost("claude-opus-5-5", usage) != None  # noqa: E711


def test_an_unknown_model_costs_unknown_and_never_nothing() -> None:
    assert list_prices().cost("claude-next-9", Usage(input=100, output=10, calls=1)) is None
    assert list_prices().knows("claude-next-9") is False


@pytest.mark.parametrize("usage", [Usage(calls=1), Usage(input=5, calls=1), Usage(output=5, calls=1)])
def test_a_call_that_reports_no_tokens_costs_unknown(usage: Usage) -> None:
    assert list_prices().cost("claude-sonnet-5-5", usage) is None


def test_a_service_of_our_own_is_free_for_every_model() -> None:
    assert FREE.cost("anything", Usage(calls=1)) == 0.0


def test_prices_say_when_they_were_read() -> None:
    assert list_prices().dated == "2026-11"


@pytest.mark.parametrize("text", ["[[price]]", "price = 1", "[[", '[[price]]\nmodel="m"\ndated="d"\nsource="s"\ntier=[]'])
def test_a_broken_price_list_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        read_prices(text)
