"""What runs have spent: counted with the responses, held back before a call, never over budget."""

from decimal import Decimal
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, fetch_one, transaction
from storage.encoding import from_text_or_none, to_text_or_none
from storage.records import Spending, Usage

DIGITS = 12
"""After the point: a single character of the cheapest model costs more."""

SET_BUDGET = """INSERT INTO spending (run_id, budget, currency) VALUES ($1, $2, $3)
ON CONFLICT (run_id) DO UPDATE SET budget = excluded.budget, currency = excluded.currency"""

HOLD = """INSERT INTO spending AS total (run_id, held) VALUES ($1, $2)
ON CONFLICT (run_id) DO UPDATE SET held = total.held + excluded.held
WHERE total.budget IS NULL OR total.money + total.held + excluded.held <= total.budget
RETURNING run_id"""

RELEASE = "UPDATE spending SET held = greatest(0, held - $2) WHERE run_id = $1"

ADD = """INSERT INTO spending AS total (run_id, currency, money, is_partly_unpriced, input_tokens,
    output_tokens, characters, n_asked, n_saved)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (run_id) DO UPDATE SET
    currency = coalesce(total.currency, excluded.currency),
    money = total.money + excluded.money,
    held = greatest(0, total.held - $10),
    is_partly_unpriced = total.is_partly_unpriced OR excluded.is_partly_unpriced,
    input_tokens = total.input_tokens + excluded.input_tokens,
    output_tokens = total.output_tokens + excluded.output_tokens,
    characters = total.characters + excluded.characters,
    n_asked = total.n_asked + excluded.n_asked,
    n_saved = total.n_saved + excluded.n_saved"""

SELECT = """SELECT run_id, budget, currency, money, held, is_partly_unpriced, input_tokens,
    output_tokens, characters, n_asked, n_saved FROM spending WHERE run_id = ANY($1::text[])"""


async def set_budget(
    source: Database | AsyncConnection, run_id: str, budget: float | None, currency: str | None
) -> None:
    """Say how much money a run may spend in all; None lets it spend what it needs."""
    async with transaction(source) as connection:
        amount = None if budget is None else _decimal(budget)
        await execute(connection, SET_BUDGET, run_id, amount, to_text_or_none(currency))


async def hold(source: Database | AsyncConnection, run_id: str, money: float) -> bool:
    """Hold money back for a call that is about to be made; False where the budget lacks it."""
    async with transaction(source) as connection:
        return await fetch_one(connection, HOLD, run_id, _decimal(money)) is not None


async def release(source: Database | AsyncConnection, run_id: str, money: float) -> None:
    """Give back what was held for a call that costs nothing."""
    async with transaction(source) as connection:
        await execute(connection, RELEASE, run_id, _decimal(money))


async def add(
    source: Database | AsyncConnection,
    run_id: str,
    usage: Usage,
    *,
    n_asked: int = 0,
    n_saved: int = 0,
    released: float = 0.0,
) -> None:
    """Count what a run has used.

    Args:
        source: The transaction that stores the responses, so that both are there or neither is.
        run_id: Of the run that asked.
        usage: Of all these requests together.
        n_asked: Requests that were asked.
        n_saved: Requests whose response was there already.
        released: Money that was held for them and is settled by this.
    """
    async with transaction(source) as connection:
        await execute(
            connection,
            ADD,
            run_id,
            to_text_or_none(usage.currency),
            _decimal(usage.money or 0.0),
            usage.money is None and not usage.is_nothing,
            usage.input_tokens or 0,
            usage.output_tokens or 0,
            usage.characters or 0,
            n_asked,
            n_saved,
            _decimal(released),
        )


async def of_run(source: Database | AsyncConnection, run_id: str) -> Spending | None:
    """Return what a run has spent; None where it has asked nothing."""
    return (await of_runs(source, [run_id])).get(run_id)


async def of_runs(source: Database | AsyncConnection, run_ids: list[str]) -> dict[str, Spending]:
    """Return what runs have spent, by their ids; those that have asked nothing are left out."""
    async with transaction(source) as connection:
        rows = await fetch_all(connection, SELECT, run_ids)
    return {row.run_id: _spending(row) for row in rows}


def _decimal(money: float) -> Decimal:
    return Decimal(f"{money:.{DIGITS}f}")


def _spending(row: Row[Any]) -> Spending:
    return Spending(
        budget=None if row.budget is None else float(row.budget),
        currency=from_text_or_none(row.currency),
        money=float(row.money),
        held=float(row.held),
        is_partly_unpriced=row.is_partly_unpriced,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        characters=row.characters,
        n_asked=row.n_asked,
        n_saved=row.n_saved,
    )
