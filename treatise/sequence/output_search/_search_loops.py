"""Search over complete outputs: successors in the limited-discrepancy and flip-bit spaces, best-first beam search."""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.sequence.output_search._cost_loops import position_cost
from treatise.sequence.output_search._recurrent_loops import best_label


class Space(NamedTuple):
    """Which labellings lie one change apart (Section 3).

    ``observed`` and ``pushes`` are the recurrent classifier's tables. At each position the ``sparsity`` labels that it
    ranks highest are considered, and with ``discrepancies`` it decides again on all that follows a changed label.
    """

    discrepancies: bool
    sparsity: int
    observed: np.ndarray
    pushes: np.ndarray


class Cost(NamedTuple):
    """The linear cost as :func:`position_cost` reads it: of positions by labels, and of strings up to a length."""

    costs: np.ndarray
    strings: np.ndarray
    order: int


class Beams(NamedTuple):
    """The searches of all sequences where they stand; sequence s has the column s of each table.

    A node lies in a slot: ``labels`` and ``forced`` have a row for each slot, with the positions of all sequences one
    after another. The first ``n_open[s]`` of ``ranking[:, s]`` are the slots of the open nodes, from best to worst, and
    the rest are free. ``closed`` holds digests of the ``n_closed[s]`` nodes that were expanded.
    """

    labels: np.ndarray
    forced: np.ndarray
    costs: np.ndarray
    digests: np.ndarray
    ranking: np.ndarray
    n_open: np.ndarray
    closed: np.ndarray
    n_closed: np.ndarray
    best_labels: np.ndarray
    best_costs: np.ndarray


@compiled_step
def _context_at(labels, t, base, contexts):
    """The number that stands for the labels before position ``t``."""
    context = contexts - 1
    back = 1
    while base**back < contexts:
        back += 1
    for j in range(max(0, t - back), t):
        context = (context * base + labels[j]) % contexts
    return context


@compiled_step
def _redecide(output, parent, forced, i, low, observed, pushes, memory):
    """Let the classifier decide again after position ``i``, but for forced positions; returns where changes end.

    ``memory`` keeps its decision for every position and context. Once the labels of a whole context are those of the
    parent, so are all that follow.
    """
    T, contexts, base = len(parent), pushes.shape[1], observed.shape[1] + 1
    context = _context_at(output, i + 1, base, contexts)
    parental = _context_at(parent, i + 1, base, contexts)
    t = i + 1
    while t < T and context != parental:
        if not forced[t]:
            if memory[t, context] < 0:
                memory[t, context] = best_label(observed, pushes, low + t, context)
            output[t] = memory[t, context]
        context = (context * base + output[t]) % contexts
        parental = (parental * base + parent[t]) % contexts
        t += 1
    return t


@compiled_step
def _considered(labels, t, low, k, observed, pushes, considered):
    """Mark the ``k`` labels, other than the present one, that the classifier ranks highest at position ``t``."""
    K, contexts = observed.shape[1], pushes.shape[1]
    for a in range(K):
        considered[a] = k >= K - 1 and a != labels[t]
    if k >= K - 1:
        return
    push = pushes[min(low + t, len(pushes) - 1), _context_at(labels, t, K + 1, contexts)]
    for _ in range(k):
        best, highest = -1, -np.inf
        for a in range(K):
            if a == labels[t] or considered[a]:
                continue
            score = observed[low + t, a] + push[a]
            if best < 0 or score > highest:
                best, highest = a, score
        considered[best] = True


@compiled
def successors(labels, forced, space, memory, outputs, marks):
    """Write every successor of a state, by position and label; returns how many there are."""
    T, K = len(labels), space.observed.shape[1]
    considered = np.empty(K, np.bool_)
    n = 0
    for i in range(T):
        _considered(labels, i, 0, space.sparsity, space.observed, space.pushes, considered)
        for a in range(K):
            if not considered[a]:
                continue
            for t in range(T):
                outputs[n, t] = labels[t]
                marks[n, t] = forced[t] or (space.discrepancies and t == i)
            outputs[n, i] = a
            if space.discrepancies:
                _redecide(outputs[n], labels, forced, i, 0, space.observed, space.pushes, memory)
            n += 1
    return n


