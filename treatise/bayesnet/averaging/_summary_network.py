"""The one network that equals an average over networks (Dash & Cooper, JMLR 5:1177, Theorem 3)."""

import math

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches

from treatise._core.invariants import are_starts, is_array, within
from treatise._core.jit import compiled, compiled_step
from treatise.bayesnet.network.bayesian_network import BayesianNetwork

_MOST_ENTRIES = 1 << 24
"""Entries of a table that is written out on request."""

_FEW_ENTRIES = 1 << 14
"""Entries of a table that is kept written out, so that a prediction looks up one number."""

_ROWS_AT_ONCE = 1 << 14

_NEGLIGIBLE = 1e-17
"""Weight below which a parent set cannot be told from absent in double precision."""


class SummaryNetwork(BaseEstimator):
    """Each variable's probabilities given the union of its parent sets, averaged over those sets.

    An estimator by descent alone: model files admit no other private classes.

    Attributes
    ----------
    n_states_ : ndarray of int
        States of each variable.
    unions_ : list of ndarray
        Union of the parent sets of each variable, ascending.
    """

    def fit(self, counts, families, prior_count):
        """Tabulate what every parent set says.

        Parameters
        ----------
        counts : FamilyCounts
            Where the counts come from.
        families : list of tuple
            For each variable its parent sets, and their weights.
        prior_count : callable
            ``prior_count(child, parents)`` is the Dirichlet parameter of a cell.
        """
        self.n_states_ = counts.n_states
        parents, weights, keys, values, self.unions_ = [], [], [], [], []
        for child, (sets, all_weights) in enumerate(families):
            kept = [at for at, weight in enumerate(all_weights) if weight > _NEGLIGIBLE]
            weights.append(np.array([all_weights[at] for at in kept]))
            for own in (sets[at] for at in kept):
                parents.append(own)
                keys.append(self._keys(counts.configurations(own), own))
                values.append(self._probabilities(counts, child, own, prior_count(child, own)))
            self.unions_.append(np.array(sorted({u for at in kept for u in sets[at]}), dtype=np.int64))
        self.set_starts_ = _starts(weights)
        self.set_parents_ = np.full((len(parents), max(map(len, parents)) or 1), -1, dtype=np.int64)
        for row, own in zip(self.set_parents_, parents):
            row[: len(own)] = own
        self.set_weights_ = np.concatenate(weights)
        self.keys_, self.key_starts_ = np.concatenate(keys), _starts(keys)
        self.values_, self.value_starts_ = np.concatenate(values), _starts(values)
        self.tables_ = [self._kept_table(child) for child in range(len(families))]
        return self

    def _keys(self, configurations, parents):
        """Configurations as numbers, ascending as the configurations are."""
        if math.prod(int(self.n_states_[u]) for u in parents) >= 2**62:
            raise ValueError(f"the parents {tuple(parents)} have too many joint states to be numbered; join states")
        key = np.zeros(len(configurations), dtype=np.int64)
        for column, parent in zip(configurations.T, parents):
            key = key * self.n_states_[parent] + column
        return key

    def _probabilities(self, counts, child, parents, cell):
        """Equation 4 for the configurations that occur, with the mass of a state without counts at each row's end."""
        table = counts.table(child, parents)
        with_unseen = np.column_stack([table, np.zeros(len(table))])
        return ((cell + with_unseen) / (cell * table.shape[1] + table.sum(axis=1, keepdims=True))).ravel()

    def _invariants(self):
        n_variables, n_sets = len(self.n_states_), len(self.set_weights_)
        yield "variables have states", is_array(self.n_states_, np.int64, None) and within(self.n_states_, 1, 2**31)
        yield "variables have parent sets", are_starts(self.set_starts_, n_variables, n_sets)
        yield "parent sets have weights", is_array(self.set_weights_, np.float64, n_sets)
        yield (
            "parents are variables",
            is_array(self.set_parents_, np.int64, n_sets, None) and within(self.set_parents_, -1, n_variables),
        )
        yield "configurations are numbered", is_array(self.keys_, np.int64, None)
        yield "parent sets have configurations", are_starts(self.key_starts_, n_sets, len(self.keys_))
        yield "probabilities are numbers", is_array(self.values_, np.float64, None)
        yield "parent sets have probabilities", are_starts(self.value_starts_, n_sets, len(self.values_))
        # A row has the states of the child and, last, the mass of one that was never seen.
        widths = np.repeat(self.n_states_ + 1, np.diff(self.set_starts_))
        rows = np.diff(self.key_starts_)
        yield "configurations have a row of probabilities", (np.diff(self.value_starts_) == rows * widths).all()
        yield "variables have tables", len(self.unions_) == len(self.tables_) == n_variables
        for child, (union, table) in enumerate(zip(self.unions_, self.tables_)):
            yield "unions hold variables", is_array(union, np.int64, None) and within(union, 0, n_variables)
            if table is not None:
                yield "tables have the states", is_array(table, np.float64, *self.n_states_[[*union, child]])

    def log_probability(self, child, codes):
        """Log probability of the child's state in each row of codes (int64, one row a row), given its parents'."""
        table, union = self.tables_[child], self.unions_[child]
        if table is None:
            return np.log(self._averaged(child, codes))
        unseen = (codes[:, [*union, child]] >= self.n_states_[[*union, child]]).any(axis=1)
        at = tuple(np.where(unseen, 0, codes[:, u]) for u in (*union, child))
        log_probability = table[at]
        if unseen.any():
            log_probability[unseen] = np.log(self._averaged(child, codes[unseen]))
        return log_probability

    def table(self, child):
        """Probabilities of the child for all configurations of its union: one axis for each parent, and its own."""
        family = [*self.unions_[child], child]
        shape = tuple(int(self.n_states_[u]) for u in family)
        if math.prod(shape) > _MOST_ENTRIES:
            raise ValueError(
                f"the table of variable {child} given its {len(family) - 1} parents would have {math.prod(shape):.3g} "
                f"entries; lower max_union, or join states"
            )
        table = np.empty(math.prod(shape))
        for rows in gen_batches(len(table), _ROWS_AT_ONCE):
            codes = np.zeros((rows.stop - rows.start, len(self.n_states_)), dtype=np.int64)
            codes[:, family] = np.column_stack(np.unravel_index(np.arange(rows.start, rows.stop), shape))
            table[rows] = self._averaged(child, codes)
        return table.reshape(shape)

    def to_network(self, names, states):
        """The network as a :class:`BayesianNetwork`; variables of a single state are left out."""
        kept = [i for i, own in enumerate(states) if len(own) > 1]
        parents = {names[i]: tuple(names[u] for u in self.unions_[i] if u in kept) for i in kept}
        tables = {
            names[i]: self.table(i).reshape([len(states[u]) for u in (*self.unions_[i], i) if u in kept]) for i in kept
        }
        return BayesianNetwork(parents, tables, {names[i]: states[i] for i in kept})

    def _kept_table(self, child):
        """The logarithms of a table that is small enough to be kept, else None."""
        entries = math.prod(int(self.n_states_[u]) for u in (*self.unions_[child], child))
        return np.log(self.table(child)) if entries <= _FEW_ENTRIES else None

    def _averaged(self, child, codes):
        out = np.empty(len(codes))
        averaged_probability(
            np.ascontiguousarray(codes, dtype=np.int64), child, self.n_states_, self.set_starts_[child],
            self.set_starts_[child + 1], self.set_parents_, self.set_weights_, self.keys_, self.key_starts_,
            self.values_, self.value_starts_, out,
        )  # fmt: skip
        return out


