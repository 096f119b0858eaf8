"""The learner of the cost: margin-scaled passive-aggressive updates on pairs of outputs (Section 4.4)."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.sequence.output_search._cost_loops import string_counts


class RankLearner:
    """Weights of features by labels, and of strings of labels, from pairs of outputs.

    Parameters
    ----------
    rows : csr_array of shape (positions, columns)
        Features of the positions of all sequences.
    offsets : ndarray of shape (n + 1,)
        Where the sequences begin.
    n_labels : int
        Number of labels.
    order : int
        Length of the longest strings of labels, less one.
    """

    def __init__(self, rows, offsets, n_labels, order):
        self.rows, self.offsets, self.n_labels, self.order = rows, offsets, n_labels, order
        self._sequences: list[int] = []
        self._outputs: list[np.ndarray] = []
        self._pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.n_pairs = 0

    def add(self, sequence, outputs, better, worse, gaps):
        """Add pairs of outputs of one sequence."""
        if len(better) == 0:
            return
        # Of the outputs keep those in a pair.
        used, places = np.unique(np.concatenate([better, worse]), return_inverse=True)
        self._sequences.append(sequence)
        self._outputs.append(np.ascontiguousarray(outputs[used], np.int16).ravel())
        self._pairs.append(
            (places[: len(better)].astype(np.int32), places[len(better) :].astype(np.int32), np.sqrt(gaps))
        )
        self.n_pairs += len(better)

    def fit(self, epochs, average, rng, advance=lambda steps: None):
        """The weights after ``epochs`` passes from zero, over sequences in random order.

        Returns
        -------
        weights : ndarray of shape (columns, K)
        strings : ndarray
            Weights of strings of 2, 3, ... labels.
        """
        K = self.n_labels
        weights = np.zeros((self.rows.shape[1], K))
        strings = np.zeros(sum(K ** (length + 1) for length in range(1, self.order + 1)))
        sums, string_sums = np.zeros_like(weights), np.zeros_like(strings)
        n = len(self._sequences)
        if n == 0:
            return weights, strings
        better, worse, margins = (np.concatenate(part) for part in zip(*self._pairs))
        outputs = np.concatenate(self._outputs)
        output_start = np.cumsum([0, *(len(each) for each in self._outputs)])
        pair_start = np.cumsum([0, *(len(pair[0]) for pair in self._pairs)])
        visited = 0.0
        for _ in range(epochs):
            visited, n_updates = rank_pass(
                rng.permutation(n), np.array(self._sequences), output_start, pair_start, outputs, better, worse,
                margins, self.offsets, self.rows.indptr, self.rows.indices, self.rows.data, self.order,
                weights, strings, sums, string_sums, visited,
            )  # fmt: skip
            advance(1)
            if n_updates == 0:
                break
        if average:
            weights -= sums / (epochs * n)
            strings -= string_sums / (epochs * n)
        return weights, strings


@compiled_step
def _string_cost(labels, first, last, K, order, strings):
    """Weights of all strings of labels that end in ``first`` to ``last``."""
    total = 0.0
    for t in range(first, last):
        code, power, base = np.int64(labels[t]), K, 0
        for back in range(1, min(order, t) + 1):
            code += labels[t - back] * power
            power *= K
            total += strings[base + code]
            base += power
    return total


@compiled_step
def _products_with(t, low, T, indptr, indices, data, dense, products):
    """Inner products of the features of position ``t`` with those of all positions of its sequence."""
    for e in range(indptr[low + t], indptr[low + t + 1]):
        dense[indices[e]] += data[e]
    for other in range(T):
        products[t, other] = 0.0
        for e in range(indptr[low + other], indptr[low + other + 1]):
            products[t, other] += data[e] * dense[indices[e]]
    for e in range(indptr[low + t], indptr[low + t + 1]):
        dense[indices[e]] = 0.0


@compiled_step
def _position_costs(low, T, indptr, indices, data, weights):
    """Costs of every label at every position of a sequence."""
    K = weights.shape[1]
    costs = np.zeros((T, K))
    for t in range(T):
        for e in range(indptr[low + t], indptr[low + t + 1]):
            for y in range(K):
                costs[t, y] += data[e] * weights[indices[e], y]
    return costs


@compiled_step
def _differing(good, bad):
    """The first and, past it, the last position at which two outputs differ."""
    begin = 0
    while begin < len(good) and good[begin] == bad[begin]:
        begin += 1
    end = len(good)
    while end > begin and good[end - 1] == bad[end - 1]:
        end -= 1
    return begin, end


@compiled_step
def _feature_distance(good, bad, begin, end, low, indptr, indices, data, dense, products, known):
    """Squared length of the difference of two outputs' features, filling in inner products that are not known yet."""
    norm = 0.0
    for t in range(begin, end):
        if good[t] == bad[t]:
            continue
        if not known[t]:
            _products_with(t, low, len(good), indptr, indices, data, dense, products)
            known[t] = True
        for u in range(begin, end):
            if good[u] == bad[u]:
                continue
            norm += ((1 if bad[t] == bad[u] else 0) + (1 if good[t] == good[u] else 0)) * products[t, u]
            norm -= ((1 if bad[t] == good[u] else 0) + (1 if good[t] == bad[u] else 0)) * products[t, u]
    return norm


