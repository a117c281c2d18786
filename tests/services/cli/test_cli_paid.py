"""Paid models on the command line: estimates, budgets, batches."""

import json

import pytest

from tests.orchestrator.paid_server import FakeOpenAI

PRICES = """as_of: 2030-01-01
currency: EUR
prices:
  - {model: "openai:toy", host: any, input_per_million: 1000, output_per_million: 1000,
     batch_discount: 0.5}
"""


@pytest.fixture
def server():
    found = FakeOpenAI()
    yield found
    found.close()


@pytest.fixture
def paid(command, server, database_url, tmp_path, monkeypatch):
    """Call a command on the toy behind a real server, whose price is known."""
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES)
    monkeypatch.setenv("POLYSENSE_PRICES", str(path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")

    def call(*words):
        return command(
            *words,
            *("--model", "openai:toy", "--setting", f"base_url={server.url}/v1"),
            *("--task", "semantic", "--setting", "inference=generation", "--language", "en_de"),
        )

    return call


def test_an_estimate_asks_nothing_but_whether_the_model_is_there(paid, server):
    code, out, _ = paid("run", "stingray", "--estimate", "--json")

    found = json.loads(out)
    assert code == 0
    assert len(server.asked) == 2  # a chat and a plain prompt
    assert found["n_to_ask"] == found["n_requests"] > 0
    assert 0 < found["cost"] <= found["cost_at_most"]
    assert (found["currency"], found["stored_share"]) == ("EUR", 0.0)


def test_a_run_within_its_budget_says_what_it_took_and_the_next_one_is_free(paid, command):
    code, out, err = paid("run", "stingray", "--budget", "100", "--json")
    _, estimate, _ = paid("run", "stingray", "--estimate", "--json")
    _, shown, _ = command("show", "last", "--json")

    spent = json.loads(out)["spending"]
    assert code == 0, err
    assert 0 < spent["money"] < 100
    assert json.loads(shown)["spending"] == spent
    assert json.loads(estimate)["cost"] == 0.0
    assert "canary-key" not in out + err + shown


def test_a_budget_that_is_used_up_pauses_and_resume_goes_on(paid, command):
    code, _, err = paid("run", "stingray", "--budget", "0.5")
    resumed, _, _ = command("resume", "last", "--budget", "100")

    assert code == 1
    assert "the budget of 0.5 EUR is reached" in err
    assert resumed == 0


def test_a_batch_is_sent_read_back_and_the_run_pays_nothing(paid, command, server):
    sent, batch_id, _ = paid("batch", "submit", "stingray")
    lines = list(server.batch_lines)
    state, told, _ = command(
        "batch", "status", batch_id.strip(), "--model", "openai:toy",
        "--setting", f"base_url={server.url}/v1",
    )  # fmt: skip
    imported, _, err = paid("batch", "import", batch_id.strip(), "stingray")
    n_before = len(server.calls("completions"))
    ran, out, _ = paid("run", "stingray", "--json")

    assert (sent, state, imported, ran) == (0, 0, 0, 0), err
    assert batch_id.strip() == "batch-1"
    assert told.startswith("completed: ")
    assert len({line["custom_id"] for line in lines}) == len(lines) > 0
    assert len(server.calls("completions")) == n_before + 2  # whether it is there
    assert json.loads(out)["spending"]["n_asked"] == 0


def test_batch_lines_are_printed_without_a_key_or_a_server(paid, monkeypatch, server):
    monkeypatch.delenv("OPENAI_API_KEY")

    code, out, _ = paid("requests", "stingray", "--format", "openai-batch")

    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert server.asked == []
    assert {line["url"] for line in lines} == {"/v1/completions"}
    assert all(len(line["custom_id"]) == 64 and line["body"]["model"] == "toy" for line in lines)


def test_a_batch_of_likelihoods_is_refused(command, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")
    code, _, err = command(
        "requests", "stingray", "--format", "openai-batch", "--model", "openai:toy"
    )

    assert code == 2
    assert "batches take what generates only" in err
