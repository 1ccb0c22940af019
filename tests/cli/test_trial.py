from harness.cli.trial import cache_misses
from harness.ledger.schema import CallRow, UsageModel


def call(number: int, miss: str = "") -> CallRow:
    usage = UsageModel(calls=1)
    key = f"adhoc/1#coder#{number}"
    return CallRow(key=key, subject="adhoc/1", role="coder", model="m", usage=usage, cost_usd=0.0, request_id="", cache_miss=miss)


def test_calls_that_missed_the_cache_are_named_with_the_reason() -> None:
    calls = [call(1), call(2, "messages_changed, about 9000 tokens"), call(3)]
    assert cache_misses(calls) == "missed by call 2 (messages_changed, about 9000 tokens), of 3"
    assert cache_misses([call(1)]) == ""
