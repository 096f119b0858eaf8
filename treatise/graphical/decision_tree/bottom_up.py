"""Bottom-up simplification of conjunctive features (the search of BLM and DT-BLM, Algorithms 3 and 4)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise._core.jit import compiled, compiled_step
from treatise.graphical.decision_tree._conjunction_loops import add_where_matching, matching_word, word_of_rows
from treatise.graphical.decision_tree.conjunctive import ConjunctiveMarkovNetwork
from treatise.graphical.decision_tree.value_tests import packed_tests
from treatise.statistics._counts_loops import popcount

_ONE = np.uint64(1)
_NEWTON_STEPS = 8
_LONGEST_STEP = 2.0
NEIGHBOURS = (1, 2, 5, 10, 20, 25, 50, 100, 200)
"""Numbers of nearest unmatched examples; the paper leaves its set open."""


def generalize_features(
    network, X, *, prior_sd=1.0, length_penalty=1.0, neighbours=NEIGHBOURS, power=2, max_passes=10, tol=1e-5
):
    """Shorten or drop features while that raises the pseudo-likelihood less a price of their length.

    A feature is generalised towards the k nearest examples that it does not match: tests that any of them violates are
    dropped. Candidates are scored with the best weight of the new feature and all other weights as they are, a lower
    bound of the paper's score with all weights learned anew; all weights are learned anew after each pass. The score
    never falls. A pass costs, for every feature, its distances to the distinct rows and a few Newton steps over the
    rows that each candidate matches.

    Parameters
    ----------
    network : ConjunctiveMarkovNetwork
        Features to begin with, and their weights.
    X : array-like of shape (n_samples, n_features)
        Codes of values: zeros and ones where there are two.
    prior_sd : float, default=1.0
        Deviation of the Gaussian prior of the weights.
    length_penalty : float, default=1.0
        Price of a test, in units of log-likelihood (alpha; not given in the paper).
    neighbours : sequence of int
        The values of k.
    power : int, default=2
        Power Q of the value difference metric (not given in the paper).
    max_passes : int, default=10
        Passes over the features at most.
    tol : float, default=1e-5
        Accuracy of the weights, as in :meth:`ConjunctiveMarkovNetwork.fit_weights`.

    Returns
    -------
    network : ConjunctiveMarkovNetwork
        A new network, its weights fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import ConjunctiveMarkovNetwork, generalize_features
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 3))
    >>> X[:, 0] = X[:, 1]  # and the last column has nothing to do with it
    >>> features = [[(0, 1), (1, 1), (2, 1)], [(0, 1), (1, 1), (2, 0)], [(0, 0), (1, 0), (2, 1)]]
    >>> network = ConjunctiveMarkovNetwork(features, 3).fit_weights(X)
    >>> generalize_features(network, X).features[2]
    ((0, 0), (1, 0))

    References
    ----------
    .. [1] Paper v15-0501, Algorithms 3 and 4.
    """
    distinct, counts = np.unique(network._table(X), axis=0, return_counts=True)
    search = _Search(network, distinct, counts, prior_sd, length_penalty, np.asarray(neighbours), power)
    current = network
    for _ in range(max_passes):
        shorter, changed = search.one_pass(current)
        if not changed:
            break
        current = shorter.fit_weights(X, prior_sd=prior_sd, start=shorter.weights, tol=tol)
    else:
        warnings.warn(
            f"features still became shorter in the last of max_passes={max_passes} passes; raise it",
            ConvergenceWarning,
            stacklevel=2,
        )
    return current


class _Search:
    """The rows, and what does not change from feature to feature."""

    def __init__(self, network, distinct, counts, prior_sd, length_penalty, neighbours, power):
        self.distinct, self.counts = distinct, counts.astype(np.float64)
        self.precision, self.length_penalty, self.neighbours = prior_sd**-2, length_penalty, neighbours
        # Features only lose tests, so that all tests that ever come up are known.
        self.columns = packed_tests(distinct, network._marks)
        marks, inside, self.slot_starts, self.slots = network._marked()
        tests = [test for feature in network.features for test in feature]
        self.marked = dict(zip(tests, zip(marks.tolist(), inside.tolist())))
        last = np.cumsum(network.n_values - 1)
        self.spans = np.column_stack([last - (network.n_values - 1), last])
        self.gaps = value_gaps(distinct, counts, power, network.n_values)

    def one_pass(self, network):
        """GENERALIZEFEATURE for every feature in turn; the network after it, and whether anything changed."""
        odds = np.ascontiguousarray(network.conditional_log_odds(self.distinct).T)
        features, weights = network.features, network.weights.tolist()
        present, changed = set(features), False
        for j, feature in enumerate(features):
            tests = self.arrays(feature)
            best, chosen = 0.0, None
            for keep in self.candidates(feature):
                shorter = tuple(test for test, kept in zip(feature, keep) if kept)
                if shorter in present:
                    continue
                weight, gain = replacement_gain(
                    self.columns, odds, self.counts, self.slot_starts, self.slots, *tests, keep, weights[j],
                    self.precision,
                )  # fmt: skip
                gain += self.length_penalty * (len(feature) - len(shorter))
                if gain > best + 1e-9 * len(self.counts):
                    best, chosen = gain, (shorter, keep, weight)
            if chosen is not None:
                shorter, keep, weight = chosen
                for given, change in ((tests, -weights[j]), (self.arrays(shorter), weight)):
                    add_feature(self.columns, odds, self.slot_starts, self.slots, *given[:2], change)
                present.discard(feature)
                if shorter:
                    present.add(shorter)
                features[j], weights[j], changed = shorter, weight, True
        kept = [j for j, feature in enumerate(features) if feature]
        shortened = ConjunctiveMarkovNetwork(
            [features[j] for j in kept],
            network.n_features,
            [weights[j] for j in kept],
            n_values=network.n_values,
        )
        return shortened, changed

    def arrays(self, feature):
        """Marks of a feature's tests, whether the value lies in them, and the slots of the columns tested."""
        pairs = np.array([self.marked[test] for test in feature], dtype=np.int64).reshape(-1, 2)
        spans = self.spans[[column for column, _ in feature]].reshape(-1, 2)
        return np.ascontiguousarray(pairs[:, 0]), pairs[:, 1].astype(np.uint8), spans

    def candidates(self, feature):
        """Which tests each generalisation keeps; the last keeps none."""
        columns = np.array([column for column, _ in feature])
        rows, violated = self.distinct[:, columns], np.empty((len(self.distinct), len(feature)), dtype=bool)
        for k, (_, values) in enumerate(feature):
            violated[:, k] = rows[:, k] != values if isinstance(values, int) else ~np.isin(rows[:, k], values)
        distance = self.gaps.distance(rows, feature, violated)
        unmatched = np.flatnonzero(violated.any(axis=1))
        most = min(int(self.neighbours.max()), len(unmatched))
        if most < len(unmatched):
            unmatched = unmatched[np.argpartition(distance[unmatched], most)[: most + 1]]
        nearest = unmatched[np.argsort(distance[unmatched], kind="stable")]
        reached = np.cumsum(self.counts[nearest])
        found = {}
        if len(nearest):
            dropped = np.logical_or.accumulate(violated[nearest], axis=0)
            for last in np.minimum(np.searchsorted(reached, self.neighbours), len(nearest) - 1):
                found[(~dropped[last]).tobytes()] = ~dropped[last]
        nothing = np.zeros(len(feature), dtype=bool)
        found[nothing.tobytes()] = nothing
        return list(found.values())


