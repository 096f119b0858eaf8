"""The group lasso as a search for block variances (multiple kernel learning; JMLR 15:217, section 3.3)."""

import warnings

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning

from treatise.linear.group_ard._evidence import BlockVariances, ColumnForm, RowForm, block_pull, common_variance
from treatise.linear.group_ard._groups import GroupSparseRegressor, least_squares_noise
from treatise.optimize import group_lasso_path
from treatise.optimize.penalties import group_norms

_FEW_PASSES, _ROUNDS, _TIGHT = 200, 50, 1e-10
_MOST_COLUMNS = 4000
"""Beyond, the matrices of the descent of variances are larger than the table's."""


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
    group_names_ : ndarray of shape (n_groups,)
        Names of the blocks, sorted.
    noise_var_, gamma_ : float
        Variance of the noise, and penalty used.
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
    >>> GroupLassoMKL(groups=4, gamma=1000.0).fit(X, y).active_groups_
    array([0])

    References
    ----------
    .. [1] Paper v15-0217, equations 9 and 12, Proposition 3.
    """

    _parameter_constraints = {**GroupSparseRegressor._parameter_constraints}

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
        scale = float(y @ y) / len(y) or 1.0
        noise = least_squares_noise(G, y) if self.noise_var == "auto" else float(self.noise_var)
        self.noise_var_ = max(0.1 * scale if noise is None else noise, 1e-12 * scale)
        self.gamma_ = 0.0 if self.gamma == "validation" else float(self.gamma)
        if self.gamma == "validation":
            kappa = common_variance(G, y, self.noise_var_)
            self.gamma_ = self._validated_gamma(G, y, kappa, lambda A, b, gamma: self._solve(A, b, gamma).coef)
        found = self._solve(G, y, self.gamma_)
        norms = group_norms(found.coef, self._starts)
        self._keep(found.coef, norms / np.sqrt(2 * self.gamma_) if self.gamma_ > 0 else norms**2)
        self.gap_, self.n_iter_, self.converged_ = found.gap, found.n_iter, bool(found.converged)
        if not self.converged_:
            warnings.warn(
                f"the duality gap is {self.gap_:.1g} after {self.n_iter_} passes; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _solve(self, G, y, gamma):
        """Passes over the blocks; where columns are too alike for these, the descent of the variances that is theirs."""
        Q = np.ascontiguousarray(G.T)
        penalty = self.noise_var_ * np.sqrt(2 * gamma) / len(y)
        options = {"tol": self.tol, "orthonormal": False, "center": False}
        found = group_lasso_path(Q, self._starts, y, [penalty], max_iter=min(self.max_iter, _FEW_PASSES), **options)[0]
        if found.converged or gamma == 0.0 or G.shape[1] > _MOST_COLUMNS or self.max_iter <= _FEW_PASSES:
            return found
        form = (ColumnForm if G.shape[1] <= len(y) else RowForm)(G, y, self._starts, self.noise_var_)
        variances = BlockVariances(form, gamma, 0.0).run(found.norms / np.sqrt(2 * gamma), _ROUNDS, _TIGHT)
        coef = np.repeat(variances, np.diff(self._starts)) * block_pull(form, G)
        # Passes from there prove it by the duality gap, or mend what is left.
        return group_lasso_path(
            Q, self._starts, y, [penalty], start=coef, max_iter=self.max_iter - _FEW_PASSES, **options
        )[0]
