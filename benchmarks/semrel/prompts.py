"""What a generating model is asked for the relatedness of two sentences; ours, versioned."""

from benchmarks.requests import Message

VERSION = "semrel-rating-1"

RATING = (
    "How related in meaning are these two sentences, from 0 (completely unrelated) to 1 "
    "(maximally related)? Answer with one number only.\n1: {s1}\n2: {s2}"
)


def rating_messages(text_a: str, text_b: str) -> tuple[Message, ...]:
    """Return the one user message that asks for a number."""
    content = RATING.format(s1=text_a, s2=text_b)
    return (Message(role="user", content=content),)
