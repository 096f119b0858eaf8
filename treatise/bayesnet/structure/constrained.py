"""The best Bayesian network for a table of categories, under rules (de Campos & Ji, JMLR 12:663)."""

import warnings
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, is_count, within
from treatise.bayesnet._tables import TableCoder, read_table
from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.structure.rules import Rule, arc, parent_limits
from treatise.bayesnet.structure.search import METHODS, Watch, best_structure, relative_gap
from treatise.statistics.family_scores import FamilyScores


class ConstrainedStructureLearner(BaseEstimator):
    """The Bayesian network with the highest score among all that obey the rules, or the best so far and its gap.

    Parent sets are scored by increasing size, and those that no optimal network has are left out on the way (Section 4
    of the paper); then an acyclic choice of one set for each variable is searched whose scores have the highest sum.
    The search keeps an upper bound on what is possible: stopped early, by a time limit, a callback or Ctrl-C, it tells
    how far from the optimum its network is at most.

    Use it for up to some forty categorical variables where being sure matters, or where experts know arcs that must or
    must not be there; with few parents for each variable it proves optimality for more. For hundreds of variables it
    gives a good network and an upper bound, but seldom a proof. Arcs are not causes: networks that describe the same
    independences score the same under "bic" and "bdeu", and one of them is returned (of equally good parent sets the
    smallest). Continuous columns must be cut into states first.

    Costs one count of n rows (n / 64 words for each cell of small tables) for each parent set that is scored: p times
    the subsets of up to ``max_parents`` others at worst. The paper's pruning leaves out few of those of two to four
    parents and, for "bic" and "aic", all of more than log2(n). The search is exponential in the number of variables at
    worst.

    Parameters
    ----------
    criterion : {"bic", "aic", "bdeu"}, default="bic"
        What is maximised, in natural logarithms; see :class:`treatise.statistics.family_scores.FamilyScores`.
    equivalent_sample_size : float, default=1.0
        Weight of the prior in rows: of "bdeu", and of the tables of the network.
    required_arcs, forbidden_arcs : sequence of (parent, child), default=()
        Arcs that must be there, and that must not. Variables are names of columns, or numbers.
    max_parents : int, mapping or None, default=None
        Most parents of every variable, or of those that are named. None sets no limit.
    rules : sequence of Rule, default=()
        Further rules on the parents of single variables; see :func:`arc`, :func:`indegree`,
        :func:`tree_augmented_rules`, :func:`order_rules`.
    method : {"auto", "cutting-planes", "branch-and-bound", "dynamic-programming"}, default="auto"
        How parent sets are combined. "branch-and-bound" is the paper's: it breaks the cycles of the relaxed problem one
        by one. "cutting-planes" adds constraints against cycles to an integer program: a much tighter bound, for the
        price of a solver. "dynamic-programming" goes through all subsets of variables: up to 22 that can form cycles.
        "auto" takes the last for small problems and "cutting-planes" else.
    bottom_every : int, default=3
        Of so many steps of branch and bound one looks at the lowest bound instead of the highest, to find networks.
    time_limit : float or None, default=300.0
        Seconds for everything; None sets no limit. A search that ends before its proof warns. Three fifths may go into
        scores; if parent sets are left out for want of time the upper bound allows for them.
    gap_tolerance : float, default=0.0
        Gap to stop at.
    discretizer : transformer or None, default=None
        What to do with numeric columns of more than two values. A transformer must give one column of integers for
        each, such as ``KBinsDiscretizer(encode="ordinal")``; None takes whole numbers for categories.
    callback : callable or None, default=None
        Called with a :class:`SearchState` after every step of some tenths of a second; stops the search by returning
        True.
    verbose : bool or None, default=None
        Whether to show progress; None does on a terminal.
    random_state : int, RandomState instance or None, default=None
        For the orders of variables that the search starts from. None takes the same ones every time.

    Attributes
    ----------
    score_ : float
        Score of the network.
    upper_bound_ : float
        No network that obeys the rules scores more.
    gap_ : float
        ``(upper_bound_ - score_) / abs(score_)``.
    optimal_ : bool
        Whether the network is proved to be the best: to rounding, or to a millionth of the score where a solver's
        tolerances come in ("cutting-planes").
    converged_ : bool
        Whether the search ended with that proof, or within ``gap_tolerance``.
    parents_ : list of tuple of int
        Parents of every column.
    adjacency_ : ndarray of bool of shape (n_features, n_features)
        Whether there is an arc from row to column.
    edges_ : ndarray of int of shape (m, 2)
        The arcs, as numbers of parent and child.
    edge_weights_ : ndarray of shape (m,)
        What the score of the child loses without the arc, its other parents unchanged.
    n_scores_evaluated_, n_scores_possible_ : int
        Parent sets that were scored, and that the limits on arcs and numbers of parents allow.
    n_parent_sets_ : int
        Parent sets that were left to choose from.
    n_steps_ : int
        Steps of the search.
    history_ : ndarray of shape (n_reports, 3)
        Seconds, score and upper bound during the search; see :func:`plot_search_bounds`.
    states_ : list of tuple
        States of each column.
    cpts_ : list of ndarray
        Table of each column, with an axis for each parent and the last for itself.
    n_features_in_ : int
        Number of columns seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    DynamicStructureLearner : Networks over time, by the same search.
    TreeAugmentedClassifier : A classifier by the same search.
    greedy_thick_thin : A quick greedy search.

    Notes
    -----
    Lemma 7 of the paper is not used: it needs the counts of a table, from which the score itself follows at once. The
    bound 0.8349 of Lemma 8, which is for two states, is computed for the number of states of each variable. When a
    parent set and a subset score the same, the subset alone is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import ConstrainedStructureLearner
    >>> rng = np.random.default_rng(0)
    >>> smoke, age = rng.integers(0, 2, 500), rng.integers(0, 3, 500)
    >>> lung = (rng.random(500) < 0.1 + 0.5 * smoke * (age == 2)).astype(int)
    >>> cough = np.where(rng.random(500) < 0.1, 1 - lung, lung)
    >>> X = np.column_stack([smoke, age, lung, cough])
    >>> learner = ConstrainedStructureLearner(forbidden_arcs=[(2, 0), (2, 1)]).fit(X)
    >>> learner.edges_.tolist(), learner.optimal_
    ([[0, 2], [1, 2], [2, 3]], True)
    >>> learner.to_network().query(2, evidence={3: 1}).round(2)
    array([0.4, 0.6])

    References
    ----------
    .. [1] Paper v12-0663: Sections 3 to 5.
    """

    _parameter_constraints: dict = {
        "criterion": [StrOptions({"bic", "aic", "bdeu"})],
        "equivalent_sample_size": [Interval(Real, 0, None, closed="neither")],
        "required_arcs": ["array-like", tuple],
        "forbidden_arcs": ["array-like", tuple],
        "max_parents": [Interval(Integral, 0, None, closed="left"), Mapping, None],
        "rules": [list, tuple],
        "method": [StrOptions(set(METHODS))],
        "bottom_every": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "gap_tolerance": [Interval(Real, 0, None, closed="left")],
        "discretizer": [HasMethods(["fit", "transform"]), None],
        "callback": [callable, None],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, criterion="bic", *, equivalent_sample_size=1.0, required_arcs=(), forbidden_arcs=(), max_parents=None,
        rules=(), method="auto", bottom_every=3, time_limit=300.0, gap_tolerance=0.0, discretizer=None, callback=None,
        verbose=None, random_state=None,
    ):  # fmt: skip
        self.criterion = criterion
        self.equivalent_sample_size = equivalent_sample_size
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.max_parents = max_parents
        self.rules = rules
        self.method = method
        self.bottom_every = bottom_every
        self.time_limit = time_limit
        self.gap_tolerance = gap_tolerance
        self.discretizer = discretizer
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Find the best network.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Strings, whole numbers, Booleans or categories, without missing cells, of two or more states in each column.
            The categories that a column's type declares are states, seen or not.
        y : ignored

        Returns
        -------
        self
            Also when Ctrl-C interrupts the work, with the best network so far and its gap.
        """
        watch = Watch(self.time_limit, self.gap_tolerance, self.callback)
        X = read_table(self, X, reset=True)
        if X.shape[0] < 2:
            raise ValueError(f"n_samples={X.shape[0]}: a structure is learned from two rows or more")
        self._coder = TableCoder(self.discretizer).fit(X)
        codes, n_states = self._coder.coded(X), self._coder.n_states_
        self._check_states(n_states)
        return self._learn(codes, watch)

    def _learn(self, codes, watch):
        """Learn from coded rows, with the states of ``_coder``."""
        scores = FamilyScores(codes, self._coder.n_states_, self.criterion, self.equivalent_sample_size)
        search, interrupted = best_structure(
            scores, parent_limits(self._all_rules(), self._most_parents(), self._names()), self._names(),
            method=self.method, bottom_every=self.bottom_every, watch=watch, show=self.verbose,
            random_state=check_random_state(0 if self.random_state is None else self.random_state),
        )  # fmt: skip
        self.score_, self.optimal_ = search.score, search.optimal
        self.upper_bound_ = search.score if search.optimal else search.upper_bound
        self.gap_ = relative_gap(self.score_, self.upper_bound_)
        self.history_ = np.array([*watch.history, (watch.seconds, self.score_, self.upper_bound_)])
        self.n_scores_evaluated_ = search.parent_sets.n_evaluated
        self.n_scores_possible_ = search.parent_sets.n_possible
        self.n_parent_sets_, self.n_steps_ = search.parent_sets.size, search.n_steps
        self._keep_network(search.parents(), scores)
        self.converged_ = self.optimal_ or self.gap_ <= self.gap_tolerance
        warn_without_proof(self, "interrupted" if interrupted else "stopped", watch.seconds)
        return self

    def _keep_network(self, parents, scores):
        self.parents_ = parents
        self.adjacency_ = np.zeros((len(parents), len(parents)), dtype=bool)
        for child, own in enumerate(parents):
            self.adjacency_[list(own), child] = True
        self.edges_ = np.argwhere(self.adjacency_)
        self.edge_weights_ = np.array([self._loss_without(scores, *own) for own in self.edges_.tolist()])
        self.cpts_ = [
            posterior_table(scores.counts, child, own, self.equivalent_sample_size) for child, own in enumerate(parents)
        ]

    def _loss_without(self, scores, parent, child):
        others = [other for other in self.parents_[child] if other != parent]
        return scores.score(child, self.parents_[child]) - scores.score(child, others)

    # Variables and rules.

    def _names(self):
        return list(getattr(self, "feature_names_in_", range(self.n_features_in_)))

    def _number(self, variable):
        """Column number of a variable, by name or number."""
        names = self._names()
        if variable in names:
            return names.index(variable)
        if isinstance(variable, Integral) and 0 <= variable < len(names):
            return int(variable)
        shown = ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")
        raise ValueError(f"{variable!r} in the rules is no column of X; its columns: {shown}")

    def _all_rules(self):
        for own in self.rules:
            if not isinstance(own, Rule):
                raise ValueError(f"rules holds {own!r}, which is no rule; make rules with arc, indegree, | and ~")
        pairs = [(pair, True) for pair in self.required_arcs] + [(pair, False) for pair in self.forbidden_arcs]
        arcs = []
        for pair, needed in pairs:
            if isinstance(pair, str) or len(pair) != 2:
                raise ValueError(f"{pair!r} is no arc; give pairs of (parent, child)")
            arcs.append(arc(*pair) if needed else ~arc(*pair))
        return [own.renamed(self._number) for own in (*arcs, *self.rules)]

    def _most_parents(self):
        p = self.n_features_in_
        if not isinstance(self.max_parents, Mapping):
            return [p - 1 if self.max_parents is None else self.max_parents] * p
        most = [p - 1] * p
        for variable, own in self.max_parents.items():
            if not isinstance(own, Integral) or own < 0:
                raise ValueError(f"max_parents gives {variable!r} the value {own!r}; give a whole number, 0 or more")
            most[self._number(variable)] = int(own)
        return most

    def _check_states(self, n_states):
        for name, states, own in zip(self._names(), n_states, self._coder.states_):
            if states < 2:
                raise ValueError(
                    f"column {name!r} has one state only, {own[0]!r}: it tells nothing; leave it out, or declare "
                    f"the states that it may have in a categorical column"
                )

    def _invariants(self):
        p, states = self.n_features_in_, self._coder.n_states_
        yield "the coder takes no missing cells", not self._coder.allow_missing
        yield "variables have names, or numbers", len(self._names()) == p == len(states)
        yield "variables have parents and tables", len(self.parents_) == len(self.cpts_) == p
        for child, (own, table) in enumerate(zip(self.parents_, self.cpts_)):
            yield "parents are other variables", all(is_count(parent) and parent < p for parent in own)
            yield (
                "a table has the states of the parents and the child",
                is_array(table, np.float64, *(int(states[each]) for each in (*own, child))),
            )
        ends = self.edges_
        yield "arcs join variables", is_array(ends, np.int64, len(ends), 2) and within(ends, 0, p)
        yield "arcs have weights", is_array(self.edge_weights_, np.float64, len(ends))

    # What was learned.

    @property
    def states_(self):
        check_is_fitted(self)
        return self._coder.states_

    def to_networkx(self):
        """The network as a networkx.DiGraph: nodes are the columns' names, arcs carry their ``weight``."""
        import networkx

        check_is_fitted(self)
        names = self._names()
        graph = networkx.DiGraph()
        graph.add_nodes_from(names)
        for (parent, child), weight in zip(self.edges_.tolist(), self.edge_weights_.tolist()):
            graph.add_edge(names[parent], names[child], weight=weight)
        return graph

    def to_network(self):
        """The network with its tables.

        Returns
        -------
        network : BayesianNetwork
            Its variables have the columns' names, or else their numbers.
        """
        check_is_fitted(self)
        names = self._names()
        parents = {name: tuple(names[parent] for parent in own) for name, own in zip(names, self.parents_)}
        return BayesianNetwork(parents, dict(zip(names, self.cpts_)), dict(zip(names, self.states_)))

    def score_samples(self, X):
        """Log probability of each row under the network.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Values must be states that were seen or declared.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        codes = self._coder.coded(read_table(self, X, reset=False))
        for column, (states, name) in enumerate(zip(self._coder.n_states_, self._names())):
            unknown = np.flatnonzero(codes[:, column] >= states)
            if len(unknown):
                raise ValueError(
                    f"row {unknown[0]} of column {name!r} holds a value that was not there when the network was learned"
                )
        total = np.zeros(len(codes))
        for child, (parents, table) in enumerate(zip(self.parents_, self.cpts_)):
            total += np.log(table[tuple(codes[:, column] for column in (*parents, child))])
        return total

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def warn_without_proof(learner, how, seconds):
    """Say that a search ended before it had proved its network the best, unless it did."""
    if not learner.converged_:
        warnings.warn(
            f"{how} after {seconds:.1f} s: the network is the best so far, and at most {100 * learner.gap_:.3g} per "
            f"cent below the best possible; raise time_limit for a proof",
            ConvergenceWarning,
            stacklevel=5,
        )


def posterior_table(counts, child, parents, equivalent_sample_size):
    """Posterior mean of a variable's probabilities, an axis for each parent; uniform where nothing was seen."""
    parents = list(parents)
    shape = tuple(int(counts.n_states[column]) for column in (*parents, child))
    table = np.full(shape, equivalent_sample_size / np.prod(shape, dtype=np.float64))
    seen = tuple(counts.configurations(parents).T) if parents else np.newaxis
    table[seen] += counts.table(child, parents)
    return table / table.sum(axis=-1, keepdims=True)
