"""What a training needs to go on after an interruption; safetensors and JSON, no pickles.

A checkpoint is one file, written beside the one before and then put in its place: whenever a
process is killed, a whole checkpoint is left.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from scorer.errors import CheckpointError

KEPT_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
    "sentence_bert_config.json",
)
"""Of the base: its tokenizer, and the length that texts are cut to. Without a list of modules,
sentence-transformers reads the new folder as it was trained: mean pooling, nothing behind it."""
STATE = ("step", "exp_avg", "exp_avg_sq")


class Checkpoints:
    """One file beside the new model; it is gone when the training is done."""

    def __init__(self, file: Path, facts: Mapping[str, Any]) -> None:
        """Take the file, and the facts that must be the same to go on."""
        self._file = file
        self._facts = json.loads(json.dumps(facts))

    @staticmethod
    def hash(value: Any) -> str:  # noqa: ANN401  # any JSON value
        """Return the hash of what a training reads."""
        return hashlib.sha256(json.dumps(value).encode()).hexdigest()

    def restore(self, model: Any, optimizer: torch.optim.Optimizer) -> list[float]:  # noqa: ANN401
        """Put a checkpoint into the model and the optimizer, and return its losses.

        Raises:
            CheckpointError: It is of another training, or cannot be read.
        """
        if not self._file.exists():
            return []
        try:
            with safe_open(self._file, framework="pt") as opened:
                notes = opened.metadata()
                tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise CheckpointError(
                f"{self._file} is no checkpoint ({error}); delete it to begin anew"
            ) from error
        self._check(json.loads(notes["facts"]))
        model.load_state_dict(_under("model.", tensors))
        for at, parameter in enumerate(_parameters(optimizer)):
            if f"{at}.step" in tensors:
                optimizer.state[parameter] = {
                    name: tensors[f"{at}.{name}"].to(parameter.device) for name in STATE
                }
        return [float(loss) for loss in json.loads(notes["losses"])]

    def save(self, model: Any, optimizer: torch.optim.Optimizer, losses: Sequence[float]) -> None:  # noqa: ANN401
        """Put a checkpoint in the place of the one before."""
        tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
        for at, parameter in enumerate(_parameters(optimizer)):
            for name, value in optimizer.state.get(parameter, {}).items():
                tensors[f"{at}.{name}"] = value
        notes = {"facts": json.dumps(self._facts), "losses": json.dumps(list(losses))}
        partial = self._file.with_name(f"{self._file.name}.partial")
        partial.parent.mkdir(parents=True, exist_ok=True)
        save_file({name: value.contiguous() for name, value in tensors.items()}, partial, notes)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(self._file)

    def finish(self, model: Any, base: Path, folder: Path, losses: Sequence[float]) -> None:  # noqa: ANN401
        """Write the new model folder with its base's tokenizer, and drop the checkpoint."""
        new = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        model.save_pretrained(new)
        for name in KEPT_FILES:
            if (base / name).is_file():
                shutil.copyfile(base / name, new / name)
        (new / "finetuning.json").write_text(
            json.dumps({"facts": self._facts, "losses": list(losses)}, indent=1)
        )
        new.rename(folder)
        self._file.unlink(missing_ok=True)

    def _check(self, kept: Mapping[str, Any]) -> None:
        changed = [name for name in self._facts if kept.get(name) != self._facts[name]]
        if changed:
            raise CheckpointError(
                f"the checkpoint {self._file} is of a training with other values of"
                f" {', '.join(changed)}; repeat those, or delete it to begin anew"
            )


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.nn.Parameter]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _under(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }
