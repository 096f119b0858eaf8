"""What each row adds to a score, so that two scores on the same rows can be compared row by row.

A score that is a mean over rows has its terms for merits. Others are a smooth function of such means: their merits are
the score plus its influence function, and the mean of the merits is the score again. With weights the score is that of
the weighted rows, and a row's influence grows with its weight.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Weights = np.ndarray | None


def right_labels(actual: np.ndarray, labels: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the accuracy: 1 where the label is right."""
    return _averaged((np.asarray(labels) == np.asarray(actual)).astype(np.float64), weights)


def right_labels_by_class(actual: np.ndarray, labels: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the balanced accuracy, the mean over the classes of the share that is right."""
    right, share = right_labels(actual, labels), _shares(len(actual), weights)
    classes, codes = np.unique(actual, return_inverse=True)
    size = np.bincount(codes, share)
    known = size > 0  # a class whose rows all weigh nothing has no share
    shares = np.divide(np.bincount(codes, share * right), size, out=np.zeros(len(classes)), where=known)
    slope = np.divide(1.0, size * known.sum(), out=np.zeros(len(classes)), where=known)
    return shares[known].mean() + _scaled(weights) * (right - shares[codes]) * slope[codes]


def macro_f1(actual: np.ndarray, labels: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the mean over the classes present of 2 TP / (2 TP + FP + FN)."""
    actual, labels = np.asarray(actual), np.asarray(labels)
    classes, share = np.unique(actual), _shares(len(actual), weights)
    merits = np.zeros(len(actual))
    for each in classes:
        true, told = actual == each, labels == each
        weight = share @ true + share @ told  # (2 TP + FP + FN) / n
        if weight > 0:
            score = 2.0 * (share @ (true & told)) / weight
            slope = (2.0 * (true & told) - score * (true.astype(float) + told)) / weight
            merits += score + _scaled(weights) * slope
    return merits / len(classes)


def area_under_curve(positive: np.ndarray, scores: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the area under the ROC curve: its structural components (DeLong, DeLong & Clarke-Pearson, 1988)."""
    positive, scores = np.asarray(positive, bool), np.asarray(scores)
    share = _shares(len(positive), weights)
    of_positive, of_negative = float(share @ positive), float(share @ ~positive)
    if of_positive == 0 or of_negative == 0:
        raise ValueError("an area under the curve needs rows of both classes")
    components = np.empty(len(positive))
    # A positive row: the share of negatives below it, ties counting half; a negative row: of positives above it.
    components[positive] = _below(scores[positive], scores[~positive], share[~positive]) / of_negative
    components[~positive] = 1.0 - _below(scores[~positive], scores[positive], share[positive]) / of_positive
    area = share[positive] @ components[positive] / of_positive
    return area + _scaled(weights) * (components - area) / np.where(positive, of_positive, of_negative)


def average_precision(positive: np.ndarray, scores: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the average precision: the mean over the positive rows of the precision from their score on."""
    positive, scores = np.asarray(positive, bool), np.asarray(scores)
    share = _shares(len(positive), weights)
    of_positive = float(share @ positive)
    if of_positive == 0:
        raise ValueError("an average precision needs rows of the positive class")
    _, place = np.unique(scores, return_inverse=True)
    at_least = np.cumsum(np.bincount(place, share)[::-1])[::-1]  # F: share of rows from each score on
    hits = np.bincount(place, share * positive)
    found = np.cumsum(hits[::-1])[::-1]  # T: share of positive rows from it on
    seen = at_least > 0
    precision = np.divide(found, at_least, out=np.zeros(len(found)), where=seen)
    score = float(hits @ precision) / of_positive
    # A row also moves the precision at every score that is not above its own.
    gain = np.cumsum(np.divide(hits, at_least, out=np.zeros(len(found)), where=seen))
    cost = np.cumsum(np.divide(hits * precision, at_least, out=np.zeros(len(found)), where=seen))
    influence = positive * (precision[place] - score + gain[place]) - cost[place]
    return score + _scaled(weights) * influence / of_positive


def log_likelihood(probabilities: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the negative log loss: the log of the probability given to the true class."""
    return _averaged(np.log(np.clip(probabilities, np.finfo(float).eps, 1.0)), weights)


def explained_variance(actual: np.ndarray, values: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of R²: one less the squared error over the variance, which is the same for every method."""
    actual, share = np.asarray(actual, np.float64), _shares(len(actual), weights)
    variance = share @ np.square(actual - share @ actual)
    return _averaged(1.0 - np.square(actual - values) / variance, weights)


def root_squared_error(actual: np.ndarray, values: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the negative root of the mean squared error."""
    squares = _averaged(np.square(np.asarray(actual, np.float64) - values), weights)
    root = np.sqrt(squares.mean())
    if root == 0.0:
        return np.zeros(len(squares))
    return -root - (squares - root**2) / (2.0 * root)


def absolute_error(actual: np.ndarray, values: np.ndarray, weights: Weights = None) -> np.ndarray:
    """Of the negative mean absolute error."""
    return _averaged(-np.abs(np.asarray(actual, np.float64) - values), weights)


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
    without = np.array([float(score(np.flatnonzero(part != each))) for each in range(n_parts)])[part]
    return whole + (n_parts - 1) * (without.mean() - without)


def _shares(n_rows: int, weights: Weights) -> np.ndarray:
    """What each row is of the whole."""
    if weights is None:
        return np.full(n_rows, 1.0 / n_rows)
    return np.asarray(weights, np.float64) / np.sum(weights)


def _scaled(weights: Weights) -> Any:
    """The weights with mean one."""
    return 1.0 if weights is None else np.asarray(weights, np.float64) / np.mean(weights)


def _averaged(terms: np.ndarray, weights: Weights) -> np.ndarray:
    """Merits of a mean over rows."""
    if weights is None:
        return terms
    mean = np.average(terms, weights=weights)
    return mean + _scaled(weights) * (terms - mean)


def _below(scores: np.ndarray, others: np.ndarray, share: np.ndarray) -> np.ndarray:
    """What the others with a smaller score amount to, ties counting half."""
    order = np.argsort(others, kind="stable")
    running, others = np.concatenate([[0.0], np.cumsum(share[order])]), others[order]
    return (running[np.searchsorted(others, scores, "left")] + running[np.searchsorted(others, scores, "right")]) / 2