@compiled_step
def _string_distance(counts, touched):
    """Squared length of the difference of two outputs' counts of strings; leaves the counts at zero."""
    norm = 0.0
    for string in touched:
        # A string is listed once for each occurrence; it counts at the first and is marked done by a NaN.
        count = counts[string]
        if count == count:
            norm += count * count
            counts[string] = np.nan
    for string in touched:
        counts[string] = 0.0
    return norm


@compiled_step
def _move_costs(good, bad, begin, end, rate, products, costs, moved):
    """Make the bad output dearer and the good one cheaper, as weights changed by their features would."""
    for t in range(begin, end):
        if good[t] == bad[t]:
            continue
        moved[t, bad[t]] += rate
        moved[t, good[t]] -= rate
        for u in range(len(good)):
            costs[u, bad[t]] += rate * products[t, u]
            costs[u, good[t]] -= rate * products[t, u]


@compiled_step
def _move_weights(low, moved, indptr, indices, data, weights, sums, visited):
    """Hand the changes of a block on to the weights of the features."""
    for t in range(len(moved)):
        for e in range(indptr[low + t], indptr[low + t + 1]):
            c = indices[e]
            for y in range(weights.shape[1]):
                if moved[t, y] != 0.0:
                    weights[c, y] += moved[t, y] * data[e]
                    sums[c, y] += visited * moved[t, y] * data[e]


@compiled
def rank_pass(
    blocks, sequence_of, output_start, pair_start, outputs, better, worse, margins,
    offsets, indptr, indices, data, order, weights, strings, sums, string_sums, visited,
):  # fmt: skip
    """One pass of the margin-scaled passive-aggressive update over all pairs, block by block (Section 4.4).

    A block holds outputs of one sequence. Its costs of positions by labels are computed once; an update changes them
    through the inner products of positions, and the weights of the features follow when the block is done. The
    arithmetic is that of updates pair by pair. ``sums`` hold the updates times the count of blocks before them, so
    that the average of the weights after each block is ``weights - sums / visited``. Returns the count of blocks and
    that of updates.
    """
    K = weights.shape[1]
    dense = np.zeros(len(weights))
    counts = np.zeros(len(strings))
    n_updates = 0
    for b in blocks:
        s = sequence_of[b]
        low, T = offsets[s], offsets[s + 1] - offsets[s]
        costs = _position_costs(low, T, indptr, indices, data, weights)
        moved = np.zeros((T, K))
        products, known = np.empty((T, T)), np.zeros(T, np.bool_)
        touched = np.empty(2 * T * order, np.int64)
        changed = False
        for p in range(pair_start[b], pair_start[b + 1]):
            good = outputs[output_start[b] + better[p] * T : output_start[b] + (better[p] + 1) * T]
            bad = outputs[output_start[b] + worse[p] * T : output_start[b] + (worse[p] + 1) * T]
            begin, end = _differing(good, bad)
            reach = min(T, end + order)
            gain = _string_cost(bad, begin, reach, K, order, strings)
            gain -= _string_cost(good, begin, reach, K, order, strings)
            for t in range(begin, end):
                gain += costs[t, bad[t]] - costs[t, good[t]]
            if gain >= margins[p]:
                continue
            norm = _feature_distance(good, bad, begin, end, low, indptr, indices, data, dense, products, known)
            n_bad = string_counts(bad, 1.0, K, order, begin, reach, counts, touched, np.int64(0))
            n_touched = string_counts(good, -1.0, K, order, begin, reach, counts, touched, n_bad)
            norm += _string_distance(counts, touched[:n_touched])
            if norm <= 0.0:
                continue
            rate = (margins[p] - gain) / norm
            changed = True
            n_updates += 1
            _move_costs(good, bad, begin, end, rate, products, costs, moved)
            for n in range(n_touched):
                change = rate if n < n_bad else -rate
                strings[touched[n]] += change
                string_sums[touched[n]] += visited * change
        if changed:
            _move_weights(low, moved, indptr, indices, data, weights, sums, visited)
        visited += 1.0
    return visited, n_updates
