"""Kernel gradient descent that stops itself (Raskutti, Wainwright & Yu, JMLR 15:335)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, is_number
from treatise._core.threads import few_rows_in_one_thread
from treatise.kernel_methods.early_stopping.rules import CONSTANT, critical_radius, stopping_time, sure_stopping_time
from treatise.kernels.input import KernelInputMixin

_WHOLE_SPECTRUM = 1500
"""Rows up to which ``solver="auto"`` decomposes the whole Gram matrix."""
_NOISE_ROWS = 1000
"""Rows from which the noise is estimated at most."""


class EarlyStoppedKernelRegressor(KernelInputMixin, RegressorMixin, BaseEstimator):
    """Kernel regression by gradient descent, stopped before it fits the noise; no penalty and no hold-out data.

    Each step moves the function by the kernel-weighted residuals; the number of steps plays the part of a ridge
    penalty. The default rule finds that number from the eigenvalues of the kernel matrix and the noise level alone:
    where the local complexity of the kernel's ball meets the noise.

    Use it for smooth regression on up to some 20 000 rows where a search over penalties is too dear, or to see the
    whole path from under- to over-fitting (:func:`plot_error_path`). The paper's rule, ``stopping="rademacher"``, is
    safe rather than sharp: it tends to stop too early and predicts worse (diabetes: R^2 of 0.21 against 0.48), but
    needs few eigenvalues, and so serves beyond some 5 000 rows. Do not use it where the kernel itself must be chosen by
    the data, which takes cross-validation anyway, nor with heavy-tailed noise.

    Costs n^3 once for the whole spectrum, or n^2 a step and for each of the largest eigenvalues; memory n^2.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel; a function takes two tables and gives their Gram matrix.
    gamma : float, "scale" or "auto", default="scale"
        Of the kernels "rbf", "poly" and "laplacian".
    degree, coef0 : int and float, default=3 and 1.0
        Of the kernel "poly".
    stopping : {"sure", "rademacher", "holdout", "none"}, default="sure"
        The rule: the first rise of Stein's unbiased estimate of the risk; the paper's, which is safe; the first rise of
        the error on half of the rows, with a descent on all rows of that length after it; or `max_iter` steps.
    noise : float or "estimate", default="estimate"
        Standard deviation of the noise. The estimate is from differences of neighbours for one feature, else from the
        residuals of a fit with half as many degrees of freedom as rows, on 1000 rows at most.
    constant : float, default=2e
        Constant of the paper's rule.
    radius : float or "auto", default="auto"
        Bound on the norm of the function sought; 1 in the paper, and "auto" the standard deviation of y, so that the
        unit of y does not matter.
    step : float or "auto", default="auto"
        Length of a step, at most ``min(1, 1 / largest eigenvalue)``, which is "auto".
    max_iter : int, default=100000
        Most steps.
    fit_intercept : bool, default=True
        Whether the mean of y is set aside first. The paper does not.
    solver : {"auto", "eigh", "iterate"}, default="auto"
        The whole spectrum, with any number of steps in closed form; or plain steps, with as many of the largest
        eigenvalues as the rule needs. "auto" is the former up to 1500 rows and wherever the rule is "sure".
    random_state : int, RandomState or None, default=None
        Draws hold-out rows and the rows for the noise.

    Attributes
    ----------
    n_iter_ : int
        Number of steps, 0 where nothing but noise is seen.
    converged_ : bool
        Whether the rule stopped the descent before ``max_iter``; true where there is no rule.
    step_ : float
        Length of a step.
    noise_ : float
        Noise level in force; not a number where the rule needs none and none was given.
    radius_ : float
        Norm bound in force.
    critical_radius_ : float
        Radius of the rule in the unit of y, of which the square is the rate; not a number for other rules.
    eigenvalues_ : ndarray
        Eigenvalues of the Gram matrix over n, largest first: all, or those computed.
    intercept_ : float
        Mean set aside.
    dual_coef_ : ndarray of shape (n_samples,)
        Weights of the kernels of the training objects.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import EarlyStoppedKernelRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = np.sort(rng.uniform(0, 6, 200))[:, None]
    >>> y = np.sin(x.ravel()) + 0.3 * rng.normal(size=200)
    >>> model = EarlyStoppedKernelRegressor(stopping="sure").fit(x, y)
    >>> 0.25 < model.noise_ < 0.35, bool(np.mean((model.predict(x) - np.sin(x.ravel())) ** 2) < 0.02)
    (True, True)

    References
    ----------
    .. [1] Paper v15-0335: Equations 3, 6, 14 and 15.
    """

    _parameter_constraints: dict = {
        **KernelInputMixin._kernel_constraints,
        "stopping": [StrOptions({"rademacher", "sure", "holdout", "none"})],
        "noise": [Interval(Real, 0, None, closed="neither"), StrOptions({"estimate"})],
        "constant": [Interval(Real, 0, None, closed="neither")],
        "radius": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "step": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", "eigh", "iterate"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma="scale",
        degree=3,
        coef0=1.0,
        stopping="sure",
        noise="estimate",
        constant=CONSTANT,
        radius="auto",
        step="auto",
        max_iter=100_000,
        fit_intercept=True,
        solver="auto",
        random_state=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.stopping = stopping
        self.noise = noise
        self.constant = constant
        self.radius = radius
        self.step = step
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, X, y):
        """Descend, and stop.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array of shape (n_samples,)
            Responses.

        Returns
        -------
        self : EarlyStoppedKernelRegressor
        """
        objects, y = self._fit_objects(X, y=y, y_numeric=True)
        n = len(y)
        y = np.asarray(y, dtype=np.float64)
        self.intercept_ = float(y.mean()) if self.fit_intercept else 0.0
        self._target = y - self.intercept_
        spread = float(self._target.std())
        self.radius_ = (spread or 1.0) if self.radius == "auto" else float(self.radius)
        self._objects = self._kept(objects, np.arange(n))
        whole = self.solver == "eigh" or (self.solver == "auto" and (n <= _WHOLE_SPECTRUM or self.stopping == "sure"))
        if self.stopping == "sure" and not whole:
            raise ValueError("stopping='sure' needs all eigenvalues; take solver='eigh' or 'auto'")
        gram = self._gram(objects)
        self.noise_ = self._noise_level(gram, X)
        self.critical_radius_ = np.nan
        (self._by_spectrum if whole else self._by_steps)(gram / n)
        # Responses that are all alike need no steps, and no more of them would change anything.
        cut_short = self.stopping != "none" and self.n_iter_ == self.max_iter and bool(self._target.any())
        self.converged_ = not cut_short
        if cut_short:
            warnings.warn(
                f"the rule did not stop the descent within max_iter={self.max_iter} steps; raise it",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    _kept_as = "_objects"

    def _invariants(self):
        yield "there is a constant", is_number(self.intercept_)
        yield "objects have coefficients", is_array(self.dual_coef_, np.floating, None)

    def predict(self, X):
        """Responses of new objects.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or what the kernel reads
            Objects.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.intercept_ + self._weighted_scores(self._new_objects(X), self._objects, self.dual_coef_)

    def staged_predict(self, X, iterations):
        """Responses after other numbers of steps: the path on which the rule chose a place.

        Decomposes the Gram matrix of the training objects anew, n^3.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or what the kernel reads
            Objects.
        iterations : array of int of shape (n_stages,)
            Numbers of steps.

        Returns
        -------
        y : ndarray of shape (n_stages, n_samples)
        """
        check_is_fitted(self)
        iterations = np.asarray(iterations)
        if iterations.ndim != 1 or not np.issubdtype(iterations.dtype, np.integer) or (iterations < 0).any():
            raise ValueError("iterations must be whole numbers of steps, none negative, in one dimension")
        if isinstance(self.kernel_, str):
            raise ValueError("the path of a precomputed kernel is not kept; fit with stopping='none' and max_iter")
        n = len(self._target)
        gram = self._block(self._objects, self._objects)
        values, vectors = _spectrum((gram + gram.T) / (2.0 * n))
        rotated = vectors.T @ self._target
        weights = np.array([_filter(values, self.step_, t) * rotated for t in iterations]).T / n
        scores = self._weighted_scores(self._new_objects(X), self._objects, vectors @ weights)
        return self.intercept_ + scores.T

    def _by_spectrum(self, K):
        values, vectors = _spectrum(K)
        self.eigenvalues_ = values
        self.step_ = self._checked_step(values[0])
        rotated = vectors.T @ self._target
        self.n_iter_ = self._steps(K, lambda: self._rule_of_all(values, rotated))
        self.dual_coef_ = vectors @ (_filter(values, self.step_, self.n_iter_) * rotated) / len(rotated)

    def _rule_of_all(self, values, rotated):
        if self.stopping == "sure":
            return sure_stopping_time(values, rotated, self.noise_, self.step_, max_iter=self.max_iter)
        self._keep_critical_radius(values)
        return stopping_time(
            values, self.noise_ / self.radius_, self.step_, constant=self.constant, max_iter=self.max_iter
        )

    def _by_steps(self, K):
        n = len(K)
        self.eigenvalues_ = _largest(K, 1)
        self.step_ = self._checked_step(self.eigenvalues_[0])
        self.n_iter_ = self._steps(K, lambda: self._rule_of_some(K))
        coefficients = np.zeros(n)
        for _ in range(self.n_iter_):
            coefficients -= self.step_ * (K @ coefficients - self._target)
        self.dual_coef_ = coefficients / n

    def _rule_of_some(self, K):
        """The paper's rule from the largest eigenvalues: those below 1 / eta count by their sum alone."""
        n, trace, wanted = len(K), float(np.trace(K)), 32
        noise = self.noise_ / self.radius_
        while True:
            if wanted >= n // 2:
                self.eigenvalues_ = _spectrum(K)[0]
                return stopping_time(
                    self.eigenvalues_, noise, self.step_, constant=self.constant, max_iter=self.max_iter
                )
            self.eigenvalues_ = _largest(K, wanted)
            found = stopping_time(
                self.eigenvalues_, noise, self.step_, constant=self.constant, max_iter=self.max_iter, total=(trace, n)
            )
            # Valid at the first t that is over the line too, if no eigenvalue above 1 / eta is missing there.
            if self.eigenvalues_[-1] <= 1.0 / (self.step_ * (found + 1)):
                return found
            wanted *= 2

    def _steps(self, K, rule):
        if self.stopping == "none":
            return self.max_iter
        if self.stopping == "holdout":
            return self._holdout_time(K)
        return rule()

    def _holdout_time(self, K):
        """First rise of the error on half of the rows (14), of a descent on the other half."""
        n = len(K)
        if n < 4:
            raise ValueError(f"stopping='holdout' needs at least 4 rows; there are {n}")
        order = check_random_state(self.random_state).permutation(n)
        train, held = order[: n // 2], order[n // 2 :]
        scale = n / len(train)
        inside, across = scale * K[np.ix_(train, train)], scale * K[np.ix_(held, train)]
        coefficients, risk = np.zeros(len(train)), float(np.mean(self._target[held] ** 2))
        step = min(self.step_, 1.0 / max(_largest(inside, 1)[0], 1e-300))
        for t in range(self.max_iter):
            coefficients -= step * (inside @ coefficients - self._target[train])
            after = float(np.mean((across @ coefficients - self._target[held]) ** 2))
            if after > risk:
                return t
            risk = after
        return self.max_iter

    def _checked_step(self, largest):
        limit = min(1.0, 1.0 / largest) if largest > 0 else 1.0
        if self.step == "auto":
            return limit
        if self.step > limit * (1.0 + 1e-9):
            raise ValueError(f"step={self.step} exceeds min(1, 1 / largest eigenvalue) = {limit:.6g} of this kernel")
        return float(self.step)

    def _noise_level(self, gram, X):
        if self.noise != "estimate":
            return float(self.noise)
        if self.stopping in ("none", "holdout"):
            return np.nan
        level = self._estimated_noise(gram, X)
        # Exact data: a noise of zero would never stop; of the size of rounding, it stops as late as it can.
        return max(level, 1e-8 * self.radius_)

    def _estimated_noise(self, gram, X):
        n = len(gram)
        if n < 2:
            return 0.0
        if getattr(self, "n_features_in_", 0) == 1 and not isinstance(self.kernel_, str):
            column = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
            order = np.argsort(column.ravel(), kind="stable")
            # Rice: neighbours differ by noise of twice its variance.
            return float(np.sqrt(np.sum(np.diff(self._target[order]) ** 2) / (2.0 * (n - 1))))
        rows = np.arange(n)
        if n > _NOISE_ROWS:
            rows = check_random_state(self.random_state).permutation(n)[:_NOISE_ROWS]
        values, vectors = _spectrum(gram[np.ix_(rows, rows)] / len(rows))
        rotated = vectors.T @ self._target[rows]
        penalty = _half_freedom(values)
        left = penalty / (values + penalty)
        return float(np.sqrt(np.sum((left * rotated) ** 2) / np.sum(left**2)))

    def _keep_critical_radius(self, values):
        relative = critical_radius(values, self.noise_ / self.radius_, constant=self.constant)
        self.critical_radius_ = self.radius_ * relative


def _spectrum(K):
    """Eigenvalues, largest first, and eigenvectors of a kernel matrix; refuses one that is no kernel's."""
    values, vectors = eigh(K)
    if values[0] < -1e-10 * max(1.0, values[-1]):
        raise ValueError(f"the kernel is not positive semi-definite: its Gram matrix has the eigenvalue {values[0]:g}")
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1]