def value_gaps(distinct, counts, power, n_values):
    """The value difference metric of rows so counted."""
    if np.all(n_values == 2):
        return BinaryGaps(value_differences(distinct, counts, power))
    return ValueGaps(distinct, counts, power, n_values)


class BinaryGaps:
    """Distances between features and binary rows, where a test adds only if violated, the same for all rows."""

    def __init__(self, difference):
        self.difference = difference

    def distance(self, rows, feature, violated):
        """Distance of each row, given as the tested columns, from a feature."""
        columns = np.array([column for column, _ in feature])
        return violated @ self.difference[np.ix_(columns, columns)].sum(axis=1)


class ValueGaps:
    """Distances between features and rows of any number of values.

    A test adds, for every other column c of the feature, the difference between the shares of the values of c where
    the test holds and where its column has the row's value.
    """

    def __init__(self, distinct, counts, power, n_values):
        self.power, self.n_values = power, n_values
        self.first = np.concatenate([[0], np.cumsum(n_values)])
        one_hot = np.zeros((len(distinct), self.first[-1]))
        one_hot[np.arange(len(distinct))[:, np.newaxis], self.first[:-1] + distinct] = 1.0
        self.both = (one_hot * counts[:, np.newaxis]).T @ one_hot

    def distance(self, rows, feature, violated):
        """Distance of each row, given as the tested columns, from a feature."""
        columns = [column for column, _ in feature]
        spans = {c: np.arange(self.first[c], self.first[c + 1]) for c in columns}
        total = np.zeros(len(rows))
        for k, (column, values) in enumerate(feature):
            places = spans[column]
            others = np.concatenate([np.zeros(0, dtype=np.int64), *(spans[c] for c in columns if c != column)])
            shares = self._shares(self.both[np.ix_(places, others)], np.diag(self.both)[places])
            allowed = places[np.atleast_1d(values)]
            held = self._shares(self.both[np.ix_(allowed, others)].sum(axis=0), np.diag(self.both)[allowed].sum())
            total += (np.abs(shares - held) ** self.power).sum(axis=1)[rows[:, k]]
        return total

    @staticmethod
    def _shares(both, alone):
        return both / np.maximum(alone, 1.0)[..., np.newaxis]


