"""What inference finds out about a model."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Marginals:
    """Probabilities of the variables and factors of a model, with its log partition function.

    Attributes
    ----------
    log_partition : float
        Logarithm of the sum over all joint states, of the ``kind`` named there; nan where a method gives none.
    kind : {"exact", "lower", "upper", "estimate"}
        Whether ``log_partition`` is exact, a bound that holds for certain, or neither.
    nodes : tuple of ndarray
        Probabilities of the states of each variable. Only an exact method gives true ones.
    factors : tuple of ndarray
        Probabilities of the joint states of each factor, in the shape of its table: the expectations that learning
        needs.
    n_iter : int
        Rounds taken.
    converged : bool
        Whether the changes fell below the tolerance. Bounds hold without that, only looser.
    """

    log_partition: float
    kind: str
    nodes: tuple[np.ndarray, ...]
    factors: tuple[np.ndarray, ...]
    n_iter: int
    converged: bool
