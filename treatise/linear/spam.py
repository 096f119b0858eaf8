"""Sparse additive models: smooth functions of a few columns out of many (Ravikumar 2007, chapter 12)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise.linear._additive_basis import basis_values, spline_bases
from treatise.linear._spam_smoothers import SMOOTHERS, backfit, plug_in_bandwidths, smoother_matrices, smoothing_weights
from treatise.optimize import group_lasso_path, group_logistic_path, group_penalty_limit


def _path_penalties(model, limit):
    """Penalties from the one that empties the model down; to a given one in steps, each started from the last."""
    penalties = max(limit, np.finfo(float).tiny) * np.geomspace(1.0, model.smallest_penalty, model.n_penalties)
    if isinstance(model.penalty, Real):
        return np.append(penalties[penalties > model.penalty], float(model.penalty))
    return penalties


class SpAMRegressor(RegressorMixin, BaseEstimator):
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
        Cubic splines with knots at quantiles, or local averages or lines with a Gaussian window (backfitting).
    n_basis : int, default=6
        Functions of a column, for splines.
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
        "penalty": [Interval(Real, 0, None, closed="left"), StrOptions({"cp", "cv"})],
        "smoother": [StrOptions({"basis", *SMOOTHERS})],
        "n_basis": [Interval(Integral, 3, None, closed="left")],
        "bandwidth": [Interval(Real, 0, None, closed="neither"), StrOptions({"plug-in"})],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "smallest_penalty": [Interval(Real, 0, 1, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        penalty="cp",
        *,
        smoother="basis",
        n_basis=6,
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
        penalties = _path_penalties(self, engine.prepare(X, y))
        solutions = engine.path(penalties)
        norms = np.array([solution[1] for solution in solutions])
        self.path_ = {"penalty": penalties[: len(solutions)], "norms": norms}
        place = len(solutions) - 1
        if self.penalty == "cp":
            self.path_["cp"] = _mallows(y, engine.errors(solutions), norms, engine.degrees)
            place = int(np.argmin(self.path_["cp"]))
        elif self.penalty == "cv":
            self.path_["cv"] = self._cross_validated(X, y, penalties[: len(solutions)])
            place = int(np.argmin(self.path_["cv"]))
        self.penalty_ = float(self.path_["penalty"][place])
        self.intercept_ = float(y.mean())
        engine.keep(solutions[place])
        self.norms_ = norms[place]
        self.active_ = np.flatnonzero(self.norms_)
        return self

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
        feature : int
            Number of the column.
        points : array-like of shape (n_points,)
            Where to evaluate it.

        Returns
        -------
        values : ndarray of shape (n_points,)
        """
        check_is_fitted(self)
        points = np.asarray(points, dtype=np.float64)
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
            solutions = engine.path(penalties)
            for k, solution in enumerate(solutions):
                engine.keep(solution)
                part.norms_ = solution[1]
                part.active_ = np.flatnonzero(part.norms_)
                columns = (part.component(j, X[test][:, j]) for j in part.active_)
                fitted = part.intercept_ + sum(columns, np.zeros(len(test)))
                errors[k] += np.sum((y[test] - fitted) ** 2)
            errors[len(solutions) :] = np.inf
        return errors / len(y)


class _SplinePath:
    """The path of a regression on splines: a solution is (weights, norms, passes)."""

    def __init__(self, model):
        self.model = model

    def prepare(self, X, y):
        model = self.model
        model._bases, self.Q, model._starts = spline_bases(X, model.n_basis)
        self.y, self.degrees = y, np.diff(model._starts).astype(float)
        return group_penalty_limit(self.Q, model._starts, y)

    def path(self, penalties):
        found = group_lasso_path(
            self.Q, self.model._starts, self.y, penalties, tol=self.model.tol, max_iter=self.model.max_iter
        )
        return [(solution.coef, solution.norms, solution.n_iter) for solution in found]

    def errors(self, solutions):
        centred = self.y - self.y.mean()
        used = [np.flatnonzero(coef) for coef, *_ in solutions]
        return np.array([np.mean((centred - coef[u] @ self.Q[u]) ** 2) for (coef, *_), u in zip(solutions, used)])

    def keep(self, solution):
        self.model.coef_, _, self.model.n_iter_ = solution


class _SmootherPath:
    """The path of a regression on kernel smoothers: a solution is (components, norms, passes, shrink factors)."""

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
            start, shrink, passes = backfit(
                self.S, self.y, float(penalty), start, tol=self.model.tol, max_iter=self.model.max_iter
            )
            found.append((start, np.sqrt((start * start).mean(axis=1)), passes, shrink))
        return found

    def errors(self, solutions):
        return np.array([np.mean((self.y - components.sum(axis=0)) ** 2) for components, *_ in solutions])

    def keep(self, solution):
        """What prediction needs: the partial residual of every active column, which its smoother reads."""
        components, norms, passes, shrink = solution
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


class SpAMClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regression on smooth functions of single columns, most of them zero.

    As :class:`SpAMRegressor`, for classes: the log-odds are a sum of curves of few columns. More than two classes are
    told apart one against the rest. Use it where a classifier must say which columns matter and how; it sees no
    interactions.

    Costs some tens of group lassos of the same size for each penalty.

    Parameters
    ----------
    penalty : float, "bic" or "cv", default="bic"
        Price of a function's root mean square; "bic" and "cv" choose it from a path, by the Bayesian information
        criterion or by the log loss of held-out folds.
    n_basis : int, default=6
        Spline functions of a column.
    n_penalties : int, default=30
        Length of the path.
    smallest_penalty : float, default=0.05
        End of the path, relative to the penalty that empties the model.
    cv : int, default=5
        Folds of "cv".
    tol : float, default=1e-5
        Largest failure of a function's condition for the optimum.
    max_iter : int, default=10000
        Passes at most, for each penalty.
    random_state : int, RandomState or None, default=0
        Shuffles the folds of "cv".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    active_ : ndarray of int
        Columns whose function is not zero for some class.
    norms_ : ndarray of shape (n_features,)
        Root mean square of each function over the training rows, the largest over classes.
    penalty_ : ndarray of shape (n_problems,)
        The penalty used for each problem of one class against the rest; one for two classes.
    coef_, intercept_ : ndarray
        Weights of the spline functions and constants, one row each per problem.
    path_ : list of dict
        For each problem "penalty", "norms", and "bic" or "cv" where the penalty was chosen.
    n_iter_ : int
        Passes at the chosen penalty, at most.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import SpAMClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (400, 10))
    >>> y = rng.random(400) < 1 / (1 + np.exp(-2 * (X[:, 2] ** 2 - 1.3)))
    >>> SpAMClassifier().fit(X, y).active_
    array([2])

    References
    ----------
    .. [1] Paper thesis-ravikumar, section 12.4.
    """

    _parameter_constraints = {
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"bic", "cv"})],
        "n_basis": [Interval(Integral, 3, None, closed="left")],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "smallest_penalty": [Interval(Real, 0, 1, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        penalty="bic",
        *,
        n_basis=6,
        n_penalties=30,
        smallest_penalty=0.05,
        cv=5,
        tol=1e-5,
        max_iter=10_000,
        random_state=0,
    ):
        self.penalty = penalty
        self.n_basis = n_basis
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
            Labels.

        Returns
        -------
        self : SpAMClassifier
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class only, {self.classes_[0]!r}; a classifier needs two or more")
        self._bases, Q, self._starts = spline_bases(X, self.n_basis)
        problems = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        found = [self._problem(X, Q, (codes == k).astype(np.float64)) for k in problems]
        self.coef_ = np.array([solution.coef for solution, _ in found])
        self.intercept_ = np.array([solution.intercept for solution, _ in found])
        self.penalty_ = np.array([solution.penalty for solution, _ in found])
        self.norms_ = np.max([solution.norms for solution, _ in found], axis=0)
        self.n_iter_ = max(max(solution.n_iter for solution, _ in found), 1)
        self.path_ = [path for _, path in found]
        self.active_ = np.flatnonzero(self.norms_)
        return self

    def decision_function(self, X):
        """Log-odds of the second class, or of each class against the rest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = np.tile(self.intercept_, (len(X), 1))
        for j in self.active_:
            part = slice(self._starts[j], self._starts[j + 1])
            scores += (self.coef_[:, part] @ basis_values(self._bases[j], X[:, j])).T
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Probability of each class; with more than two, those of one against the rest, scaled to sum to one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        chance = 0.5 * (1 + np.tanh(scores / 2))
        if len(self.classes_) == 2:
            return np.column_stack([1 - chance, chance])
        total = chance.sum(axis=1, keepdims=True)
        return np.where(total > 0, chance / np.where(total > 0, total, 1.0), 1.0 / len(self.classes_))

    def predict(self, X):
        """The likeliest class of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        place = (scores > 0).astype(int) if len(self.classes_) == 2 else scores.argmax(axis=1)
        return self.classes_[place]

    def component(self, feature, points, problem=0):
        """One function at some points, in log-odds; its mean over the training rows is zero.

        Parameters
        ----------
        feature : int
            Number of the column.
        points : array-like of shape (n_points,)
            Where to evaluate it.
        problem : int, default=0
            Which class against the rest, with more than two.

        Returns
        -------
        values : ndarray of shape (n_points,)
        """
        check_is_fitted(self)
        part = slice(self._starts[feature], self._starts[feature + 1])
        return self.coef_[problem][part] @ basis_values(self._bases[feature], np.asarray(points, dtype=np.float64))

    def _problem(self, X, Q, target):
        """The path of one class against the rest, and the solution chosen from it."""
        penalties = _path_penalties(self, group_penalty_limit(Q, self._starts, target))
        found = group_logistic_path(Q, self._starts, target, penalties, tol=self.tol, max_iter=self.max_iter)
        path = {"penalty": penalties, "norms": np.array([solution.norms for solution in found])}
        place = len(found) - 1
        if self.penalty == "bic":
            degrees = (path["norms"] > 0) @ np.diff(self._starts)
            losses = np.array([_log_loss(solution, Q, target) for solution in found])
            path["bic"] = 2 * len(target) * losses + np.log(len(target)) * degrees
            place = int(np.argmin(path["bic"]))
        elif self.penalty == "cv":
            path["cv"] = self._held_out(X, target, penalties)
            place = int(np.argmin(path["cv"]))
        return found[place], path

    def _held_out(self, X, target, penalties):
        """Mean log loss over folds at every penalty."""
        losses = np.zeros(len(penalties))
        n_folds = max(2, min(self.cv, int(target.sum()), int(len(target) - target.sum())))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=check_random_state(self.random_state))
        for train, test in folds.split(X, target):
            if not 0 < target[train].mean() < 1:
                continue
            bases, Q, starts = spline_bases(X[train], self.n_basis)
            values = np.vstack([basis_values(basis, X[test][:, j]) for j, basis in enumerate(bases)])
            found = group_logistic_path(Q, starts, target[train], penalties, tol=self.tol, max_iter=self.max_iter)
            losses += [len(test) * _log_loss(solution, values, target[test]) for solution in found]
        return losses / len(target)


def _log_loss(solution, Q, target):
    used = np.flatnonzero(solution.coef)
    scores = solution.intercept + solution.coef[used] @ Q[used]
    return float(np.mean(np.logaddexp(0.0, scores) - target * scores))