def value_differences(distinct, counts, power):
    """``sum_h |P(c = h | i = 1) - P(c = h | i = 0)|^power`` for every pair (i, c) of columns; zero on the diagonal."""
    weighted = distinct * counts[:, np.newaxis].astype(np.float64)
    ones = weighted.sum(axis=0)
    both = weighted.T @ distinct
    given_one = both / np.maximum(ones, 1.0)[:, np.newaxis]
    given_zero = (ones - both) / np.maximum(counts.sum() - ones, 1.0)[:, np.newaxis]
    difference = 2.0 * np.abs(given_one - given_zero) ** power
    np.fill_diagonal(difference, 0.0)
    return difference


@compiled_step
def log_likelihood(odds, truth):
    """``log P(truth)`` of a coin with these log-odds."""
    m = odds if truth else -odds
    return -max(-m, 0.0) - np.log1p(np.exp(-abs(m)))


@compiled_step
def mark_odds(odds, slots, span, r):
    """Log-odds that the value of a column lies in a mark, from the log-odds of its values against value 0.

    As a function of one feature's weight, the likelihood of a column of any number of values is that of a coin: in the
    feature's mark or not.
    """
    if span[1] - span[0] == 1:
        return odds[span[0], r]
    highest, inside, outside = 0.0, 0.0, 0.0
    for s in range(span[0], span[1]):
        highest = max(highest, odds[s, r])
    outside = np.exp(-highest)
    for s in range(span[0], span[1]):
        mass, marked = np.exp(odds[s, r] - highest), False
        for slot in slots:
            marked |= slot == s
        if marked:
            inside += mass
        else:
            outside += mass
    return np.log(max(inside, 1e-300)) - np.log(max(outside, 1e-300))


@compiled
def replacement_gain(columns, odds, counts, slot_starts, slots, marks, inside, spans, keep, weight, precision):
    """Best weight of the feature without the tests not kept, and the change of the penalised pseudo-likelihood.

    All other weights stay. Tests are given by their marks, by whether the value lies in them, and by the slots of
    their columns; where ``keep`` is false for all, the feature goes. ``odds`` has shape (slots, n).

    Returns
    -------
    shorter_weight, gain : float
    """
    length, n = len(marks), odds.shape[1]
    kept_marks, kept_inside = marks[keep], inside[keep]
    capacity = 0
    for t in range(len(kept_marks)):
        for word in range(columns.shape[1]):
            whole = word_of_rows(word, n)
            mask = matching_word(columns, word, whole, 0, len(kept_marks), t, kept_marks, kept_inside)
            capacity += np.int64(popcount(mask))
    without, sign = np.empty(capacity), np.empty(capacity)
    label, times = np.empty(capacity, dtype=np.uint8), np.empty(capacity)
    gain, used, t = 0.0, 0, 0
    for a in range(length):
        own = slots[slot_starts[marks[a]] : slot_starts[marks[a] + 1]]
        share = 1.0 if inside[a] else -1.0
        for word in range(columns.shape[1]):
            whole = word_of_rows(word, n)
            longer = matching_word(columns, word, whole, 0, length, a, marks, inside)
            mask = longer
            if keep[a]:
                mask = matching_word(columns, word, whole, 0, len(kept_marks), t, kept_marks, kept_inside)
            while mask != 0:
                lowest = mask & (~mask + _ONE)
                r = 64 * word + np.int64(popcount(lowest - _ONE))
                now, lies = mark_odds(odds, own, spans[a], r), columns[marks[a], word] & lowest != 0
                base = now - (share * weight if longer & lowest else 0.0)
                if keep[a]:
                    without[used], sign[used], label[used], times[used] = base, share, lies, counts[r]
                    used += 1
                else:
                    gain += counts[r] * log_likelihood(base, lies)
                gain -= counts[r] * log_likelihood(now, lies)
                mask ^= lowest
        t += 1 if keep[a] else 0
    shorter = weight if used else 0.0
    for _ in range(_NEWTON_STEPS if used else 0):
        slope, bend = -precision * shorter, precision
        for k in range(used):
            probability = 1.0 / (1.0 + np.exp(-(without[k] + sign[k] * shorter)))
            slope += times[k] * sign[k] * (label[k] - probability)
            bend += times[k] * probability * (1.0 - probability)
        step = slope / max(bend, 1e-12)
        shorter += min(max(step, -_LONGEST_STEP), _LONGEST_STEP)
        if abs(step) < 1e-6:
            break
    for k in range(used):
        gain += times[k] * log_likelihood(without[k] + sign[k] * shorter, label[k])
    return shorter, gain - precision / 2 * (shorter * shorter - weight * weight)


@compiled
def add_feature(columns, odds, slot_starts, slots, marks, inside, weight):
    """Add a feature's share to the log-odds of its columns."""
    for t in range(len(marks)):
        for at in range(slot_starts[marks[t]], slot_starts[marks[t] + 1]):
            add_where_matching(columns, odds.shape[1], 0, len(marks), t, marks, inside, weight, odds[slots[at]])
