"""A model that only generates translates when it is asked in words."""

from benchmarks.requests import GenerateRequest, RequestKind, TranslateRequest
from benchmarks.responses import TextResponse
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.prompted_translation import with_translation

REQUEST = TranslateRequest(key="k", text="Hello.", source_language="en", target_language="de")


class Writer(FakeProvider):
    kinds = frozenset({RequestKind.GENERATE})

    def __init__(self):
        self.asked = []

    async def answer(self, requests):
        self.asked += requests
        return [TextResponse(text="Hallo.") for _ in requests]


async def test_a_translation_becomes_a_chat_that_names_both_languages():
    writer = Writer()
    translator = with_translation(writer)

    [answer] = await translator.answer([REQUEST])

    [asked] = writer.asked
    assert isinstance(asked, GenerateRequest)
    assert "from English to German" in asked.messages[0].content
    assert asked.messages[0].content.endswith("\nHello.")
    assert answer == TextResponse(text="Hallo.")


def test_the_prompts_version_is_part_of_the_identity():
    translator = with_translation(Writer())

    assert "translation_prompt" in translator.identity(RequestKind.TRANSLATE)
    assert "translation_prompt" not in translator.identity(RequestKind.GENERATE)


def test_a_model_that_translates_by_itself_is_left_alone():
    model = FakeProvider()

    assert with_translation(model) is model