@compiled_step
def _digest(labels, forced, i):
    """A number for a state: labels, and which are forced, position ``i`` taken as forced (-1 for none)."""
    digest = 0
    for t in range(len(labels)):
        value = 2 * int(labels[t]) + (1 if forced[t] or t == i else 0) + 1
        # The low bits of a product are the same whether or not it overflows.
        digest = ((digest ^ value) * 2862933555777941757) & 0x1FFFFFFFFFFFFFFF
        digest ^= digest >> 29
    return digest


@compiled
def advance(first, last, n_steps, offsets, space, cost, beams):
    """Take up to ``n_steps[s]`` further steps of best-first beam search in every sequence from ``first`` to ``last``.

    The best open node is expanded; of the others and its successors the ``width`` best stay open, the older of equals,
    and of successors that of the least position and label (Section 4.3). A beam wider than one never opens a state
    again that it has expanded.
    """
    # One by one: with steps that take whole tuples the search takes a third longer.
    discrepancies, k, observed, pushes = space
    costs, strings, order = cost
    open_labels, open_forced, open_costs, open_digests, ranking, n_open = beams[:6]
    closed, n_closed, best_labels, best_costs = beams[6:]
    width, K, contexts = len(open_labels), observed.shape[1], pushes.shape[1]
    considered = np.empty(K, np.bool_)
    for s in range(first, last):
        low, T = offsets[s], offsets[s + 1] - offsets[s]
        memory = np.full((T, contexts), -1, np.int32)
        entering = np.empty(T)
        labels, forced, output = np.empty(T, np.int32), np.empty(T, np.bool_), np.empty(T, np.int32)
        for _ in range(n_steps[s]):
            if n_open[s] == 0:
                break
            slot = ranking[0, s]
            for t in range(T):
                labels[t] = output[t] = open_labels[slot, low + t]
                forced[t] = open_forced[slot, low + t]
            if width > 1:
                closed[n_closed[s], s] = _digest(labels, forced, np.int64(-1))
                n_closed[s] += 1
            for r in range(1, n_open[s]):
                ranking[r - 1, s] = ranking[r, s]
            n_open[s] -= 1
            ranking[n_open[s], s] = slot
            present = 0.0
            for t in range(T):
                entering[t] = position_cost(labels, t, low, costs, strings, order)
                present += entering[t]
            for i in range(T):
                _considered(labels, i, low, k, observed, pushes, considered)
                for a in range(K):
                    if not considered[a]:
                        continue
                    output[i] = a
                    end = i + 1
                    if discrepancies:
                        end = _redecide(output, labels, forced, i, low, observed, pushes, memory)
                    total = present
                    for t in range(i, min(T, end + order)):
                        total += position_cost(output, t, low, costs, strings, order) - entering[t]
                    if n_open[s] < width or total < open_costs[ranking[n_open[s] - 1, s], s]:
                        digest = _digest(output, forced, i if discrepancies else np.int64(-1))
                        if width == 1 or not _is_known(digest, s, open_digests, ranking, n_open, closed, n_closed):
                            slot = _place(total, s, width, open_costs, ranking, n_open)
                            open_costs[slot, s], open_digests[slot, s] = total, digest
                            for t in range(T):
                                open_labels[slot, low + t] = output[t]
                                open_forced[slot, low + t] = forced[t] or (discrepancies and t == i)
                    for t in range(i, end):
                        output[t] = labels[t]
            if n_open[s] > 0 and open_costs[ranking[0, s], s] < best_costs[s]:
                slot = ranking[0, s]
                best_costs[s] = open_costs[slot, s]
                for t in range(T):
                    best_labels[low + t] = open_labels[slot, low + t]


@compiled_step
def _is_known(digest, s, open_digests, ranking, n_open, closed, n_closed):
    """Whether a state is open or was expanded."""
    for c in range(n_closed[s]):
        if closed[c, s] == digest:
            return True
    for r in range(n_open[s]):  # noqa: SIM110 - compiled code knows no generators
        if open_digests[ranking[r, s], s] == digest:
            return True
    return False


@compiled_step
def _place(cost, s, width, open_costs, ranking, n_open):
    """The slot of a node that enters the beam, after all of no greater cost; the worst gives way in a full beam."""
    if n_open[s] < width:
        n_open[s] += 1
    r = n_open[s] - 1
    slot = ranking[r, s]
    while r > 0 and cost < open_costs[ranking[r - 1, s], s]:
        ranking[r, s] = ranking[r - 1, s]
        r -= 1
    ranking[r, s] = slot
    return slot
