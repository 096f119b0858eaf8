"""Linear regression that keeps bounds over whole regions (Mangasarian, Shavlik & Wild, JMLR 5:1127)."""

from numbers import Real

import numpy as np
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treatise._core.invariants import linear
from treatise.kernel_methods.knowledge._program import RegionBlock, solve_program
from treatise.kernel_methods.knowledge.implications import Knowledge, check_knowledge
from treatise.kernel_methods.knowledge.regressor import contradiction, keep_outcome


class LinearKnowledgeRegressor(RegressorMixin, BaseEstimator):
    """Linear regression with least absolute errors under bounds that hold at every point of given regions.

    The theorem of the alternative turns "at least this everywhere in that polyhedron" into a few linear conditions, so
    that, with the default costs, the bounds hold exactly and not just at samples. The slope is a combination of the
    training rows, ``X' alpha``, and the absolute weights alpha are kept small.

    Use it where a linear model must respect rules, such as a price never below cost over a range of inputs. Not
    beyond some thousand rows. Knowledge that contradicts itself, or that no linear function can keep, is an error
    unless its costs are finite. A linear program with about 2 n + p rows.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the absolute error of a row.
    knowledge : Knowledge or list of Knowledge, default=()
        What is known.
    mismatch_cost : float, default=inf
        Cost of the error of the slope in the proof of a bound.
    shortfall_cost : float, default=inf
        Cost of what the function lacks to a bound.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The slope.
    intercept_ : float
        The constant.
    dual_coef_ : ndarray of shape (n_samples,)
        Weights of the training rows in the slope.
    objective_ : float
        Value of the linear program.
    knowledge_mismatch_, knowledge_shortfall_ : ndarray of shape (n_bounds,)
        Per bound, the errors of its proof and what it lacks; zero with infinite costs.
    n_iter_ : int
        Steps of the linear program.
    converged_ : bool
        Whether the program and its dual have the same value.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> from treatise.kernel_methods import Knowledge, LinearKnowledgeRegressor, Polyhedron
    >>> X, y = [[1.0], [2.0], [3.0]], [1.0, 0.5, 0.0]
    >>> never_negative = Knowledge(Polyhedron.box([0.0], [4.0]), at_least=0.0)
    >>> model = LinearKnowledgeRegressor(C=100.0, knowledge=[never_negative]).fit(X, y)
    >>> bool(model.predict([[4.0]])[0] > -1e-9), model.shortfalls().round(9)
    (True, array([0.]))

    References
    ----------
    .. [1] Paper v05-1127, equation (15), Proposition 2.1.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "knowledge": [Knowledge, list, tuple],
        "mismatch_cost": [Interval(Real, 0, None, closed="both")],
        "shortfall_cost": [Interval(Real, 0, None, closed="both")],
    }

    def __init__(self, C=1.0, *, knowledge=(), mismatch_cost=np.inf, shortfall_cost=np.inf):
        self.C = C
        self.knowledge = knowledge
        self.mismatch_cost = mismatch_cost
        self.shortfall_cost = shortfall_cost

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Solve the linear program.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Values.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Factors of the errors' costs; a row of weight zero takes no part.

        Returns
        -------
        self : LinearKnowledgeRegressor
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        knowledge = check_knowledge(self.knowledge, X.shape[1])
        used = np.flatnonzero(weights > 0)
        rows = X[used]
        blocks = [
            RegionBlock(
                piece.region.A.T, piece.region.b, part.slope, part.constant, part.sign,
                self.mismatch_cost, self.shortfall_cost,
            )
            for piece in knowledge
            for part in piece.implications
        ]  # fmt: skip
        costs = self.C * weights[used]
        found = solve_program(rows, rows.T, np.asarray(y, np.float64)[used], costs, 1.0, blocks)
        if found is None:
            raise ValueError(contradiction(rows, rows.T, blocks, knowledge))
        self.coef_, self.intercept_ = np.asarray(rows.T @ found.coef), found.offset
        self.dual_coef_ = np.zeros(X.shape[0])
        self.dual_coef_[used] = found.coef
        keep_outcome(self, found)
        return self

    def _invariants(self):
        yield from linear(self)

    def predict(self, X):
        """Values of the function.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_) + self.intercept_

    def shortfalls(self):
        """By how much the function misses each piece of knowledge at the worst point of its region, exactly.

        Returns
        -------
        shortfalls : ndarray of shape (n_knowledge,)
            Infinite where the function leaves the bound for ever in an unbounded region.
        """
        check_is_fitted(self)
        found = []
        for piece in check_knowledge(self.knowledge, self.n_features_in_):
            worst = 0.0
            for part in piece.implications:
                steepness = part.sign * (self.coef_ - part.slope)
                least = linprog(steepness, A_ub=piece.region.A, b_ub=piece.region.b, bounds=(None, None))
                lead = part.sign * (self.intercept_ - part.constant)
                worst = max(worst, -(least.fun + lead) if least.status == 0 else np.inf)
            found.append(worst)
        return np.array(found)
