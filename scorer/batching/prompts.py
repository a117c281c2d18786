"""From prompts, chats and texts to rows of tokens that are continued or looked into."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scorer.backend import SourceTargetTokenizer, TokenisedText, Tokenizer, TokenRow
from scorer.batching.cutting import cut_row
from scorer.batching.pairs import read_sources
from scorer.batching.scoring_row import check_length, failed
from scorer.batching.start_token import TOKENIZER_POLICY, start_token_id
from scorer.errors import ItemError, NothingToScoreError, UnsupportedRequestError
from scorer.schemas import (
    BosPolicy,
    Capabilities,
    FailedItem,
    GenerateItem,
    GenerateRequest,
    HiddenStatesRequest,
)

BETWEEN_TURNS = "\n\n"
NO_CHARACTERS = (0, 0)


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text's tokens, and the characters [begin, end) that each of them covers."""

    row: TokenRow
    offsets: tuple[tuple[int, int], ...]


def read_generate_request(
    request: GenerateRequest, tokenizer: Tokenizer, info: Capabilities
) -> list[TokenRow | FailedItem]:
    """Return one row an item; what does not fit with its new tokens is refused alone.

    Raises:
        UnsupportedRequestError: The model has no chat template, or takes no language codes.
    """
    codes = [request.source_language, request.target_language]
    if any(code is not None for code in codes) and "translate" not in info.kinds:
        raise UnsupportedRequestError(f"{info.model} translates nothing and takes no language code")
    if isinstance(tokenizer, SourceTargetTokenizer):
        sources = [_plain_text(item) for item in request.items]
        languages = (codes[0], codes[1])
        return read_sources(sources, languages, tokenizer, info, request.truncation)
    texts = [_text(item, request, tokenizer) for item in request.items]
    is_chat = [item.messages is not None and request.chat_template for item in request.items]
    rendered = iter(tokenizer.encode([t for t, chat in zip(texts, is_chat, strict=True) if chat]))
    plain = iter(prompt_rows([t for t, c in zip(texts, is_chat, strict=True) if not c], tokenizer))
    rows = [next(rendered).ids if chat else next(plain) for chat in is_chat]
    start = start_token_id("default", tokenizer, info)
    rows = [row or (() if start is None else (start,)) for row in rows]
    rows = [cut_row(row, tokenizer.is_special(row), request.truncation) for row in rows]
    return _refuse_alone(rows, lambda n: check_length(n, info, request.max_new_tokens))


def read_hidden_states_request(
    request: HiddenStatesRequest, tokenizer: Tokenizer, info: Capabilities
) -> list[TextRow | FailedItem]:
    """Return one row a text: after its start token, or with the special tokens of an encoder.

    Raises:
        UnknownTokenError: The tokenizer lacks the start token that the policy asks for.
    """
    texts = _tokenised(request.texts, request.bos_policy, tokenizer, info)
    rows = _refuse_alone([text.ids for text in texts], lambda n: check_length(n, info))
    return [
        row if isinstance(row, FailedItem) else TextRow(row, text.offsets)
        for row, text in zip(rows, texts, strict=True)
    ]


def _tokenised(
    texts: Sequence[str], bos_policy: BosPolicy, tokenizer: Tokenizer, info: Capabilities
) -> list[TokenisedText]:
    if info.bos_policy == TOKENIZER_POLICY:
        return tokenizer.encode_whole(texts)
    start = start_token_id(bos_policy, tokenizer, info)
    if start is None:
        return tokenizer.encode(texts)
    return [
        TokenisedText((start, *text.ids), (NO_CHARACTERS, *text.offsets))
        for text in tokenizer.encode(texts)
    ]


def _text(item: GenerateItem, request: GenerateRequest, tokenizer: Tokenizer) -> str:
    if item.messages is not None and request.chat_template:
        return tokenizer.render_chat(item.messages)
    return _plain_text(item)


def _plain_text(item: GenerateItem) -> str:
    if item.messages is None:
        return item.prompt or ""
    return BETWEEN_TURNS.join(message.content for message in item.messages)


def prompt_rows(texts: Sequence[str], tokenizer: Tokenizer) -> list[tuple[int, ...]]:
    """Split prompts as the model's makers do, but leave their end open."""
    rows = tokenizer.encode_prompts(texts)
    if tokenizer.eos_token is None:
        return rows
    eos = tokenizer.token_id(tokenizer.eos_token)
    return [row[:-1] if len(row) > 1 and row[-1] == eos else row for row in rows]


def _refuse_alone(
    rows: Sequence[tuple[int, ...]], check: Callable[[int], None]
) -> list[TokenRow | FailedItem]:
    found: list[TokenRow | FailedItem] = []
    for row in rows:
        try:
            if not row:
                raise NothingToScoreError("an empty text and no start token: there is no token")
            check(len(row))
        except ItemError as error:
            found.append(failed(error))
        else:
            found.append(TokenRow(row))
    return found
