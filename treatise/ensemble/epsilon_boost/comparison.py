"""The path of boosting beside that of the loss under an l1 constraint."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted


@dataclass(frozen=True)
class PathComparison:
    """How far boosting is from the constrained optimum, at each of some norms.

    Attributes
    ----------
    norms : ndarray of shape (n_norms,)
        Norms that both paths reach.
    steps : ndarray of int of shape (n_norms,)
        Steps of boosting whose norm is nearest.
    differences : ndarray of shape (n_norms,)
        Largest difference of a coefficient.
    excess : ndarray of shape (n_norms,)
        Mean loss of boosting less that of the constrained optimum, which may be negative where the nearest step has a
        slightly larger norm.
    """

    norms: np.ndarray
    steps: np.ndarray
    differences: np.ndarray
    excess: np.ndarray


def compare_paths(model, path):
    """Set a path of boosting over columns beside exact solutions of the same norm.

    Parameters
    ----------
    model : EpsilonBoostClassifier or EpsilonBoostRegressor
        Fitted with ``dictionary="columns"`` and, unless columns and targets are centred, without an intercept.
    path : L1ConstrainedPath
        Of the same columns and loss, from :func:`treatise.optimize.l1_constrained_path`.

    Returns
    -------
    comparison : PathComparison
        At those bounds of the path that boosting reached.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treatise.ensemble import EpsilonBoostRegressor, compare_paths
    >>> from treatise.optimize import SquaredLoss, l1_constrained_path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> y -= y.mean()
    >>> model = EpsilonBoostRegressor(dictionary="columns", epsilon=0.5, n_steps=4000, early_stopping=False).fit(X, y)
    >>> found = compare_paths(model, l1_constrained_path(X, y, SquaredLoss(), [500, 1000, 1500]))
    >>> bool((found.differences < 0.5).all())
    True

    References
    ----------
    .. [1] Paper v05-0941, Section 4 and Conjecture 2.
    """
    check_is_fitted(model)
    width = path.coef.shape[1]
    if not (isinstance(model.dictionary, str) and model.dictionary == "columns" and width == model.n_features_in_):
        raise ValueError(f"the model must be boosted over the {width} columns of the path: dictionary='columns'")
    reached = path.bounds <= model.norm_path_.max() + 1e-9
    norms = np.abs(path.coef[reached]).sum(axis=1)
    steps = np.array([int(np.argmin(np.abs(model.norm_path_ - norm))) for norm in norms], dtype=np.int64)
    coef = np.array([model.coef_at(step)[:width] for step in steps]).reshape(-1, width)
    differences = np.abs(coef - path.coef[reached]).max(axis=1, initial=0.0)
    return PathComparison(norms, steps, differences, model.loss_path_[steps] - path.losses[reached])
