"""What must every provider keep, ours and yours? One sentence on each promise that is broken.

It asks the model a few dozen short questions of every kind that the provider names, and one long
one. Models whose answers vary are borne: an answer is only called misplaced where it is exactly
what a neighbour's question gets.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.conformance.subject import BrokenPromiseError, doing, require
from benchmarks.conformance.suite import promise_name
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import RESPONSE_CLASSES, LogProbResponse
from orchestrator.providers.plugged import misfit
from orchestrator.providers.provider import Answer, Provider, Unanswered
from orchestrator.providers.questions import hard_questions, questions, renamed

OpenProvider = Callable[[], Awaitable[Provider]]
SECRET_NAME = re.compile(
    r"api.?key|secret|passw|(access|auth).?token|authorization|bearer", re.IGNORECASE
)
SECRET_VALUE = re.compile(r"\bsk-\w|\bBearer \S|://[^/\s:@]+:[^/\s@]+@")


@dataclass
class _Subject:
    """A provider under test, opened as often as a promise likes."""

    open: OpenProvider
    secrets: Sequence[str]
    alone: dict[str, Answer] = field(default_factory=dict)
    """What each question gets when it is asked alone, by key."""

    async def kinds(self) -> list[RequestKind]:
        provider = await self.open()
        await provider.close()
        return sorted(provider.kinds)


async def promises_broken_by(open_provider: OpenProvider, secrets: Sequence[str] = ()) -> list[str]:
    """Hold a provider to every promise.

    Args:
        open_provider: Opens the same model each time; what it opens is closed here.
        secrets: Texts that must not be seen in what is stored, such as keys.

    Returns:
        Sentences that begin with the promise; none where all are kept.
    """
    subject = _Subject(open_provider, [secret for secret in secrets if secret])
    first = await _try(it_fills_the_protocol, subject)
    if first:
        return first
    return [sentence for promise in PROMISES for sentence in await _try(promise, subject)]


async def it_fills_the_protocol(subject: _Subject) -> None:
    """Kinds, answers_by_key, identity, answer and close are there."""
    provider = await subject.open()
    why = misfit(provider)
    await provider.close()
    require(why is None, str(why))


async def its_identity_is_fixed_and_has_no_secret(subject: _Subject) -> None:
    """The identity is part of the key of what is stored, and stands in the manifest."""
    first, second = await subject.open(), await subject.open()
    for kind in sorted(first.kinds):
        identity = dict(first.identity(kind))
        _check_no_secret(identity, subject.secrets)
        await first.answer(questions(kind)[:1])
        for again in (first.identity(kind), second.identity(kind)):
            text, other = (json.dumps(dict(each), sort_keys=True) for each in (identity, again))
            require(text == other, f"{kind}: {text}, then {other}")
    await first.close()
    await second.close()


async def it_answers_each_question_in_its_place(subject: _Subject) -> None:
    """As many answers as questions, in their order, alone, together, and the other way round."""
    provider = await subject.open()
    require(await provider.answer([]) == [], "no questions get answers")
    for kind in sorted(provider.kinds):
        asked = questions(kind)
        alone = {request.key: (await provider.answer([request]))[0] for request in asked}
        subject.alone.update(alone)
        for order in (asked, asked[::-1], [*asked, *asked[:1]]):
            _check_places(kind, order, await provider.answer(order), alone)
    mixed = [request for kind in sorted(provider.kinds) for request in questions(kind)][::-1]
    _check_places("mixed kinds", mixed, await provider.answer(mixed), subject.alone)
    await provider.close()


async def it_serves_the_kinds_it_names(subject: _Subject) -> None:
    """A plain question of a kind that the provider names gets the kind's response."""
    provider = await subject.open()
    for kind in sorted(provider.kinds):
        found = await provider.answer(questions(kind))
        answered = [answer for answer in found if not isinstance(answer, Unanswered)]
        missed = [answer for answer in found if isinstance(answer, Unanswered)]
        is_unrecorded = bool(missed) and not any(answer.is_recorded for answer in missed)
        reason = missed[0].detail if missed else ""
        require(
            bool(answered) or is_unrecorded, f"{kind}: not one plain question is answered: {reason}"
        )
    await provider.close()


async def a_hard_question_spoils_no_neighbour(subject: _Subject) -> None:
    """An empty text and one that is too long may stay unanswered; the others are answered."""
    provider = await subject.open()
    for kind in sorted(provider.kinds):
        plain = questions(kind)
        before = await provider.answer(plain)
        for hard in hard_questions(kind):
            asked = [plain[0], hard, *plain[1:]]
            with doing(f"{kind}: {hard.key} among others"):
                found = await provider.answer(asked)
            require(len(found) == len(asked), f"{kind}: {len(found)} answers to {len(asked)}")
            for request, old, new in zip(plain, before, [found[0], *found[2:]], strict=True):
                is_spoilt = isinstance(new, Unanswered) and not isinstance(old, Unanswered)
                require(not is_spoilt, f"{kind}: {request.key} is unanswered beside {hard.key}")
            _check_no_secret(found[1], subject.secrets)
    await provider.close()


