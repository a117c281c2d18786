import random

import numpy as np
import pytest

from scorer.backend import TokenRow
from scorer.batching.batches import cut_batches, run_batch
from scorer.batching.prefix_tree import plan_rows, plan_states, questions_of
from scorer.errors import OutOfMemoryError


def rows_of(*sequences):
    return [TokenRow(tuple(sequence), 1) for sequence in sequences]


def test_a_shared_prefix_stands_once_and_last_tokens_are_not_read():
    plan = plan_rows(rows_of([1, 2, 3, 4], [1, 2, 5, 6]), max_nodes=16, may_branch=True)

    (row,) = plan.rows
    assert row.tokens == [1, 2, 3, 5]
    assert row.parents == [-1, 0, 1, 1]
    assert row.depths == [0, 1, 2, 2]


def test_a_node_sees_itself_and_its_ancestors_only():
    (row,) = plan_rows(rows_of([1, 2, 3, 4], [1, 5, 6]), max_nodes=16, may_branch=True).rows

    assert row.visible().tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, False, False, True],
    ]


def test_labels_of_one_prompt_are_one_plain_row():
    plan = plan_rows(
        rows_of([1, 2, 3, 7], [1, 2, 3, 8], [1, 2, 3, 9]), max_nodes=9, may_branch=True
    )

    (row,) = plan.rows
    assert row.tokens == [1, 2, 3]
    assert row.is_chain
    assert questions_of(row, plan.slots).nodes[-1] == 2


def test_duplicates_are_read_once():
    plan = plan_rows(rows_of([1, 2, 3], [1, 2, 3], [1, 2, 3]), max_nodes=9, may_branch=True)

    assert sum(map(len, plan.rows)) == 2
    assert plan.n_slots == 2


def test_without_branches_every_row_is_a_chain():
    source = random.Random(0)
    sequences = [[source.randrange(3) for _ in range(source.randint(2, 6))] for _ in range(200)]

    plan = plan_rows(rows_of(*sequences), max_nodes=32, may_branch=False)

    assert all(row.is_chain for row in plan.rows)


def test_where_little_is_shared_no_mask_is_needed():
    sequences = [[start, *range(10)] for start in range(20)]

    plan = plan_rows(rows_of(*sequences), max_nodes=64, may_branch=True)

    assert len(plan.rows) == 20


@pytest.mark.parametrize("may_branch", [True, False])
@pytest.mark.parametrize("max_nodes", [1, 7, 64])
def test_every_question_sees_exactly_its_own_prefix(may_branch, max_nodes):
    source = random.Random(max_nodes)
    sequences = [
        TokenRow(ids, source.randint(1, len(ids) - 1))
        for ids in (
            tuple(source.randrange(3) for _ in range(source.randint(2, 9))) for _ in range(300)
        )
    ]

    plan = plan_rows(sequences, max_nodes=max_nodes, may_branch=may_branch)

    seen = {}
    for row in plan.rows:
        visible = row.visible()
        asked = questions_of(row, plan.slots)
        for node, token, slot in zip(asked.nodes, asked.tokens, asked.slots, strict=True):
            prefix = tuple(row.tokens[at] for at in np.flatnonzero(visible[node]))
            assert row.depths[node] == len(prefix) - 1
            assert slot not in seen
            seen[slot] = (*prefix, token)
    for sequence in sequences:
        begin, end = plan.slots[sequence]
        expected = [sequence.ids[:n] for n in range(sequence.n_given + 1, len(sequence.ids) + 1)]
        assert [seen[slot] for slot in range(begin, end)] == expected
    assert len(seen) == plan.n_slots


@pytest.mark.parametrize("may_branch", [True, False])
def test_a_path_leads_through_every_token_of_its_text(may_branch):
    source = random.Random(3)
    sequences = rows_of(
        *([source.randrange(3) for _ in range(source.randint(1, 9))] for _ in range(300))
    )

    rows = plan_states(sequences, max_nodes=32, may_branch=may_branch)

    paths = [(row, *member) for row in rows for member in row.paths]
    assert {sequence for _, sequence, _ in paths} == set(sequences)
    for row, sequence, path in paths:
        assert tuple(row.tokens[node] for node in path) == sequence.ids
        assert np.flatnonzero(row.visible()[path[-1]]).tolist() == list(path)


def test_a_long_shared_context_keeps_its_continuations_in_one_row():
    context = list(range(1000))
    sequences = [[*context, n, n, n] for n in range(50)]

    plan = plan_rows(rows_of(*sequences), max_nodes=64, may_branch=True)

    assert sum(map(len, plan.rows)) == 1000 + 50 * 2


def test_batches_keep_to_the_budget_of_padded_tokens():
    source = random.Random(1)
    lengths = [source.randint(1, 40) for _ in range(100)]

    batches = list(cut_batches(lengths, lambda length: length, 64))

    assert sorted(length for batch in batches for length in batch) == sorted(lengths)
    assert all(len(batch) * max(batch) <= 64 for batch in batches)


def test_without_padding_only_the_tokens_themselves_count():
    source = random.Random(2)
    lengths = [source.randint(1, 40) for _ in range(100)]

    batches = list(cut_batches(lengths, lambda length: length, 64, is_padded=False))

    assert sorted(length for batch in batches for length in batch) == sorted(lengths)
    assert all(sum(batch) <= 64 for batch in batches)
    assert len(batches) < len(list(cut_batches(lengths, lambda length: length, 64)))


def test_a_row_beyond_the_budget_is_a_batch_of_its_own():
    assert list(cut_batches([3, 100, 3], lambda length: length, 10)) == [[100], [3, 3]]


def test_a_batch_that_does_not_fit_is_halved_until_it_does():
    done = []

    def run(batch):
        if len(batch) > 2:
            raise OutOfMemoryError("full")
        done.extend(batch)

    run_batch(list(range(9)), run)

    assert done == list(range(9))


def test_one_row_that_does_not_fit_is_told():
    def run(batch):
        raise OutOfMemoryError("full")

    with pytest.raises(OutOfMemoryError):
        run_batch([1, 2], run)
