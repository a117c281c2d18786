"""`google`: Google Translate, version 2 with an API key or version 3 with an access token."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.errors import WrongUseError
from orchestrator.halting import NotNowError
from orchestrator.providers.http_calls import HttpDoor, Problem, RefusedForGoodError
from orchestrator.providers.http_keys import open_access
from orchestrator.providers.http_settings import GoogleSettings, read_http_settings
from orchestrator.providers.http_translation import Allowance, HttpTranslator, Pair, texts_in
from orchestrator.providers.opening import Opening
from orchestrator.resources import Resources

KEY_NAME = "GOOGLE_API_KEY"
OWN_URL = "https://translation.googleapis.com"
CODES: Mapping[str, str] = {"zh": "zh-CN", "he": "iw", "nb": "no", "fil": "tl", "jv": "jw"}
"""Languages that Google spells otherwise."""
TOO_FAST = frozenset({"ratelimitexceeded", "userratelimitexceeded"})
"""Reasons of a 403 that pass by themselves."""
BAD_KEY = frozenset({"keyinvalid", "api_key_invalid", "keyexpired", "unauthenticated"})
"""Reasons of a 400 that do not."""


def reclassify(problem: Problem) -> Exception | None:
    """Tell "too fast" from "not allowed" (both 403), and a bad key from a bad text (both 400)."""
    if problem.status == 403 and problem.codes & TOO_FAST:
        return NotNowError(f"google: {problem.detail}", is_too_fast=True)
    is_bad_key = "api key" in problem.detail.lower() and problem.status == 400
    if problem.status == 400 and (problem.codes & BAD_KEY or is_bad_key):
        return RefusedForGoodError(f"google refuses the key: {problem.detail}", 400)
    return None


@dataclass
class GoogleApi:
    """What Google asks for and answers."""

    settings: GoogleSettings
    max_characters: int = 25_000
    """30,000 code points are recommended at most."""
    texts_per_call: int = field(init=False)

    def __post_init__(self) -> None:
        self.texts_per_call = self.settings.texts_per_call

    def identity(self) -> Mapping[str, str]:
        """Return the version of the API and the glossary."""
        return {
            "provider": "google",
            "model": "google",
            "api": self.settings.api_version,
            "location": self.settings.location if self.settings.api_version == "v3" else "",
            "glossary": self.settings.glossary,
        }

    def codes(self, pair: Pair) -> Pair | str:
        """Return the codes of a pair."""
        source, target = (CODES.get(language.lower(), language.lower()) for language in pair)
        if source == target:
            return f"it has no translation {source} → {target}"
        return source, target

    async def translate(self, door: HttpDoor, texts: Sequence[str], codes: Pair) -> list[str]:
        """Translate texts in one call."""
        if self.settings.api_version == "v3":
            return await self._translate_v3(door, texts, codes)
        body = {
            "q": list(texts),
            "source": codes[0],
            "target": codes[1],
            "format": "text",  # else & and ' come back as HTML writes them
        }
        found = await door.post("/language/translate/v2", body)
        place = ("data", "translations", "translatedText")
        return texts_in(found, place, door.name, len(texts))

    async def allowance(self, door: HttpDoor) -> Allowance | None:
        """Return nothing: Google does not say."""
        del door
        return None

    async def _translate_v3(self, door: HttpDoor, texts: Sequence[str], codes: Pair) -> list[str]:
        settings = self.settings
        parent = f"projects/{settings.google_project}/locations/{settings.location}"
        body: dict[str, object] = {
            "contents": list(texts),
            "mimeType": "text/plain",
            "sourceLanguageCode": codes[0],
            "targetLanguageCode": codes[1],
        }
        rows = "translations"
        if settings.glossary:
            body["glossaryConfig"] = {"glossary": f"{parent}/glossaries/{settings.glossary}"}
            rows = "glossaryTranslations"
        found = await door.post(f"/v3/{parent}:translateText", body)
        return texts_in(found, (rows, "translatedText"), door.name, len(texts))


async def open_google(argument: str, opening: Opening, resources: Resources) -> HttpTranslator:
    """Return a provider for Google Translate.

    Raises:
        WrongUseError: A setting, the address or the key is wrong.
        ProviderUnavailableError: The address is not known.
    """
    del argument
    settings: GoogleSettings = read_http_settings("google", opening.settings)
    is_v3 = settings.api_version == "v3"
    if is_v3 and not settings.google_project:
        raise WrongUseError("google with api_version=v3 needs --setting google_project=<id>")
    if settings.glossary and not is_v3:
        raise WrongUseError("glossary: google has glossaries in v3 only; add api_version=v3")
    access = await open_access("google", OWN_URL, settings, opening, resources, KEY_NAME)
    door = HttpDoor(
        name="google",
        base_url=access.base_url,
        headers={},
        key=access.key,
        key_header="Authorization" if is_v3 else "X-Goog-Api-Key",
        key_prefix="Bearer " if is_v3 else "",
        timeout_s=settings.timeout_s,
        reclassify=reclassify,
    )
    price = opening.price_of("google", door.base_url, resources.price_files)
    return HttpTranslator(GoogleApi(settings), door, access.lane, opening, price)
