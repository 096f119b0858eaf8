"""Solutions for many strengths of the selection, each begun at the one before."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone


@dataclass(frozen=True)
class SelectionPath:
    """What the selection does as its strength grows.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        Strengths, increasing.
    weights : ndarray of shape (n_alphas, n_switches) or (n_alphas, n_tasks, n_switches)
        ``weights_`` at each.
    objectives : ndarray of shape (n_alphas,)
        Objective at each.
    n_iter : ndarray of int, of shape (n_alphas,)
        Sweeps at each.
    models : list
        The fitted machines.
    """

    alphas: np.ndarray
    weights: np.ndarray
    objectives: np.ndarray
    n_iter: np.ndarray
    models: list


def selection_path(estimator, X, y, alphas, *, tasks=None):
    """Fit a multi-task machine for increasing values of ``alpha``.

    Every solution starts at the one before, which saves sweeps.

    Parameters
    ----------
    estimator : MultiTaskMEDClassifier or MultiTaskMEDRegressor
        The machine; its ``alpha`` is replaced.
    X : array-like of shape (n_samples, n_features)
        Rows of all tasks.
    y : array-like of shape (n_samples,) or (n_samples, n_tasks)
        Their targets.
    alphas : array-like of shape (n_alphas,)
        Strengths, from 0 on.
    tasks : array-like of shape (n_samples,) or None, default=None
        Task of each row.

    Returns
    -------
    path : SelectionPath

    Examples
    --------
    >>> from treatise.datasets import make_shared_features
    >>> from treatise.linear import MultiTaskMEDClassifier, selection_path
    >>> X, y, tasks = make_shared_features(random_state=0)
    >>> path = selection_path(MultiTaskMEDClassifier(), X, y, [0, 1, 10], tasks=tasks)
    >>> path.weights.shape
    (3, 50)

    References
    ----------
    .. [1] Paper v12-0075: Section 10.
    """
    alphas = np.sort(np.asarray(alphas, np.float64))
    if alphas.ndim != 1 or len(alphas) == 0:
        raise ValueError("alphas must be one or more numbers in a row")
    models, start = [], None
    for alpha in alphas.tolist():
        model = clone(estimator).set_params(alpha=alpha)
        model._validate_params()
        start = model._fit_from(X, y, tasks, start)
        models.append(model)
    return SelectionPath(
        alphas,
        np.array([model.weights_ for model in models]),
        np.array([model.objective_path_[-1] for model in models]),
        np.array([model.n_iter_ for model in models]),
        models,
    )
