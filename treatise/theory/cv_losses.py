"""The errors that a cross-validation averages: one number per example, and the fold that tested it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

Loss = str | Callable[[np.ndarray, np.ndarray], np.ndarray]

LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "zero_one": lambda y, prediction: (np.asarray(y) != np.asarray(prediction)).astype(float),
    "squared": lambda y, prediction: (np.asarray(y, float) - np.asarray(prediction, float)) ** 2,
    "absolute": lambda y, prediction: np.abs(np.asarray(y, float) - np.asarray(prediction, float)),
}


class CVLosses(NamedTuple):
    """Errors of one cross-validation, by example, and the fold in which each example was tested."""

    losses: np.ndarray
    fold: np.ndarray


def cross_val_losses(estimator, X, y, cv=10, loss: Loss | None = None, *, n_jobs=None) -> CVLosses:
    """Loss of every example when it was held out: the errors that a cross-validation averages.

    Keep these rather than the fold means: with the folds they tell all that one run can tell about its
    own uncertainty (:func:`cv_variance_report`). For the paired comparison of two methods, subtract the
    losses of one from those of the other, made with the same ``cv``. It costs one fit per fold.

    Parameters
    ----------
    estimator : estimator
        Anything with ``fit`` and ``predict``; it is cloned.
    X : array-like of shape (n_samples, n_features)
        Dense, sparse or a data frame.
    y : array-like of shape (n_samples,)
        Targets.
    cv : int or splitter, default=10
        As in scikit-learn; every example must be tested exactly once.
    loss : {"zero_one", "squared", "absolute"}, callable or None, default=None
        A callable takes ``(y_true, y_pred)`` and returns one loss per example. None is zero-one for a
        classifier and squared for a regressor.
    n_jobs : int or None, default=None
        Folds fitted at once.

    Returns
    -------
    CVLosses
        ``losses`` and ``fold``, each of shape (n_samples,).

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Section 2.5, first case.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from treatise.theory import cross_val_losses
    >>> losses, fold = cross_val_losses(KNeighborsClassifier(), *load_iris(return_X_y=True), cv=5)
    >>> print(f"{losses.mean():.3f} over {len(set(fold))} folds")
    0.027 over 5 folds
    """
    X, y, splits, measure = _prepare(estimator, X, y, cv, loss)
    fold = _fold_of(splits, len(y))
    tested = Parallel(n_jobs=n_jobs)(
        delayed(_losses_after_fit)(estimator, X, y, train, test, measure) for train, test in splits
    )
    losses = np.empty(len(y))
    for (_, test), values in zip(splits, tested):
        losses[test] = values
    return CVLosses(losses, fold)


def jackknife_losses(estimator, X, y, cv=10, loss: Loss | None = None, *, n_jobs=None) -> CVLosses:
    r"""Terms whose mean is the debiased (delete-m) jackknife estimate of prediction error.

    For an example of fold k the term is :math:`K L(A(D), z_i) - \sum_{l \ne k} L(A(D_l), z_i)`. The
    jackknife corrects the training error of the model fitted to *all* the data. The paper studies it as an
    estimate of that model's error; it removes the optimism towards the limit of large samples, so for a
    constant predictor it expects the variance s of the noise, where the error is s(1 + 1/n). Its terms have the
    block covariance of cross-validation errors, but the part within folds may be negative. Prefer
    :func:`cross_val_losses` unless the bias from training on fewer examples matters. It costs K + 1 fits
    and predictions of all examples.

    Parameters
    ----------
    estimator, X, y, cv, loss, n_jobs
        As in :func:`cross_val_losses`.

    Returns
    -------
    CVLosses
        ``losses`` (the terms, which may be negative) and ``fold``, each of shape (n_samples,).

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, equation 6 and Section 2.5, third case.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from treatise.datasets import make_bengio_grandvalet
    >>> from treatise.theory import jackknife_losses
    >>> X, y = make_bengio_grandvalet(120, random_state=0)
    >>> terms, fold = jackknife_losses(LinearRegression(fit_intercept=False), X, y)
    >>> print(f"{terms.mean():.2f}")
    0.94
    """
    X, y, splits, measure = _prepare(estimator, X, y, cv, loss)
    fold = _fold_of(splits, len(y))
    everything = np.arange(len(y))
    fits = [everything, *(train for train, _ in splits)]
    whole, *deprived = Parallel(n_jobs=n_jobs)(
        delayed(_losses_after_fit)(estimator, X, y, train, everything, measure) for train in fits
    )
    by_fold = np.stack(deprived)
    held_out = by_fold[fold, everything]
    return CVLosses(len(splits) * whole - (by_fold.sum(axis=0) - held_out), fold)


def resolve_loss(loss: Loss | None, estimator) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The loss as a function of targets and predictions."""
    if loss is None:
        loss = "zero_one" if is_classifier(estimator) else "squared"
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"loss={loss!r} is unknown; choose one of {', '.join(LOSSES)}, or give a callable")
    return LOSSES[loss]


def _prepare(estimator, X, y, cv, loss):
    X, y = indexable(X, y)
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    return X, y, list(splitter.split(X, y)), resolve_loss(loss, estimator)


def _fold_of(splits, n: int) -> np.ndarray:
    """The fold that tests each example; every example must have exactly one."""
    fold, times = np.full(n, -1), np.zeros(n, dtype=int)
    for k, (_, test) in enumerate(splits):
        fold[test] = k
        times += np.bincount(test, minlength=n)
    if np.any(times != 1):
        i = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"cv tests example {i} {times[i]} times; it must test each exactly once, as K-fold does "
            "(for repeated or random splits, keep one score a split and use corrected_interval)"
        )
    return fold


def _losses_after_fit(estimator, X, y, train, test, measure) -> np.ndarray:
    fitted = clone(estimator).fit(_rows(X, train), _rows(y, train))
    values = np.asarray(measure(_rows(y, test), fitted.predict(_rows(X, test))), dtype=float)
    if values.shape != (len(test),):
        raise ValueError(f"loss returned shape {values.shape} for {len(test)} examples; it must give one each")
    return values


def _rows(table, index):
    # Simulations fit thousands of small models; scikit-learn's general indexing would be a fifth of the time.
    return table[index] if isinstance(table, np.ndarray) else _safe_indexing(table, index)
