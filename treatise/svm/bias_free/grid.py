"""Width and penalty of a machine without offset, by cross-validation with warm starts (JMLR 12:141, Section 5)."""

import time
import warnings
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier, codes_from_scores, row_weights, signs_of
from treatise._core.figures import axes_for
from treatise.kernels import Gaussian, GramRows
from treatise.optimize import svm_without_offset_path
from treatise.svm.bias_free.classifier import BiasFreeSVC

_FAR = 1e6
"""Squared distance of the origin, in variances, from which on rows are taken about their middle."""


def steinwart_grid(n_samples, n_features, size=10):
    """The paper's grid: penalties and widths among which good ones are known to lie for many rows.

    Parameters
    ----------
    n_samples : int
        Training rows.
    n_features : int
        Their features, which should be scaled to about [-1, 1] or [0, 1].
    size : int, default=10
        Number of each.

    Returns
    -------
    lams : ndarray of shape (size,)
        Penalties from 1 down to ``10 / n_samples**2``.
    gammas : ndarray of shape (size,)
        Squares of widths sigma from 0.1 to ``2 n_samples**(1 / n_features)``.

    Examples
    --------
    >>> from treatise.svm import steinwart_grid
    >>> lams, gammas = steinwart_grid(1000, 10, size=3)
    >>> [f"{lam:.2g}" for lam in lams], [f"{gamma:.2g}" for gamma in gammas]
    (['1', '0.0032', '1e-05'], ['0.01', '0.4', '16'])

    References
    ----------
    .. [1] Paper v12-0141, Section 5.
    """
    for name, value in (("n_samples", n_samples), ("n_features", n_features), ("size", size)):
        if value < 1:
            raise ValueError(f"{name}={value} must be at least 1")
    lams = np.geomspace(1.0, min(1.0, 10.0 / n_samples**2), size)
    return lams, np.geomspace(0.1, 2.0 * n_samples ** (1.0 / n_features), size) ** 2


