"""The group lasso as a search for block variances (multiple kernel learning; JMLR 15:217, section 3.3)."""

import warnings
from numbers import Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.threads import one_blas_thread
from treatise.linear.group_ard._descent import BlockVariances, common_variance
from treatise.linear.group_ard._forms import form_of
from treatise.linear.group_ard._groups import GroupSparseRegressor
from treatise.optimize import group_lasso_path

_FEW_PASSES, _STEPS, _TIGHT = 200, 200, 1e-10
_LARGEST = 4000
"""Beyond, the matrices of the descent of variances, of the smaller side of the table, are too large."""
_ROUGH = 1e-6
"""Tolerance for penalties that are only tried."""


class GroupLassoMKL(GroupSparseRegressor):
    """Group lasso in the units of a Bayesian model: the convex sibling of :class:`GroupARDRegressor`.

    Minimises ``|y - X b|^2 / (2 noise_var) + sqrt(2 gamma) sum_i |b_i|``, which is the search for block variances
    without the log determinant of the evidence: ``variances_ = |b_i| / sqrt(2 gamma)``. Use it where one minimum that
    does not depend on a start matters more than sparsity; on the paper's data it keeps more blocks that should go, and
    shrinks the others more, than ARD does.

    A pass costs ``n`` for each column of the blocks that are not zero.

    Parameters
    ----------
    groups : None, int or array-like, default=None
        As for :class:`GroupARDRegressor`.
    gamma : float or "validation", default="validation"
        Penalty on the variances, the square of that on the norms halved; "validation" chooses it by the error on one
        half of the rows.
    noise_var : float or "auto", default="auto"
        Variance of the noise; "auto" takes that of least squares where rows are twice as many as columns, else a tenth
        of the variance of y, which "validation" makes up for.
    fit_intercept : bool, default=True
        Whether there is a constant, without a penalty.
    max_iter : int, default=10000
        Passes at most.
    tol : float, default=1e-8
        Duality gap relative to half the variance of y.
    random_state : int, RandomState or None, default=0
        Divides the rows for "validation".

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_features,) and float
        Coefficients, zero for whole blocks.
    variances_ : ndarray of shape (n_groups,)
        Variances of the blocks.
    active_groups_ : ndarray of int
        Blocks that are not zero.
    groups_ : ndarray of int of shape (n_features,)
        The block of every column: labels sorted and numbered, or the place in the list.
    noise_var_, gamma_ : float
        Variance of the noise, and penalty used.
    gammas_, validation_errors_ : ndarray of shape (30,)
        For "validation", the penalties and their errors.
    gap_ : float
        Duality gap at the end.
    n_iter_ : int
        Passes.
    converged_ : bool
        Whether the gap closed.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import GroupLassoMKL
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 20))
    >>> y = X[:, :4] @ [1.0, -2.0, 0.5, 1.0] + 0.3 * rng.standard_normal(80)
    >>> GroupLassoMKL(groups=4, gamma=8000.0).fit(X, y).active_groups_
    array([0])

    References
    ----------
    .. [1] Paper v15-0217, equations 9 and 12, Proposition 3.
    """

    _parameter_constraints = {
        **GroupSparseRegressor._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"validation"})],
    }

    def __init__(
        self,
        groups=None,
        *,
        gamma="validation",
        noise_var="auto",
        fit_intercept=True,
        max_iter=10_000,
        tol=1e-8,
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
        """Find the coefficients.

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
            self.noise_var_ = 0.1 * scale if noise is None else noise
            if self.gamma == "validation":
                kappa = common_variance(G, y, self.noise_var_)
                self.gamma_ = self._validated_gamma(G, y, kappa, self._path)
            else:
                self.gamma_ = float(self.gamma)
            found = self._solve(G, y, self.gamma_)
        self._keep(found.coef, found.norms / np.sqrt(2 * self.gamma_))
        self.gap_, self.n_iter_, self.converged_ = found.gap, found.n_iter, bool(found.converged)
        if not self.converged_:
            warnings.warn(
                f"the duality gap is {self.gap_:.1g} after {self.n_iter_} passes; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _path(self, G, y, gammas):
        """Coefficients of all penalties, from the largest on, each from the last."""
        Q, penalties = np.ascontiguousarray(G.T), self._penalty(np.asarray(gammas), len(y))
        order = np.argsort(-penalties)
        found = group_lasso_path(
            Q, self._starts, y, penalties[order], tol=max(self.tol, _ROUGH), max_iter=self.max_iter,
            orthonormal=False, center=False,
        )  # fmt: skip
        return np.array([solution.coef for solution in found])[np.argsort(order)]

    def _penalty(self, gamma, n):
        """In units of the mean squared error: ``noise_var sqrt(2 gamma) / n`` (Proposition 3)."""
        return self.noise_var_ * np.sqrt(2 * gamma) / n

    def _solve(self, G, y, gamma):
        """Passes over the blocks; where columns are too alike for these, the descent of the variances."""
        Q, penalty = np.ascontiguousarray(G.T), self._penalty(gamma, len(y))
        options = {"tol": self.tol, "orthonormal": False, "center": False}
        found = group_lasso_path(Q, self._starts, y, [penalty], max_iter=min(self.max_iter, _FEW_PASSES), **options)[0]
        if found.converged or min(G.shape) > _LARGEST or self.max_iter <= _FEW_PASSES:
            return found
        descent = BlockVariances(form_of(G, y, self._starts, self.noise_var_), gamma, 0.0)
        descent.run(found.norms / np.sqrt(2 * gamma), _STEPS, _TIGHT)
        # Passes from there prove it by the duality gap, or mend what is left.
        return group_lasso_path(
            Q, self._starts, y, [penalty], start=descent.form.coefficients(), max_iter=self.max_iter - _FEW_PASSES,
            **options,
        )[0]  # fmt: skip
