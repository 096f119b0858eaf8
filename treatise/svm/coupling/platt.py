"""A sigmoid through decision values (Platt; in the stable form of Lin, Lin & Weng that JMLR 5:975 uses)."""

import math

import numpy as np
from sklearn.utils.validation import check_consistent_length

from treatise._core.jit import compiled, compiled_step

_MIN_STEP = 1e-10
_RIDGE = 1e-12


def platt_sigmoid(decision, target, sample_weight=None):
    """A and B of the probability 1 / (1 + exp(A f + B)) that suits decision values f best.

    Hand over decision values of rows that the classifier did not learn from: on its own rows an SVM puts most
    values near -1 and 1, and the sigmoid comes out too steep. Costs O(n) for each of about ten Newton steps.

    Parameters
    ----------
    decision : array-like of shape (n_samples,)
        Decision values.
    target : array-like of shape (n_samples,)
        True or 1 for the class of positive decision values, else False or 0.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights; n times the weight counts as n rows.

    Returns
    -------
    A, B : float
        Slope, negative where the decision values point the right way, and offset.

    Examples
    --------
    >>> from treatise.svm import platt_sigmoid
    >>> A, B = platt_sigmoid([-2.0, -1.0, -0.5, 0.3, 1.0, 2.0], [0, 0, 1, 0, 1, 1])
    >>> round(A, 2), round(B, 2)
    (-0.68, -0.03)

    References
    ----------
    .. [1] Paper v05-0975, equation (36).
    """
    decision = np.ascontiguousarray(decision, dtype=np.float64)
    positive = np.asarray(target).astype(bool)
    weight = np.ones(len(decision)) if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
    check_consistent_length(decision, positive, weight)
    if decision.ndim != 1 or not np.isfinite(decision).all():
        raise ValueError("decision must be a vector of finite numbers")
    wins, losses = float(weight[positive].sum()), float(weight[~positive].sum())
    # Soft labels, those of a uniform prior, keep A finite where the decision values separate the classes.
    soft = np.where(positive, (wins + 1.0) / (wins + 2.0), 1.0 / (losses + 2.0))
    A, B = fit_sigmoid(decision, soft, weight, np.log((losses + 1.0) / (wins + 1.0)))
    return float(A), float(B)


@compiled_step
def log_loss_of_sigmoid(decision, target, weight, A, B):
    """Negative log-likelihood of 1 / (1 + exp(A f + B)), without overflow on either side."""
    total = 0.0
    for i in range(decision.shape[0]):
        score = decision[i] * A + B
        if score >= 0:
            total += weight[i] * (target[i] * score + math.log1p(math.exp(-score)))
        else:
            total += weight[i] * ((target[i] - 1.0) * score + math.log1p(math.exp(score)))
    return total


@compiled
def fit_sigmoid(decision, target, weight, B):
    """A and B of equation (36), by Newton steps with backtracking from A = 0 and the given B.

    ``target`` are the soft labels of Platt in (0, 1), which keep A finite where the decision separates the classes.
    """
    A = 0.0
    value = log_loss_of_sigmoid(decision, target, weight, A, B)
    for _ in range(100):
        h11, h22, h21, g1, g2 = _RIDGE, _RIDGE, 0.0, 0.0, 0.0
        for i in range(decision.shape[0]):
            score = decision[i] * A + B
            small = math.exp(-abs(score))
            p = small / (1.0 + small) if score >= 0 else 1.0 / (1.0 + small)
            slope = weight[i] * small / (1.0 + small) ** 2
            h11 += decision[i] * decision[i] * slope
            h22 += slope
            h21 += decision[i] * slope
            off = weight[i] * (target[i] - p)
            g1 += decision[i] * off
            g2 += off
        if abs(g1) < 1e-9 and abs(g2) < 1e-9:
            break
        determinant = h11 * h22 - h21 * h21
        if determinant > 1e-12 * h11 * h22:
            dA = -(h22 * g1 - h21 * g2) / determinant
            dB = -(h11 * g2 - h21 * g1) / determinant
        else:
            # All decision values are one number: only the offset is determined.
            dA, dB = 0.0, -g2 / h22
        along = g1 * dA + g2 * dB
        step = 1.0
        while step >= _MIN_STEP:
            tried = log_loss_of_sigmoid(decision, target, weight, A + step * dA, B + step * dB)
            if tried < value + 1e-4 * step * along:
                A, B, value = A + step * dA, B + step * dB, tried
                break
            step /= 2.0
        if step < _MIN_STEP:
            break
    return A, B
