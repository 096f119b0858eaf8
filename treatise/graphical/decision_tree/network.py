"""Markov networks from decision trees: DTSL, DT-BLM and DT+L1 (Lowd & Davis, JMLR 15:501)."""

from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise.graphical._two_values import binary_table, known_values
from treatise.graphical.decision_tree.bottom_up import generalize_features
from treatise.graphical.decision_tree.conjunctive import ConjunctiveMarkovNetwork
from treatise.graphical.decision_tree.pairwise_features import pairwise_candidates
from treatise.graphical.decision_tree.probability_tree import CONVERSIONS, grow_probability_trees
from treatise.graphical.graph import UndirectedGraphMixin
from treatise.statistics.category_columns import coded_columns, known_codes

KAPPAS = (1.0, 0.1, 0.01, 0.001, 0.0001)
PRIOR_SDS = (0.1, 1.0, 10.0, 100.0)
_FIRST_SD = 1.0
"""Prior under which the pairwise feature sets are compared, before the prior of the best is chosen."""


class DecisionTreeMarkovNetwork(UndirectedGraphMixin, BaseEstimator):
    """Markov network of discrete columns with features of many columns at once, read off one decision tree per column.

    Use it for tables of two or a few values whose columns interact in threes and more: site visits, symptoms, presence
    and absence of species, answers to a questionnaire. It answers any query, "how likely is x_i given what I know", and
    draws rows. Where interactions are pairwise, :class:`IsingGraph` and :class:`MultinomialGraph` say the same with
    fewer numbers; ``structure="both"`` is the safe choice. A first test that tells nothing alone (the exclusive or) is
    found with ``kappa=1`` only, and not always.

    The trees cost O(p n / 64) for each node, and for columns of k values k^2 times as much. Nearly all time goes to the
    weights: each evaluation passes once over all triples (distinct row, feature, test) in which the other tests of the
    feature hold, and there are 20 fits to choose from with the settings of the paper. Fix ``features`` and ``prior_sd``
    to save them.

    Parameters
    ----------
    structure : {"trees", "pairwise", "both"}, default="trees"
        "trees" is DTSL; "pairwise" takes the edges of sparse logistic regressions (L1), multinomial ones with a penalty
        for each pair of columns where a column has more than two values; "both" unites the best of the two (DT+L1).
    features : {"best", "default", "prune", "prune10", "prune5", "nonzero"}, default="best"
        How a tree becomes features, see :meth:`ProbabilityTree.features`; "best" takes the best on the validation rows.
        "nonzero" is for tables of two values.
    kappa : float or "auto", default="auto"
        Prior of a split: it must gain more than ``-log(kappa)`` for each value of the column but one. "auto" chooses
        from powers of ten between 0.0001 and 1 by the likelihood of the trees on the validation rows.
    prior_sd : float or "auto", default="auto"
        Deviation of the Gaussian prior of the weights; "auto" chooses from 0.1, 1, 10 and 100 by the
        pseudo-likelihood of the validation rows.
    l1 : float, default=0.0
        Price of the absolute value of a weight, in units of log-likelihood.
    refine : bool, default=False
        Whether the features are then simplified one by one (DT-BLM), see :func:`generalize_features`.
    length_penalty : float, default=1.0
        For ``refine``: price of a test.
    min_samples_leaf : int, default=10
        Least rows of a leaf.
    validation_fraction : float, default=0.1
        Share of the rows put aside for choices where ``fit`` is given no validation rows; the choices made, all rows
        are fitted.
    binarize : float or None, default=None
        Where to cut the columns into 0 (at or below) and 1; None takes every value for one of its own.
    tol : float, default=1e-4
        Largest component of the gradient of the mean pseudo-likelihood at the end.
    max_iter : int, default=1000
        Iterations of L-BFGS at most.
    random_state : int, RandomState or None, default=None
        Draws the validation rows.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph: columns that share a feature, with the sum of ``|weight|`` over the features that they share.
    network_ : ConjunctiveMarkovNetwork
        The model, for the codes 0, 1, ... of the values.
    features_ : list of tuple of (column, value)
        Tests of each feature, of codes; a tuple of several values in the place of one holds at any of them.
    weights_ : ndarray
        Weight of each feature.
    trees_ : list of ProbabilityTree
        The trees; empty for "pairwise".
    kappa_, prior_sd_ : float
        The values used; ``kappa_`` is 1 for "pairwise".
    conversion_ : str
        How the trees became features; for "pairwise" and "both" also the cost and the rule.
    validation_scores_ : dict
        "features", "prior_sd" and "score": the mean pseudo-log-likelihood of the validation rows for what was tried.
    values_ : ndarray of shape (2,), or list of ndarray
        The values of the table that stand for 0 and 1; where it holds more than two, or text, the values of each column
        that stand for 0, 1, ...
    n_iter_ : int
        Iterations of the last fit of the weights.
    converged_ : bool
        Whether that fit reached ``tol``; else a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import DecisionTreeMarkovNetwork
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (2000, 4))
    >>> X[:, 2] = (X[:, 0] & X[:, 1]) ^ (rng.random(2000) < 0.1)
    >>> model = DecisionTreeMarkovNetwork(kappa=1e-4, features="prune", prior_sd=1.0).fit(X)
    >>> model.edges_
    array([[0, 1],
           [0, 2],
           [1, 2]])
    >>> model.predict_proba([[1, 1, 0, 0]], query=[2]).round(1)
    array([[0.9]])

    References
    ----------
    .. [1] Paper v15-0501, Algorithms 1 to 4, sections 4 to 7.
    """

    _parameter_constraints = {
        "structure": [StrOptions({"trees", "pairwise", "both"})],
        "features": [StrOptions({"best", *CONVERSIONS})],
        "kappa": [Interval(Real, 0, 1, closed="right"), StrOptions({"auto"})],
        "prior_sd": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "l1": [Interval(Real, 0, None, closed="left")],
        "refine": ["boolean"],
        "length_penalty": [Interval(Real, 0, None, closed="left")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "binarize": [Real, None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        structure="trees",
        *,
        features="best",
        kappa="auto",
        prior_sd="auto",
        l1=0.0,
        refine=False,
        length_penalty=1.0,
        min_samples_leaf=10,
        validation_fraction=0.1,
        binarize=None,
        tol=1e-4,
        max_iter=1000,
        random_state=None,
    ):
        self.structure = structure
        self.features = features
        self.kappa = kappa
        self.prior_sd = prior_sd
        self.l1 = l1
        self.refine = refine
        self.length_penalty = length_penalty
        self.min_samples_leaf = min_samples_leaf
        self.validation_fraction = validation_fraction
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, X_val=None):
        """Learn features and weights from the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Two values in the whole table, such as 0 and 1, or -1 and 1; or categories: text, numbers or both, at most
            50 in a column.
        y : None
            Ignored.
        X_val : array-like of shape (n_validation, n_features) or None, default=None
            Rows to choose settings by; None puts some rows of X aside.

        Returns
        -------
        self : DecisionTreeMarkovNetwork
        """
        if self.refine and self.l1 > 0:
            raise ValueError(f"l1={self.l1:g} cannot be used while features are refined; set l1=0 or refine=False")
        X = self._coded(X)
        self.validation_scores_ = {"features": [], "prior_sd": [], "score": []}
        tuned = "auto" in (self.kappa, self.prior_sd) or self.structure != "trees"
        tuned = tuned or self.features == "best"
        if X_val is not None:
            valid = self._known_rows(X_val)
            self._learn(X, valid)
        elif tuned:
            valid = np.zeros(len(X), dtype=bool)
            aside = min(max(1, round(self.validation_fraction * len(X))), len(X) - 1)
            valid[check_random_state(self.random_state).permutation(len(X))[:aside]] = True
            self._fit_again(X, self._learn(X[~valid], X[valid]))
        else:
            self._learn(X, X)
        if self.refine:
            self.network_ = generalize_features(
                self.network_, X, prior_sd=self.prior_sd_, length_penalty=self.length_penalty, tol=self.tol
            )
        self.features_, self.weights_ = self.network_.features, self.network_.weights
        self.n_iter_ = max(getattr(self.network_, "n_iter", 0), 1)
        self.converged_ = bool(getattr(self.network_, "converged", True))
        self._set_graph(self.network_.pair_weights())
        return self

    def score(self, X, y=None):
        """Mean pseudo-log-likelihood of rows: the sum over columns of ``log P(column | the others)``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the values of the fit.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Divide by the number of columns for the paper's NPLL.
        """
        rows = self._known_rows(X)
        return float(self.network_.pseudo_log_likelihood(rows).mean())

    def predict_proba(self, X, query=None, *, method="auto", n_chains=10, burn_in=100, n_samples=1000):
        """Probability that columns take their values, given evidence.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the values of the fit; the entries of the query are not used.
        query : array-like of int or None, default=None
            Columns that are unknown together, all others being evidence; None asks for every column by itself, given
            all others.
        method, n_chains, burn_in, n_samples
            As in :meth:`ConjunctiveMarkovNetwork.conditional_marginals`.

        Returns
        -------
        proba : ndarray of shape (n_samples, len(query)), or list of ndarray of shape (n_samples, n_values)
            Where all columns have two values, the probability of the second; else a list with the probabilities of all
            values of each column asked for.
        """
        table = self._known_rows(X)
        if query is None:
            return self.network_.conditional_proba(table)
        chains = {"method": method, "n_chains": n_chains, "burn_in": burn_in, "n_samples": n_samples}
        return self.network_.conditional_marginals(table, query, random_state=self.random_state, **chains)

    def conditional_log_likelihood(self, X, *, groups=4, method="auto", n_chains=10, burn_in=100, n_samples=1000):
        """Mean conditional marginal log-likelihood of rows (CMLL).

        The columns are dealt into groups; each group is queried with the others as evidence, and the log-probabilities
        of all true values are summed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the values of the fit.
        groups : int or sequence of sequence of int, default=4
            Number of groups (columns are dealt at random, by ``random_state``), or the groups themselves.
        method, n_chains, burn_in, n_samples
            As in :meth:`ConjunctiveMarkovNetwork.conditional_marginals`.

        Returns
        -------
        likelihood : float
            Divide by the number of columns for the paper's NCMLL.
        """
        table = self._known_rows(X)
        if isinstance(groups, Integral):
            if groups < 1:
                raise ValueError(f"groups={groups} is no number of groups; choose at least 1, at most one per column")
            columns = check_random_state(self.random_state).permutation(table.shape[1])
            groups = np.array_split(columns, min(int(groups), len(columns)))
        chains = {"method": method, "n_chains": n_chains, "burn_in": burn_in, "n_samples": n_samples}
        # What so many draws can tell from zero: a value that no chain came near must not decide the mean.
        floor = 1.0 / (n_chains * n_samples + 2)
        total = 0.0
        for query in groups:
            found = self.network_.conditional_marginals(table, query, random_state=self.random_state, **chains)
            if self.network_.is_binary:
                share = np.where(table[:, query] > 0, found, 1.0 - found)
            else:
                share = np.column_stack([own[np.arange(len(table)), table[:, i]] for own, i in zip(found, query)])
            total += np.log(np.maximum(share, floor)).sum()
        return float(total / len(table))

    def _invariants(self):
        yield "the network is of the columns", self.network_.n_features == self.n_features_in_
        own = (
            [2] * self.n_features_in_ if isinstance(self.values_, np.ndarray) else [len(each) for each in self.values_]
        )
        yield "columns have the values of the network", own == self.network_.n_values.tolist()
        yield "two values stand for 0 and 1", not isinstance(self.values_, np.ndarray) or self.values_.shape == (2,)

    def sample(self, n_samples=1, *, n_chains=10, burn_in=100, thin=10, random_state=None):
        """Rows drawn from the network by Gibbs sampling, see :meth:`ConjunctiveMarkovNetwork.sample`.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        n_chains, burn_in, thin : int
            Chains, sweeps of each before the first row, and sweeps between two rows of a chain.
        random_state : int, RandomState or None, default=None
            Draws the rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            In the values of the fit.
        """
        check_is_fitted(self)
        rows = self.network_.sample(n_samples, n_chains=n_chains, burn_in=burn_in, thin=thin, random_state=random_state)
        if isinstance(self.values_, np.ndarray):
            return self.values_[rows]
        columns = [states[codes] for states, codes in zip(self.values_, rows.T)]
        if all(np.issubdtype(column.dtype, np.number) for column in columns):
            return np.column_stack(columns)
        return np.column_stack([column.astype(object) for column in columns])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = self.binarize is None
        return tags

    def _coded(self, X):
        """Codes of the rows in training; sets ``values_``."""
        if self.binarize is not None or _holds_two_numbers(X):
            table = binary_table(self, X, "a decision tree Markov network", "leave binarize out for categories")
            self._n_values = np.full(table.shape[1], 2)
        else:
            table, self.values_ = coded_columns(self, X, None, "cut numbers with binarize, or merge rare categories")
            self._n_values = np.array([len(states) for states in self.values_])
        if self.features == "nonzero" and self._n_values.max() > 2:
            raise ValueError(
                f"features='nonzero' is for tables of two values; column {self._n_values.argmax()} holds "
                f"{self._n_values.max()}: choose another, such as 'prune'"
            )
        return table.astype(np.uint8)

    def _learn(self, train, valid):
        """Algorithm 1 with the choices of section 7.1 on validation rows; returns the pairwise features."""
        self.trees_, self.kappa_, self.conversion_ = [], 1.0, ""
        sets, pairs = [], []
        if self.structure != "pairwise":
            trees = self._trees(train, 1.0)
            self.kappa_ = self._best_kappa(trees, valid)
            self.trees_ = [tree.cut(self.kappa_) for tree in trees]
            conversions = (self.features,)
            if self.features == "best":
                conversions = [name for name in CONVERSIONS if name != "nonzero" or self._n_values.max() <= 2]
            tried = [self._weighed(name, merged_features(self.trees_, name), train, valid) for name in conversions]
            sets.append(max(tried, key=lambda found: found[0]))
        if self.structure != "trees":
            tried = [
                self._weighed(name, features, train, valid, sds=(_FIRST_SD,))
                for name, features in pairwise_candidates(train, self._n_values)
            ]
            _, name, network, _ = max(tried, key=lambda found: found[0])
            pairs = network.features
            sets.append(self._weighed(name, pairs, train, valid))
        if self.structure == "both":
            names = f"{sets[0][1]}; {sets[1][1]}"
            union = list(dict.fromkeys(sets[0][2].features + pairs))
            sets.append(self._weighed(names, union, train, valid))
        _, self.conversion_, self.network_, self.prior_sd_ = sets[-1]
        return pairs

    def _fit_again(self, X, pairs):
        """The choices made, trees and weights of all rows."""
        own = []
        if self.structure != "pairwise":
            self.trees_ = self._trees(X, self.kappa_)
            own = merged_features(self.trees_, self.conversion_.partition(";")[0])
        self.network_ = self._network(list(dict.fromkeys(own + pairs)), X, self.prior_sd_, None)

    def _trees(self, X, kappa):
        return grow_probability_trees(X, kappa=kappa, min_samples_leaf=self.min_samples_leaf, n_values=self._n_values)

    def _best_kappa(self, trees, valid):
        if self.kappa != "auto":
            return float(self.kappa)
        return max(KAPPAS, key=lambda kappa: sum(tree.log_likelihood(valid, kappa) for tree in trees))

    def _weighed(self, name, features, train, valid, sds=PRIOR_SDS):
        """The best prior of the weights for a feature set: (score, name, network, prior_sd)."""
        best, start = None, None
        for sd in sds if self.prior_sd == "auto" else (float(self.prior_sd),):
            network = self._network(features, train, sd, start)
            start = network.weights
            score = float(network.pseudo_log_likelihood(valid).mean())
            for key, value in (("features", name), ("prior_sd", sd), ("score", score)):
                self.validation_scores_[key].append(value)
            if best is None or score > best[0]:
                best = (score, name, network, sd)
        return best

    def _network(self, features, X, sd, start):
        network = ConjunctiveMarkovNetwork(features, X.shape[1], n_values=self._n_values)
        return network.fit_weights(X, prior_sd=sd, l1=self.l1, start=start, tol=self.tol, max_iter=self.max_iter)

    def _known_rows(self, X):
        """Codes of new rows, of a fitted model or in its fit."""
        if not hasattr(self, "values_"):
            check_is_fitted(self)
        table = known_values(self, X) if isinstance(self.values_, np.ndarray) else known_codes(self, X, self.values_)
        return table.astype(np.uint8)


def _holds_two_numbers(X):
    """Whether a table holds at most two different numbers, or is for the check of binary tables to refuse."""
    try:
        numbers = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return issparse(X)
    return numbers.ndim != 2 or np.isnan(numbers).any() or len(np.unique(numbers)) <= 2


def merged_features(trees, conversion):
    """Features of all trees, each once."""
    return list(dict.fromkeys(feature for tree in trees for feature in tree.features(conversion)))
