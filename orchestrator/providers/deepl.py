"""`deepl`: DeepL's API; calls are what it counts, so many texts go in one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.errors import OrchestratorError, ProviderRefusedError
from orchestrator.halting import Halt, NotNowError
from orchestrator.limits import Call
from orchestrator.providers.http_calls import HttpDoor, RequestRefusedError
from orchestrator.providers.http_keys import open_access
from orchestrator.providers.http_settings import DeepLSettings, read_http_settings
from orchestrator.providers.http_translation import Allowance, HttpTranslator, Pair, texts_in
from orchestrator.providers.opening import Opening
from orchestrator.resources import Resources

KEY_NAME = "DEEPL_API_KEY"
OWN_URL = "https://api.deepl.com"
FREE_URL = "https://api-free.deepl.com"
FREE_ENDING = ":fx"
"""Of the keys that belong to the free address."""
TARGETS: Mapping[str, str] = {"en": "EN-US", "pt": "PT-PT", "zh": "ZH-HANS", "no": "NB"}
"""Targets that DeepL spells otherwise than the language alone."""
SOURCES: Mapping[str, str] = {"no": "NB"}
KNOWN = frozenset({
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hu", "id", "it", "ja", "ko",
    "lt", "lv", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "tr", "uk", "zh",
})  # fmt: skip
"""Languages, where the server does not list them itself."""
PROBE_ATTEMPTS = 3


@dataclass
class DeepLApi:
    """What DeepL asks for and answers."""

    settings: DeepLSettings
    sources: frozenset[str] = KNOWN
    """In lower case, without the country."""
    targets: frozenset[str] = KNOWN
    max_characters: int = 100_000
    """128 KiB a call, and most letters of most scripts take less than three bytes together."""
    texts_per_call: int = field(init=False)

    def __post_init__(self) -> None:
        self.texts_per_call = self.settings.texts_per_call

    def identity(self) -> Mapping[str, str]:
        """Return glossary and formality: DeepL says nothing of its model's version."""
        formality = self.settings.formality
        return {
            "provider": "deepl",
            "model": "deepl",
            "glossary": self.settings.glossary,
            "formality": "" if formality == "default" else formality,
        }

    def codes(self, pair: Pair) -> Pair | str:
        """Return the codes of a pair, or the sentence that refuses it."""
        source, target = (language.lower() for language in pair)
        if source not in self.sources:
            return f"it translates nothing from {source}"
        if target not in self.targets:
            return f"it has no translation {source} → {target}"
        return SOURCES.get(source, source.upper()), TARGETS.get(target, target.upper())

    async def translate(self, door: HttpDoor, texts: Sequence[str], codes: Pair) -> list[str]:
        """Translate texts in one call."""
        body: dict[str, object] = {
            "text": list(texts),
            "source_lang": codes[0],
            "target_lang": codes[1],
            "split_sentences": "0",
        }
        if self.settings.glossary:
            body["glossary_id"] = self.settings.glossary
        if self.settings.formality != "default":
            body["formality"] = self.settings.formality
        found = await door.post("/v2/translate", body)
        return texts_in(found, ("translations", "text"), door.name, len(texts))

    async def allowance(self, door: HttpDoor) -> Allowance | None:
        """Return how many characters of the month's are used."""
        try:
            found = await door.get("/v2/usage")
            return Allowance(int(found["character_count"]), int(found["character_limit"]))
        except (RequestRefusedError, NotNowError, KeyError, TypeError, ValueError):
            return None

    async def learn_languages(self, door: HttpDoor) -> None:
        """Ask the server which languages it has; one without a list is believed to have ours.

        Raises:
            ProviderRefusedError: It refuses the key.
            NotNowError: It cannot be reached.
        """
        found = {}
        for side in ("source", "target"):
            try:
                rows = await door.get(f"/v2/languages?type={side}")
                names = {str(row["language"]).lower() for row in rows}
            except (RequestRefusedError, KeyError, TypeError):
                return
            except ProviderRefusedError as error:
                if getattr(error, "status", 0) == 404:
                    return
                raise
            found[side] = frozenset(name.partition("-")[0] for name in names)
        if all(found.values()):
            self.sources, self.targets = found["source"], found["target"]


async def open_deepl(argument: str, opening: Opening, resources: Resources) -> HttpTranslator:
    """Return a provider for DeepL.

    Raises:
        WrongUseError: A setting, the address or the key is wrong.
        ProviderRefusedError: The key is refused.
        ProviderUnavailableError: The address cannot be reached.
    """
    del argument
    settings: DeepLSettings = read_http_settings("deepl", opening.settings)
    key = resources.find_secret(settings.key or KEY_NAME)
    is_free = key is not None and key.get_secret_value().endswith(FREE_ENDING)
    own_url = FREE_URL if is_free else OWN_URL
    access = await open_access("deepl", own_url, settings, opening, resources, KEY_NAME)
    door = HttpDoor(
        name="deepl",
        base_url=access.base_url.removesuffix("/v2"),
        headers={},
        key=access.key,
        key_prefix="DeepL-Auth-Key ",
        timeout_s=settings.timeout_s,
    )
    price = opening.price_of("deepl", door.base_url, resources.price_files)
    api = DeepLApi(settings)
    if opening.is_tried:
        call = Call(lambda: api.learn_languages(door))
        try:
            await access.lane.call(call, Halt(), max_attempts=PROBE_ATTEMPTS)
        except OrchestratorError:
            await door.close()
            raise
    return HttpTranslator(api, door, access.lane, opening, price)
