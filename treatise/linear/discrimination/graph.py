"""The graph of a binary Markov network from machines that agree on their edges (Jebara, JMLR 12:75, Section 12)."""

from numbers import Integral, Real

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from treatise._core.invariants import is_array, linear
from treatise.linear.discrimination._base import keep_progress
from treatise.linear.discrimination._couplings import FeatureSwitches
from treatise.linear.discrimination._solver import Targets, discriminate


class MEDGraph(BaseEstimator):
    """Edges between binary variables, each scored by two machines that share its switch.

    Every variable is predicted from all others by a support vector machine; whether variable d helps to predict m and m
    helps to predict d is one switch, so that no rule is needed to reconcile the two.

    Use it to rank the possible edges of up to some hundred binary variables that are one about as often as zero; where
    one value is rare, machines that err least answer with the other, and l1 logistic regressions rank better.
    ``threshold`` is no test. For a sparse graph with a guarantee use :class:`treatise.graphical.IsingGraph`.

    Costs some ten to twenty sweeps of one linear support vector machine for each variable; O(n² p) each.

    Parameters
    ----------
    C : float, default=0.3
        Cost of an error.
    alpha : float, default=100.0
        Odds, before any data, that there is no edge.
    threshold : float, default=0.5
        Score above which a pair counts as an edge in ``adjacency_``.
    binarize : float or None, default=None
        Values above it are ones; None asks for zeros and ones.
    tol : float, default=1e-4
        Largest violation of the optimality conditions, in units of the score.
    max_iter : int, default=200
        Most sweeps over the variables.

    Attributes
    ----------
    edge_scores_ : ndarray of shape (n_features, n_features)
        Probability with which each edge is kept, symmetric, zero on the diagonal and for columns that are constant.
    edge_log_odds_ : ndarray of shape (n_features, n_features)
        Their log odds, which rank edges whose scores are all but 1; -inf where scores are zero.
    adjacency_ : ndarray of bool, of shape (n_features, n_features)
        Edges of a score above ``threshold``.
    coef_ : ndarray of shape (n_features, n_features)
        Weights of the machines; those in row m predict variable m.
    intercept_ : ndarray of shape (n_features,)
        Their constants.
    objective_path_, violation_, n_iter_, converged_
        As in :class:`MultiTaskMEDClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import MEDGraph
    >>> rng = np.random.default_rng(0)
    >>> chain = [rng.integers(0, 2, 200)]
    >>> for _ in range(3):
    ...     chain.append(np.where(rng.random(200) < 0.2, 1 - chain[-1], chain[-1]))
    >>> MEDGraph().fit(np.column_stack(chain)).adjacency_.astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 0]])

    References
    ----------
    .. [1] Paper v12-0075: Section 12.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "binarize": [Real, None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, C=0.3, alpha=100.0, threshold=0.5, binarize=None, tol=1e-4, max_iter=200):
        self.C = C
        self.alpha = alpha
        self.threshold = threshold
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Score all pairs of columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Zeros and ones, or numbers with ``binarize``.
        y : None
            Not used.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_features=2, ensure_min_samples=2)
        if self.binarize is not None:
            X = (self.binarize < X).astype(np.float64)
        elif not np.isin(X, (0.0, 1.0)).all():
            other = X[~np.isin(X, (0.0, 1.0))][0]
            raise ValueError(f"X holds {other:g}; it must hold zeros and ones, or give binarize, a threshold")
        p = X.shape[1]
        vary = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
        k = len(vary)
        self.edge_scores_, self.edge_log_odds_ = np.zeros((p, p)), np.full((p, p), -np.inf)
        self.coef_, self.intercept_ = np.zeros((p, p)), np.zeros(p)
        self.objective_path_, self.violation_, self.n_iter_, self.converged_ = np.zeros(1), 0.0, 0, True
        if k > 1:
            self._fit_varying(X[:, vary], vary)
        self.adjacency_ = self.edge_scores_ > self.threshold
        return self

    def _invariants(self):
        p = self.n_features_in_
        yield from linear(self, p)
        for name, kind in {"edge_scores_": np.floating, "edge_log_odds_": np.floating, "adjacency_": np.bool_}.items():
            yield f"{name} is of the pairs of columns", is_array(getattr(self, name), kind, p, p)

    def _fit_varying(self, X, vary):
        k = len(vary)
        switch = np.zeros((k, k), np.intp)
        upper = np.triu_indices(k, 1)
        switch[upper] = np.arange(len(upper[0]))
        switch += switch.T
        others = [np.delete(np.arange(k), m) for m in range(k)]
        coupling = FeatureSwitches(
            [X[:, other] for other in others], [switch[m, other] for m, other in enumerate(others)], len(upper[0]),
            self.alpha,
        )  # fmt: skip
        targets = [Targets(2.0 * column - 1.0, self.C) for column in X.T]
        found = discriminate(coupling, targets, tol=self.tol, max_iter=self.max_iter)
        log_odds = np.full((k, k), -np.inf)
        log_odds[upper] = log_odds.T[upper] = coupling.q - coupling.log_alpha
        self.edge_log_odds_[np.ix_(vary, vary)] = log_odds
        self.edge_scores_[np.ix_(vary, vary)] = expit(log_odds)
        for m, other in enumerate(others):
            self.coef_[vary[m], vary[other]] = coupling.weighted(m)
        self.intercept_[vary] = found.offsets
        keep_progress(self, found, "or lower alpha or C")
