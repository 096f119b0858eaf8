"""Plain stochastic gradient descent of the logistic loss with the step 1 / (L + gamma sqrt(t)) (Section 3.3.2)."""

import math

import numpy as np

from treatise._core.jit import compiled


@compiled
def decaying_sgd(
    indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_features: int,
    L: float, gamma: float,
) -> np.ndarray:  # fmt: skip
    """Weights after one step for each of ``rows``, in their order, from zero."""
    w = np.zeros(n_features)
    for t in range(len(rows)):
        row = rows[t]
        p = 0.0
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        step = labels[row] / (1.0 + math.exp(labels[row] * p)) / (L + gamma * math.sqrt(t + 1.0))
        for at in range(indptr[row], indptr[row + 1]):
            w[indices[at]] += step * values[at]
    return w
