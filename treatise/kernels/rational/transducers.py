"""Weighted finite-state transducers: rational operations, composition, sums over paths (JMLR 5:1035, Sections 2, 4)."""

from numbers import Integral

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from treatise.kernels.rational._loops import (
    Arcs,
    compose_arcs,
    distance_by_relaxation,
    distance_in_order,
    mark_reachable,
    topological_order,
)
from treatise.kernels.rational.semirings import SEMIRINGS, Semiring, resolve_semiring

_MOST_PAIRS = 1 << 29
"""Pairs of states of a composition that can be told apart in memory."""
TROPICAL = SEMIRINGS["tropical"].code
_DIVERGES = (
    "the sum over paths diverges: the weights around a cycle multiply to one or more; give arcs on it smaller weights"
)


class WeightedTransducer:
    """A machine that reads one string, writes another, and weighs every way of doing so.

    The weight of a pair of strings is the sum, over the paths that read the one and write the other, of the products of
    their weights, in the sense of a semiring. A machine that writes what it reads is an acceptor: a weighted set of
    strings, such as the lattice of a speech recogniser. Machines are never changed; operations give new ones: ``A + B``
    is the sum, ``A * B`` the product (one after the other), ``A @ B`` the composition (the output of A is read by B).

    Parameters
    ----------
    arcs : iterable of (source, input, output, weight, target)
        Transitions between states, which are numbers from 0; symbols are any hashable objects, None is the empty one.
    initial, final : dict of int to float, or iterable of int
        Initial and final states with their weights; without weights, the semiring's one.
    semiring : str or Semiring, default="probability"
        "probability", "log" (minus logarithms of probabilities), "tropical" (costs, of which the least counts) or
        "boolean".

    Attributes
    ----------
    symbols : tuple
        Symbols on the arcs; label ``i + 1`` is ``symbols[i]``, label 0 the empty symbol.
    n_states, n_arcs : int
        Size.

    Examples
    --------
    >>> from treatise.kernels import WeightedTransducer, string_acceptor
    >>> twice = WeightedTransducer([(0, "a", "b", 0.5, 0), (0, "a", "c", 0.25, 0)], initial=[0], final=[0])
    >>> (string_acceptor("aa") @ twice).total_weight()
    0.5625
    >>> twice.weight_of("aa", "bc")
    0.125

    References
    ----------
    .. [1] Paper v05-1035, Definition 2.
    """

    def __init__(self, arcs, initial, final, *, semiring="probability"):
        self.semiring = resolve_semiring(semiring)
        arcs = [tuple(arc) for arc in arcs]
        for number, arc in enumerate(arcs):
            if len(arc) != 5:
                raise ValueError(
                    f"arc {number} has {len(arc)} parts; (source, input, output, weight, target) is expected"
                )
        labels = {symbol: 0 for arc in arcs for symbol in arc[1:3] if symbol is not None}
        self.symbols = tuple(labels)
        labels = {None: 0, **{symbol: i + 1 for i, symbol in enumerate(self.symbols)}}
        initial, final = (self._weights_of(states) for states in (initial, final))
        states = [*initial, *final, *(arc[0] for arc in arcs), *(arc[4] for arc in arcs)]
        wrong = [state for state in states if not isinstance(state, Integral) or state < 0]
        if wrong:
            raise ValueError(f"states must be whole numbers from 0, got {wrong[0]!r}")
        n_states = max(states, default=0) + 1
        source, label_in, label_out, weight, target = (
            [arc[0] for arc in arcs], [labels[arc[1]] for arc in arcs], [labels[arc[2]] for arc in arcs],
            [arc[3] for arc in arcs], [arc[4] for arc in arcs],
        )  # fmt: skip
        self._set(
            _ints(source), _ints(label_in), _ints(label_out), self.semiring.check(weight), _ints(target),
            self._vector(initial, n_states), self._vector(final, n_states),
        )  # fmt: skip

    def _weights_of(self, states):
        return dict(states) if isinstance(states, dict) else dict.fromkeys(states, self.semiring.one)

    def _vector(self, weights, n_states):
        vector = np.full(n_states, self.semiring.zero)
        if weights:
            vector[list(weights)] = self.semiring.check(list(weights.values()))
        return vector

    def _set(self, source, label_in, label_out, weight, target, initial, final):
        # Sorted by source, then input, as composition wants them.
        order = np.lexsort((label_in, source))
        self._source, self._in, self._out = source[order], label_in[order], label_out[order]
        self._weight, self._target = np.ascontiguousarray(weight[order], np.float64), target[order]
        self._initial, self._final = initial, final
        self._ptr = np.searchsorted(self._source, np.arange(len(initial) + 1))

    def __setstate__(self, state):
        # Compiled loops follow the arcs without looking, and they may come from a file.
        self.semiring, self.symbols = resolve_semiring(state["semiring"].name), tuple(state["symbols"])
        weight, initial, final = (self.semiring.check(state[name]) for name in ("_weight", "_initial", "_final"))
        arcs = {name: _ints(state[name]) for name in ("_source", "_target", "_in", "_out")}
        for name, numbers in arcs.items():
            size = len(initial) if name in ("_source", "_target") else len(self.symbols) + 1
            if len(numbers) != len(weight) or numbers.min(initial=0) < 0 or numbers.max(initial=0) >= size:
                raise ValueError("an arc of the transducer leads to no state, or reads or writes no symbol of its own")
        if len(final) != len(initial):
            raise ValueError(f"{len(final)} final weights for {len(initial)} states")
        self._set(arcs["_source"], arcs["_in"], arcs["_out"], weight, arcs["_target"], initial, final)

    def _like(self, source, label_in, label_out, weight, target, initial, final, symbols=None):
        machine = WeightedTransducer.__new__(WeightedTransducer)
        machine.semiring = self.semiring
        machine.symbols = self.symbols if symbols is None else symbols
        machine._set(source, label_in, label_out, weight, target, initial, final)
        return machine

    @property
    def n_states(self):
        return len(self._initial)

    @property
    def n_arcs(self):
        return len(self._source)

    @property
    def arcs(self):
        """Transitions as (source, input, output, weight, target), with None for the empty symbol."""
        names = (None, *self.symbols)
        return [
            (int(p), names[a], names[b], float(w), int(q))
            for p, a, b, w, q in zip(self._source, self._in, self._out, self._weight, self._target)
        ]

    def __repr__(self):
        return f"WeightedTransducer({self.n_states} states, {self.n_arcs} arcs, {self.semiring.name} semiring)"

    def _renamed(self, symbols):
        """Labels that count in another table of symbols."""
        if symbols == self.symbols:
            return self._in, self._out
        place = {symbol: i + 1 for i, symbol in enumerate(symbols)}
        table = np.array([0, *(place[symbol] for symbol in self.symbols)], np.int64)
        return table[self._in], table[self._out]

    def _common(self, other):
        if self.semiring != other.semiring:
            raise ValueError(f"a {self.semiring.name} machine and a {other.semiring.name} machine do not combine")
        if self.symbols == other.symbols:
            return self.symbols
        return tuple(dict.fromkeys(self.symbols + other.symbols))

    def inverse(self):
        """The machine that reads what this one writes."""
        return self._like(self._source, self._out, self._in, self._weight, self._target, self._initial, self._final)

    def project(self, side="output"):
        """The acceptor of the strings that are written ("output") or read ("input")."""
        if side not in ("input", "output"):
            raise ValueError(f"side={side!r} must be 'input' or 'output'")
        label = self._out if side == "output" else self._in
        return self._like(self._source, label, label, self._weight, self._target, self._initial, self._final)

    def scaled(self, weight):
        """Every path times a weight."""
        weight = self.semiring.check(weight)[0]
        return self._like(
            self._source, self._in, self._out, self._weight, self._target,
            self.semiring.times(self._initial, weight), self._final,
        )  # fmt: skip

    def normalized(self):
        """The machine with its weights brought to a total of one: a lattice as a distribution over its strings."""
        if self.semiring.name not in ("probability", "log"):
            raise ValueError(f"weights of the {self.semiring.name} semiring have no total to divide by")
        total = self.total_weight()
        if total == self.semiring.zero:
            raise ValueError("the machine accepts nothing; there is no distribution over its strings")
        return self.scaled(-total if self.semiring.name == "log" else 1.0 / total)

    def __add__(self, other):
        if not isinstance(other, WeightedTransducer):
            return NotImplemented
        return self._beside(other, self._initial, other._initial, self._final, other._final)

    def _beside(self, other, initial, other_initial, final, other_final, extra=()):
        """Both machines in one, with more arcs of empty symbols."""
        symbols = self._common(other)
        (a_in, a_out), (b_in, b_out) = self._renamed(symbols), other._renamed(symbols)
        n = self.n_states
        source, weight, target = extra if extra else (_ints([]), np.empty(0), _ints([]))
        empty = np.zeros(len(source), np.int64)
        return self._like(
            np.concatenate((self._source, other._source + n, source)),
            np.concatenate((a_in, b_in, empty)), np.concatenate((a_out, b_out, empty)),
            np.concatenate((self._weight, other._weight, weight)),
            np.concatenate((self._target, other._target + n, target)),
            np.concatenate((initial, other_initial)), np.concatenate((final, other_final)), symbols,
        )  # fmt: skip

    def __mul__(self, other):
        if not isinstance(other, WeightedTransducer):
            return NotImplemented
        zero, times = self.semiring.zero, self.semiring.times
        ends, starts = np.flatnonzero(self._final != zero), np.flatnonzero(other._initial != zero)
        source, target = (side.ravel() for side in np.meshgrid(ends, starts, indexing="ij"))
        weight = times(self._final[source], other._initial[target])
        return self._beside(
            other, self._initial, np.full(other.n_states, zero), np.full(self.n_states, zero), other._final,
            (source, weight, target + self.n_states),
        )  # fmt: skip

    def closure(self):
        """Any number of this machine one after the other, none included (Kleene's star)."""
        zero, n = self.semiring.zero, self.n_states
        starts, ends = np.flatnonzero(self._initial != zero), np.flatnonzero(self._final != zero)
        hub = np.full(n + 1, zero)
        hub[n] = self.semiring.one
        empty = np.zeros(len(starts) + len(ends), np.int64)
        return self._like(
            np.concatenate((self._source, np.full(len(starts), n), ends)),
            np.concatenate((self._in, empty)), np.concatenate((self._out, empty)),
            np.concatenate((self._weight, self._initial[starts], self._final[ends])),
            np.concatenate((self._target, starts, np.full(len(ends), n))), hub, hub.copy(),
        )  # fmt: skip

    def __matmul__(self, other):
        if not isinstance(other, WeightedTransducer):
            return NotImplemented
        symbols = self._common(other)
        (in1, out1), (in2, out2) = self._renamed(symbols), other._renamed(symbols)
        if self.n_states * other.n_states > _MOST_PAIRS:
            raise ValueError(
                f"the composition of {self.n_states} and {other.n_states} states may have more than {_MOST_PAIRS} "
                "pairs; compose smaller machines"
            )
        order = np.lexsort((in2, other._source))
        zero = self.semiring.zero
        starts = [np.flatnonzero(machine._initial != zero) for machine in (self, other)]
        pairs, source, label_in, label_out, weight, target = compose_arcs(
            self.semiring.code,
            Arcs(self._ptr, in1, out1, self._weight, self._target, starts[0]),
            Arcs(other._ptr, in2[order], out2[order], other._weight[order], other._target[order], starts[1]),
        )
        left, right = pairs // other.n_states, pairs % other.n_states
        initial = np.full(len(pairs), zero)
        begin = len(starts[0]) * len(starts[1])
        initial[:begin] = self.semiring.times(self._initial[left[:begin]], other._initial[right[:begin]])
        final = self.semiring.times(self._final[left], other._final[right])
        return self._like(source, label_in, label_out, weight, target, initial, final, symbols)

    def trim(self):
        """Without the states that lie on no path from an initial to a final state."""
        zero = self.semiring.zero
        useful = self._accessible() & self._coaccessible()
        place = np.cumsum(useful) - 1
        kept = useful[self._source] & useful[self._target] & (self._weight != zero)
        return self._like(
            place[self._source[kept]], self._in[kept], self._out[kept], self._weight[kept], place[self._target[kept]],
            self._initial[useful], self._final[useful],
        )  # fmt: skip

    def _accessible(self):
        """Whether a path from an initial state leads to each state."""
        found = self._initial != self.semiring.zero
        mark_reachable(self._ptr, self._target, self._weight != self.semiring.zero, found)
        return found

    def _coaccessible(self):
        """Whether a path from each state leads to a final one."""
        found = self._final != self.semiring.zero
        order = np.argsort(self._target, kind="stable")
        ptr = np.searchsorted(self._target[order], np.arange(self.n_states + 1))
        mark_reachable(ptr, self._source[order], (self._weight != self.semiring.zero)[order], found)
        return found

    def shortest_distance(self):
        """Sum, over all paths from each state to the final ones, of their weights (Equation 3).

        Linear in the size where there are no cycles. With cycles, tropical and boolean sums settle unless a cycle has
        a negative cost; those of probabilities solve a linear system, and a ValueError says where they diverge.
        """
        code, every = self.semiring.code, np.ones(self.n_arcs, bool)
        order = topological_order(self._ptr, self._target, every)
        if len(order) == self.n_states:
            return distance_in_order(code, order, self._ptr, self._target, self._weight, every, self._final)
        if self.semiring.name in ("tropical", "boolean"):
            distance, settled = distance_by_relaxation(code, self._ptr, self._target, self._weight, self._final)
            if not settled:
                raise ValueError("the sum over paths does not exist: a cycle has a negative cost")
            return distance
        return self._distance_by_solving()

    def _distance_by_solving(self):
        n, log = self.n_states, self.semiring.name == "log"
        useful = self._coaccessible()
        kept = useful[self._source] & useful[self._target]
        source, target, weight, final = self._source[kept], self._target[kept], self._weight[kept], self._final
        least = np.zeros(n)
        if log:
            # Costs above the least one to the end: no probability of them is too small or large to be a number.
            least, settled = distance_by_relaxation(TROPICAL, self._ptr, self._target, self._weight, self._final)
            if not settled:
                raise ValueError(_DIVERGES)
            least[~useful] = 0.0
            weight, final = np.exp(least[source] - weight - least[target]), np.exp(least - final)
        A = sparse.csc_array((weight, (source, target)), shape=(n, n))
        try:
            found = splu(sparse.eye_array(n, format="csc") - A).solve(np.column_stack((final, np.ones(n))))
        except RuntimeError:
            # SuperLU's word for a singular matrix: the weights around a cycle are one.
            raise ValueError(_DIVERGES) from None
        # With A not negative, I - A maps a positive vector to a positive one exactly where the powers of A add up.
        if not (np.isfinite(found).all() and (found[:, 1] > 0).all()):
            raise ValueError(_DIVERGES)
        distance = np.maximum(found[:, 0], 0.0)
        with np.errstate(divide="ignore"):
            return least - np.log(distance) if log else distance

    def total_weight(self):
        """Sum of the weights of all paths from an initial to a final state.

        A ValueError says where cycles make it diverge.
        """
        order = topological_order(self._ptr, self._target, np.ones(self.n_arcs, bool))
        # Cycles that lie on no path from an initial to a final state must not make the sum diverge.
        machine = self if len(order) == self.n_states else self.trim()
        return self.semiring.total(self.semiring.times(machine._initial, machine.shortest_distance()))

    def weight_of(self, read, written=None):
        """Weight of reading one string and writing another (the same, where none is given)."""
        left = string_acceptor(read, semiring=self.semiring)
        right = string_acceptor(read if written is None else written, semiring=self.semiring)
        return (left @ self @ right).total_weight()

    def remove_epsilon(self):
        """The same acceptor without arcs of the empty symbol on both sides.

        Where these arcs form a cycle a ValueError is raised.
        """
        empty = (self._in == 0) & (self._out == 0)
        order = topological_order(self._ptr, self._target, empty)
        if len(order) < self.n_states:
            raise ValueError("arcs of the empty symbol form a cycle")
        code, zero, plus, times = self.semiring.code, self.semiring.zero, self.semiring.plus, self.semiring.times
        final = distance_in_order(code, order, self._ptr, self._target, self._weight, empty, self._final)
        # States from which empty arcs lead to no other arc have a final weight only.
        writes = np.zeros(self.n_states)
        writes[self._source[~empty]] = 1.0
        writes = distance_in_order(3, order, self._ptr, self._target, np.ones(self.n_arcs), empty, writes)
        rank = np.empty(self.n_states, np.int64)
        rank[order] = np.arange(self.n_states)
        rows, waiting = [], list(np.flatnonzero(self._initial != zero))
        seen = set(waiting)
        while waiting:
            state = waiting.pop()
            closure, todo = {state: self.semiring.one}, {state}
            while todo:
                at = min(todo, key=rank.__getitem__)
                todo.remove(at)
                for e in range(self._ptr[at], self._ptr[at + 1]):
                    weight, target = times(closure[at], self._weight[e]), self._target[e]
                    if empty[e]:
                        if writes[target]:
                            closure[target] = plus(closure.get(target, zero), weight)
                            todo.add(target)
                    else:
                        rows.append((state, self._in[e], self._out[e], weight, target))
                        if target not in seen:
                            seen.add(target)
                            waiting.append(target)
        columns = list(zip(*rows)) if rows else [[]] * 5
        return self._like(
            _ints(columns[0]), _ints(columns[1]), _ints(columns[2]), np.asarray(columns[3], float), _ints(columns[4]),
            self._initial, final,
        ).trim()  # fmt: skip


def _ints(values):
    return np.asarray(values, np.int64).reshape(-1)


def string_acceptor(symbols, *, semiring="probability"):
    """The machine that accepts one string with weight one.

    Parameters
    ----------
    symbols : str or sequence of hashable
        The string, letter by letter or word by word.
    semiring : str or Semiring, default="probability"
        The semiring.

    Returns
    -------
    acceptor : WeightedTransducer
    """
    semiring = semiring if isinstance(semiring, Semiring) else resolve_semiring(semiring)
    symbols = list(symbols)
    arcs = [(i, symbol, symbol, semiring.one, i + 1) for i, symbol in enumerate(symbols)]
    return WeightedTransducer(arcs, [0], [len(symbols)], semiring=semiring)
