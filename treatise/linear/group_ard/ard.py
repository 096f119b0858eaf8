"""Group-sparse regression by empirical Bayes (Aravkin, Burke, Chiuso & Pillonetto; JMLR 15:217)."""

import warnings

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise.linear.group_ard._evidence import BlockVariances, ColumnForm, RowForm, block_pull, common_variance
from treatise.linear.group_ard._groups import GroupSparseRegressor, least_squares_noise

_NOISE_ROUNDS, _NOISE_TOLERANCE = 50, 1e-4
_NOISE_SHARES = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3)


class GroupARDRegressor(GroupSparseRegressor):
    """Linear regression that gives every block of columns a variance of its own, many of them zero, without tuning.

    Each block of coefficients is normal with a variance of its own, which maximises the evidence of the data: blocks
    that do not help get the variance zero and vanish, the others are hardly shrunk. Use it where columns come in known
    blocks (lags of an input, dummies of a factor, splines of a column) of which many should go, and where no penalty is
    to be tuned; with blocks of one column it is automatic relevance determination, exactly solved. Do not use it where
    rows and columns both number many thousands, nor where blocks are hardly told apart: the objective has several
    minima, and the start decides among them.

    A sweep costs ``m^2`` for each column of the blocks that are not zero (``n^2`` where rows are fewer), some five
    sweeps and a few Newton steps; memory ``m^2``.

    Parameters
    ----------
    groups : None, int or array-like, default=None
        Every column for itself; blocks of so many neighbouring columns; the name of every column's block; or a list of
        lists of columns.
    gamma : float or "validation", default=0.0
        Penalty on the variances: zero is ARD, more is the paper's penalised form, PARD; "validation" chooses it by the
        error on one half of the rows.
    noise_var : float or "auto", default="auto"
        Variance of the noise; "auto" takes that of least squares where rows are twice as many as columns, else the one
        with most evidence.
    fit_intercept : bool, default=True
        Whether there is a constant, without a penalty.
    max_iter : int, default=100
        Rounds of sweeps and Newton steps at most.
    tol : float, default=1e-6
        Largest failure of the conditions of the optimum, relative to the terms of the gradient.
    random_state : int, RandomState or None, default=0
        Divides the rows for "validation".

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_features,) and float
        Posterior means of the coefficients, zero for whole blocks.
    variances_ : ndarray of shape (n_groups,)
        Variances of the blocks.
    active_groups_ : ndarray of int
        Blocks that are not zero.
    group_names_ : ndarray of shape (n_groups,)
        Names of the blocks, sorted.
    noise_var_ : float
        Variance of the noise.
    gamma_ : float
        Penalty used.
    objective_, objective_trace_ : float and ndarray
        Minus the log evidence, with the penalty, at the end and along the way.
    kkt_violation_ : float
        Failure of the conditions of the optimum at the end.
    gammas_, validation_errors_ : ndarray of shape (30,)
        For "validation", the penalties and their errors.
    converged_ : bool
        Whether ``kkt_violation_`` is within ``tol``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import GroupARDRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 20))
    >>> y = X[:, :4] @ [1.0, -2.0, 0.5, 1.0] + 0.3 * rng.standard_normal(80)
    >>> model = GroupARDRegressor(groups=4).fit(X, y)
    >>> model.active_groups_
    array([0])

    References
    ----------
    .. [1] Paper v15-0217, equations 4 to 7, Proposition 2.
    """

    _parameter_constraints = {**GroupSparseRegressor._parameter_constraints}

    def __init__(
        self,
        groups=None,
        *,
        gamma=0.0,
        noise_var="auto",
        fit_intercept=True,
        max_iter=100,
        tol=1e-6,
        random_state=0,
    ):
        self.groups = groups
        self.gamma = gamma
        self.noise_var = noise_var
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the variances, then the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self
        """
        G, y = self._centred(X, y)
        scale = float(y @ y) / len(y)
        if not scale > 0:
            scale = 1.0
        noise = least_squares_noise(G, y) if self.noise_var == "auto" else float(self.noise_var)
        # A perfect fit has no noise; a trillionth of the variance of y keeps the numbers finite.
        noise = None if noise is None else max(noise, 1e-12 * scale)
        begin = 0.1 * scale if noise is None else noise
        self.gamma_ = 0.0 if self.gamma == "validation" else float(self.gamma)
        if self.gamma == "validation":
            kappa = common_variance(G, y, begin)
            self.gamma_ = self._validated_gamma(G, y, kappa, lambda A, b, gamma: self._coefficients(A, b, begin, gamma))
        if noise is None:
            descent, variances = self._with_noise(G, y, scale)
        else:
            self.noise_var_ = noise
            descent, variances = self._descend(G, y, noise, self.gamma_)
        self._finish(G, y, descent, variances)
        return self

    def _descend(self, G, y, noise_var, gamma, start=None):
        form = (ColumnForm if G.shape[1] <= len(y) else RowForm)(G, y, self._starts, noise_var)
        descent = BlockVariances(form, gamma)
        if start is None:
            start = np.full(len(self._starts) - 1, common_variance(G, y, noise_var))
        return descent, descent.run(start, self.max_iter, self.tol)

    def _coefficients(self, G, y, noise_var, gamma):
        descent, variances = self._descend(G, y, noise_var, gamma)
        return np.repeat(variances, np.diff(self._starts)) * block_pull(descent.form, G)

    def _with_noise(self, G, y, scale):
        """The noise with most evidence: the best of several shares of the variance of y, then MacKay's update."""
        tried = [(share * scale, *self._descend(G, y, share * scale, self.gamma_)) for share in _NOISE_SHARES]
        self.noise_var_, descent, variances = min(tried, key=lambda entry: entry[1].trace[-1])
        for _ in range(_NOISE_ROUNDS):
            columns = np.repeat(variances, np.diff(self._starts))
            residual = y - G @ (columns * block_pull(descent.form, G))
            traces, _ = descent.form.summaries()
            known = float(traces @ variances)  # coefficients that the data, not the prior, decide
            noise = max(float(residual @ residual) / max(len(y) - known, 1e-3 * len(y)), 1e-12 * scale)
            if abs(noise - self.noise_var_) <= _NOISE_TOLERANCE * self.noise_var_:
                break
            next_descent, next_variances = self._descend(G, y, noise, self.gamma_, np.maximum(variances, 0.0))
            if not next_descent.trace[-1] <= descent.trace[-1]:
                break
            self.noise_var_, descent, variances = noise, next_descent, next_variances
        return descent, variances

    def _finish(self, G, y, descent, variances):
        columns = np.repeat(variances, np.diff(self._starts))
        self._keep(columns * block_pull(descent.form, G), variances)
        used = np.flatnonzero(columns)
        inner = G[:, used].T @ G[:, used] / self.noise_var_ + np.diag(1 / columns[used])
        self._columns, self._root = self._order[used], np.linalg.cholesky(inner) if len(used) else np.empty((0, 0))
        self._n_rows = len(y)
        self.objective_trace_ = np.array(descent.trace)
        self.objective_, self.kkt_violation_ = float(descent.trace[-1]), descent.violation
        self.n_iter_, self.converged_ = len(descent.trace), bool(descent.violation <= self.tol)
        if not self.converged_:
            warnings.warn(
                f"the conditions of the optimum fail by {self.kkt_violation_:.1g} of their terms after {self.max_iter} "
                f"rounds, not tol={self.tol:g}; raise max_iter",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict(self, X, return_std=False):
        """Values of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to give the deviations of new targets as well.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        deviation : ndarray of shape (n_samples,)
            Only if asked for.
        """
        mean = super().predict(X)
        if not return_std:
            return mean
        X = validate_data(self, X, dtype=np.float64, reset=False)
        half = np.linalg.solve(self._root, (X - self._center)[:, self._columns].T)
        constant = self.noise_var_ / self._n_rows if self.fit_intercept else 0.0
        return mean, np.sqrt(np.sum(half**2, axis=0) + self.noise_var_ + constant)

    def coef_covariance(self):
        """Posterior covariance of the coefficients that are not zero, and their columns.

        Returns
        -------
        columns : ndarray of int
        covariance : ndarray of shape (n_columns, n_columns)
        """
        check_is_fitted(self)
        half = np.linalg.inv(self._root) if len(self._root) else self._root
        return self._columns, half.T @ half
