"""A benchmark of one file that can be worked by hand: is the longer of two words the right one?"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.benchmark import (
    BenchmarkSettings,
    Case,
    CheckReport,
    Item,
    Outcome,
    Selection,
)
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.prompt_file import template_hash
from benchmarks.requests import GenerateRequest, LogProbRequest, Message, Request, RequestKind
from benchmarks.responses import LogProbResponse, Response, TextResponse

TASK_KINDS = {"pick": RequestKind.LOG_PROB, "say": RequestKind.GENERATE}


class Toy:
    """Two tasks: `pick` compares log-probabilities, `say` wants the word back, with one retry."""

    name = "toy"
    title = "Toy"
    paper = "none"
    unit = "word"
    tasks = ("pick", "say")
    prompt_version = "1"
    judge_version = "1"
    settings_class = BenchmarkSettings
    sample = Path(__file__).parent

    def __init__(self, settings: BenchmarkSettings | None = None) -> None:
        self.settings = settings or BenchmarkSettings()

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        return {"say": template_hash("{word}")}

    def kinds(self, task: str) -> frozenset[RequestKind]:
        return frozenset({TASK_KINDS[task]})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        return ("",) if task == "pick" or seed is not None else ("seed1", "seed2")

    def languages(self, folder: Path) -> tuple[str, ...]:
        if not folder.is_dir():
            raise DataError(f"no folder at {folder}")
        return ("en",)

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        return [Path(__file__)]

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        if unknown := set(selection.languages) - {"en"}:
            raise UnknownNameError(f"no language {unknown.pop()!r}; allowed: en")
        words = ["a", "bb", "ccc", "dddd", "eeeee"][: selection.limit]
        for number, word in enumerate(words):
            yield Item(str(number), "en", None, word, {"word": word})

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        return CheckReport((), ())

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        key = f"toy/{case.task}/en/{case.item.id}"
        word = case.item.fields["word"]
        if case.task == "pick":
            return (LogProbRequest(key=key, context="", continuations=(word, "ccc")),)
        part = case.variant
        return (
            GenerateRequest(
                key=f"{key}/{part}" if part else key,
                part=part,
                messages=(Message(role="user", content=word),),
                max_new_tokens=4,
            ),
        )

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        if case.task == "pick" or self._text(responses[case.variant]) == case.item.fields["word"]:
            return ()
        first = self.requests(case, seed)[0]
        assert isinstance(first, GenerateRequest)
        return (
            first.model_copy(
                update={
                    "key": f"{first.key}/retry",
                    "part": f"{first.part}/retry",
                    "max_new_tokens": 5,
                }
            ),
        )

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome | None:
        if case.task == "pick":
            response = responses[""]
            assert isinstance(response, LogProbResponse)
            return Outcome(float(response.sums[0] < response.sums[1]))
        retry = responses.get(f"{case.variant}/retry", responses[case.variant])
        return Outcome(float(self._text(retry) == case.item.fields["word"]))

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        return {"never": ("pick",)}

    def baseline(self, case: Case, name: str) -> Outcome:
        return Outcome(0.0)

    @staticmethod
    def _text(response: Response) -> str:
        assert isinstance(response, TextResponse)
        return response.text
