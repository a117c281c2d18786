"""What can go wrong with a run, by who must act."""


class OrchestratorError(Exception):
    """The message says what was met and what is allowed, in one sentence."""


class WrongUseError(OrchestratorError):
    """The caller asked for something that cannot be: an unknown model, a task it cannot serve."""


class RunStateError(WrongUseError):
    """A run is not in a state that allows the action."""


class ProviderUnavailableError(OrchestratorError):
    """A model cannot be reached; the run can be resumed when it can."""


class ProviderRefusedError(OrchestratorError):
    """A model refuses for good (a key, an unknown model): asking again would change nothing."""


class BudgetReachedError(OrchestratorError):
    """A run may spend no more; it goes on with a larger budget."""
