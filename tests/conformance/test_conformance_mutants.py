"""The suites find what is broken: toys that keep every promise but one."""

import asyncio
import os
import random
from dataclasses import replace
from itertools import count
from typing import Literal

import pytest

from benchmarks.benchmark import BenchmarkSettings, Finding, Outcome
from benchmarks.conformance.suite import promises_broken_by
from benchmarks.requests import RequestKind
from benchmarks.responses import TextResponse
from orchestrator.errors import ProviderRefusedError
from orchestrator.providers.conformance import promises_broken_by as broken_by_provider
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.provider import Unanswered
from tests.orchestrator.toy import Toy

NUMBERS = count()


class AsksAnew(Toy):
    """Asks something else each time."""

    def requests(self, case, seed):
        (first,) = super().requests(case, seed)
        if case.task == "pick":
            return (first.model_copy(update={"context": str(next(NUMBERS))}),)
        return (first,)


class AsksByProcess(Toy):
    """Draws from a generator that each binding seeds for itself."""

    def __init__(self, settings=None):
        super().__init__(settings)
        self._salt = str(random.Random(next(NUMBERS)).random())

    def requests(self, case, seed):
        (first,) = super().requests(case, seed)
        if case.task == "pick":
            return (first.model_copy(update={"context": self._salt}),)
        return (first,)


class OneKeyForAll(Toy):
    """Forgets the item in the key."""

    def requests(self, case, seed):
        (first,) = super().requests(case, seed)
        return (first.model_copy(update={"key": f"toy/{case.task}/en/item"}),)


class KeyWithoutLanguage(Toy):
    def requests(self, case, seed):
        (first,) = super().requests(case, seed)
        return (first.model_copy(update={"key": first.key.replace("/en/", "/")}),)


class TwoOfOnePart(Toy):
    def requests(self, case, seed):
        (first,) = super().requests(case, seed)
        return (first, first.model_copy(update={"key": f"{first.key}/twin"}))


class TrustsTheModel(Toy):
    """Reads a number where a model may write anything."""

    def judge(self, case, seed, responses):
        if case.task == "say":
            return Outcome(float(bool(int(responses[case.variant].text or "0"))))
        return super().judge(case, seed, responses)


class CountsBeyondOne(Toy):
    def judge(self, case, seed, responses):
        return replace(super().judge(case, seed, responses), value=2.0)


class MissingIsNan(Toy):
    def judge(self, case, seed, responses):
        return Outcome(float("nan"), is_valid=False)


class DecidesNothing(Toy):
    def judge(self, case, seed, responses):
        return None


class DetailIsNoJson(Toy):
    def judge(self, case, seed, responses):
        return Outcome(0.0, detail={"words": {"a", "b"}})


class AsksForEver(Toy):
    def follow_up(self, case, seed, responses):
        (first,) = self.requests(case, seed)
        key = f"{first.key}/{len(responses)}"
        return (first.model_copy(update={"key": key, "part": f"again{len(responses)}"}),)


class LimitTakesTheLast(Toy):
    def items(self, folder, selection):
        found = list(super().items(folder, replace(selection, limit=None)))
        return iter(found[-(selection.limit or len(found)) :])


class ShufflesItems(Toy):
    def items(self, folder, selection):
        found = list(super().items(folder, selection))
        random.Random(next(NUMBERS)).shuffle(found)
        return iter(found)


class ItemsHoldSets(Toy):
    def items(self, folder, selection):
        for item in super().items(folder, selection):
            yield replace(item, fields={**item.fields, "letters": set("ab")})


class NoLanguageIsRefused(Toy):
    def items(self, folder, selection):
        return super().items(folder, replace(selection, languages=()))


class SendsAnotherKind(Toy):
    def kinds(self, task):
        return frozenset({RequestKind.EMBED})


class StylesShareAChecksum(Toy):
    """Asks otherwise in another style and does not tell the manifest."""

    class Styled(BenchmarkSettings):
        prompt_style: Literal["plain", "fancy"] = "plain"

    settings_class = Styled


class KeepsSettingsOpen(Toy):
    class Open(BenchmarkSettings, extra="ignore"):
        pass

    settings_class = Open


class ChecksumOfTheMoment(Toy):
    @property
    def prompt_hashes(self):
        return {"say": f"{next(NUMBERS):064x}"}


class NoChecksum(Toy):
    @property
    def prompt_hashes(self):
        return {}


class BaselineIsMissing(Toy):
    def baselines(self):
        return {"never": ("pick",), "always": ("say",)}

    def baseline(self, case, name):
        return {"never": Outcome(0.0)}[name]


class SampleIsGone(Toy):
    sample = Toy.sample / "gone"


class CheckFindsFault(Toy):
    def check(self, folder, languages):
        return replace(super().check(folder, languages), findings=[Finding("error", "broken row")])


