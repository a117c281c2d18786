"""Bodies of the endpoints that other clients know, as OpenAI's API has them.

What is not taken here is refused by name, never ignored.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from scorer.schemas import Text

MAX_TOP = 20


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    model: str = ""
    """Any name: one process serves one model."""
    user: str | None = None


class _Sampling(_Question):
    temperature: float = Field(default=1.0, ge=0.0, le=2.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    stop: Text | list[Text] | None = None
    n: Literal[1] = 1
    stream: Literal[False] = False
    presence_penalty: Literal[0] | None = None
    frequency_penalty: Literal[0] | None = None

    def stops(self) -> list[str]:
        """Return the texts that end an answer."""
        if self.stop is None:
            return []
        return [self.stop] if isinstance(self.stop, str) else self.stop


class CompletionQuestion(_Sampling):
    """Texts or token ids to be continued."""

    prompt: Text | list[int] | list[Text] | list[list[int]]
    max_tokens: int = Field(default=16, ge=0, le=8192)
    echo: bool = False
    logprobs: int | None = Field(default=None, ge=0, le=MAX_TOP)
    best_of: Literal[1] | None = None

    def prompts(self) -> list[str | list[int]]:
        """Return the prompts one by one."""
        if isinstance(self.prompt, str):
            return [self.prompt]
        if self.prompt and isinstance(self.prompt[0], int):
            return [[token for token in self.prompt if isinstance(token, int)]]
        return [part for part in self.prompt if not isinstance(part, int)]


class TokenScores(BaseModel):
    """One entry a token; the first token of a text has no probability."""

    tokens: list[str]
    token_logprobs: list[float | None]
    top_logprobs: list[dict[str, float] | None]
    text_offset: list[int]


class CompletionChoice(BaseModel):
    """One continued prompt."""

    index: int
    text: str
    finish_reason: Literal["stop", "length"]
    logprobs: TokenScores | None = None


class Usage(BaseModel):
    """Tokens that were read and written."""

    prompt_tokens: int
    completion_tokens: int = 0
    total_tokens: int


class CompletionAnswer(BaseModel):
    """All continued prompts."""

    id: str
    object: Literal["text_completion"] = "text_completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: Usage


class TextPart(BaseModel):
    """A part of a turn; only texts are read."""

    type: Literal["text"]
    text: Text


class Turn(BaseModel):
    """One turn of a chat."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Text | list[TextPart]

    def text(self) -> str:
        """Return the turn as one text."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text for part in self.content)


class ChatQuestion(_Sampling):
    """A chat to be answered."""

    messages: list[Turn] = Field(min_length=1)
    max_tokens: int | None = Field(default=None, ge=1, le=8192)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=8192)
    logprobs: bool = False
    top_logprobs: int = Field(default=0, ge=0, le=MAX_TOP)

    def limit(self) -> int:
        """Return how many tokens an answer may have."""
        return self.max_completion_tokens or self.max_tokens or 512


class TokenScore(BaseModel):
    """One token of an answer, or one that could have stood there."""

    token: str
    logprob: float
    bytes: list[int]
    top_logprobs: list["TokenScore"] = []


class ChatScores(BaseModel):
    """One entry a token."""

    content: list[TokenScore]


class Reply(BaseModel):
    """The assistant's turn."""

    role: Literal["assistant"] = "assistant"
    content: str


class ChatChoice(BaseModel):
    """The one answer."""

    index: int = 0
    message: Reply
    finish_reason: Literal["stop", "length"]
    logprobs: ChatScores | None = None


class ChatAnswer(BaseModel):
    """The answer to a chat."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: Usage


class EmbeddingQuestion(_Question):
    """Texts to become vectors."""

    input: Text | Annotated[list[Text], Field(min_length=1)]
    encoding_format: Literal["float", "base64"] = "float"

    def texts(self) -> list[str]:
        """Return the texts one by one."""
        return [self.input] if isinstance(self.input, str) else self.input


class Embedding(BaseModel):
    """One vector of length 1, as numbers or as float32 bytes in base64."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingAnswer(BaseModel):
    """One vector a text."""

    object: Literal["list"] = "list"
    model: str
    data: list[Embedding]
    usage: Usage


class ModelEntry(BaseModel):
    """The loaded model."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "polysense"
    max_model_len: int


class ModelList(BaseModel):
    """All models of this process: one."""

    object: Literal["list"] = "list"
    data: list[ModelEntry]
