"""Sparse additive models of class probabilities (Ravikumar 2007, section 12.4)."""

from numbers import Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import LogisticScores, signs_of
from treatise._core.invariants import is_array
from treatise.linear.spam._base import SparseAdditiveModel, points_of
from treatise.linear.spam._basis import basis_values, column_bases
from treatise.optimize import group_logistic_path, group_penalty_limit


class SpAMClassifier(LogisticScores, SparseAdditiveModel):
    """Logistic regression on smooth functions of single columns, most of them zero.

    As :class:`SpAMRegressor`, for classes: the log-odds are a sum of curves of few columns. More than two classes are
    told apart one against the rest. Use it where a classifier must say which columns matter and how; it sees no
    interactions.

    Costs some tens of group lassos of the same size for each penalty, and as much again for each fold of "cv".

    Parameters
    ----------
    penalty : float, "cv" or "bic", default="cv"
        Price of a function's root mean square; "cv" and "bic" choose it from a path, by the log loss of held-out folds
        or by the Bayesian information criterion. The latter is ``cv`` times as fast, and charges a curve that the
        penalty has shrunk as if it were free: with few rows or weak effects it may leave no column.
    n_basis : int, default=6
        Spline functions of a column.
    basis : "spline" or callable, default="spline"
        Cubic splines with knots at quantiles, or other functions: a callable takes the points of one column and gives
        an array of shape (n_functions, n_points), such as ``lambda x: np.array([x, x**2])``. A model with a function of
        your own is saved only if that function can be.
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
    converged_ : bool
        Whether they sufficed, for every problem.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import SpAMClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (400, 10))
    >>> y = rng.random(400) < 1 / (1 + np.exp(-2 * (X[:, 2] ** 2 - 1.3)))
    >>> SpAMClassifier("bic").fit(X, y).active_
    array([2])

    References
    ----------
    .. [1] Paper thesis-ravikumar, section 12.4.
    """

    _parameter_constraints = {
        **SparseAdditiveModel._parameter_constraints,
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"bic", "cv"})],
    }

    def __init__(
        self,
        penalty="cv",
        *,
        n_basis=6,
        basis="spline",
        n_penalties=30,
        smallest_penalty=0.05,
        cv=5,
        tol=1e-5,
        max_iter=10_000,
        random_state=0,
    ):
        self.penalty = penalty
        self.n_basis = n_basis
        self.basis = basis
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
        codes = self._code_labels(y)
        self._bases, Q, self._starts = column_bases(X, self.n_basis, self.basis)
        problems = signs_of(codes, len(self.classes_))
        found = [self._problem(X, Q, (signs > 0).astype(np.float64)) for signs in problems]
        self.coef_ = np.array([solution.coef for solution, _ in found])
        self.intercept_ = np.array([solution.intercept for solution, _ in found])
        self.penalty_ = np.array([solution.penalty for solution, _ in found])
        self.norms_ = np.max([solution.norms for solution, _ in found], axis=0)
        self.n_iter_ = max(max(solution.n_iter for solution, _ in found), 1)
        self.path_ = [path for _, path in found]
        self.active_ = np.flatnonzero(self.norms_)
        self._keep_convergence(all(solution.converged for solution, _ in found))
        return self

    def _invariants(self):
        problems = 1 if len(self.classes_) == 2 else len(self.classes_)
        yield "problems have coefficients", is_array(self.coef_, np.float64, problems, None)
        yield "problems have constants", is_array(self.intercept_, np.float64, problems)

    def _scores(self, X):
        """Log-odds of the second class, or of each class against the rest."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = np.tile(self.intercept_, (len(X), 1))
        for j in self.active_:
            part = slice(self._starts[j], self._starts[j + 1])
            scores += (self.coef_[:, part] @ basis_values(self._bases[j], X[:, j])).T
        return scores

    def component(self, feature, points, problem=0):
        """One function at some points, in log-odds; its mean over the training rows is zero.

        Parameters
        ----------
        feature : int or str
            Number of the column, or its name.
        points : array-like of shape (n_points,)
            Where to evaluate it.
        problem : int, default=0
            Which class against the rest, with more than two.

        Returns
        -------
        values : ndarray of shape (n_points,)
        """
        feature = self._column(feature)
        if not 0 <= problem < len(self.coef_):
            raise ValueError(f"problem={problem} does not exist: there are {len(self.coef_)}, numbered from 0")
        part = slice(self._starts[feature], self._starts[feature + 1])
        return self.coef_[problem][part] @ basis_values(self._bases[feature], points_of(points))

    def _problem(self, X, Q, target):
        """The path of one class against the rest, and the solution chosen from it."""
        penalties = self._penalties(group_penalty_limit(Q, self._starts, target))
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
        fewest = int(min(target.sum(), len(target) - target.sum()))
        # A single row of a class cannot be dealt into two folds.
        deal = StratifiedKFold if fewest > 1 else KFold
        folds = deal(max(2, min(self.cv, fewest)), shuffle=True, random_state=check_random_state(self.random_state))
        for train, test in folds.split(X, target):
            if not 0 < target[train].mean() < 1:
                continue
            bases, Q, starts = column_bases(X[train], self.n_basis, self.basis)
            values = np.vstack([basis_values(basis, X[test][:, j]) for j, basis in enumerate(bases)])
            found = group_logistic_path(Q, starts, target[train], penalties, tol=self.tol, max_iter=self.max_iter)
            losses += [len(test) * _log_loss(solution, values, target[test]) for solution in found]
        return losses / len(target)


def _log_loss(solution, Q, target):
    used = np.flatnonzero(solution.coef)
    scores = solution.intercept + solution.coef[used] @ Q[used]
    return float(np.mean(np.logaddexp(0.0, scores) - target * scores))
