"""What every solver of a most probable labelling returns."""

import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class MAPResult:
    """A labelling of low energy, and what is known about how low it could get.

    Attributes
    ----------
    labels : ndarray of int, of shape (n_variables,)
        The best labelling found.
    energy : float
        Its energy.
    lower_bound : float or None
        No labelling has less energy; None where the solver gives no bound.
    trace : ndarray
        Energy at the start and after each step: a move that was accepted, or a sweep of messages.
    n_moves : int
        Steps tried: moves, accepted or not, or sweeps of messages.
    converged : bool
        Whether the solver came to its own end: no move left that pays, messages that rest. False where it was cut
        short.
    """

    labels: np.ndarray
    energy: float
    lower_bound: float | None = None
    trace: np.ndarray = field(default_factory=lambda: np.empty(0))
    n_moves: int = 0
    converged: bool = True

    @property
    def gap(self):
        """Energy above the lower bound, 0 for a labelling proved best; None without a bound."""
        return None if self.lower_bound is None else max(0.0, self.energy - self.lower_bound)


def warn_not_converged(method, limit, value):
    """Say that a method without a bound was cut short, and which limit did it."""
    warnings.warn(
        f"{method} was cut short by {limit}={value} and gives no bound; raise {limit}, damp it or take another method",
        ConvergenceWarning,
        stacklevel=4,
    )
