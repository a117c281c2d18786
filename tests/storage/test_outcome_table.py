"""A large run's cases in columns are the same rows as in a list."""

from benchmarks.benchmark import Outcome
from metrics.default import default_scores
from storage import items, outcomes
from storage.outcome_table import read_table
from storage.records import StoredOutcome

VALUES = {0: 0.0, 1: 1.0, 3: 1.0, 4: None}
CELLS = (("relatedness", ""), ("relatedness", "s2"))


async def test_a_table_has_the_rows_of_a_list_and_the_same_scores(database, stored_run, new_item):
    run = await stored_run(cells=CELLS)
    rows = [
        StoredOutcome(
            number=number,
            task="relatedness",
            variant=variant,
            language="de" if number % 2 else "ar",
            subset="easy" if number % 3 else None,
            unit=f"word-{number // 2}",
            outcome=Outcome(
                None if number == 4 else float(number % 2),
                is_valid=number != 4,
                detail={"n": number},
            ),
        )
        for number in VALUES
        for _, variant in CELLS
    ]
    await outcomes.put(database, run.id, rows)

    table = await read_table(database, run.id)

    expected = await outcomes.rows(database, run.id)
    assert list(table) == expected
    assert len(table) == 12
    assert table[-1] == expected[-1]
    assert table[2:4] == expected[2:4]
    found = default_scores("toy", None, table, 0)
    assert found == default_scores("toy", None, expected, 0)


async def test_names_that_postgres_would_refuse_come_back_whole(database, stored_run, new_item):
    odd = "nul \x00 and \ud800"
    await items.put(database, "odd", [new_item(0, id=odd, unit=odd)])
    run = await stored_run(2, item_set="odd", n_items=1)

    [row] = await read_table(database, run.id)

    assert (row.item_id, row.unit, row.status, row.value) == (odd, odd, "unanswered", None)
