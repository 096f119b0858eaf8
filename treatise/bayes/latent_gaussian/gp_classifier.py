"""Gaussian process classification of two classes by expectation propagation (paper v12-0417, Section 6.3)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import ndtr
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier
from treatise._core.invariants import finite, is_array, is_number, within
from treatise._core.magnitudes import check_magnitudes
from treatise._core.threads import one_blas_thread
from treatise.bayes.latent_gaussian._dense_field import DenseField
from treatise.bayes.latent_gaussian._fields import with_sites
from treatise.bayes.latent_gaussian._laplace import laplace
from treatise.bayes.latent_gaussian._propagation import propagate
from treatise.bayes.latent_gaussian._terms import Terms
from treatise.bayes.latent_gaussian.likelihoods import resolve_likelihood
from treatise.bayes.latent_gaussian.model import LatentGaussianModel
from treatise.kernels import Kernel, kernel_gamma, resolve_kernel
from treatise.statistics import normal_expectation

_CHUNK_NUMBERS = 1 << 22
_OF_DISTANCES = ("rbf", "laplacian")
_BOUNDS = ((np.log(1e-2), np.log(1e4)), (-12.0, 12.0))
"""Of the log variance of the process, and of the log of gamma over its value by the spread of the rows."""
_FIRST_VARIANCE, _FIRST_GAMMAS = 10.0, (0.1, 1.0, 10.0)
_ROUGH = 1e-4


class GPBinaryClassifier(Classifier, BaseEstimator):
    """Classifier of two classes whose probabilities average over all functions that fit the data.

    The score of a row is a Gaussian process of its features, seen through a probit or logit function. Its posterior is
    approximated by expectation propagation, which is close to exact here where Laplace's method, as in scikit-learn,
    is not; variance and width of the kernel are those of the highest evidence, so that there is nothing to tune. Use
    it for tables of some hundred to two thousand rows where probabilities matter. Do not use it for large tables, or
    for more than two classes.

    Each sweep costs ``n^3`` and there are some dozens; memory is a few arrays of ``n^2``. A prediction costs n, and
    ``n^2`` for its probability.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "linear", "poly"}, Kernel or callable, default="rbf"
        Covariance of the process, up to its variance.
    gamma : float or "evidence", default="evidence"
        Inverse width of "rbf" and "laplacian" (of "poly", a factor); "evidence" takes that of the highest evidence.
        Columns should be scaled alike.
    variance : float or "evidence", default="evidence"
        Factor of the kernel; the prior variance of the score.
    likelihood : {"probit", "logit"}, default="probit"
        How scores become probabilities.
    inference : {"ep", "laplace"}, default="ep"
        The approximation.
    correction : str or None, default=None
        A method of :meth:`LatentGaussianModel.marginal` by which the law of each new score is corrected, such as
        "ep-fact"; None takes it as normal, which changes probabilities by little and costs far less.
    max_evidence_rows : int, default=500
        With more rows, kernel parameters are found from so many of them.
    tol : float, default=1e-6
        Largest change of a site at the end, in units of its marginal.
    max_iter : int, default=100
        Sweeps, or Newton steps, at most.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels.
    gamma_, variance_ : float
        Kernel parameters in use.
    kernel_ : Kernel
        The kernel, without its variance.
    log_evidence_ : float
        Log of the probability of the labels.
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        Rows that predictions look at; about their mean where the kernel is one of distances and the table is dense.
    pull_ : ndarray of shape (n_samples,)
        Weights of the rows in the mean of a score.
    n_iter_ : int
        Sweeps of the last fit.
    converged_ : bool
        Whether they came to their end.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treatise.bayes import GPBinaryClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), GPBinaryClassifier()).fit(X[:200], y[:200])
    >>> model.score(X[200:], y[200:]) > 0.95
    True

    References
    ----------
    .. [1] Paper v12-0417, Sections 4.4 and 6.3.
    """

    _parameter_constraints: dict = {
        "kernel": [StrOptions({"rbf", "laplacian", "linear", "poly"}), Kernel, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"evidence"})],
        "variance": [Interval(Real, 0, None, closed="neither"), StrOptions({"evidence"})],
        "likelihood": [StrOptions({"probit", "logit"})],
        "inference": [StrOptions({"ep", "laplace"})],
        "correction": [str, None],
        "max_evidence_rows": [Interval(Integral, 10, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma="evidence",
        variance="evidence",
        likelihood="probit",
        inference="ep",
        correction=None,
        max_evidence_rows=500,
        tol=1e-6,
        max_iter=100,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.variance = variance
        self.likelihood = likelihood
        self.inference = inference
        self.correction = correction
        self.max_evidence_rows = max_evidence_rows
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the kernel's parameters and the posterior of the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_magnitudes(X, "X")
        # Distances do not know an origin, but their digits do, such as those of times in seconds.
        of_distances = isinstance(self.kernel, str) and self.kernel in _OF_DISTANCES
        self._origin = X.mean(axis=0) if of_distances and not sparse.issparse(X) else None
        X = self._moved(X)
        signs = 2.0 * self._code_labels(y) - 1.0
        if self.correction is not None:
            LatentGaussianModel(inference=self.inference)._method(self.correction)
        with one_blas_thread(X.shape[0]):
            self.gamma_, self.variance_ = self._kernel_parameters(X, signs)
            self.kernel_ = resolve_kernel(self.kernel, X, gamma=self.gamma_)
            self.X_fit_, self._signs = X, signs
            found = self._approximation(self.variance_ * self.kernel_(X), signs, self.tol)
        update = found.update
        self.pull_, self._root, self._scale = update.pull.copy(), update._root, update._s
        self.log_evidence_, self.n_iter_ = float(found.log_evidence), found.n_iter
        self.converged_ = bool(found.converged)
        if not self.converged_:
            warnings.warn(
                f"after {self.n_iter_} sweeps a site still moves by {found.change:.2g}, not tol={self.tol:g}; raise "
                "max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _moved(self, X):
        return X if self._origin is None else X - self._origin

    def _approximation(self, covariance, signs, tol, sites=None):
        field = DenseField(covariance, np.zeros(len(signs)))
        terms = Terms(resolve_likelihood(self.likelihood), signs, 40)
        if self.inference == "laplace":
            return laplace(field, terms, tol=tol, max_iter=self.max_iter)
        begun = laplace(field, terms, tol=0.1, max_iter=30).update if sites is None else with_sites(field, *sites)
        return propagate(field, terms, begun, tol=tol, max_iter=self.max_iter)

    def _kernel_parameters(self, X, signs):
        """Gamma and variance, those that are asked from the evidence as its highest point says."""
        unit = kernel_gamma("scale", X)
        named = isinstance(self.kernel, str) and self.kernel != "linear"
        free_gamma, free_variance = self.gamma == "evidence" and named, self.variance == "evidence"
        gamma = unit if self.gamma == "evidence" else float(self.gamma)
        if not (free_gamma or free_variance):
            return gamma, float(self.variance)
        rows = _some_rows(X, signs, self.max_evidence_rows)
        search = _EvidenceSearch(self, X[rows], signs[rows])
        variance = _FIRST_VARIANCE if free_variance else float(self.variance)
        starts = [gamma * factor for factor in _FIRST_GAMMAS] if free_gamma else [gamma]
        values = [search.value(np.log([variance, start]))[0] for start in starts]
        first = np.log([variance, starts[int(np.argmin(values))]])
        bounds = [
            _BOUNDS[0] if free_variance else (first[0], first[0]),
            tuple(np.log(unit) + np.array(_BOUNDS[1])) if free_gamma else (first[1], first[1]),
        ]
        exact = self.inference == "ep" and search.has_slope
        found = minimize(
            search.value if exact else lambda theta: search.value(theta)[0], first, jac=exact or None,
            method="L-BFGS-B", bounds=bounds, options={"maxiter": 30, "ftol": 1e-6, "gtol": 1e-3},
        )  # fmt: skip
        variance, gamma = np.exp(found.x)
        return float(gamma), float(variance)

    def predict_latent(self, X):
        """Mean and variance of the scores of rows under the Gaussian approximation.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        mean, variance : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        n, m = self.X_fit_.shape[0], X.shape[0]
        step = max(1, _CHUNK_NUMBERS // n)
        mean, variance = np.empty(m), np.empty(m)
        for first in range(0, m, step):
            part = slice(first, min(first + step, m))
            rows = self._moved(X[part])
            across = self.variance_ * self.kernel_(self.X_fit_, rows)
            half = solve_triangular(self._root, self._scale[:, None] * across, lower=True, check_finite=False)
            prior = self.variance_ * self.kernel_.diagonal(self.kernel_.prepare(rows))
            mean[part] = across.T @ self.pull_
            variance[part] = np.maximum(prior - np.einsum("ij,ij->j", half, half), 1e-12 * prior)
        return mean, variance

    def predict_proba(self, X):
        """Probability of each class, averaged over the posterior of the score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
        """
        if self.correction is not None:
            chance = self._corrected(X)
            return np.column_stack([1.0 - chance, chance])
        mean, variance = self.predict_latent(X)
        if self.likelihood == "probit":
            z = mean / np.sqrt(1.0 + variance)
            return np.column_stack([ndtr(-z), ndtr(z)])
        chance = normal_expectation(_logistic, mean, variance, 31)
        return np.column_stack([1.0 - chance, chance])

    def _corrected(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        X = self._moved(X)
        model = LatentGaussianModel(
            covariance=self.variance_ * self.kernel_(self.X_fit_), likelihood=self.likelihood,
            inference=self.inference, tol=self.tol, max_iter=self.max_iter,
        ).fit(self._signs)  # fmt: skip
        across = self.variance_ * self.kernel_(self.X_fit_, X)
        prior = self.variance_ * self.kernel_.diagonal(self.kernel_.prepare(X))
        squash = ndtr if self.likelihood == "probit" else _logistic
        return np.clip([
            law.expectation(squash) for law in model.predict_latent(across, prior, method=self.correction)
        ], 0.0, 1.0)  # fmt: skip

    def predict(self, X):
        """The more probable class; at one half, the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        second = self.predict_proba(X)[:, 1] > 0.5
        return self.classes_[second.astype(np.intp)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = not callable(self.kernel) or isinstance(self.kernel, Kernel)
        return tags

    def _invariants(self):
        n = self.X_fit_.shape[0]
        yield (
            "an origin has every feature",
            self._origin is None or is_array(self._origin, np.float64, self.n_features_in_),
        )
        yield "every row has a weight", is_array(self.pull_, np.float64, n)
        yield "every row has a site", is_array(self._scale, np.float64, n) and is_array(self._signs, np.float64, n)
        yield "the root belongs to the rows", is_array(self._root, np.float64, n, n) and finite(self._root)
        yield "the root can be divided by", within(np.diag(self._root), np.finfo(float).tiny, np.inf)
        yield "rows have the features of the fit", self.X_fit_.shape[1] == self.n_features_in_
        yield "kernel parameters are positive", all(is_number(v) and v > 0 for v in (self.gamma_, self.variance_))
        yield "the kernel is one", isinstance(self.kernel_, Kernel)


class _EvidenceSearch:
    """The negative log evidence over the logs of variance and gamma, with its slope; sites begin where they ended."""

    def __init__(self, model, X, signs):
        self.model, self.X, self.signs, self.sites = model, X, signs, None
        self.has_slope = model.kernel in _OF_DISTANCES if isinstance(model.kernel, str) else True

    def value(self, theta):
        """Negative log evidence and its slope."""
        variance, gamma = np.exp(theta)
        covariance = variance * resolve_kernel(self.model.kernel, self.X, gamma=gamma)(self.X)
        found = self.model._approximation(covariance, self.signs, _ROUGH, self.sites)
        if not np.isfinite(found.log_evidence):
            return 1e12, np.zeros(2)
        if self.model.inference == "ep":
            self.sites = found.update.a, found.update.b
        return -found.log_evidence, -self._slope(found.update, covariance, variance)

    def _slope(self, update, covariance, variance):
        """At a fixed point of EP the sites add nothing: half the trace of ``(p p' - (A^-1 + K)^-1) dK``."""
        inner = np.outer(update.pull, update.pull) - update._weighted(np.eye(len(self.signs)))
        share = covariance / variance
        with np.errstate(divide="ignore", invalid="ignore"):
            bent = np.where(share > 0, covariance * np.log(share), 0.0)  # of exp(-gamma d) in log gamma
        return 0.5 * np.array([np.sum(inner * covariance), np.sum(inner * bent)])


def _logistic(u):
    return 1.0 / (1.0 + np.exp(-u))


def _some_rows(X, signs, most):
    """Rows that stand for all, evenly spaced in the order of their values within each class."""
    n = X.shape[0]
    if n <= most:
        return np.arange(n)
    dense = X.toarray() if hasattr(X, "toarray") else X
    order = np.lexsort((*dense.T[::-1], signs))
    return order[np.linspace(0, n - 1, most).astype(np.int64)]
