"""Sparse additive models: smooth functions of a few columns out of many (Ravikumar 2007, chapter 12)."""

from numbers import Real

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import is_array, is_number
from treatise.linear.spam._base import SparseAdditiveModel, points_of
from treatise.linear.spam._basis import basis_values, column_bases
from treatise.linear.spam._smoothers import SMOOTHERS, backfit, plug_in_bandwidths, smoother_matrices, smoothing_weights
from treatise.optimize import group_lasso_path, group_penalty_limit


class SpAMRegressor(RegressorMixin, SparseAdditiveModel):
    """Sum of smooth functions of single columns, most of them zero: a sparse additive model.

    The nonlinear sibling of the lasso: ``y = m + sum_j f_j(x_j)`` with a price on the root mean square of every
    function, so that a column comes in with a whole curve or stays out. Use it where effects bend and columns are many
    (p may far exceed n); it sees no interactions, and where effects are straight the lasso needs fewer rows.

    With splines the fit is a group lasso: a path of 50 penalties at n = 2 000 and p = 5 000 takes some ten seconds and
    the memory of ``n p n_basis`` numbers. Kernel smoothers cost ``p n^2`` per pass and serve small tables.

    Parameters
    ----------
    penalty : float, "cp" or "cv", default="cp"
        Price of a function's root mean square; "cp" and "cv" choose it from a path by Mallows's criterion or by
        cross-validation.
    smoother : {"basis", "kernel", "local_linear"}, default="basis"
        A few functions of each column, or local averages or lines with a Gaussian window (backfitting).
    n_basis : int, default=6
        Functions of a column, for splines.
    basis : "spline" or callable, default="spline"
        The functions of ``smoother="basis"``: cubic splines, or others: a callable takes the points of one column and
        gives an array of shape (n_functions, n_points), such as ``lambda x: np.array([x, x**2])``. A model with a
        function of your own is saved only if that function can be.
    bandwidth : float or "plug-in", default="plug-in"
        Deviation of the window in deviations of the column; "plug-in" takes ``0.6 n^(-1/5)``.
    n_penalties : int, default=50
        Length of the path.
    smallest_penalty : float, default=0.02
        End of the path, relative to the penalty that empties the model.
    cv : int, default=5
        Folds of "cv".
    tol : float, default=1e-6
        Duality gap relative to half the variance of y (splines), or change in a pass (smoothers).
    max_iter : int, default=10000
        Passes at most, for each penalty.
    random_state : int, RandomState or None, default=0
        Shuffles the folds of "cv".

    Attributes
    ----------
    active_ : ndarray of int
        Columns whose function is not zero.
    norms_ : ndarray of shape (n_features,)
        Root mean square of each function over the training rows.
    penalty_ : float
        The penalty used.
    intercept_ : float
        Mean of the targets.
    path_ : dict
        Along the path: "penalty", "norms" (one row each), and "cp" or "cv" where the penalty was chosen.
    n_iter_ : int
        Passes at the chosen penalty.
    converged_ : bool
        Whether they sufficed.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import SpAMRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (300, 20))
    >>> y = np.sin(2 * X[:, 3]) + X[:, 7] ** 2 + 0.3 * rng.standard_normal(300)
    >>> model = SpAMRegressor(penalty=0.2).fit(X, y)
    >>> model.active_
    array([3, 7])

    References
    ----------
    .. [1] Paper thesis-ravikumar, chapter 12, figure 12.1 and equation 12.12.
    """

    _parameter_constraints = {
        **SparseAdditiveModel._parameter_constraints,
        "penalty": [Interval(Real, 0, None, closed="left"), StrOptions({"cp", "cv"})],
        "smoother": [StrOptions({"basis", *SMOOTHERS})],
        "bandwidth": [Interval(Real, 0, None, closed="neither"), StrOptions({"plug-in"})],
    }

    def __init__(
        self,
        penalty="cp",
        *,
        smoother="basis",
        n_basis=6,
        basis="spline",
        bandwidth="plug-in",
        n_penalties=50,
        smallest_penalty=0.02,
        cv=5,
        tol=1e-6,
        max_iter=10_000,
        random_state=0,
    ):
        self.penalty = penalty
        self.smoother = smoother
        self.n_basis = n_basis
        self.basis = basis
        self.bandwidth = bandwidth
        self.n_penalties = n_penalties
        self.smallest_penalty = smallest_penalty
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Fit the functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns; constant ones have no function.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self : SpAMRegressor
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = y.astype(np.float64)
        engine = _SplinePath(self) if self.smoother == "basis" else _SmootherPath(self)
        penalties = self._penalties(engine.prepare(X, y))
        solutions = engine.path(penalties)
        norms = np.array([solution[1] for solution in solutions])
        self.path_ = {"penalty": penalties, "norms": norms}
        place = len(solutions) - 1
        if self.penalty == "cp":
            self.path_["cp"] = _mallows(y, engine.errors(solutions), norms, engine.degrees)
            place = int(np.argmin(self.path_["cp"]))
        elif self.penalty == "cv":
            self.path_["cv"] = self._cross_validated(X, y, penalties)
            place = int(np.argmin(self.path_["cv"]))
        self.penalty_ = float(self.path_["penalty"][place])
        self.intercept_ = float(y.mean())
        engine.keep(solutions[place])
        self.norms_ = norms[place]
        self.active_ = np.flatnonzero(self.norms_)
        self._keep_convergence(solutions[place][3])
        return self

    def _invariants(self):
        yield "there is a constant", is_number(self.intercept_)
        if self.smoother == "basis":
            yield "functions have one coefficient each", is_array(self.coef_, np.float64, None)
            return
        n = len(self._columns)
        yield "functions are of the columns", is_array(self._columns, np.integer, n)
        yield "active columns have one", bool(np.isin(self.active_, self._columns).all())
        yield "they have their rows", is_array(self._training, np.float64, None, n)
        yield "rows have residuals", is_array(self._residuals, np.float64, n, len(self._training))
        for name in ("_shifts", "_bandwidths", "_shrinks"):
            yield f"{name} has a number for each", np.shape(getattr(self, name)) == (n,)

    def predict(self, X):
        """Values of new rows; beyond the range of the training rows a function keeps its last value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.intercept_ + sum((self.component(j, X[:, j]) for j in self.active_), np.zeros(len(X)))

    def component(self, feature, points):
        """One function at some points; its mean over the training rows is zero.

        Parameters
        ----------
        feature : int or str
            Number of the column, or its name.
        points : array-like of shape (n_points,)
            Where to evaluate it.

        Returns
        -------
        values : ndarray of shape (n_points,)
        """
        feature, points = self._column(feature), points_of(points)
        if not self.norms_[feature]:
            return np.zeros(len(points))
        if self.smoother == "basis":
            part = slice(self._starts[feature], self._starts[feature + 1])
            return self.coef_[part] @ basis_values(self._bases[feature], points)
        place = int(np.flatnonzero(self._columns == feature)[0])
        x, residual, shift = self._training[:, place], self._residuals[place], self._shifts[place]
        inside = np.clip(points, x.min(), x.max())
        weights = smoothing_weights(inside, x, self._bandwidths[place], self.smoother)
        return self._shrinks[place] * (weights @ residual - shift)

    def _cross_validated(self, X, y, penalties):
        """Mean squared error over folds at every penalty."""
        errors = np.zeros(len(penalties))
        folds = KFold(min(self.cv, len(y)), shuffle=True, random_state=check_random_state(self.random_state))
        for train, test in folds.split(X):
            part = SpAMRegressor(**{**self.get_params(), "penalty": "cp"})
            engine = _SplinePath(part) if self.smoother == "basis" else _SmootherPath(part)
            engine.prepare(X[train], y[train])
            part.intercept_, part.n_features_in_ = float(y[train].mean()), X.shape[1]
            for k, solution in enumerate(engine.path(penalties)):
                engine.keep(solution)
                part.norms_ = solution[1]
                part.active_ = np.flatnonzero(part.norms_)
                columns = (part.component(j, X[test][:, j]) for j in part.active_)
                fitted = part.intercept_ + sum(columns, np.zeros(len(test)))
                errors[k] += np.sum((y[test] - fitted) ** 2)
        return errors / len(y)


class _SplinePath:
    """The path of a regression on splines: a solution is (weights, norms, passes, whether it converged)."""

    def __init__(self, model):
        self.model = model

    def prepare(self, X, y):
        model = self.model
        model._bases, self.Q, model._starts = column_bases(X, model.n_basis, model.basis)
        self.y, self.degrees = y, np.diff(model._starts).astype(float)
        return group_penalty_limit(self.Q, model._starts, y)

    def path(self, penalties):
        found = group_lasso_path(
            self.Q, self.model._starts, self.y, penalties, tol=self.model.tol, max_iter=self.model.max_iter
        )
        return [(solution.coef, solution.norms, solution.n_iter, solution.converged) for solution in found]

    def errors(self, solutions):
        centred = self.y - self.y.mean()
        used = [np.flatnonzero(coef) for coef, *_ in solutions]
        return np.array([np.mean((centred - coef[u] @ self.Q[u]) ** 2) for (coef, *_), u in zip(solutions, used)])

    def keep(self, solution):
        self.model.coef_, _, self.model.n_iter_, _ = solution


class _SmootherPath:
    """The path on kernel smoothers: a solution is (components, norms, passes, whether it converged, shrink factors)."""

    def __init__(self, model):
        self.model = model

    def prepare(self, X, y):
        model = self.model
        self.X, self.y = X, y - y.mean()
        spread = X.std(axis=0)
        flat = ~(spread > 1e-12 * np.maximum(np.abs(X).max(axis=0), 1e-300))
        width = plug_in_bandwidths(X) if model.bandwidth == "plug-in" else model.bandwidth * spread
        self.widths = np.where(flat, 0.0, width)
        self.S = smoother_matrices(X, self.widths, model.smoother)
        self.degrees = np.trace(self.S, axis1=1, axis2=2)
        smooth = self.S @ self.y
        return float(np.sqrt((smooth * smooth).mean(axis=1)).max(initial=0.0))

    def path(self, penalties):
        found, start = [], None
        for penalty in penalties:
            start, shrink, passes, converged = backfit(
                self.S, self.y, float(penalty), start, tol=self.model.tol, max_iter=self.model.max_iter
            )
            found.append((start, np.sqrt((start * start).mean(axis=1)), passes, converged, shrink))
        return found

    def errors(self, solutions):
        return np.array([np.mean((self.y - components.sum(axis=0)) ** 2) for components, *_ in solutions])

    def keep(self, solution):
        """What prediction needs: the partial residual of every active column, which its smoother reads."""
        components, norms, passes, _, shrink = solution
        model, active = self.model, np.flatnonzero(norms)
        rest = self.y - components.sum(axis=0)
        model._columns, model._training = active, self.X[:, active]
        model._residuals = rest + components[active]
        model._bandwidths, model._shrinks = self.widths[active], shrink[active]
        model._shifts = np.array(
            [
                np.mean(smoothing_weights(self.X[:, j], self.X[:, j], self.widths[j], model.smoother) @ residual)
                for j, residual in zip(active, model._residuals)
            ]
        )
        model.n_iter_ = passes


def _mallows(y, errors, norms, degrees):
    """``mean squared error + 2 sigma^2 degrees / n``, with sigma^2 from the largest model that leaves half the rows."""
    n = len(y)
    used = (norms > 0) @ degrees
    small = np.flatnonzero(used <= n / 2)
    reference = small[-1] if len(small) else 0
    variance = errors[reference] * n / max(n - used[reference] - 1, 1)
    return errors + 2 * variance * used / n
