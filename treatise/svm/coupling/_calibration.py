"""Probabilities for one pair of classes: from the binary classifier itself, or from its held-out decision values."""

import warnings
from numbers import Integral

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import check_cv
from sklearn.utils.validation import has_fit_parameter

from treatise.svm.coupling.platt import platt_sigmoid


def fit_pair(base, X, target, sample_weight, calibration, folds, pairwise):
    """The fitted classifier of a pair and its calibration: None, (A, B), or the knots of a step function.

    ``target`` is 1 for the first class of the pair and 0 for the second; ``folds`` numbers the fold of each row.
    """
    fitted = fit_weighted(clone(base), X, target, sample_weight)
    if calibration is None:
        return fitted, None
    held_out = held_out_decision(base, fitted, X, target, sample_weight, folds, pairwise)
    if calibration == "sigmoid":
        return fitted, np.array(platt_sigmoid(held_out, target, sample_weight))
    step = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    step.fit(held_out, target, sample_weight=sample_weight)
    return fitted, np.stack([step.X_thresholds_, step.y_thresholds_])


def fit_weighted(estimator, X, target, sample_weight):
    """Fit, with weights if there are any."""
    if sample_weight is None:
        return estimator.fit(X, target)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"sample_weight was given, but {type(estimator).__name__}.fit takes none")
    return estimator.fit(X, target, sample_weight=sample_weight)


def score_of(fitted, X):
    """Decision values, positive for the first class; of a classifier without any, its probabilities."""
    if hasattr(fitted, "decision_function"):
        return np.asarray(fitted.decision_function(X), dtype=np.float64).ravel()
    return fitted.predict_proba(X)[:, 1]


def fold_of_rows(cv, X, y):
    """Number of the fold in which each row is held out; folds are drawn once, and serve all pairs (Figure 4)."""
    most = int(np.unique(y, return_counts=True)[1].max())
    if most < 2:
        raise ValueError("every class has one row, so that none can be held out to calibrate on; give more rows")
    if isinstance(cv, Integral):
        # A class with fewer rows than folds is absent from some, which does no harm: both classes of a pair are
        # there to learn from as long as each has two rows.
        cv = max(2, min(int(cv), most))
    folds = np.full(len(y), -1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        for number, (_, test) in enumerate(check_cv(cv, y, classifier=True).split(X, y)):
            folds[test] = number
    if (folds < 0).any():
        raise ValueError(f"cv={cv!r} holds out {int((folds >= 0).sum())} of {len(y)} rows; each row must be, once")
    return folds


def held_out_decision(base, fitted, X, target, sample_weight, folds, pairwise):
    """Decision value of every row from a fit that did not see it, as Section 7.1 wants it for (36)."""
    numbers = np.unique(folds)
    if any(len(np.unique(target[folds != number])) < 2 for number in numbers):
        warnings.warn(
            "all rows of a class are in one fold, so that none of their decision values can be held out: a pair is "
            "calibrated on the rows that it was learnt from, and its probabilities are too sure",
            UserWarning,
            stacklevel=2,
        )
        return score_of(fitted, X)
    held_out = np.empty(len(target))
    for number in numbers:
        train, test = np.flatnonzero(folds != number), np.flatnonzero(folds == number)
        weight = None if sample_weight is None else sample_weight[train]
        model = fit_weighted(clone(base), X[train][:, train] if pairwise else X[train], target[train], weight)
        held_out[test] = score_of(model, X[test][:, train] if pairwise else X[test])
    return held_out


def pair_probability(fitted, calibrator, X):
    """Probability of the first class of the pair."""
    if calibrator is None:
        return fitted.predict_proba(X)[:, 1]
    score = score_of(fitted, X)
    if calibrator.ndim == 1:
        A, B = calibrator
        return expit(-(A * score + B))
    return np.interp(score, calibrator[0], calibrator[1])
