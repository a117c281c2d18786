"""What a training needs to go on after an interruption; safetensors and JSON, no pickles."""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from scorer.errors import CheckpointError

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
)


class Checkpoints:
    """One folder beside the new model; it is gone when the training is done."""

    def __init__(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Take the folder, and the facts that must be the same to go on."""
        self._folder = folder
        self._facts = json.loads(json.dumps(facts))

    @staticmethod
    def hash(value: Any) -> str:  # noqa: ANN401  # any JSON value
        """Return the hash of what a training reads."""
        return hashlib.sha256(json.dumps(value).encode()).hexdigest()

    def restore(self, model: Any, optimizer: torch.optim.Optimizer) -> list[float]:  # noqa: ANN401
        """Put a checkpoint into the model and the optimizer, and return its losses.

        Raises:
            CheckpointError: It is of another training.
        """
        notes = self._folder / "notes.json"
        if not notes.is_file():
            return []
        kept = json.loads(notes.read_text())
        if changed := [
            name for name in self._facts if kept["facts"].get(name) != self._facts[name]
        ]:
            raise CheckpointError(
                f"the checkpoint in {self._folder} is of a training with other values of"
                f" {', '.join(changed)}; repeat those, or delete the folder to begin anew"
            )
        model.load_state_dict(load_file(self._folder / "model.safetensors"))
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        moments = load_file(self._folder / "optimizer.safetensors")
        for at, parameter in enumerate(parameters):
            if f"{at}.step" in moments:
                optimizer.state[parameter] = {
                    name: moments[f"{at}.{name}"].to("cpu" if name == "step" else parameter.device)
                    for name in ("step", "exp_avg", "exp_avg_sq")
                }
        return [float(loss) for loss in kept["losses"]]

    def save(self, model: Any, optimizer: torch.optim.Optimizer, losses: Sequence[float]) -> None:  # noqa: ANN401
        """Write a checkpoint in the place of the one before."""
        new = self._folder.with_suffix(".partial")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        save_file(
            {name: value.contiguous() for name, value in model.state_dict().items()},
            new / "model.safetensors",
        )
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        save_file(
            {
                f"{at}.{name}": value
                for at, parameter in enumerate(parameters)
                for name, value in optimizer.state.get(parameter, {}).items()
            },
            new / "optimizer.safetensors",
        )
        (new / "notes.json").write_text(json.dumps({"facts": self._facts, "losses": list(losses)}))
        shutil.rmtree(self._folder, ignore_errors=True)
        new.rename(self._folder)

    def finish(self, model: Any, base: Path, folder: Path, losses: Sequence[float]) -> None:  # noqa: ANN401
        """Write the new model folder with its base's tokenizer, and drop the checkpoint."""
        new = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        model.save_pretrained(new)
        for name in TOKENIZER_FILES:
            if (base / name).is_file():
                shutil.copyfile(base / name, new / name)
        (new / "finetuning.json").write_text(
            json.dumps({"facts": self._facts, "losses": list(losses)}, indent=1)
        )
        new.rename(folder)
        shutil.rmtree(self._folder, ignore_errors=True)