async def it_answers_by_key_only_if_it_says_so(subject: _Subject) -> None:
    """Responses are shared between runs by their content, unless a provider says otherwise."""
    provider = await subject.open()
    if not provider.answers_by_key:
        for kind in sorted(provider.kinds):
            asked = questions(kind)
            found = await provider.answer(asked)
            again = await provider.answer([renamed(request) for request in asked])
            anew = await provider.answer(asked)
            for request, first, other, third in zip(asked, found, again, anew, strict=True):
                is_steady = first == third
                is_same = not is_steady or first == other or _is_near(first, other)
                require(is_same, f"{kind}: {request.key} is answered otherwise under another key")
    await provider.close()


async def it_bears_several_calls_at_once(subject: _Subject) -> None:
    """A worker has several ranges in its hands."""
    provider = await subject.open()
    for kind in sorted(provider.kinds):
        asked = questions(kind)
        halves = (asked[::2], asked[1::2])
        found = await asyncio.gather(*(provider.answer(half) for half in halves))
        for half, answers in zip(halves, found, strict=True):
            _check_places(kind, half, answers, subject.alone)
    await provider.close()


async def it_closes_twice(subject: _Subject) -> None:
    """Closing what is closed changes nothing, asked or not."""
    for is_asked in (False, True):
        provider = await subject.open()
        if is_asked:
            await provider.answer(questions(min(provider.kinds))[:1])
        await provider.close()
        with doing("the second close"):
            await provider.close()


Promise = Callable[[_Subject], Awaitable[None]]
PROMISES: tuple[Promise, ...] = (
    its_identity_is_fixed_and_has_no_secret,
    it_answers_each_question_in_its_place,
    it_serves_the_kinds_it_names,
    a_hard_question_spoils_no_neighbour,
    it_answers_by_key_only_if_it_says_so,
    it_bears_several_calls_at_once,
    it_closes_twice,
)


async def _try(promise: Promise, subject: _Subject) -> list[str]:
    try:
        with doing("it"):
            await promise(subject)
    except BrokenPromiseError as error:
        return [f"{promise_name(promise)}: {error}"]
    return []


def _check_places(
    what: str, asked: Sequence[Request], found: object, alone: Mapping[str, Answer]
) -> None:
    """Hold answers to their questions: their number, their class, and whose they are."""
    require(isinstance(found, list), f"{what}: answers come as {type(found).__name__}, not a list")
    answers = list(found) if isinstance(found, list) else []
    require(len(answers) == len(asked), f"{what}: {len(answers)} answers to {len(asked)} questions")
    for request, answer in zip(asked, answers, strict=True):
        where = f"{what}: {request.key}"
        needed = RESPONSE_CLASSES[request.kind]
        is_fit = isinstance(answer, needed | Unanswered)
        require(is_fit, f"{where} gets {type(answer).__name__}, needed {needed.__name__}")
        _check_count(where, request, answer)
        mine = alone.get(request.key)
        if answer == mine or _is_near(answer, mine):
            continue
        owner = next((key for key, other in alone.items() if other == answer), None)
        require(owner is None, f"{where} gets the answer of {owner}")


def _check_count(where: str, request: Request, answer: object) -> None:
    if request.kind is RequestKind.LOG_PROB and isinstance(answer, LogProbResponse):
        n_asked, n_found = len(request.continuations), len(answer.sums)
        require(n_found == n_asked, f"{where} has {n_asked} continuations and {n_found} sums")


def _is_near(answer: object, other: object) -> bool:
    """Say whether two log-probabilities differ by rounding alone."""
    if not (isinstance(answer, LogProbResponse) and isinstance(other, LogProbResponse)):
        return False
    pairs = list(zip(answer.sums, other.sums, strict=False))
    return len(answer.sums) == len(other.sums) and all(abs(a - b) < 1e-2 for a, b in pairs)


def _check_no_secret(told: object, secrets: Sequence[str]) -> None:
    text = json.dumps(told, default=str)
    require(not any(secret in text for secret in secrets), "a secret stands in what is stored")
    if isinstance(told, Mapping):
        for name, value in told.items():
            is_secret = SECRET_NAME.search(str(name)) or SECRET_VALUE.search(str(value))
            require(not is_secret, f"{name} in the identity looks like a secret")
