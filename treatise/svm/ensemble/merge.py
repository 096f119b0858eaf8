"""An ensemble of machines that were trained elsewhere (JMLR 15:141, the tool merge-models)."""

import numpy as np
from scipy import sparse
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from treatise.kernels.vectors import resolve_kernel
from treatise.svm.ensemble._store import distinct_rows
from treatise.svm.ensemble.classifier import EnsembleSVC

_KERNELS = ("rbf", "linear", "poly")
_SETTINGS = {"rbf": ("_gamma",), "linear": (), "poly": ("_gamma", "degree", "coef0")}
"""What two machines of a kernel must have in common."""


def merge_svms(models, aggregation="vote"):
    """Put machines of scikit-learn that share a kernel into one ensemble.

    Support vectors that are equal in all their numbers are stored once, so that the ensemble is smaller than the models
    and predicts faster than they do one after the other. Give a rule to learn to ``set_aggregation`` of the result,
    with rows to learn it on.

    Parameters
    ----------
    models : sequence of SVC
        Fitted on two classes, the same in all, with the same kernel and its parameters.
    aggregation : {"vote", "mean"}, default="vote"
        How to combine them.

    Returns
    -------
    ensemble : EnsembleSVC

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.svm import SVC
    >>> from treatise.svm import merge_svms
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> halves = [SVC(gamma=1.0).fit(X[:250], y[:250]), SVC(gamma=1.0).fit(X[150:], y[150:])]
    >>> ensemble = merge_svms(halves, aggregation="mean")
    >>> len(ensemble.support_) < ensemble.n_support_total_, round(ensemble.score(X, y), 2)
    (True, 0.95)

    References
    ----------
    .. [1] Paper v15-0141, Section 2.2.
    """
    models = list(models)
    if not models:
        raise ValueError("there is no model to merge")
    if aggregation not in ("vote", "mean"):
        raise ValueError(f"aggregation={aggregation!r} cannot be learnt here; take vote or mean, then set_aggregation")
    first = models[0]
    for model in models:
        _check(model, first)
    vectors = [model.support_vectors_ for model in models]
    thin = any(sparse.issparse(part) for part in vectors)
    rows = sparse.vstack(vectors, format="csr") if thin else np.concatenate(vectors)
    kept, places = distinct_rows(rows)
    ensemble = EnsembleSVC(
        len(models), C=first.C, kernel=first.kernel, gamma=float(first._gamma) if first.kernel != "linear" else "scale",
        degree=first.degree, coef0=max(first.coef0, 0.0), aggregation=aggregation, tol=first.tol,
    )  # fmt: skip
    ensemble.classes_ = first.classes_
    ensemble.n_features_in_ = first.n_features_in_
    if hasattr(first, "feature_names_in_"):
        ensemble.feature_names_in_ = first.feature_names_in_
    ensemble.kernel_ = resolve_kernel(
        first.kernel, None, gamma=float(first._gamma), degree=first.degree, coef0=first.coef0
    )
    bounds = np.cumsum([part.shape[0] for part in vectors])[:-1]
    ensemble._store(
        np.split(places, bounds),
        [_weights(model) for model in models],
        [float(model.intercept_[0]) for model in models],
    )
    ensemble.support_ = kept
    ensemble._support_objects = ensemble.kernel_.prepare(rows[kept])
    ensemble.estimators_samples_ = []
    ensemble._n_rows_seen = rows.shape[0]
    ensemble.converged_ = True
    ensemble.aggregation_ = aggregation
    return ensemble


def _weights(model):
    coef = model.dual_coef_
    return np.asarray(coef.todense() if sparse.issparse(coef) else coef).ravel()


def _check(model, first):
    """Refuse what cannot stand beside the first model."""
    if not isinstance(model, SVC):
        raise TypeError(f"models must be fitted SVC of scikit-learn; one is {type(model).__name__}")
    check_is_fitted(model)
    if model.kernel not in _KERNELS:
        raise ValueError(f"kernel={model.kernel!r} cannot be merged; it may be {', '.join(_KERNELS)}")
    if len(model.classes_) != 2:
        raise ValueError(f"models must have two classes; one has {len(model.classes_)}")
    if model.kernel != first.kernel:
        raise ValueError(f"models must share a kernel; there are {first.kernel!r} and {model.kernel!r}")
    for name in _SETTINGS[model.kernel]:
        mine, other = getattr(model, name), getattr(first, name)
        if mine != other:
            shown = name.lstrip("_")
            raise ValueError(f"models must share their kernel; {shown} is {other:g} in one, {mine:g} in another")
    if not np.array_equal(model.classes_, first.classes_):
        raise ValueError(f"models must share their classes; there are {first.classes_} and {model.classes_}")
    if model.n_features_in_ != first.n_features_in_:
        raise ValueError(f"models must share features; there are {first.n_features_in_} and {model.n_features_in_}")
