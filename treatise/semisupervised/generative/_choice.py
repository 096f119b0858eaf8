"""Which normal density suits the rows, and whether the unlabelled ones serve it."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from treatise.semisupervised.generative._densities import DENSITIES, Density
from treatise.semisupervised.generative._objective import Objective, Weights, log_joint, weights_of

FOLDS = 5
ALWAYS_LEARNT = -1
"""The fold of rows that are never held out."""
STEPS, SLOPE = 40, 1e-3
"""Where the trial fits end: far enough to tell densities apart."""
MOST_UNLABELLED = 2000
"""Unlabelled rows that the trial fits look at, taken at even distances; their weight is that of all."""
MOST_ENTRIES = {"tied": 10**6, "full": 10**5, "diag": 10**9}
"""Entries of covariance matrices up to which a density is tried; of equals, the first is taken."""


class Choice(NamedTuple):
    """A density, and what unlabelled rows bring to it: mean gain in log P(y|x) of held-out labels, and its error."""

    density: str
    gain: float = float("nan")
    error: float = float("nan")


def choose_density(
    X: np.ndarray, codes: np.ndarray, others: np.ndarray, weights: Weights, smoothing: float, floor: float
) -> Choice:
    """The density whose fit gives held-out labels the greatest probability, beside the same without unlabelled rows.

    Each class is dealt out to the folds in turn; a single row of a class is never held out. Where every class has a
    single row, nothing can be: then "tied", whose covariance matrix all rows share.
    """
    counts, d = np.bincount(codes), X.shape[1]
    entries = {"tied": d * d, "full": len(counts) * d * d, "diag": len(counts) * d}
    tried = [name for name, size in entries.items() if size <= MOST_ENTRIES[name]] or ["diag"]
    n_folds = min(FOLDS, int(counts.max()))
    if n_folds < 2 or len(tried) == 1:
        return Choice(tried[0])
    every = -(-len(others) // MOST_UNLABELLED) or 1
    weights = weights._replace(unlabelled=weights.unlabelled * every)
    fold = np.full(len(codes), ALWAYS_LEARNT)
    for code in np.flatnonzero(counts > 1):
        fold[codes == code] = np.arange(counts[code]) % n_folds
    alone = weights_of("supervised", len(codes), 0)
    losses, without = np.zeros((2, len(tried), len(codes)))
    for number, name in enumerate(tried):
        for part in range(n_folds):
            rows, labels = X[fold != part], codes[fold != part]
            density = DENSITIES[name](len(counts), d, np.bincount(labels), smoothing, floor)
            held_out = X[fold == part], codes[fold == part]
            theta, _ = Objective(density, rows, labels, others[::every], weights).maximise(STEPS, SLOPE)
            losses[number, fold == part] = label_losses(density, theta, *held_out)
            theta = Objective(density, rows, labels, others, alone).supervised()
            without[number, fold == part] = label_losses(density, theta, *held_out)
    best = int(np.argmin(losses.sum(axis=1)))
    gains = (without[best] - losses[best])[fold != ALWAYS_LEARNT]
    return Choice(tried[best], float(gains.mean()), float(gains.std(ddof=1)) / len(gains) ** 0.5)


def label_losses(density: Density, theta: np.ndarray, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """-log P(y|x) of rows."""
    joint = log_joint(density, theta, X)
    return logsumexp(joint, axis=1) - joint[np.arange(len(codes)), codes]
