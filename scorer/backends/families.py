"""Which engine suits a model folder: told by its configuration."""

from scorer.backend import Backend
from scorer.backends.adapters import merge_adapter
from scorer.backends.decoder import DecoderBackend
from scorer.backends.encoder import EncoderBackend
from scorer.backends.family_of import is_decoder
from scorer.backends.gguf import convert_gguf
from scorer.backends.loading import read_config, use_threads
from scorer.backends.options import LoadOptions
from scorer.backends.seq2seq import Seq2SeqBackend
from scorer.weights import find_model


def load_model(name: str, options: LoadOptions) -> Backend:
    """Load a model into the engine of its family.

    Raises:
        ModelNotFoundError: No such model, or none that can be loaded here.
    """
    use_threads(options.n_threads)
    folder = find_model(name, options.cache, convert_gguf, merge_adapter)
    config = read_config(folder.folder)
    if config.is_encoder_decoder:
        return Seq2SeqBackend(folder, options)
    if is_decoder(config):
        return DecoderBackend(folder, options)
    return EncoderBackend(folder, options)
