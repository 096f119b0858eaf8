"""A sigmoid through decision values (Platt; in the stable form of Lin, Lin & Weng that JMLR 5:975 uses)."""

import numpy as np
from sklearn.utils.validation import check_consistent_length

from treatise.svm.coupling._platt_loops import fit_sigmoid


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
