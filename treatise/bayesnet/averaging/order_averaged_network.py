"""The distribution of a table by an average over Bayesian networks (Dash & Cooper, JMLR 5:1177)."""

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin, _fit_context
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from treatise.bayesnet._tables import TableCoder, read_table
from treatise.bayesnet.averaging._order_averaging import OrderAveraging, repeated_rows


class OrderAveragedNetwork(DensityMixin, OrderAveraging):
    """Joint distribution of categorical columns, averaged over all Bayesian networks that respect an order.

    As :class:`ModelAveragedClassifier`, without a column to predict: the probability of whole rows, and of every arc
    given the order. Use it to ask which dependences the data support where an order is known (time, cause before
    effect), or for a density of up to some dozen columns. Given a wrong order arcs turn up reversed and in
    greater number.

    Costs about C(p, k) p scores of O(n) for k parents.

    Parameters
    ----------
    max_parents : int, default=2
        Most parents of a variable in the networks that are averaged over.
    max_union : int or None, default=10
        Most parents of a variable in the summary network. None averages over all networks of the order exactly.
    order : {"greedy", "random", "opposite"} or array-like, default="greedy"
        Who may be a parent of whom: earlier variables of later ones. "greedy" sorts the network of
        :func:`greedy_thick_thin`; "opposite" averages a random order and its reverse. Or a sequence of column numbers,
        or of groups of them without arcs inside.
    parameter_prior : {"k2", "bdeu"}, default="k2"
        Prior of the probabilities: the pseudo-count 1 in all cells, or one that shrinks with the number of cells.
    equivalent_sample_size : float, default=1.0
        Weight of the prior "bdeu" in rows.
    discretizer : transformer or None, default=None
        What to do with numeric columns of more than two values. A transformer must give one column of integers for
        each, such as ``KBinsDiscretizer(encode="ordinal")``; None takes whole numbers for categories.
    random_state : int, RandomState instance or None, default=None
        For the random orders.

    Attributes
    ----------
    arc_posterior_ : ndarray of shape (n_features, n_features)
        Posterior probability of the arc from row to column among all networks of the order.
    adjacency_ : ndarray of bool of shape (n_features, n_features)
        Arcs more probable than not.
    edges_ : ndarray of int of shape (m, 2)
        The same as pairs of parent and child.
    edge_weights_ : ndarray of shape (m,)
        Their probabilities.
    summary_parents_ : list of tuple
        Parents of each variable in the summary network.
    orders_ : list of list of list
        The order, or the two orders, as lists of levels.
    n_states_ : ndarray of int of shape (n_features,)
        Number of states of each column.
    states_ : list of tuple
        The states of each column.
    n_features_in_ : int
        Number of columns seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    ModelAveragedClassifier : The same average for one column given the others.
    BayesianNetwork : What :meth:`to_network` gives: questions, samples, files.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import OrderAveragedNetwork
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.integers(0, 2, 300)
    >>> effect = np.where(rng.random(300) < 0.2, 1 - cause, cause)
    >>> coin = rng.integers(0, 2, 300)
    >>> model = OrderAveragedNetwork(order=[0, 1, 2]).fit(np.column_stack([cause, effect, coin]))
    >>> model.arc_posterior_.round(2)
    array([[0.  , 1.  , 0.19],
           [0.  , 0.  , 0.12],
           [0.  , 0.  , 0.  ]])

    References
    ----------
    .. [1] Paper v05-1177: Theorems 1 to 3, Equations 10, 14 and 16.
    """

    _parameter_constraints: dict = {
        **OrderAveraging._parameter_constraints,
        "discretizer": [HasMethods(["fit", "transform"]), None],
    }

    def __init__(
        self, max_parents=2, *, max_union=10, order="greedy", parameter_prior="k2", equivalent_sample_size=1.0,
        discretizer=None, random_state=None,
    ):  # fmt: skip
        self.max_parents = max_parents
        self.max_union = max_union
        self.order = order
        self.parameter_prior = parameter_prior
        self.equivalent_sample_size = equivalent_sample_size
        self.discretizer = discretizer
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Score the parent sets, and build the summary network.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Strings, whole numbers, Booleans or categories, without missing cells.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Whole numbers: how often each row counts.

        Returns
        -------
        self
        """
        X = read_table(self, X, reset=True)
        if sample_weight is not None:
            X = _safe_indexing(X, repeated_rows(sample_weight, X))
        self._coder = TableCoder(self.discretizer).fit(X)
        self._average(self._coder.coded(X), self._coder.n_states_)
        return self

    def score_samples(self, X):
        """Log probability of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Values that were never seen have the mass of a state without counts.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = read_table(self, X, reset=False)
        codes = self._coder.coded(X).astype(np.int64)
        joint = [
            sum(summary.log_probability(child, codes) for child in range(codes.shape[1])) for summary in self._summaries
        ]
        return logsumexp(joint, axis=0) - np.log(len(joint))

    def score(self, X, y=None):
        """Log probability of a row of X, on average; higher is better.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            As for :meth:`score_samples`.
        y : ignored

        Returns
        -------
        score : float
        """
        return float(self.score_samples(X).mean())

    @property
    def states_(self):
        """What the states of each column are: categories or numbers."""
        check_is_fitted(self)
        return self._coder.states_

    def to_network(self):
        """The one network that equals the average.

        Returns
        -------
        network : BayesianNetwork
            Its variables have the columns' names, or else their numbers; columns of a single state are left out.
        """
        check_is_fitted(self)
        names = list(getattr(self, "feature_names_in_", range(self.n_features_in_)))
        return self._network(names, self.states_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
