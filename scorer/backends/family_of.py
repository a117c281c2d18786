"""Is a model a decoder or an encoder? Its configuration tells."""

from typing import Any

from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

MASKED_NAMES = ("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")
MASKED_SUFFIX = "WithLMHeadModel"
"""XLM's and Flaubert's masked language models."""


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


def is_masked(config: Any) -> bool:  # noqa: ANN401
    """Tell an encoder that was saved with the head of a masked language model."""
    return any(name.endswith(MASKED_NAMES) for name in config.architectures or [])
