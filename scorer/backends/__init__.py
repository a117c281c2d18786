"""Choose the engine for a model; the one place with late imports, so that `fake` needs no torch."""

from scorer.backend import Backend
from scorer.backends.options import LoadOptions


def load_backend(model: str, options: LoadOptions) -> Backend:
    """Return a ready backend; blocks while weights load.

    Args:
        model: `fake`, or a name that `scorer.weights.find_model` knows.
        options: Device, dtype, threads and where converted weights are kept.

    Raises:
        ModelNotFoundError: No such model, or none that can be loaded here.
    """
    if model == "fake":
        from scorer.backends.fake import FakeBackend

        return FakeBackend()
    if options.backend == "vllm":
        from scorer.backends.vllm_loading import load_vllm

        return load_vllm(model, options)
    from scorer.backends.families import load_model

    return load_model(model, options)
