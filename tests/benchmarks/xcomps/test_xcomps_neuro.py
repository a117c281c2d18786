import numpy as np
import pytest
from safetensors.numpy import save_file

from benchmarks.benchmark import Case, Concluding, Item, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.errors import ReplayError
from benchmarks.responses import LogProbResponse, TensorResponse
from benchmarks.xcomps import layers
from benchmarks.xcomps.benchmark import Xcomps
from benchmarks.xcomps.probe_set import control_labels
from benchmarks.xcomps.tensors import read_states

N_LAYERS, WIDTH = 3, 6


def states_of(sentence, *, is_good):
    """Return states whose layer 2 holds the label, and whose other layers hold noise."""
    generator = np.random.default_rng(sum(map(ord, sentence)))
    states = generator.normal(size=(N_LAYERS, WIDTH)).astype(np.float32)
    states[2, 0] += 100.0 if is_good else -100.0
    return states


def answered_cases(items, variants=("",)):
    """Answer every case from memory; `file` holds the label, `tensor` the sentence."""
    found = []
    for item in items:
        good, bad = item.fields["sentences"]
        responses = {
            "acceptable": TensorResponse(file="good", tensor=good),
            "unacceptable": TensorResponse(file="bad", tensor=bad),
        }
        found.append((Case(item, "neuro"), responses))
    return found


def from_memory(response, layers=slice(None)):
    return states_of(response.tensor, is_good=response.file == "good")[layers]


def sample_items(language="en"):
    return list(Xcomps().items(Xcomps.sample, Selection(languages=(language,))))


def conclude(items, **settings):
    bench = open_benchmark("xcomps", settings)
    return list(bench.conclude("neuro", 0, answered_cases(items), read_tensor=from_memory))


def test_xcomps_says_that_it_concludes():
    assert isinstance(Xcomps(), Concluding)
    assert Xcomps().judge(Case(sample_items()[0], "neuro"), 0, {}) is None


def test_a_layer_that_holds_the_label_is_decided_right_everywhere():
    decided = conclude(sample_items())

    assert len(decided) == 20
    for _, outcome in decided:
        for folds in ("sentence", "group"):
            good, bad = outcome.detail["folds"][folds]["decisions"]
            assert (len(good), len(bad)) == (N_LAYERS, N_LAYERS)
            assert (good[2], bad[2]) == ("1", "0")
        right = good_and_bad_right(outcome, "sentence")
        assert outcome.value == pytest.approx(right / (2 * N_LAYERS))


def good_and_bad_right(outcome, folds):
    good, bad = outcome.detail["folds"][folds]["decisions"]
    return good.count("1") + bad.count("0")


def test_the_case_given_is_the_case_that_comes_back():
    answered = answered_cases(sample_items())

    decided = list(Xcomps().conclude("neuro", 0, answered, read_tensor=from_memory))

    assert {id(case) for case, _ in decided} == {id(case) for case, _ in answered}


def test_the_result_does_not_depend_on_threads():
    answered = answered_cases(sample_items())
    one, many = (
        list(Xcomps().conclude("neuro", 0, answered, read_tensor=from_memory, n_threads=n))
        for n in (1, 3)
    )

    assert [outcome for _, outcome in one] == [outcome for _, outcome in many]


def test_the_result_does_not_depend_on_how_many_layers_fit_into_memory(monkeypatch):
    answered = answered_cases(sample_items())
    at_once = list(Xcomps().conclude("neuro", 0, answered, read_tensor=from_memory))

    monkeypatch.setattr(layers, "MEMORY_BYTES", 1)
    one_by_one = list(Xcomps().conclude("neuro", 0, answered, read_tensor=from_memory))

    assert [outcome for _, outcome in one_by_one] == [outcome for _, outcome in at_once]


def test_every_layer_is_told_when_it_is_done():
    told = []

    list(
        Xcomps().conclude(
            "neuro", 0, answered_cases(sample_items()), read_tensor=from_memory, tell=told.append
        )
    )

    subsets = {item.subset for item in sample_items()}
    assert set(told) == {
        f"en {subset}: probing layer {number} of {N_LAYERS}"
        for subset in subsets
        for number in range(1, N_LAYERS + 1)
    }


def test_the_default_folds_decide_the_value():
    by_group = conclude(sample_items(), folds="group")

    for _, outcome in by_group:
        right = good_and_bad_right(outcome, "group")
        assert outcome.value == pytest.approx(right / (2 * N_LAYERS))


def test_too_few_pairs_are_undecided_and_say_so():
    decided = conclude(sample_items()[:12])

    assert {outcome.value for _, outcome in decided} == {None}
    assert not any(outcome.is_valid for _, outcome in decided)
    assert "5 folds need 5" in decided[0][1].detail["not_asked"]


def test_too_few_properties_have_no_folds_by_group():
    items = [
        Item(item.id, item.language, item.subset, item.unit, {**item.fields, "property": "one"})
        for item in sample_items()
    ]

    by_sentence, by_group = conclude(items), conclude(items, folds="group")

    assert all(set(outcome.detail["folds"]) == {"sentence"} for _, outcome in by_sentence)
    assert all(outcome.value is not None for _, outcome in by_sentence)
    assert all(outcome.value is None for _, outcome in by_group)
    assert "properties" in by_group[0][1].detail["not_asked"]


