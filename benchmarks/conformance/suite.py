"""What must every benchmark keep, ours and yours? One sentence on each promise that is broken."""

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.benchmark import Benchmark
from benchmarks.catalog import benchmark_class, open_benchmark
from benchmarks.conformance import asking, data, facts, judging
from benchmarks.conformance.subject import BrokenPromiseError, Subject, doing

Promise = Callable[[Subject], None]
PROMISES: tuple[Promise, ...] = (
    facts.says_what_it_is,
    facts.its_settings_survive_json,
    facts.it_refuses_unknown_settings,
    facts.its_variants_are_fixed,
    facts.its_kinds_are_known,
    facts.its_prompts_have_checksums,
    data.its_sample_has_items,
    data.its_items_are_read_alike,
    data.its_items_survive_json,
    data.its_limit_takes_the_first,
    data.its_languages_stand_apart,
    data.it_names_the_files_it_reads,
    data.it_refuses_wrong_data_in_a_sentence,
    data.its_check_runs,
    asking.its_keys_are_spelled_alike,
    asking.its_keys_are_unique,
    asking.its_parts_are_distinct,
    asking.its_requests_are_fixed,
    asking.it_keeps_to_its_kinds,
    asking.its_follow_up_ends,
    judging.it_judges_every_answer,
    judging.its_baselines_answer,
)


def broken_promises(name: str, settings: Mapping[str, Any] | None = None) -> list[str]:
    """Hold a benchmark of the catalogue, or of an installed package, to every promise.

    Args:
        name: As `polysense benchmarks` lists it.
        settings: As `--setting` gives them; a benchmark that asks in several ways keeps its
            promises in each.

    Returns:
        Sentences that begin with the promise; none where all are kept.

    Raises:
        UnknownNameError: There is no such benchmark or setting, or its package is broken.
        SettingError: A setting's value is not allowed.
    """
    open_benchmark(name, settings)
    return promises_broken_by(benchmark_class(name), settings)


def promises_broken_by(
    found: type[Benchmark], settings: Mapping[str, Any] | None = None
) -> list[str]:
    """Hold a benchmark's class to every promise; see `broken_promises`."""
    subject = Subject(found, settings or {})
    return [sentence for promise in PROMISES for sentence in _try(promise, subject)]


def promise_name(promise: Callable[..., object]) -> str:
    """Return a promise in words."""
    return promise.__name__.replace("_", " ")


def _try(promise: Promise, subject: Subject) -> list[str]:
    try:
        with doing("it"):
            promise(subject)
    except BrokenPromiseError as error:
        return [f"{promise_name(promise)}: {error}"]
    return []
