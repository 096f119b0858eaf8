"""Bayesian networks over time, learned as one network of two slices (de Campos & Ji, JMLR 12:663, Section 3.2)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from treatise.bayesnet._tables import TableCoder
from treatise.bayesnet.structure.constrained import ConstrainedStructureLearner
from treatise.bayesnet.structure.rules import arc, indegree
from treatise.bayesnet.structure.search import METHODS, Watch
from treatise.statistics._columns import is_frame


class DynamicStructureLearner(BaseEstimator):
    """The best network of a process in discrete time: who depends on whom, now and one step before.

    The first rows of all sequences give the network of the start. All pairs of successive rows, side by side in a table
    of twice as many columns, give that of the transitions: the columns of the step before have no parents. Both are
    found by :class:`ConstrainedStructureLearner`, with its proofs and bounds.

    Use it for categorical series of up to some twenty variables whose law does not change over time and looks back one
    step. For a longer memory, add columns of earlier steps.

    Costs what :class:`ConstrainedStructureLearner` does on twice the columns, with all rows as rows.

    Parameters
    ----------
    criterion : {"bic", "aic", "bdeu"}, default="bic"
        What is maximised.
    equivalent_sample_size : float, default=1.0
        Weight of the prior in rows: of "bdeu", and of the tables.
    self_arcs : bool, default=True
        Whether every variable must depend on itself one step before, as in the paper.
    required_arcs, forbidden_arcs : sequence of (parent, child, lag), default=()
        Arcs of the transitions that must be there, and that must not; the lag is 0 (same step) or 1 (step before).
    max_parents : int or None, default=None
        Most parents of a variable, over both steps.
    method : {"auto", "cutting-planes", "branch-and-bound", "dynamic-programming"}, default="auto"
        How parent sets are combined.
    time_limit : float or None, default=300.0
        Seconds for everything; None sets no limit. A search that ends before its proof warns.
    discretizer : transformer or None, default=None
        What to do with numeric columns of more than two values.

    Attributes
    ----------
    initial_ : ConstrainedStructureLearner
        The network of first rows.
    transition_ : ConstrainedStructureLearner
        The network of pairs of rows: its columns 0, ..., n - 1 are one step before, and called (name, -1).
    arcs_ : list of (parent, child, lag)
        Arcs of the transitions, by name, or number where columns have none.
    optimal_ : bool
        Whether both are proved to be the best.
    converged_ : bool
        The same.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import DynamicStructureLearner
    >>> rng = np.random.default_rng(0)
    >>> weather = [rng.integers(0, 2, 50)]
    >>> for _ in range(20):
    ...     weather.append(np.where(rng.random(50) < 0.8, weather[-1], 1 - weather[-1]))
    >>> mood = [np.where(rng.random(50) < 0.9, today, 1 - today) for today in [weather[0], *weather[:-1]]]
    >>> sequences = [np.column_stack([np.array(weather)[:, u], np.array(mood)[:, u]]) for u in range(50)]
    >>> DynamicStructureLearner(self_arcs=False).fit(sequences).arcs_
    [(0, 0, 1), (0, 1, 1)]

    References
    ----------
    .. [1] Paper v12-0663: Section 3.2, equations 3 to 5.
    """

    _parameter_constraints: dict = {
        "criterion": [StrOptions({"bic", "aic", "bdeu"})],
        "equivalent_sample_size": [Interval(Real, 0, None, closed="neither")],
        "self_arcs": ["boolean"],
        "required_arcs": [list, tuple],
        "forbidden_arcs": [list, tuple],
        "max_parents": [Interval(Integral, 0, None, closed="left"), None],
        "method": [StrOptions(set(METHODS))],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "discretizer": [HasMethods(["fit", "transform"]), None],
    }

    def __init__(
        self, criterion="bic", *, equivalent_sample_size=1.0, self_arcs=True, required_arcs=(), forbidden_arcs=(),
        max_parents=None, method="auto", time_limit=300.0, discretizer=None,
    ):  # fmt: skip
        self.criterion = criterion
        self.equivalent_sample_size = equivalent_sample_size
        self.self_arcs = self_arcs
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.max_parents = max_parents
        self.method = method
        self.time_limit = time_limit
        self.discretizer = discretizer

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, sequences, y=None):
        """Find both networks.

        Parameters
        ----------
        sequences : list of array-like or data frame of shape (n_steps, n_variables)
            Categories, one row a step, the same columns in all; two sequences or more, and two steps in some.
        y : ignored

        Returns
        -------
        self
        """
        watch = Watch(self.time_limit)
        rows, starts, self._names = _stacked(sequences)
        now = np.setdiff1d(np.arange(len(rows)), starts)
        if len(starts) < 2 or not len(now):
            raise ValueError(
                f"{len(starts)} sequences with {len(now)} transitions in all; "
                f"give two sequences or more, and two steps or more in some"
            )
        n = rows.shape[1]
        first, second = rows[now - 1], rows[now]
        self.initial_ = self._learner((), self._names)
        self._learn(self.initial_, rows, rows[starts], Watch(watch.left(0.5)))
        self.transition_ = self._learner(
            self._transition_rules(n), [*((name, -1) for name in self._names), *self._names]
        )
        # Every row beside itself: both halves of the table know all states.
        self._learn(
            self.transition_, np.concatenate([rows, rows], axis=1), np.concatenate([first, second], axis=1),
            Watch(watch.left()),
        )  # fmt: skip
        self.arcs_ = [
            (self._names[parent % n], self._names[child - n], int(parent < n))
            for parent, child in self.transition_.edges_.tolist()
        ]
        self.optimal_ = self.initial_.optimal_ and self.transition_.optimal_
        self.converged_ = self.optimal_
        return self

    def _invariants(self):
        n = len(self._names)
        for learner, columns in ((self.initial_, n), (self.transition_, 2 * n)):
            sound = isinstance(learner, ConstrainedStructureLearner) and learner.n_features_in_ == columns
            yield "one network is of the variables, the other of two steps of them", sound

    def _learner(self, rules, names):
        learner = ConstrainedStructureLearner(
            self.criterion, equivalent_sample_size=self.equivalent_sample_size, max_parents=self.max_parents,
            rules=rules, method=self.method, discretizer=self.discretizer,
        )  # fmt: skip
        learner.n_features_in_ = len(names)
        learner.feature_names_in_ = np.empty(len(names), dtype=object)
        learner.feature_names_in_[:] = names
        return learner

    def _learn(self, learner, all_rows, rows, watch):
        """Fit a learner to some rows, with the states that all rows show."""
        learner._coder = TableCoder(self.discretizer).fit(all_rows)
        learner._check_states(learner._coder.n_states_)
        learner._learn(learner._coder.coded(rows), watch)

    def _transition_rules(self, n):
        """Equations 4 and 5, and the user's arcs, in column numbers of the pairs."""
        rules = [indegree((name, -1), 0, "eq") for name in self._names]
        if self.self_arcs:
            rules += [arc((name, -1), name) for name in self._names]
        for arcs, required in ((self.required_arcs, True), (self.forbidden_arcs, False)):
            for own in arcs:
                if isinstance(own, str) or len(own) != 3 or own[2] not in (0, 1):
                    raise ValueError(
                        f"{own!r} is no arc of the transitions; give (parent, child, lag) with a lag of 0 or 1"
                    )
                parent, child, lag = own
                rule = arc((parent, -1) if lag else parent, child)
                rules.append(rule if required else ~rule)
        return rules


def _stacked(sequences):
    """All rows one below the other, where each sequence starts, and the names of the columns."""
    if isinstance(sequences, str) or is_frame(sequences) or not len(sequences):
        raise ValueError("sequences must be a list of tables, one for each sequence")
    names = list(sequences[0].columns) if is_frame(sequences[0]) else None
    tables = []
    for number, one in enumerate(sequences):
        table = np.asarray(one)
        if table.ndim != 2 or not len(table) or table.shape[1] != np.shape(sequences[0])[-1]:
            raise ValueError(
                f"sequence {number} has the shape {table.shape}; each must be a table with rows, and with the columns "
                f"of the first"
            )
        tables.append(table)
    starts = np.concatenate([[0], np.cumsum([len(table) for table in tables])[:-1]])
    return np.concatenate(tables), starts, list(range(tables[0].shape[1])) if names is None else names