class BiasFreeSVCGrid(ScoreClassifier, BaseEstimator):
    """Gaussian machine without offset whose width and penalty are chosen by cross-validation.

    Does what a ``GridSearchCV`` over :class:`BiasFreeSVC` does, for less: distances between rows are computed once
    for all widths, the Gram matrix of a fold once for all penalties, and the solution for one penalty starts from the
    one before. Where the matrices exceed ``cache_bytes``, rows are computed as they are needed and kept up to that.

    Use it for tables of up to some ten thousand rows that are scaled to about [-1, 1]; beyond that, choose both on a
    sample of the rows and fit :class:`BiasFreeSVC` once. Costs a few n^2 for every penalty, width and fold; memory is
    two matrices of n^2 numbers for every job.

    Parameters
    ----------
    lams : array-like of float or None, default=None
        Penalties to try; None takes those of :func:`steinwart_grid`.
    gammas : array-like of float or None, default=None
        Inverse squared widths to try; None takes those of :func:`steinwart_grid`.
    Cs : array-like of float or None, default=None
        Costs as in ``SVC``, in place of ``lams``.
    size : int, default=10
        Number of penalties and of widths where the grid is the paper's.
    cv : int, splitter, iterable or None, default=5
        Folds, as in ``GridSearchCV``.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs of each class.
    tol : float, default=1e-3
        As of :class:`BiasFreeSVC`.
    stopping : {"clipped", "gap"}, default="clipped"
        As of :class:`BiasFreeSVC`.
    wss : int or "1d", default=7
        As of :class:`BiasFreeSVC`.
    warm : {"W0", "W1", "W2", "W3", "W4"}, default="W4"
        How a solution starts from the one for the next smaller cost, see :func:`~treatise.optimize.warm_start`.
    cache_bytes : int, default=2 << 30
        Memory for distances and Gram matrices, of all jobs together.
    n_jobs : int or None, default=None
        Threads, each with widths of its own.

    Attributes
    ----------
    best_params_ : dict
        The chosen penalty ("lam", or "C" where ``Cs`` was given) and "gamma"; of equally good ones the smoothest.
    best_score_ : float
        Its mean accuracy over the folds.
    best_index_ : int
        Its place in ``cv_results_``.
    converged_ : bool
        Whether every machine of the grid reached ``tol``, and the last one.
    best_estimator_ : BiasFreeSVC
        Fitted with it on all rows.
    cv_results_ : dict of ndarrays
        As of ``GridSearchCV``: "params", "param_lam" or "param_C", "param_gamma", "split0_test_score" and so on,
        "mean_test_score", "std_test_score", "rank_test_score", "mean_fit_time"; and "mean_n_iter", the steps.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from treatise.svm import BiasFreeSVCGrid
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = MinMaxScaler((-1, 1)).fit_transform(X)
    >>> search = BiasFreeSVCGrid(size=5).fit(X, y)
    >>> search.best_score_ > 0.96
    True

    References
    ----------
    .. [1] Paper v12-0141, Section 5, with the start I1-W4.
    """

    _parameter_constraints: dict = {
        "lams": ["array-like", None],
        "gammas": ["array-like", None],
        "Cs": ["array-like", None],
        "size": [Interval(Integral, 1, None, closed="left")],
        "cv": ["cv_object"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "stopping": [StrOptions({"clipped", "gap"})],
        "wss": [Interval(Integral, 0, 4095, closed="both"), StrOptions({"1d"})],
        "warm": [StrOptions({"W0", "W1", "W2", "W3", "W4"})],
        "cache_bytes": [Interval(Integral, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self, lams=None, gammas=None, *, Cs=None, size=10, cv=5, class_weight=None, tol=1e-3, stopping="clipped",
        wss=7, warm="W4", cache_bytes=2 << 30, n_jobs=None,
    ):  # fmt: skip
        self.lams = lams
        self.gammas = gammas
        self.Cs = Cs
        self.size = size
        self.cv = cv
        self.class_weight = class_weight
        self.tol = tol
        self.stopping = stopping
        self.wss = wss
        self.warm = warm
        self.cache_bytes = cache_bytes
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Try all pairs on all folds, and fit the best on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the costs, in training alone: accuracy counts rows.

        Returns
        -------
        self : BiasFreeSVCGrid
            The fitted search.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        codes = self._code_labels(y)
        weights = row_weights(codes, self.classes_, sample_weight, self.class_weight)
        penalty, penalties, gammas = self._grid(*X.shape)
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
        trial = _Trial(self, X, codes, len(self.classes_), weights, penalty, penalties, folds)
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(trial.of_width)(gamma) for gamma in gammas)
        scores = np.concatenate([part[0] for part in found])
        params = [{penalty: float(value), "gamma": float(gamma)} for gamma in gammas for value in penalties]
        self.cv_results_ = {
            "params": params,
            f"param_{penalty}": np.array([point[penalty] for point in params]),
            "param_gamma": np.array([point["gamma"] for point in params]),
            **{f"split{k}_test_score": scores[:, k] for k in range(len(folds))},
            "mean_test_score": scores.mean(axis=1),
            "std_test_score": scores.std(axis=1),
            "rank_test_score": _ranks(scores.mean(axis=1)),
            "mean_fit_time": np.concatenate([part[1] for part in found]),
            "mean_n_iter": np.concatenate([part[2] for part in found]),
        }
        # Penalties come from strong to weak and widths from wide to narrow: the first of equals is the smoothest.
        self.best_index_ = int(np.argmax(self.cv_results_["mean_test_score"]))
        self.best_params_ = params[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_estimator_ = BiasFreeSVC(
            **self.best_params_, class_weight=self.class_weight, tol=self.tol, stopping=self.stopping, wss=self.wss,
            cache_bytes=self.cache_bytes,
        )  # fmt: skip
        self.best_estimator_.fit(X, y, sample_weight=sample_weight)
        self.converged_ = self.best_estimator_.converged_ and all(part[3] for part in found)
        if not self.converged_:
            warnings.warn(
                f"some machines of the grid stopped short of tol={self.tol:g}, and their scores may be off; raise tol, "
                "or leave out the weakest penalties",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _invariants(self):
        yield "there is a machine", isinstance(self.best_estimator_, BiasFreeSVC)

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.best_estimator_._scores(X)

    def plot(self, ax=None):
        """Heat map of the error in cross-validation, with the choice marked.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib Axes
            What was drawn on.
        """
        check_is_fitted(self)
        ax = axes_for(ax, figsize=(6, 4.5))
        penalty = "lam" if self.Cs is None else "C"
        results = self.cv_results_
        across, up = (list(dict.fromkeys(results[f"param_{name}"].tolist())) for name in (penalty, "gamma"))
        error = 100.0 * (1.0 - results["mean_test_score"].reshape(len(up), len(across)))
        image = ax.imshow(error, origin="lower", aspect="auto", cmap="viridis_r")
        ax.figure.colorbar(image, ax=ax, label="error in cross-validation, %")
        ax.set_xticks(range(len(across)), [f"{value:.1e}" for value in across], rotation=60)
        ax.set_yticks(range(len(up)), [f"{value:.3g}" for value in up])
        ax.set_xlabel("penalty λ" if penalty == "lam" else "cost C")
        ax.set_ylabel("γ = σ²")
        row, column = divmod(self.best_index_, len(across))
        ax.plot(column, row, "o", markerfacecolor="none", markeredgecolor="white", markersize=12, markeredgewidth=2)
        ax.set_title(f"least error {error[row, column]:.2f} %")
        return ax

    def _grid(self, n, p):
        """Name and values of the penalties, from strong to weak, and gammas from wide to narrow."""
        lams, gammas = steinwart_grid(n, p, self.size)
        if self.lams is not None and self.Cs is not None:
            raise ValueError("lams and Cs are two names of the same penalties; give one of them")
        gammas = np.sort(_positive("gammas", gammas if self.gammas is None else self.gammas))
        if self.Cs is not None:
            return "C", np.sort(_positive("Cs", self.Cs)), gammas
        return "lam", np.sort(_positive("lams", lams if self.lams is None else self.lams))[::-1], gammas


def _about_its_middle(X):
    """Dense rows with another origin where theirs is so far that squared lengths would hide the distances."""
    if sparse.issparse(X):
        return X
    origin = X.mean(axis=0)
    return X - origin if origin @ origin > _FAR * X.var(axis=0).sum() else X


class _Trial:
    """What all widths share: rows, distances, folds."""

    def __init__(self, search, X, codes, n_classes, weights, penalty, penalties, folds):
        self.search, self.codes, self.n_classes = search, codes, n_classes
        self.counts, self.factors = weights
        self.penalty, self.penalties, self.folds = penalty, penalties, folds
        jobs = effective_n_jobs(search.n_jobs)
        self.rows_only = 8 * len(codes) ** 2 * (1 + jobs) > search.cache_bytes
        self.row_bytes = max(1, search.cache_bytes // jobs)
        self.X = X = _about_its_middle(X)
        self.distances = None if self.rows_only else euclidean_distances(X, squared=True)

    def of_width(self, gamma):
        """Accuracy of every penalty and fold; mean seconds and steps of every penalty; whether all converged."""
        scores = np.empty((len(self.penalties), len(self.folds)))
        seconds, steps = np.zeros(len(self.penalties)), np.zeros(len(self.penalties))
        converged = True
        for k, (train, test) in enumerate(self.folds):
            rows = self._rows(gamma, train)
            shared = len(self.penalties), self.n_classes if self.n_classes > 2 else 1
            betas = np.empty((*shared, len(train)))
            for machine, signs in enumerate(signs_of(self.codes[train], self.n_classes)):
                start = time.perf_counter()
                for at, solution in enumerate(self._path(rows, signs, train)):
                    betas[at, machine] = solution.beta
                    seconds[at] += time.perf_counter() - start
                    steps[at] += solution.n_iter
                    converged = converged and solution.converged
                    start = time.perf_counter()
            new = self._test_scores(gamma, train, test, betas.reshape(-1, len(train))).reshape(*shared, len(test))
            scores[:, k] = [np.mean(codes_from_scores(machines.T) == self.codes[test]) for machines in new]
        return scores, seconds / len(self.folds), steps / len(self.folds), converged

    def _path(self, rows, signs, train):
        counts, search = self.counts[train], self.search
        costs = self.penalties if self.penalty == "C" else 1.0 / (2.0 * self.penalties * counts.sum())
        uppers = (cost * counts * self.factors[train] for cost in costs)
        return svm_without_offset_path(
            rows, signs, uppers, initial="I1" if rows.holds_all else "I0", warm=search.warm,
            tol=search.tol, stopping=search.stopping, wss=search.wss,
        )  # fmt: skip

    def _rows(self, gamma, train):
        if self.rows_only:
            kernel = Gaussian(gamma)
            return GramRows(kernel, kernel.prepare(self.X[train]), cache_bytes=self.row_bytes)
        return GramRows.precomputed(self._kernel_values(gamma, train, train))

    def _kernel_values(self, gamma, some, others):
        values = self.distances[np.ix_(some, others)]
        values *= -gamma
        return np.exp(values, out=values)

    def _test_scores(self, gamma, train, test, betas):
        if not self.rows_only:
            return betas @ self._kernel_values(gamma, train, test)
        kernel = Gaussian(gamma)
        support = np.flatnonzero(betas.any(axis=0))
        kept, new = kernel.prepare(self.X[train[support]]), kernel.prepare(self.X[test])
        width = max(1, self.row_bytes // (8 * max(1, len(support))))
        parts = [kernel.block(kept, new[at : at + width]) for at in range(0, len(test), width)]
        return np.concatenate([betas[:, support] @ part for part in parts], axis=1)


def _ranks(scores):
    return np.array([1 + np.count_nonzero(scores > score) for score in scores])


def _positive(name, values):
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values) or not np.all((values > 0) & np.isfinite(values)):
        raise ValueError(f"{name}={values.tolist()} must be a list of positive numbers")
    return values
