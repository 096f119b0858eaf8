"""Exact answers of a Bayesian network: what is probable, given what is seen."""

from math import inf, prod

import numpy as np

from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.elimination import cut, eliminate, elimination_order
from treatise.bayesnet.network.information import information_in
from treatise.bayesnet.network.table import columns_of, decoded
from treatise.inference import FactorGraph, JunctionTree

_ENTRIES_AT_ONCE = 2**18
# Rough nanoseconds: of an entry of a clique, of one of a table in elimination, of a step of it and of planning it.
_CLIQUE_ENTRY, _TABLE_ENTRY, _STEP, _PLAN = 30, 10, 15_000, 100_000


class ExactAnswersMixin:
    """Questions to a network with ``dag``, ``_states`` and ``_cpts``.

    A question about a few variables eliminates the others that matter for it; one about all of them passes messages in
    a junction tree, which is kept for the next.
    """

    dag: DAG
    _states: list[tuple] | None
    _cpts: list[np.ndarray] | None
    _tree: JunctionTree | None

    def _known(self, evidence):
        """Evidence by numbers of variables and states."""
        known = {}
        for name, state in (evidence or {}).items():
            v = self.dag.number(name)
            if state not in self._states[v]:
                listed = ", ".join(repr(own) for own in self._states[v])
                raise ValueError(f"the evidence {name!r}: {state!r} names no state of the variable; "
                                 f"its states: {listed}")  # fmt: skip
            known[v] = self._states[v].index(state)
        return known

    def _impossible(self, known):
        shown = ", ".join(f"{self.variables[v]}={self._states[v][state]}" for v, state in known.items())
        return ValueError(f"the evidence {shown} has probability 0 in this network; nothing follows from it")

    def _asked(self, known, question):
        """The answer of the junction tree to a question that the evidence may make void."""
        tree = self._junction_tree()
        try:
            return question(tree)
        except ValueError as error:
            if "no joint state is possible" not in str(error):
                raise
            raise self._impossible(known) from None

    def _junction_tree(self):
        if self._tree is None:
            self._tree = JunctionTree(self.factor_graph())
        return self._tree

    def factor_graph(self):
        """The network as a :class:`treatise.inference.FactorGraph`: one factor a variable, the log of its table."""
        self._require_tables()
        with np.errstate(divide="ignore"):
            factors = [((*self.dag.parents[v], v), np.log(table)) for v, table in enumerate(self._cpts)]
        return FactorGraph([len(own) for own in self._states], factors)

    def _plan(self, wanted, known):
        """Families that matter for a question, the order in which to sum them, and the largest table on the way."""
        # Variables that neither the wanted nor the known depend on sum to one.
        relevant = sorted(self.dag.ancestors([*wanted, *known]))
        families = [(*self.dag.parents[v], v) for v in relevant]
        free = [tuple(u for u in family if u not in known) for family in families]
        return families, *elimination_order(free, wanted, [len(own) for own in self._states])

    def _eliminated(self, wanted, known):
        """Joint probability of the wanted variables and each row of the known ones; see ``eliminate``."""
        families, order, largest = self._plan(wanted, known)
        n_states = [len(own) for own in self._states]
        rows = max((len(states) for states in known.values()), default=1)
        together = max(1, _ENTRIES_AT_ONCE // largest)
        answers = []
        for start in range(0, rows, together):
            part = {v: states[start : start + together] for v, states in known.items()}
            factors = [cut(self._cpts[family[-1]], family, part) for family in families]
            table, log_scale = eliminate(factors, order, wanted, n_states)
            length = min(together, rows - start)
            answers.append((np.broadcast_to(table, (length, *table.shape[1:])), np.broadcast_to(log_scale, (length,))))
        return tuple(map(np.concatenate, zip(*answers)))

    def _distribution(self, wanted, known):
        table, _ = self._eliminated(wanted, {v: np.array([state]) for v, state in known.items()})
        total = table.sum()
        if not total > 0:
            raise self._impossible(known)
        return table[0] / total

    def query(self, variables, evidence=None):
        """Probabilities of one variable, or of several jointly, given evidence.

        Parameters
        ----------
        variables : name or list of names
            What is asked for.
        evidence : mapping or None, default=None
            States of variables that are observed.

        Returns
        -------
        probabilities : ndarray
            One axis for each variable asked for, in their order; states as in ``states``.
        """
        self._require_tables()
        wanted, known = self.dag.numbers(variables), self._known(evidence)
        if not wanted or len(set(wanted)) < len(wanted) or set(wanted) & set(known):
            raise ValueError(f"ask for one variable or more, each once and not in the evidence; "
                             f"asked for is {variables!r}")  # fmt: skip
        return self._distribution(wanted, known)

    def marginals(self, evidence=None):
        """Probabilities of every variable by itself given evidence.

        Parameters
        ----------
        evidence : mapping or None, default=None
            States of variables that are observed.

        Returns
        -------
        marginals : dict of name to ndarray
            Observed variables have probability 1 of what was seen.
        """
        self._require_tables()
        known = self._known(evidence)
        seen = {v: np.eye(len(self._states[v]))[state] for v, state in known.items()}
        if self._one_by_one(known):
            nodes = [None if v in seen else self._distribution((v,), known) for v in range(len(self.dag))]
        else:
            nodes = self._asked(known, lambda tree: tree.node_probabilities(evidence=known))
        return {name: seen.get(v, nodes[v]) for v, name in enumerate(self.variables)}

    def _one_by_one(self, known):
        """Whether one question for each variable is cheaper than the junction tree of all, or alone possible."""
        try:
            cliques = self._junction_tree().cliques
            whole = _CLIQUE_ENTRY * sum(prod(len(self._states[v]) for v in clique) for clique in cliques)
        except ValueError:
            whole = inf
        if whole < (_STEP + _PLAN) * len(self.dag):
            return False
        cost = 0
        for v in range(len(self.dag)):
            try:
                _, order, largest = self._plan((v,), known)
            except ValueError:
                if whole == inf:
                    raise
                return False
            cost += _TABLE_ENTRY * largest + _STEP * len(order)
            if cost > whole:
                return False
        return True

    def most_probable(self, evidence=None):
        """The most probable states of all variables together given evidence.

        Parameters
        ----------
        evidence : mapping or None, default=None
            States of variables that are observed.

        Returns
        -------
        assignment : dict of name to state
        """
        self._require_tables()
        known = self._known(evidence)
        best = self._asked(known, lambda tree: tree.best_assignment(evidence=known)).labels
        return {name: own[state] for name, own, state in zip(self.variables, self._states, best)}

    def probability(self, evidence):
        """Probability that the variables have these states, whatever the others do.

        Parameters
        ----------
        evidence : mapping
            States of some variables.

        Returns
        -------
        probability : float
        """
        self._require_tables()
        known = {v: np.array([state]) for v, state in self._known(evidence).items()}
        table, log_scale = self._eliminated((), known)
        return float(table[0] * np.exp(log_scale[0]))

    def mutual_information(self, x, y, given=()):
        """Exact information that variables carry about one another, in nats, on average over what is given.

        Parameters
        ----------
        x, y : name or list of names
            The variables.
        given : name or list of names, default=()
            What is known. The joint table of all named variables is formed.

        Returns
        -------
        information : float
            Zero if and only if x and y are independent given the others; accurate for weak dependence too.
        """
        self._require_tables()
        groups = [self.dag.numbers(names) for names in (x, y, given)]
        wanted = sum(groups, ())
        if not groups[0] or not groups[1] or len(set(wanted)) < len(wanted):
            raise ValueError(f"x={x!r}, y={y!r} and given={given!r} must name each variable once")
        sizes = [prod(len(self._states[v]) for v in group) for group in groups]
        return information_in(self._distribution(wanted, {}).reshape(sizes))

    def predict_proba(self, X, target):
        """Probabilities of a variable's states in each row, given the row's other states.

        Parameters
        ----------
        X : data frame or array-like of shape (n, p)
            Known states. The target's own column is not looked at. A frame may lack columns of other variables, which
            are then unknown.
        target : name
            The variable to predict.

        Returns
        -------
        probabilities : ndarray of shape (n, n_states)
        """
        self._require_tables()
        t = self.dag.number(target)
        columns = columns_of(X, self.variables, [v for v in range(len(self.dag)) if v != t])
        codes = {v: column.codes(self._states[v]) for v, column in columns.items()}
        if len(codes) == len(self.dag) - 1:
            probabilities = self._given_blanket(t, codes, len(X))
        else:
            probabilities = self._given_some(t, codes, len(X))
        totals = probabilities.sum(axis=1, keepdims=True)
        impossible = np.flatnonzero(~(totals > 0))
        if len(impossible):
            raise ValueError(f"row {impossible[0]} of X has probability 0 whatever {target!r} is; fit the tables with "
                             "equivalent_sample_size above 0 to allow for what was never seen")  # fmt: skip
        return probabilities / totals

    def predict(self, X, target):
        """The most probable state of a variable in each row, given the row's other states.

        Parameters
        ----------
        X : data frame or array-like of shape (n, p)
            As for :meth:`predict_proba`.
        target : name
            The variable to predict.

        Returns
        -------
        states : ndarray of shape (n,)
        """
        best = np.argmax(self.predict_proba(X, target), axis=1)
        return decoded(best[:, None], [self._states[self.dag.number(target)]])[:, 0]

    def _given_blanket(self, t, codes, n):
        """Products of the target's table and its children's where all else is known, scaled to a maximum of one."""
        logs = np.zeros((n, len(self._states[t])))
        with np.errstate(divide="ignore"):
            for v in (t, *self.dag.children()[t]):
                family = (*self.dag.parents[v], v)
                table = np.moveaxis(np.log(self._cpts[v]), family.index(t), -1)
                logs += table[tuple(codes[u] for u in family if u != t)]
        top = logs.max(axis=1, keepdims=True)
        return np.exp(logs - np.where(np.isfinite(top), top, 0.0))

    def _given_some(self, t, codes, n):
        # What is separated from the target tells nothing of it: fewer distinct rows to ask about.
        heard = [v for v in codes if not self.dag.separated([t], [v], set(codes) - {v})]
        if not heard:
            return np.repeat(self._distribution((t,), {})[None], n, axis=0)
        rows, inverse = np.unique(np.column_stack([codes[v] for v in heard]), axis=0, return_inverse=True)
        return self._eliminated((t,), dict(zip(heard, rows.T)))[0][inverse.ravel()]
