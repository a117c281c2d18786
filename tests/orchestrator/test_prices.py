"""A price is dated, is found by model and address, and is not 0 where nobody knows it."""

from datetime import date

import pytest

from orchestrator.errors import WrongUseError
from orchestrator.prices import OWN_FILE, find_price, read_prices


def test_our_own_file_can_be_read_and_every_price_has_a_day():
    prices = read_prices(OWN_FILE)

    assert len(prices) > 10
    assert all(price.as_of >= date(2025, 1, 1) for price in prices)
    assert len({(price.model, price.host) for price in prices}) == len(prices)


def test_money_is_counted_by_hand():
    price = find_price("openai:gpt-4o-mini", "api.openai.com")

    # 1,000 read of which 400 remembered, 100 written: 600 x 0.15 + 400 x 0.075 + 100 x 0.60.
    assert price.of_tokens(1000, 100, 400) == pytest.approx((90 + 30 + 60) / 1e6)
    assert find_price("deepl", "api.deepl.com").of_characters(2000) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("model", "host"),
    [("openai:unheard-of", "api.openai.com"), ("openai:gpt-4o", "llm.internal:8000")],
)
def test_an_unknown_model_or_another_server_has_no_price(model, host):
    assert find_price(model, host) is None


def test_the_users_file_comes_first_and_may_price_every_model_of_a_server(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(
        "as_of: 2030-01-01\ncurrency: EUR\nprices:\n"
        "  - {model: 'openai:gpt-4o', host: api.openai.com, input_per_million: 9}\n"
        "  - {model: 'openai:*', host: 'llm.internal:8000', input_per_million: 1}\n"
    )

    own = find_price("openai:gpt-4o", "api.openai.com", [path])
    other = find_price("openai:any", "llm.internal:8000", [path])

    assert (own.input_per_million, own.currency) == (9, "EUR")
    assert other.input_per_million == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "no price file"),
        ("a list", "Input should be"),
        ("as_of: x\ncurrency: EUR\nprices: []", "as_of"),
        ("as_of: 2030-01-01\ncurrency: EUR\nprices:\n  - {model: m}", "host"),
        ("as_of: 2030-01-01\ncurrency: EUR\nprices:\n  - {model: m, host: h, input: 1}", "input"),
        (
            "as_of: 2030-01-01\ncurrency: E\nprices:\n  - {model: m, host: h}",
            "currency",
        ),
    ],
)
def test_a_malformed_file_is_named_in_one_line(tmp_path, text, sentence):
    path = tmp_path / "prices.yaml"
    path.write_text(text)

    with pytest.raises(WrongUseError, match=sentence) as refused:
        find_price("deepl", "api.deepl.com", [path])

    assert str(path) in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(WrongUseError, match="no price file at"):
        find_price("deepl", "api.deepl.com", [tmp_path / "none.yaml"])
