"""The search space over complete labellings of one sequence, and searches of many sequences side by side."""

import numpy as np

from treatise._core.threads import over_ranges
from treatise.sequence.output_search._search_loops import Beams, Cost, Space, advance, successors


class OutputSpace:
    """Limited-discrepancy or flip-bit space of one sequence; a state is a row of labels and of marks of forced ones.

    Parameters
    ----------
    observed, pushes : ndarray
        The recurrent classifier's tables for this sequence.
    discrepancies : bool
        Whether the classifier decides again after a changed label.
    sparsity : int
        How many labels to consider at each position.
    """

    def __init__(self, observed, pushes, *, discrepancies, sparsity):
        self._space = Space(discrepancies, sparsity, observed, pushes)
        self._memory = np.full((len(observed), pushes.shape[1]), -1, np.int32)

    def start(self, labels):
        """The state of given labels, none of them forced."""
        return np.concatenate([labels, np.zeros_like(labels)]).astype(np.int32)

    def successors(self, state):
        """All states one change away."""
        T, K = self._space.observed.shape
        most = T * min(self._space.sparsity, K - 1)
        outputs, marks = np.empty((most, T), np.int32), np.empty((most, T), np.bool_)
        successors(state[:T], state[T:] > 0, self._space, self._memory, outputs, marks)
        return np.hstack([outputs, marks])


class OutputSearches:
    """Best-first beam searches of many sequences, which can be taken further at any time.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Where the sequences begin.
    start : ndarray of int32, of shape (positions,)
        Labels to start from.
    observed, pushes : ndarray
        The recurrent classifier's tables.
    costs, strings, order : ndarray, ndarray, int
        The cost: of positions by labels, of strings of labels, and the length of the longest less one.
    discrepancies, sparsity :
        As in :class:`OutputSpace`.
    beam_width : int
        Open states for each sequence.
    max_steps : ndarray of shape (n,)
        Steps that each search takes at most.
    """

    def __init__(
        self, offsets, start, observed, pushes, costs, strings, order, *, discrepancies, sparsity, beam_width, max_steps
    ):
        n, P = len(offsets) - 1, len(start)
        self.offsets, self.remaining = offsets, max_steps.copy()
        self._space, self._cost = Space(discrepancies, sparsity, observed, pushes), Cost(costs, strings, order)
        self._beams = Beams(
            labels=np.zeros((beam_width, P), np.int32),
            forced=np.zeros((beam_width, P), np.bool_),
            costs=np.zeros((beam_width, n)),
            digests=np.zeros((beam_width, n), np.int64),
            ranking=np.repeat(np.arange(beam_width)[:, np.newaxis], n, axis=1),
            n_open=np.ones(n, np.int64),
            closed=np.zeros((0, n), np.int64),
            n_closed=np.zeros(n, np.int64),
            best_labels=start.copy(),
            best_costs=self._costs_of(start),
        )
        self._beams.labels[0] = start
        k = min(sparsity, observed.shape[1] - 1)
        # Rough nanoseconds of one step: successors, and half of the positions after each.
        self._step_cost = 100.0 * k * np.diff(offsets)

    @property
    def best_labels(self):
        """Labels of least cost that each search has met."""
        return self._beams.best_labels

    @property
    def best_costs(self):
        """Their costs."""
        return self._beams.best_costs

    def _costs_of(self, labels):
        costs, strings, order = self._cost
        K = costs.shape[1]
        place = np.concatenate([np.arange(length) for length in np.diff(self.offsets)])
        entering = costs[np.arange(len(labels)), labels]
        code, power, base = labels.astype(np.int64), K, 0
        for back in range(1, order + 1):
            inside = np.flatnonzero(place >= back)
            code[inside] += labels[inside - back] * power
            power *= K
            entering[inside] += strings[base + code[inside]]
            base += power
        return np.add.reduceat(entering, self.offsets[:-1])

    def take(self, steps, first=0, last=None):
        """Take up to ``steps`` further steps in the sequences from ``first`` to ``last``."""
        last = len(self.remaining) if last is None else last
        now = np.minimum(self.remaining, steps)
        self.remaining[first:last] -= now[first:last]
        # Only beams wider than one keep a record of expanded states.
        if len(self._beams.labels) > 1:
            self._make_room(int((self._beams.n_closed + now)[first:last].max(initial=0)))

        def some(low, high):
            advance(first + low, first + high, now, self.offsets, self._space, self._cost, self._beams)

        over_ranges(some, last - first, cost=float(now[first:last] @ self._step_cost[first:last]))

    def _make_room(self, expanded):
        """Room for the record of expanded states."""
        room, n = self._beams.closed.shape
        if expanded > room:
            more = np.zeros((max(expanded - room, room), n), np.int64)
            self._beams = self._beams._replace(closed=np.concatenate([self._beams.closed, more]))
