"""What every solver of a most probable labelling returns."""

from dataclasses import dataclass, field

import numpy as np


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
    """

    labels: np.ndarray
    energy: float
    lower_bound: float | None = None
    trace: np.ndarray = field(default_factory=lambda: np.empty(0))
    n_moves: int = 0

    @property
    def gap(self):
        """Energy above the lower bound, 0 for a labelling proved best; None without a bound."""
        return None if self.lower_bound is None else max(0.0, self.energy - self.lower_bound)
