"""Graphs of categorical variables by mutual information: a threshold, or the Chow-Liu tree (Ravikumar 2007, ch. 8)."""

from numbers import Integral, Real

import numpy as np
from scipy.stats import chi2
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.graphical.graph import UndirectedGraphMixin
from treatise.inference import maximum_spanning_forest
from treatise.statistics.category_columns import coded_columns


class MutualInformationGraph(UndirectedGraphMixin, BaseEstimator):
    """Pairs of categorical variables that tell about each other, or the best tree of them.

    Keeping the edges whose empirical mutual information exceeds a threshold is edge selection under the Bethe
    approximation of the likelihood; restricted to trees it is exact and the tree of Chow and Liu. It looks at pairs
    alone: two variables that a third one moves are joined too, unless the tree leaves them apart. Use it as a fast
    first look, at the price of n p^2; :class:`MultinomialGraph` asks what remains when all others are known.

    Parameters
    ----------
    threshold : float or "test", default="test"
        Mutual information in nats that an edge must exceed; "test" takes for each pair what independent columns
        exceed with probability ``alpha`` over all pairs together (likelihood ratio test, Bonferroni).
    alpha : float, default=0.05
        Level of the test.
    tree : bool, default=False
        Whether to keep only the maximum spanning forest of the edges above the threshold.
    n_bins : int or None, default=None
        Parts of equal size into which numeric columns are cut; None takes every value for a state.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weights are mutual informations in nats.
    mutual_information_ : ndarray of shape (n_features, n_features)
        Of all pairs; entropies on the diagonal.
    states_ : list of ndarray
        The states of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import MutualInformationGraph
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, (300, 3))
    >>> X[:, 2] = np.where(rng.random(300) < 0.7, X[:, 1], X[:, 2])
    >>> MutualInformationGraph(tree=True).fit(X).edges_
    array([[1, 2]])

    References
    ----------
    .. [1] Paper thesis-ravikumar, chapter 8.
    """

    _parameter_constraints = {
        "threshold": [Interval(Real, 0, None, closed="left"), StrOptions({"test"})],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "tree": ["boolean"],
        "n_bins": [Interval(Integral, 2, None, closed="left"), None],
    }

    def __init__(self, threshold="test", *, alpha=0.05, tree=False, n_bins=None):
        self.threshold = threshold
        self.alpha = alpha
        self.tree = tree
        self.n_bins = n_bins

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the graph of the columns of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories: text, numbers or both.
        y : None
            Ignored.

        Returns
        -------
        self : MutualInformationGraph
        """
        codes, self.states_ = coded_columns(self, X, self.n_bins)
        n, p = codes.shape
        n_states = np.array([len(states) for states in self.states_])
        self.mutual_information_ = _mutual_informations(codes, n_states)
        if self.threshold == "test":
            freedom = np.maximum(np.outer(n_states - 1, n_states - 1), 1)
            pairs = max(p * (p - 1) / 2, 1)
            # Twice n times the mutual information is the likelihood ratio of dependence.
            limit = chi2.isf(self.alpha / pairs, freedom) / (2 * n)
        else:
            limit = np.full((p, p), float(self.threshold))
        joined = self.mutual_information_ > limit
        if self.tree:
            edges = maximum_spanning_forest(np.where(joined, self.mutual_information_, -np.inf))
            joined = np.zeros((p, p), dtype=bool)
            joined[edges[:, 0], edges[:, 1]] = joined[edges[:, 1], edges[:, 0]] = True
        self._set_graph(self.mutual_information_, joined)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def _mutual_informations(codes, n_states):
    """Mutual information of all pairs of columns in nats, from one product of their indicators."""
    n = len(codes)
    starts = np.concatenate([[0], np.cumsum(n_states)])
    indicators = np.zeros((n, starts[-1]))
    for j, start in enumerate(starts[:-1]):
        indicators[np.arange(n), start + codes[:, j]] = 1.0
    joint = indicators.T @ indicators / n
    share = np.diag(joint)
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = np.where(joint > 0, joint * np.log(joint / np.outer(share, share)), 0.0)
    sums = np.add.reduceat(np.add.reduceat(cells, starts[:-1], axis=0), starts[:-1], axis=1)
    # Sums in another order differ in the last digit.
    return (sums + sums.T) / 2
