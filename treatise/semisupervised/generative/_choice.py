"""Which normal density suits the rows."""

import numpy as np
from scipy.special import logsumexp

from treatise.semisupervised.generative._densities import DENSITIES, Density
from treatise.semisupervised.generative._objective import Objective, Weights, log_joint

FOLDS = 5
STEPS, SLOPE = 40, 1e-3
"""Where the trial fits end: far enough to tell densities apart."""
MOST_UNLABELLED = 2000
"""Unlabelled rows that the trial fits look at, taken at even distances; their weight is that of all."""
MOST_ENTRIES = {"tied": 10**6, "full": 10**5, "diag": 10**9}
"""Entries of covariance matrices up to which a density is tried; of equals, the first is taken."""


def choose_density(
    X: np.ndarray, codes: np.ndarray, others: np.ndarray, weights: Weights, smoothing: float, floor: float
) -> str:
    """The density whose fit gives held-out labels the greatest probability.

    Each class is dealt out to the folds in turn. A class with a single row leaves nothing to hold out: then "tied",
    whose covariance matrix all rows share.
    """
    counts, d = np.bincount(codes), X.shape[1]
    entries = {"tied": d * d, "full": len(counts) * d * d, "diag": len(counts) * d}
    tried = [name for name, size in entries.items() if size <= MOST_ENTRIES[name]] or ["diag"]
    n_folds = min(FOLDS, int(counts.min()))
    if n_folds < 2 or len(tried) == 1:
        return tried[0]
    every = -(-len(others) // MOST_UNLABELLED) or 1
    weights = weights._replace(unlabelled=weights.unlabelled * every)
    fold = np.empty(len(codes), dtype=np.int64)
    for code in range(len(counts)):
        fold[codes == code] = np.arange(counts[code]) % n_folds
    losses = []
    for name in tried:
        loss = 0.0
        for part in range(n_folds):
            rows, labels = X[fold != part], codes[fold != part]
            density = DENSITIES[name](len(counts), d, np.bincount(labels), smoothing, floor)
            theta, _ = Objective(density, rows, labels, others[::every], weights).maximise(STEPS, SLOPE)
            loss += label_loss(density, theta, X[fold == part], codes[fold == part])
        losses.append(loss)
    return tried[int(np.argmin(losses))]


def label_loss(density: Density, theta: np.ndarray, X: np.ndarray, codes: np.ndarray) -> float:
    """Sum of -log P(y|x) over rows."""
    joint = log_joint(density, theta, X)
    return float(np.sum(logsumexp(joint, axis=1) - joint[np.arange(len(codes)), codes]))
