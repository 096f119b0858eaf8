"""ROC curves and risk curves: two pictures of one experiment, point for line."""

import numpy as np

from treatise._core.jit import compiled
from treatise.information.binary_experiments.least_divergence import checked_risks


@compiled
def _upper_hull(x, y):
    """Places of the corners of the least concave curve above points in rising order of x, then y."""
    kept = np.empty(len(x), np.int64)
    count = 0
    for i in range(len(x)):
        while count > 1:
            a, b = kept[count - 2], kept[count - 1]
            if (x[b] - x[a]) * (y[i] - y[a]) - (y[b] - y[a]) * (x[i] - x[a]) < 0.0:
                break
            count -= 1
        kept[count] = i
        count += 1
    return kept[:count]


def checked_roc(fpr, tpr):
    """Rates in rising order from (0, 0) to (1, 1)."""
    fpr, tpr = np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float)
    if fpr.ndim != 1 or fpr.shape != tpr.shape:
        raise ValueError(f"one true for each false positive rate is needed; the shapes are {fpr.shape} and {tpr.shape}")
    rates = np.concatenate([fpr, tpr])
    if not ((rates >= -1e-12) & (rates <= 1 + 1e-12)).all():
        raise ValueError("a rate is NaN or outside [0, 1]; rates are shares of a class")
    fpr = np.clip(np.concatenate([[0.0], fpr, [1.0]]), 0.0, 1.0)
    tpr = np.clip(np.concatenate([[0.0], tpr, [1.0]]), 0.0, 1.0)
    if (np.diff(fpr) < 0).any() or (np.diff(tpr) < 0).any():
        raise ValueError("the rates of a ROC curve rise together; give them from the highest threshold to the lowest")
    return fpr, tpr


def _corners(fpr, tpr):
    fpr, tpr = checked_roc(fpr, tpr)
    kept = _upper_hull(fpr, tpr)
    return fpr[kept], tpr[kept]


def optimal_roc(p, q):
    """The best ROC curve for telling P from Q: that of the likelihood ratio (the Neyman-Pearson function).

    Use it for known discrete distributions. It costs a sort of the outcomes.

    Parameters
    ----------
    p, q : array-like of shape (n_outcomes,)
        Masses of the positive and the negative class, each summing to one.

    Returns
    -------
    fpr, tpr : ndarray
        Corners from (0, 0) to (1, 1), slopes falling.

    Examples
    --------
    >>> from treatise.information import optimal_roc
    >>> fpr, tpr = optimal_roc([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])
    >>> fpr.round(2).tolist(), tpr.round(2).tolist()
    ([0.0, 0.2, 0.5, 1.0], [0.0, 0.5, 0.8, 1.0])

    References
    ----------
    .. [1] Paper v12-0731, Sections 3.1 and 6.1.
    """
    from treatise.information.binary_experiments.f_divergence import distributions

    p, q = distributions(p, q)
    if p.ndim != 1 or q.ndim != 1:
        raise ValueError(f"one pair of distributions is needed; the shapes are {p.shape} and {q.shape}")
    order = np.argsort(-p / np.where(p + q > 0, p + q, 1.0), kind="stable")
    fpr, tpr = np.minimum(np.cumsum(q[order]), 1.0), np.minimum(np.cumsum(p[order]), 1.0)
    fpr[-1] = tpr[-1] = 1.0
    return _corners(fpr, tpr)


def roc_to_risk(fpr, tpr, priors=None):
    """The least 0-1 risk at every prior, from a ROC curve (Theorem 21).

    Every point of a ROC curve is a line of risks, and the risk curve lies below them all: points under the concave
    hull never matter. Use it to read off a classifier's curve what error rate it can reach where the classes have other
    shares than in the test set. It costs O(n).

    Parameters
    ----------
    fpr, tpr : array-like of shape (n,)
        False and true positive rates, rising together, as from :func:`sklearn.metrics.roc_curve`.
    priors : array-like or None, default=None
        Shares of the positive class at which to say the risk; None gives the corners of the curve.

    Returns
    -------
    risks : ndarray
        At ``priors``; or, without them, the pair (priors, risks) of the corners from (0, 0) to (1, 0).

    Examples
    --------
    >>> from treatise.information import roc_to_risk
    >>> roc_to_risk([0.1], [0.8], priors=[0.2, 0.5, 0.8]).round(3)
    array([0.12, 0.15, 0.18])

    References
    ----------
    .. [1] Paper v12-0731, Proposition 20 and Theorem 21.
    """
    fpr, tpr = _corners(fpr, tpr)
    alarms, hits = np.diff(fpr), np.diff(tpr)
    corners = alarms / (alarms + hits)
    risks = (1.0 - corners) * fpr[:-1] + corners * (1.0 - tpr[:-1])
    corners, risks = np.concatenate([[0.0], corners, [1.0]]), np.concatenate([[0.0], risks, [0.0]])
    kept = np.concatenate([[True], np.diff(corners) > 0])
    corners, risks = corners[kept], risks[kept]
    corners[-1], risks[-1] = 1.0, 0.0
    if priors is None:
        return corners, risks
    return np.interp(_shares(priors, "priors"), corners, risks)


