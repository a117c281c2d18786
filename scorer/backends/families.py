"""Which engine suits a model folder: told by its configuration."""

from typing import Any

from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from scorer.backend import Backend
from scorer.backends.decoder import DecoderBackend
from scorer.backends.encoder import EncoderBackend
from scorer.backends.gguf import convert_gguf
from scorer.backends.loading import read_config, use_threads
from scorer.backends.options import LoadOptions
from scorer.backends.seq2seq import Seq2SeqBackend
from scorer.weights import find_model

MASKED_SUFFIX = "WithLMHeadModel"
"""XLM's and Flaubert's masked language models."""


def load_model(name: str, options: LoadOptions) -> Backend:
    """Load a model into the engine of its family.

    Raises:
        ModelNotFoundError: No such model, or none that can be loaded here.
    """
    use_threads(options.n_threads)
    folder = find_model(name, options.cache, convert_gguf)
    config = read_config(folder.folder)
    if config.is_encoder_decoder:
        return Seq2SeqBackend(folder, options)
    if is_decoder(config):
        return DecoderBackend(folder, options)
    return EncoderBackend(folder, options)


def is_decoder(config: Any) -> bool:  # noqa: ANN401  # transformers has no types
    """Tell a causal model from an encoder whose class could also be used as one.

    The saved class names tell; where there are none, the mapping of model types does.
    """
    names = config.architectures or []
    if names:
        return any(
            name.endswith(("ForCausalLM", "LMHeadModel")) and not name.endswith(MASKED_SUFFIX)
            for name in names
        )
    return config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not hasattr(
        config, "type_vocab_size"
    )
