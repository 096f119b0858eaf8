"""What each row adds to a score, so that two scores on the same rows can be compared row by row.

A score that is a mean over rows has its terms for merits. Others are a smooth function of such means: their merits are
the score plus its influence function, and the mean of the merits is the score again.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import rankdata


def right_labels(actual: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Of the accuracy: 1 where the label is right."""
    return (np.asarray(labels) == np.asarray(actual)).astype(np.float64)


def right_labels_by_class(actual: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Of the balanced accuracy, the mean over the classes of the share that is right."""
    right = right_labels(actual, labels)
    classes, codes, counts = np.unique(actual, return_inverse=True, return_counts=True)
    shares = np.bincount(codes, right) / counts
    return shares.mean() + (right - shares[codes]) * (len(right) / (len(classes) * counts[codes]))


def macro_f1(actual: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Of the mean over the classes present of 2 TP / (2 TP + FP + FN)."""
    actual, labels = np.asarray(actual), np.asarray(labels)
    classes = np.unique(actual)
    merits = np.zeros(len(actual))
    for each in classes:
        true, told = actual == each, labels == each
        weight = np.mean(true) + np.mean(told)  # (2 TP + FP + FN) / n
        score = 2.0 * np.mean(true & told) / weight
        merits += score + (2.0 * (true & told) - score * (true.astype(float) + told)) / weight
    return merits / len(classes)


def area_under_curve(positive: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Of the area under the ROC curve: its structural components (DeLong, DeLong & Clarke-Pearson, 1988)."""
    positive = np.asarray(positive, bool)
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if n_positive == 0 or n_negative == 0:
        raise ValueError("an area under the curve needs rows of both classes")
    ranks = rankdata(scores)
    components = np.empty(len(positive))
    # A positive row: the share of negatives below it, ties counting half; a negative row: of positives above it.
    components[positive] = (ranks[positive] - rankdata(scores[positive])) / n_negative
    components[~positive] = 1.0 - (ranks[~positive] - rankdata(scores[~positive])) / n_positive
    area = components[positive].mean()
    share = np.where(positive, n_positive, n_negative) / len(positive)
    return area + (components - area) / share


def log_likelihood(probabilities: np.ndarray) -> np.ndarray:
    """Of the negative log loss: the log of the probability given to the true class."""
    return np.log(np.clip(probabilities, np.finfo(float).eps, 1.0))


def explained_variance(actual: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of R²: one less the squared error over the variance, which is the same for every method."""
    actual = np.asarray(actual, np.float64)
    return 1.0 - np.square(actual - values) / np.mean(np.square(actual - actual.mean()))


def root_squared_error(actual: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of the negative root of the mean squared error."""
    squares = np.square(np.asarray(actual, np.float64) - values)
    root = np.sqrt(squares.mean())
    if root == 0.0:
        return np.zeros(len(squares))
    return -root - (squares - root**2) / (2.0 * root)


def absolute_error(actual: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of the negative mean absolute error."""
    return -np.abs(np.asarray(actual, np.float64) - values)


def jackknifed(score: Callable[[np.ndarray], Any], n_rows: int, *, n_parts: int = 50, seed: int = 0) -> np.ndarray:
    """Of any score: how much it loses without a part of the rows, shared among them.

    Parameters
    ----------
    score : callable
        Of the numbers of rows, the score on those rows.
    n_rows : int
        Rows in all.
    n_parts : int, default=50
        Random parts, each left out in turn.
    seed : int, default=0
        Of the division into parts.
    """
    n_parts = min(n_parts, n_rows)
    part = np.random.default_rng(seed).permutation(n_rows) % n_parts
    whole = float(score(np.arange(n_rows)))
    without = np.array([float(score(np.flatnonzero(part != each))) for each in range(n_parts)])
    return whole + (n_parts - 1) * (without.mean() - without[part])
