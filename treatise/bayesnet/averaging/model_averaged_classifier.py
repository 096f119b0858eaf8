"""Classification by an average over Bayesian networks (Dash & Cooper, JMLR 5:1177)."""

import numpy as np
from scipy.special import logsumexp
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise.bayesnet._classifier import NetworkClassifier
from treatise.bayesnet._tables import TableCoder, read_table
from treatise.bayesnet.averaging._order_averaging import OrderAveraging, repeated_rows


class ModelAveragedClassifier(NetworkClassifier, OrderAveraging):
    """Classifier that averages over all Bayesian networks of the class and the features that respect an order.

    The networks have at most ``max_parents`` parents a variable; given an order there are exponentially many, yet
    their average costs one score for each parent set, and is itself one network, over the union of each
    variable's parent sets (:meth:`to_network`). Keeping only the ``max_union`` best members of each union makes that
    network small at hardly any loss. The order comes from a greedy search.

    Use it for tables of up to some dozen categorical or binned columns, where features depend on one another and
    there are too few rows to be sure how. For hundreds of columns, for missing cells or for data that
    arrive in pieces use :class:`AveragedNaiveBayes`.

    Costs about C(p, k) p scores of O(n) for k parents: p^2 sets at one parent, p^3 / 6 at two, p^4 / 24 at three.

    Parameters
    ----------
    max_parents : int, default=2
        Most parents of a variable in the networks that are averaged over; the paper uses up to 5. More pay with
        thousands of rows.
    max_union : int or None, default=10
        Most parents of a variable in the summary network. None averages over all networks of the order exactly.
    order : {"greedy", "random", "opposite"} or array-like, default="greedy"
        Who may be a parent of whom: earlier variables of later ones. "greedy" sorts the network of
        :func:`greedy_thick_thin`, as in the paper; "opposite" averages the predictions of a random order and its
        reverse. Or a sequence of column numbers, or of groups of them without arcs inside; the class has the
        number ``n_features``.
    parameter_prior : {"k2", "bdeu"}, default="k2"
        Prior of the probabilities: the pseudo-count 1 in all cells, as in the paper, or one that shrinks with the
        number of cells.
    equivalent_sample_size : float, default=1.0
        Weight of the prior "bdeu" in rows.
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values. "mdl" cuts them by class entropy
        (:class:`treatise.statistics.MDLDiscretizer`), a transformer must give one column of integers for each, None
        takes whole numbers for categories. Strings, Booleans and categorical columns are never cut; the categories
        that a column's type declares are states, seen or not.
    random_state : int, RandomState instance or None, default=None
        For the random orders.

    Attributes
    ----------
    arc_posterior_ : ndarray of shape (n_features + 1, n_features + 1)
        Posterior probability of the arc from row to column among all networks of the order; the class is last.
    inclusion_probabilities_ : ndarray of shape (n_features,)
        Posterior probability of an arc between each feature and the class.
    adjacency_ : ndarray of bool of shape (n_features + 1, n_features + 1)
        Arcs more probable than not.
    edges_ : ndarray of int of shape (m, 2)
        The same as pairs of parent and child.
    edge_weights_ : ndarray of shape (m,)
        Their probabilities.
    summary_parents_ : list of tuple
        Parents of each variable in the summary network.
    orders_ : list of list of list
        The order, or the two orders, as lists of levels.
    n_states_ : ndarray of int of shape (n_features + 1,)
        Number of states of each variable.
    states_ : list of tuple
        The states of each feature.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    AveragedNaiveBayes : Features depend on the class alone; far cheaper.
    OrderAveragedNetwork : The same average as a density of the whole row.
    plot_inclusion : The inclusion probabilities as bars.

    Examples
    --------
    An exclusive or, which no naive model can see:

    >>> import numpy as np
    >>> from treatise.bayesnet import ModelAveragedClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (200, 4))
    >>> y = X[:, 0] ^ X[:, 1] ^ (rng.random(200) < 0.1)
    >>> model = ModelAveragedClassifier(order=[0, 1, 2, 3, 4]).fit(X, y)
    >>> model.predict([[0, 1, 0, 0], [1, 1, 0, 0]])
    array([1, 0])
    >>> model.inclusion_probabilities_.round(2)
    array([1., 1., 0., 0.])

    References
    ----------
    .. [1] Paper v05-1177: Theorems 1 to 3, Equation 16, Procedure 1.
    """

    _parameter_constraints: dict = {
        **OrderAveraging._parameter_constraints,
        "discretizer": [StrOptions({"mdl"}), HasMethods(["fit", "transform"]), None],
    }

    def __init__(
        self, max_parents=2, *, max_union=10, order="greedy", parameter_prior="k2", equivalent_sample_size=1.0,
        discretizer="mdl", random_state=None,
    ):  # fmt: skip
        self.max_parents = max_parents
        self.max_union = max_union
        self.order = order
        self.parameter_prior = parameter_prior
        self.equivalent_sample_size = equivalent_sample_size
        self.discretizer = discretizer
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Score the parent sets, and build the summary network.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numbers, strings, Booleans or categories, without missing cells.
        y : array-like of shape (n_samples,)
            Class of each row.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Whole numbers: how often each row counts.

        Returns
        -------
        self
        """
        X, y = read_table(self, X, y, reset=True)
        labels = self._code_labels(y)
        if sample_weight is not None:
            rows = repeated_rows(sample_weight, X)
            X, labels = _safe_indexing(X, rows), labels[rows]
        self._coder = TableCoder(self.discretizer).fit(X, labels, len(self.classes_))
        codes = np.column_stack([self._coder.coded(X), labels])
        self._average(codes, np.append(self._coder.n_states_, len(self.classes_)))
        self.inclusion_probabilities_ = (self.arc_posterior_[-1] + self.arc_posterior_[:, -1])[:-1]
        return self

    def _joint_log_proba(self, X):
        check_is_fitted(self)
        X = read_table(self, X, reset=False)
        parts = []
        for _, codes in self._coder.coded_rows(X):
            given = np.column_stack([codes, np.zeros(len(codes), dtype=np.int64)]).astype(np.int64)
            answers = [self._log_proba(summary, given) for summary in self._summaries]
            parts.append(logsumexp(answers, axis=0) - np.log(len(answers)))
        return np.concatenate(parts)

    def _log_proba(self, summary, codes):
        """Classes given the codes by one network: the factors without the class cancel."""
        last = len(self.n_states_) - 1
        involved = [child for child in range(last + 1) if child == last or last in summary.unions_[child]]
        joint = np.zeros((len(codes), len(self.classes_)))
        for label in range(len(self.classes_)):
            codes[:, last] = label
            for child in involved:
                joint[:, label] += summary.log_probability(child, codes)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    @property
    def states_(self):
        """What the states of each feature are: categories, numbers, or intervals written out."""
        check_is_fitted(self)
        return self._coder.states_

    def to_network(self, target="class"):
        """The one network that equals the average: it answers with parts of a row missing, and is written to files.

        Parameters
        ----------
        target : str, default="class"
            Name of the class among the variables. The features have their names, or else their numbers.

        Returns
        -------
        network : BayesianNetwork
            Its states are those of ``states_``, and ``classes_``; features of a single state are left out.
        """
        check_is_fitted(self)
        names = self._feature_names_beside(target)
        return self._network([*names, target], [*self.states_, tuple(self.classes_.tolist())])