def test_a_tensor_that_cannot_be_read_leaves_only_its_pair_undecided():
    items = [item for item in sample_items() if item.subset == "random"]
    new = {**items[0].fields, "sentences": ["a pen writes.", "a pan writes."], "property": "writes"}
    items.append(Item("x", "en", "random", "writes|pen", new))

    def reader(response, layers=slice(None)):
        if response.tensor == "a pan writes.":
            raise ReplayError("gone")
        return from_memory(response, layers)

    decided = list(Xcomps().conclude("neuro", 0, answered_cases(items), read_tensor=reader))

    by_id = {case.item.id: outcome for case, outcome in decided}
    assert by_id.pop("x").detail == {"not_asked": "gone"}
    assert all(outcome.value is not None for outcome in by_id.values())


def test_states_of_two_widths_are_undecided():
    def reader(response, layers=slice(None)):
        width = WIDTH if response.file == "good" else WIDTH + 1
        return np.zeros((N_LAYERS, width), dtype=np.float32)

    decided = list(
        Xcomps().conclude("neuro", 0, answered_cases(sample_items()), read_tensor=reader)
    )

    assert all("shapes" in outcome.detail["not_asked"] for _, outcome in decided)


def test_a_response_of_another_kind_is_undecided():
    answered = [
        (case, {part: LogProbResponse(sums=(0.0,)) for part in responses})
        for case, responses in answered_cases(sample_items())
    ]

    decided = list(Xcomps().conclude("neuro", 0, answered, read_tensor=from_memory))

    assert all("no hidden states" in outcome.detail["not_asked"] for _, outcome in decided)


def test_identical_pairs_come_without_responses_and_are_passed_over():
    answered = [*answered_cases(sample_items()), (Case(sample_items()[0], "neuro"), {})]

    decided = list(Xcomps().conclude("neuro", 0, answered, read_tensor=from_memory))

    assert len(decided) == 20


def test_repeated_and_two_labelled_sentences_are_marked():
    items = sample_items()
    of_type = [item for item in items if item.subset == "taxonomic"]
    first, second = of_type[0], of_type[1]
    turned = [second.fields["sentences"][0], first.fields["sentences"][0]]
    changed = Item("t", "en", "taxonomic", "t", {**second.fields, "sentences": turned})

    decided = conclude([*of_type, changed])

    by_id = {case.item.id: outcome.detail for case, outcome in decided}
    assert by_id[first.id]["has_both_labels"] == [True, False]
    assert by_id["t"]["has_both_labels"] == [False, True]
    assert by_id[second.id]["is_repeated"] == [True, False]


def test_a_concept_has_one_control_label_wherever_it_stands():
    items = sample_items()
    cases = [Case(item, "neuro") for item in items if item.subset in ("taxonomic", "overlap")]

    drawn = control_labels(cases, seed=42)

    by_concept = {}
    n = len(cases)
    for number, case in enumerate(cases):
        for at, concept in enumerate(case.item.fields["concepts"]):
            by_concept.setdefault(concept, set()).add(bool(drawn[number + at * n]))
    assert all(len(labels) == 1 for labels in by_concept.values())
    assert (control_labels(cases, seed=42) == drawn).all()


def test_states_are_read_from_a_safetensors_file(tmp_path):
    path = tmp_path / "states.safetensors"
    save_file({"0": np.ones((3, 4), dtype=np.float16)}, str(path))

    states = read_states(TensorResponse(file=str(path), tensor="0"))

    assert states.shape == (3, 4)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (np.ones(3, dtype=np.float32), r"of shape \(3,\); needed"),
        (np.ones((2, 3, 4), dtype=np.float32), "needed: "),
        (np.ones((3, 4), dtype=np.int32), "is int32"),
        (np.full((3, 4), np.inf, dtype=np.float32), "not finite"),
        (np.ones((0, 4), dtype=np.float32), "needed: "),
    ],
)
def test_a_tensor_that_is_no_vector_a_layer_is_refused(tmp_path, tensor, message):
    path = tmp_path / "states.safetensors"
    save_file({"0": tensor}, str(path))

    with pytest.raises(ReplayError, match=message):
        read_states(TensorResponse(file=str(path), tensor="0"))


@pytest.mark.parametrize(("content", "tensor"), [(None, "0"), (b"broken", "0"), (b"", "0")])
def test_a_file_that_is_missing_or_broken_is_refused(tmp_path, content, tensor):
    path = tmp_path / "states.safetensors"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ReplayError, match="tensor '0' of"):
        read_states(TensorResponse(file=str(path), tensor=tensor))


def test_some_layers_of_a_tensor_are_read_alone(tmp_path):
    path = tmp_path / "states.safetensors"
    states = np.arange(12, dtype=np.float32).reshape(3, 4)
    save_file({"0": states}, str(path))

    found = read_states(TensorResponse(file=str(path), tensor="0"), slice(1, 3))

    assert (found == states[1:]).all()


def test_a_tensor_that_is_not_in_the_file_is_refused(tmp_path):
    path = tmp_path / "states.safetensors"
    save_file({"0": np.ones((3, 4), dtype=np.float32)}, str(path))

    with pytest.raises(ReplayError, match="cannot be read"):
        read_states(TensorResponse(file=str(path), tensor="1"))