def _largest(K, count):
    """The largest eigenvalues of a kernel matrix, by Lanczos steps from a fixed vector."""
    n = len(K)
    if n <= max(64, 2 * count):
        return np.maximum(eigh(K, eigvals_only=True)[::-1][:count], 0.0)
    start = np.random.RandomState(0).standard_normal(n)
    return np.maximum(np.sort(eigsh(K, count, which="LA", v0=start, return_eigenvectors=False))[::-1], 0.0)


def _filter(values, step, t):
    """``(1 - (1 - step * value)^t) / value``: what t steps make of a response along each eigenvector."""
    with np.errstate(divide="ignore"):
        done = -np.expm1(t * np.log1p(-np.minimum(step * values, 1.0))) if t > 0 else np.zeros_like(values)
    tiny = step * values * max(t, 1) < 1e-12
    return np.where(tiny, step * t, done / np.where(tiny, 1.0, values))


def _half_freedom(values):
    """The ridge penalty with half as many degrees of freedom as rows; less where the kernel has lower rank."""
    target = 0.5 * np.sum(values > 1e-12 * max(values[0], 1e-300))
    low, high = -40.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2.0
        penalty = np.exp(middle)
        low, high = (middle, high) if np.sum(values / (values + penalty)) > target else (low, middle)
    return float(np.exp(high))