MUTANTS = {
    AsksAnew: "its requests are fixed: pick of en '0' asks otherwise the second time",
    AsksByProcess: "its requests are fixed: pick of en '0' asks otherwise when bound anew",
    OneKeyForAll: "its keys are unique: key 'toy/pick/en/item' is two questions",
    KeyWithoutLanguage: "its keys are spelled alike: key 'toy/pick/0'",
    TwoOfOnePart: "its parts are distinct: pick of en '0' asks two of the parts ['', '']",
    TrustsTheModel: "it judges every answer: judge of say 'seed1' of en '0', answered 'a', raised",
    CountsBeyondOne: "value 2.0, allowed: None, or 0 to 1",
    MissingIsNan: "value nan, allowed: None, or 0 to 1",
    DecidesNothing: "judge decides nothing, and no conclude does",
    DetailIsNoJson: "it judges every answer: writing the detail of pick of en '0', answered ''",
    AsksForEver: "asks again after 32 rounds",
    LimitTakesTheLast: "its limit takes the first: limit 1 of en is not its beginning",
    ShufflesItems: "reads otherwise the second time",
    ItemsHoldSets: "its items survive json: en '0' is no JSON",
    NoLanguageIsRefused: "a language that is not there has 5 items",
    SendsAnotherKind: "it keeps to its kinds: pick of en '0' sends log_prob, the task names embed",
    KeepsSettingsOpen: "it refuses unknown settings: no_such_setting=1 is not refused",
    ChecksumOfTheMoment: "prompt_hashes differ from one binding to the next",
    StylesShareAChecksum: "prompt_style=fancy has the checksums of prompt_style=plain",
    NoChecksum: "its prompts have checksums: say asks in words without a checksum",
    BaselineIsMissing: "its baselines answer: baseline always of say 'seed1' of en '0' raised",
    SampleIsGone: "its sample has items: no folder at",
    CheckFindsFault: "its check runs: check calls the sample wrong: ['broken row']",
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_the_suite_finds_the_broken_promise_of_a_benchmark(mutant):
    broken = promises_broken_by(mutant)

    assert any(MUTANTS[mutant] in sentence for sentence in broken), broken
    assert all("\n" not in sentence for sentence in broken)


class Swaps(FakeProvider):
    """Answers in the order of the lengths, as a batch may be sorted and never put back."""

    async def answer(self, requests):
        return await super().answer(sorted(requests, key=lambda each: len(str(each.content()))))


class ForgetsOne(FakeProvider):
    async def answer(self, requests):
        return (await super().answer(requests))[: max(1, len(requests) - 1)]


class GivesATuple(FakeProvider):
    async def answer(self, requests):
        return tuple(await super().answer(requests))


class AnswersWithTexts(FakeProvider):
    async def answer(self, requests):
        return [TextResponse(text="x") for _ in requests]


class NamesAKindTooMany(FakeProvider):
    kinds = frozenset(RequestKind)


class FallsOverAnEmptyText(FakeProvider):
    async def answer(self, requests):
        if any(getattr(request, "text", "x") == "" for request in requests):
            raise ProviderRefusedError("an empty text")
        return await super().answer(requests)


class DropsTheWholeBatch(FakeProvider):
    async def answer(self, requests):
        if any(len(str(request.content())) > 5000 for request in requests):
            return [Unanswered("TextTooLongError", "too long") for _ in requests]
        return await super().answer(requests)


class TellsItsKey(FakeProvider):
    def identity(self, kind):
        return {**super().identity(kind), "endpoint": "https://api/?k=abcdefgh"}


class NamesItsKey(FakeProvider):
    def identity(self, kind):
        return {**super().identity(kind), "api_key": "x"}


class ChangesItsName(FakeProvider):
    def identity(self, kind):
        return {**super().identity(kind), "process": str(next(NUMBERS))}


class AnswersByKeyInSecret(FakeProvider):
    async def answer(self, requests):
        found = await super().answer(requests)
        return [
            TextResponse(text=request.key) if isinstance(answer, TextResponse) else answer
            for request, answer in zip(requests, found, strict=True)
        ]


class ClosesOnce(FakeProvider):
    def __init__(self):
        self._open, self._file = os.pipe()

    async def close(self):
        os.close(self._open)
        os.close(self._file)


class MixesCalls(FakeProvider):
    """Keeps the questions of a call where the next call puts its own."""

    async def answer(self, requests):
        self._requests = list(requests)
        await asyncio.sleep(0)
        return await super().answer(self._requests)


class IsNamedByNumbers(FakeProvider):
    def identity(self, kind):
        return {**super().identity(kind), "layers": 12}


BROKEN_PROVIDERS = {
    Swaps: "gets the answer of conformance/",
    ForgetsOne: "6 answers to 7 questions",
    GivesATuple: "it answers each question in its place",
    AnswersWithTexts: "gets TextResponse, needed VectorResponse",
    NamesAKindTooMany: "hidden_states: not one plain question is answered",
    FallsOverAnEmptyText: "conformance/embed/en/empty among others raised ProviderRefusedError",
    DropsTheWholeBatch: "conformance/embed/en/0 is unanswered beside conformance/embed/en/long",
    TellsItsKey: "a secret stands in what is stored",
    NamesItsKey: "api_key in the identity looks like a secret",
    ChangesItsName: "its identity is fixed and has no secret: embed: {",
    AnswersByKeyInSecret: "is answered otherwise under another key",
    ClosesOnce: "it closes twice: the second close raised OSError",
    MixesCalls: "it bears several calls at once",
    IsNamedByNumbers: "identity holds 'layers': int, and may hold texts only",
}


@pytest.mark.parametrize("mutant", BROKEN_PROVIDERS, ids=lambda mutant: mutant.__name__)
async def test_the_suite_finds_the_broken_promise_of_a_provider(mutant):
    async def open_it():
        return mutant()

    broken = await broken_by_provider(open_it, secrets=["abcdefgh"])

    assert any(BROKEN_PROVIDERS[mutant] in sentence for sentence in broken), broken
