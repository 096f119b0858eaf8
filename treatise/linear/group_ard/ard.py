"""Group-sparse regression by empirical Bayes (Aravkin, Burke, Chiuso & Pillonetto; JMLR 15:217)."""

import warnings

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import are_distinct, is_array, is_count, is_number
from treatise._core.threads import one_blas_thread
from treatise.linear.group_ard._descent import BlockVariances, common_variance
from treatise.linear.group_ard._forms import form_of
from treatise.linear.group_ard._groups import GroupSparseRegressor
from treatise.statistics.predictive_intervals import NormalIntervals

_NOISE_SHARES = np.geomspace(1.0, 1e-3, 13)
_FOLDS, _MOST_FOLDED = 5, 300_000
"""Folds that try a noise: five, fewer where rows times columns times folds exceed the second number."""
_ROUGH = 1e-3
"""Tolerance for penalties and noise that are only tried."""


class GroupARDRegressor(NormalIntervals, GroupSparseRegressor):
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
        Variance of the noise; "auto" takes that of least squares where rows are twice as many as columns, else the
        share of the variance of y under which rows held out are most likely.
    fit_intercept : bool, default=True
        Whether there is a constant, without a penalty.
    max_iter : int, default=500
        Sweeps and Newton steps at most.
    tol : float, default=1e-6
        Largest failure of the conditions of the optimum, relative to the terms of the gradient.
    random_state : int, RandomState or None, default=0
        Divides the rows for "validation", and for the noise where rows are few.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_features,) and float
        Posterior means of the coefficients, zero for whole blocks.
    variances_ : ndarray of shape (n_groups,)
        Variances of the blocks.
    active_groups_ : ndarray of int
        Blocks that are not zero.
    groups_ : ndarray of int of shape (n_features,)
        The block of every column: labels sorted and numbered, or the place in the list.
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
    n_iter_ : int
        Sweeps and Newton steps.
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
    >>> model.variances_.round(2)
    array([1.63, 0.  , 0.  , 0.  , 0.  ])
    >>> model.coef_[:4].round(1)
    array([ 1. , -2. ,  0.6,  1. ])

    References
    ----------
    .. [1] Paper v15-0217, equations 4 to 7, Proposition 2.
    """

    def __init__(
        self,
        groups=None,
        *,
        gamma=0.0,
        noise_var="auto",
        fit_intercept=True,
        max_iter=500,
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
        with one_blas_thread(max(G.shape)):
            noise, scale = self._noise(G, y)
            self.noise_var_ = self._held_out_noise(G, y, scale) if noise is None else noise
            if self.gamma == "validation":
                kappa = common_variance(G, y, self.noise_var_)
                self.gamma_ = self._validated_gamma(G, y, kappa, self._path)
            else:
                self.gamma_ = float(self.gamma)
            self._finish(G, self._descend(G, y, self.noise_var_, self.gamma_))
        return self

    def _descend(self, G, y, noise_var, gamma, tol=None):
        """The descent from the common variance, which decides among several minima: part of the method."""
        descent = BlockVariances(form_of(G, y, self._starts, noise_var), gamma)
        start = np.full(len(self._starts) - 1, common_variance(G, y, noise_var))
        descent.run(start, self.max_iter, self.tol if tol is None else tol)
        return descent

    def _path(self, G, y, gammas):
        return [self._descend(G, y, self.noise_var_, gamma, _ROUGH).form.coefficients() for gamma in gammas]

    def _held_out_noise(self, G, y, scale):
        """The share of the variance of y that gives rows held out most density; the evidence itself prefers none.

        With as many columns as rows some blocks can explain y to the last digit, and the joint evidence of noise and
        variances grows without limit there.
        """
        n = len(y)
        parts = np.array_split(check_random_state(self.random_state).permutation(n), min(_FOLDS, n))
        parts = parts[: max(1, min(_FOLDS, _MOST_FOLDED // G.size))]
        densities = np.sum([self._held_out_densities(G, y, part, _NOISE_SHARES * scale) for part in parts], axis=0)
        return float(_NOISE_SHARES[int(np.argmax(densities))] * scale)

    def _held_out_densities(self, G, y, rows, noises):
        """Log densities of some rows under falling noise, each descent from the last; what follows two falls is low."""
        rest = np.delete(np.arange(len(y)), rows)
        form = form_of(G[rest], y[rest], self._starts, noises[0])
        variances = np.full(len(self._starts) - 1, common_variance(G[rest], y[rest], noises[0]))
        densities = np.full(len(noises), -np.inf)
        for k, noise_var in enumerate(noises):
            form.noise_var = noise_var
            variances = BlockVariances(form, 0.0).run(variances, self.max_iter, _ROUGH)
            used, root = posterior_root(G[rest], form, noise_var)
            half = solve_triangular(root, G[np.ix_(rows, used)].T, lower=True)
            spread = np.sum(half**2, axis=0) + noise_var
            errors = y[rows] - G[rows] @ form.coefficients()
            densities[k] = -0.5 * float(np.sum(np.log(spread) + errors**2 / spread))
            if int(np.argmax(densities)) < k - 1:
                densities[k:] = densities[k]
                break
        return densities

    def _finish(self, G, descent):
        self._keep(descent.form.coefficients(), descent.form.variances)
        used, self._root = posterior_root(G, descent.form, self.noise_var_)
        self._columns, self._n_rows = self._order[used], len(G)
        self.objective_trace_ = np.array(descent.trace)
        self.objective_, self.kkt_violation_ = descent.objective(), descent.violation
        self.n_iter_, self.converged_ = descent.steps, bool(descent.violation <= self.tol)
        if not self.converged_:
            warnings.warn(
                f"the conditions of the optimum fail by {self.kkt_violation_:.1g} of their terms after {self.n_iter_} "
                f"steps, not tol={self.tol:g}; raise max_iter or tol",
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
        half = solve_triangular(self._root, (X - self._center)[:, self._columns].T, lower=True)
        constant = self.noise_var_ / self._n_rows if self.fit_intercept else 0.0
        return mean, np.sqrt(np.sum(half**2, axis=0) + self.noise_var_ + constant)

    def _invariants(self):
        n = len(self._columns)
        yield "columns in use are columns of X", are_distinct(self._columns, self.n_features_in_)
        yield "they have a root of their precision", is_array(self._root, np.floating, n, n)
        yield "columns have centres", is_array(self._center, np.floating, self.n_features_in_)
        yield "the noise has a variance", is_number(self.noise_var_) and is_count(self._n_rows, 1)

    def coef_covariance(self):
        """Posterior covariance of the coefficients that are not zero, and their columns.

        Returns
        -------
        columns : ndarray of int
            Their numbers in X.
        covariance : ndarray of shape (n_columns, n_columns)
            Their covariance.
        """
        check_is_fitted(self)
        half = solve_triangular(self._root, np.eye(len(self._root)), lower=True)
        return self._columns, half.T @ half


def posterior_root(G, form, noise_var):
    """Columns whose variance is not zero, and the lower root of the inverse of their posterior covariance."""
    columns = np.repeat(form.variances, np.diff(form.starts))
    used = np.flatnonzero(columns)
    part = G[:, used]
    return used, np.linalg.cholesky(part.T @ part / noise_var + np.diag(1 / columns[used]))
