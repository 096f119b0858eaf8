"""Margins of a combination of rules: the largest possible ones, by linear and quadratic programs."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog, nnls
from sklearn.utils import check_array, check_consistent_length

from treatise._core.classifier import check_two_classes


@dataclass(frozen=True)
class MaximumMargin:
    """The combination with the largest margin, and the certificate.

    Attributes
    ----------
    margin : float
        Least margin of a row, the largest possible; not above zero where rows cannot be separated.
    coef : ndarray of shape (n_members,)
        Coefficients of norm 1; zero where nothing separates.
    weights : ndarray of shape (n_samples,)
        Weights of the rows, which sum to one, under which no combination has a larger mean margin: the dual solution.
    gap : float
        What the weights allow less what the coefficients reach.
    separable : bool
        Whether the margin is above zero.
    """

    margin: float
    coef: np.ndarray
    weights: np.ndarray
    gap: float
    separable: bool


def l1_max_margin(H, y):
    """The separator through the origin with the largest l1 margin, to which boosting by tiny steps tends.

    Maximises ``min_i y_i (H coef)_i`` over coefficients whose absolute values sum to one, by a linear program. Where
    no combination separates the rows the margin is 0.

    Parameters
    ----------
    H : array-like of shape (n_samples, n_members)
        The members of a dictionary at the rows; give a column of ones for an intercept.
    y : array-like of shape (n_samples,)
        Labels of two classes; the greater is the positive one.

    Returns
    -------
    found : MaximumMargin

    Examples
    --------
    >>> from treatise.ensemble import l1_max_margin
    >>> found = l1_max_margin([[-1, 1, 1], [1, -1, 1], [1, 1, -1], [-1, -1, -1]], [1, 1, 1, 0])
    >>> round(found.margin, 6), found.coef.round(6)
    (0.333333, array([0.333333, 0.333333, 0.333333]))

    References
    ----------
    .. [1] Paper v05-0941, equation 4 and Section 5.1.2.
    """
    signed = _signed(H, y)
    both = game_value(np.hstack([signed, -signed]))
    plus, minus = np.split(both.coef, 2)
    coef = plus - minus
    norm = np.abs(coef).sum()
    if both.margin <= 1e-10 * max(np.abs(signed).max(), np.finfo(float).tiny):
        return MaximumMargin(0.0, np.zeros_like(coef), both.weights, both.gap, False)
    coef = coef / norm
    margin = float((signed @ coef).min())
    bound = float(np.abs(both.weights @ signed).max())
    return MaximumMargin(margin, coef, both.weights, bound - margin, True)


def l2_max_margin(H, y):
    """The separator through the origin with the largest Euclidean margin: a support vector machine without slack.

    Maximises ``min_i y_i (H coef)_i`` over coefficients of length one, by non-negative least squares.

    Parameters
    ----------
    H : array-like of shape (n_samples, n_members)
        The members of a dictionary at the rows; give a column of ones for an intercept.
    y : array-like of shape (n_samples,)
        Labels of two classes; the greater is the positive one.

    Returns
    -------
    found : MaximumMargin

    Examples
    --------
    >>> from treatise.ensemble import l2_max_margin
    >>> found = l2_max_margin([[1.0, 1.0], [-1.0, -1.0]], [1, 0])
    >>> round(found.margin, 6), found.coef.round(6)
    (1.414214, array([0.707107, 0.707107]))

    References
    ----------
    .. [1] Paper v05-0941, equation 6 and Section 7.1.1.
    """
    signed = _signed(H, y)
    scale = max(float(np.abs(signed).max()), np.finfo(float).tiny)
    # The shortest vector of the rows' convex hull, as least distance programming has it (Lawson & Hanson, chapter 23).
    rows = np.hstack([signed / scale, np.ones((len(signed), 1))])
    target = np.append(np.zeros(signed.shape[1]), 1.0)
    weights, _ = nnls(rows.T, target, maxiter=30 * sum(rows.shape))
    rest = target - rows.T @ weights
    total = max(float(weights.sum()), np.finfo(float).tiny)
    weights = weights / total
    hull = weights @ signed
    bound = float(np.linalg.norm(hull))
    if rest[-1] <= 1e-14:
        return MaximumMargin(0.0, np.zeros(signed.shape[1]), weights, bound, False)
    coef = -rest[:-1] / np.linalg.norm(rest[:-1])
    margin = float((signed @ coef).min())
    return MaximumMargin(margin, coef, weights, bound - margin, margin > 0)


def lp_margin(H, y, coef, p=1.0):
    """Least margin of a row, ``min_i y_i (H coef)_i``, divided by the lp norm of the coefficients.

    Parameters
    ----------
    H : array-like of shape (n_samples, n_members)
        The members of a dictionary at the rows.
    y : array-like of shape (n_samples,)
        Labels of two classes; the greater is the positive one.
    coef : array-like of shape (n_members,)
        Coefficients, not all zero.
    p : float, default=1.0
        The norm, from 1 on.

    Returns
    -------
    margin : float

    Examples
    --------
    >>> from treatise.ensemble import lp_margin
    >>> lp_margin([[1.0, 1.0], [-1.0, 0.0]], [1, 0], [3.0, 1.0])
    0.75

    References
    ----------
    .. [1] Paper v05-0941, equation 7.
    """
    if not p >= 1:
        raise ValueError(f"p={p} gives no norm; it must be 1 or more")
    signed, coef = _signed(H, y), np.asarray(coef, dtype=np.float64)
    if coef.shape != signed.shape[1:]:
        raise ValueError(f"coef has the shape {coef.shape}; H has {signed.shape[1]} columns")
    norm = np.linalg.norm(coef, p)
    if norm == 0:
        raise ValueError("all coefficients are zero, which have no margin")
    return float((signed @ coef).min() / norm)


def norm_for_larger_margin(larger, smaller, n_samples):
    """The norm beyond which the separator of larger margin has the smaller loss, exponential or logistic.

    Parameters
    ----------
    larger, smaller : float
        Margins of two separators of norm 1.
    n_samples : int
        Rows.

    Returns
    -------
    norm : float

    Examples
    --------
    >>> from treatise.ensemble import norm_for_larger_margin
    >>> round(norm_for_larger_margin(0.2, 0.1, 100), 3)
    52.983

    References
    ----------
    .. [1] Paper v05-0941, Lemma 4.
    """
    if not larger > smaller:
        raise ValueError(f"larger={larger} must be above smaller={smaller}")
    return float((np.log(n_samples) + np.log(2.0)) / (larger - smaller))


def game_value(matrix):
    """The mixture of columns whose least row is largest, by a linear program, and the rows' weights against it."""
    n, members = matrix.shape
    found = linprog(
        np.append(np.zeros(members), -1.0),
        A_ub=np.hstack([-matrix, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(members), 0.0)[np.newaxis],
        b_eq=[1.0],
        bounds=[(0.0, None)] * members + [(None, None)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise RuntimeError(f"the linear program of the margin was not solved: {found.message}")
    coef = np.maximum(found.x[:-1], 0.0)
    coef /= coef.sum()
    weights = np.maximum(-found.ineqlin.marginals, 0.0)
    weights /= weights.sum()
    margin = float((matrix @ coef).min())
    return MaximumMargin(margin, coef, weights, float((weights @ matrix).max()) - margin, margin > 0)


def _signed(H, y):
    """Members at the rows, times the labels -1 and 1."""
    H = check_array(H, dtype=np.float64, input_name="H")
    check_consistent_length(H, y)
    check_two_classes(y)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes.tolist()[0]!r}; a margin is between two")
    return np.where(np.asarray(y) == classes[1], 1.0, -1.0)[:, np.newaxis] * H