def risk_to_roc(priors, risks, fpr=None):
    """The best ROC curve, from the least 0-1 risks at some priors (Theorem 21).

    Every straight piece of a risk curve is a corner of the ROC curve. Between the given priors the risks are taken for
    linear: exact if all corners are given, else the highest ROC curve that they allow. It costs O(n).

    Parameters
    ----------
    priors, risks : array-like of shape (n,)
        Shares of the positive class, and the least 0-1 risks there; concave, with 0 at priors 0 and 1.
    fpr : array-like or None, default=None
        False positive rates at which to say the true positive rate; None gives the corners.

    Returns
    -------
    tpr : ndarray
        At ``fpr``; or, without it, the pair (fpr, tpr) of the corners from (0, 0) to (1, 1).

    Examples
    --------
    >>> from treatise.information import risk_to_roc, roc_to_risk
    >>> fpr, tpr = risk_to_roc(*roc_to_risk([0.1, 0.3], [0.6, 0.9]))
    >>> fpr.round(3).tolist(), tpr.round(3).tolist()
    ([0.0, 0.1, 0.3, 1.0], [0.0, 0.6, 0.9, 1.0])

    References
    ----------
    .. [1] Paper v12-0731, Proposition 20, Theorems 21 and 22.
    """
    priors, risks = checked_risks(priors, risks)
    x, y = np.concatenate([[0.0], priors, [1.0]]), np.concatenate([[0.0], risks, [0.0]])
    slopes = np.diff(y) / np.diff(x)
    alarms = np.clip(y[:-1] - slopes * x[:-1], 0.0, 1.0)
    hits = np.clip(1.0 - (y[:-1] + slopes * (1.0 - x[:-1])), 0.0, 1.0)
    # Rounding must not make the curve fall, nor end it beside (1, 1).
    alarms, hits = (np.where(rates > 1.0 - 1e-12, 1.0, rates) for rates in (alarms, hits))
    alarms, hits = np.maximum.accumulate(alarms), np.maximum.accumulate(hits)
    corners = _corners(alarms, hits)
    if fpr is None:
        return corners
    last = np.concatenate([np.diff(corners[0]) > 0, [True]])  # of corners above each other, the highest
    return np.interp(_shares(fpr, "fpr"), corners[0][last], corners[1][last])


def cost_curve(fpr, tpr, costs, *, prior=0.5):
    """The least cost-weighted risk for every cost of a false alarm, from a ROC curve (Proposition 20).

    A false alarm costs c and a miss 1 - c; the prior is fixed. Use it to see from which costs on a classifier is better
    than always giving one answer, which costs min((1 - prior) c, prior (1 - c)). It costs O(n).

    Parameters
    ----------
    fpr, tpr : array-like of shape (n,)
        False and true positive rates, rising together.
    costs : array-like
        Costs of a false alarm, from 0 to 1.
    prior : float, default=0.5
        Share of the positive class.

    Returns
    -------
    risks : ndarray

    Examples
    --------
    >>> from treatise.information import cost_curve
    >>> cost_curve([0.1], [0.8], [0.2, 0.5], prior=0.3).round(3)
    array([0.062, 0.065])

    References
    ----------
    .. [1] Paper v12-0731, Section 6.2 and Proposition 20.
    """
    costs, prior = _shares(costs, "costs"), float(_shares(prior, "prior"))
    total = (1.0 - prior) * costs + prior * (1.0 - costs)
    safe = np.where(total > 0, total, 1.0)
    return total * roc_to_risk(fpr, tpr, np.clip(prior * (1.0 - costs) / safe, 0.0, 1.0))


def risk_curve(y, score, priors=None, *, sample_weight=None):
    """The least 0-1 risk at every prior of rules that cut a score, from labelled rows.

    Use it on rows that the score has not been fitted to; thresholds are chosen on these rows, so with few of them the
    risks are too small. It costs a sort.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes; the larger is positive.
    score : array-like of shape (n,)
        Larger for the positive class.
    priors : array-like or None, default=None
        As for :func:`roc_to_risk`.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the rows.

    Returns
    -------
    risks : ndarray
        As for :func:`roc_to_risk`.

    Examples
    --------
    >>> from treatise.information import risk_curve
    >>> float(risk_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], priors=0.5))
    0.25

    References
    ----------
    .. [1] Paper v12-0731, Section 6.2.
    """
    from sklearn.metrics import roc_curve

    classes = np.unique(np.asarray(y))
    if len(classes) != 2:
        raise ValueError(f"y has {len(classes)} classes; a risk curve is about two")
    fpr, tpr, _ = roc_curve(y, score, pos_label=classes[1], sample_weight=sample_weight, drop_intermediate=False)
    return roc_to_risk(fpr, tpr, priors)


def _shares(values, name):
    values = np.asarray(values, dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"{name}={values} must lie between 0 and 1")
    return values