def _starts(pieces):
    return np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])])


def dirichlet_cell(scores):
    """Function of (child, parents): the Dirichlet parameter of a cell of the family, as in the scores."""
    if scores.score_name == "k2":
        return lambda child, parents: 1.0
    states = scores.n_states.tolist()
    size = scores.equivalent_sample_size
    return lambda child, parents: size / math.prod(states[u] for u in (child, *parents))


@compiled_step
def find(keys, begin, end, key):
    """Place of a key among the sorted ``keys[begin:end]``, or -1."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


@compiled
def averaged_probability(codes, child, n_states, first, last, parents, weights, keys, starts, values, value_at, out):
    """Sum over parent sets ``first:last`` of their weight times the probability of the child's state (Equation 16).

    Configuration j of set s has the row ``values[value_at[s] + (j - starts[s]) * (r + 1)]``, whose last number is for
    a state of the child that was never seen. Configurations that did not occur make all r states equally probable.
    """
    r = n_states[child]
    for t in range(codes.shape[0]):
        total = 0.0
        for s in range(first, last):
            key, possible = 0, True
            for a in range(parents.shape[1]):
                parent = parents[s, a]
                if parent < 0:
                    break
                possible = possible and codes[t, parent] < n_states[parent]
                key = key * n_states[parent] + codes[t, parent]
            j = find(keys, starts[s], starts[s + 1], key) if possible else -1
            if j < 0:
                total += weights[s] / r
            else:
                total += weights[s] * values[value_at[s] + (j - starts[s]) * (r + 1) + codes[t, child]]
        out[t] = total
