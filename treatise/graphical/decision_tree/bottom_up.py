"""Bottom-up simplification of conjunctive features (the search of BLM and DT-BLM, Algorithms 3 and 4)."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.graphical.decision_tree._conjunction_loops import add_where_matching, matching_word, word_of_rows
from treatise.graphical.decision_tree.conjunctive import ConjunctiveMarkovNetwork
from treatise.graphical.decision_tree.probability_tree import pack_columns
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
        Zeros and ones.
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
    search = _Search(distinct, counts, prior_sd, length_penalty, np.asarray(neighbours), power)
    current = network
    for _ in range(max_passes):
        shorter, changed = search.one_pass(current)
        if not changed:
            break
        current = shorter.fit_weights(X, prior_sd=prior_sd, start=shorter.weights, tol=tol)
    return current


class _Search:
    """The rows, and what does not change from feature to feature."""

    def __init__(self, distinct, counts, prior_sd, length_penalty, neighbours, power):
        self.distinct, self.counts = distinct, counts.astype(np.float64)
        self.columns = pack_columns(distinct)
        self.truth = np.ascontiguousarray(distinct.T)
        self.precision, self.length_penalty, self.neighbours = prior_sd**-2, length_penalty, neighbours
        self.difference = value_differences(distinct, counts, power)

    def one_pass(self, network):
        """GENERALIZEFEATURE for every feature in turn; the network after it, and whether anything changed."""
        odds = np.ascontiguousarray(network.conditional_log_odds(self.distinct).T)
        features, weights = network.features, network.weights.tolist()
        present, changed = set(features), False
        for j, feature in enumerate(features):
            tests = np.array(feature, dtype=np.int64)
            variables, values = np.ascontiguousarray(tests[:, 0]), tests[:, 1].astype(np.uint8)
            best, chosen = 0.0, None
            for keep in self.candidates(variables, values):
                shorter = tuple(test for test, kept in zip(feature, keep) if kept)
                if shorter in present:
                    continue
                weight, gain = replacement_gain(
                    self.columns,
                    odds,
                    self.truth,
                    self.counts,
                    variables,
                    values,
                    keep,
                    variables[keep],
                    values[keep],
                    weights[j],
                    self.precision,
                )
                gain += self.length_penalty * (len(feature) - len(shorter))
                if gain > best + 1e-9 * len(self.counts):
                    best, chosen = gain, (shorter, keep, weight)
            if chosen is not None:
                shorter, keep, weight = chosen
                add_feature(self.columns, odds, variables, values, -weights[j])
                add_feature(self.columns, odds, variables[keep], values[keep], weight)
                present.discard(feature)
                if shorter:
                    present.add(shorter)
                features[j], weights[j], changed = shorter, weight, True
        kept = [j for j, feature in enumerate(features) if feature]
        shortened = ConjunctiveMarkovNetwork(
            [features[j] for j in kept], network.n_features, [weights[j] for j in kept]
        )
        return shortened, changed

    def candidates(self, variables, values):
        """Which tests each generalisation keeps; the last keeps none."""
        violated = self.distinct[:, variables] != values
        # On binary rows a test adds to the distance only where it is violated, and then the same for all rows.
        distance = violated @ self.difference[np.ix_(variables, variables)].sum(axis=1)
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
        nothing = np.zeros(len(variables), dtype=bool)
        found[nothing.tobytes()] = nothing
        return list(found.values())


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


@compiled
def replacement_gain(
    columns, odds, truth, counts, variables, values, keep, kept_variables, kept_values, weight, precision
):
    """Best weight of the feature without the tests not kept, and the change of the penalised pseudo-likelihood.

    All other weights stay. ``kept_variables`` and ``kept_values`` are the tests where ``keep`` is true; none means
    that the feature goes. ``odds`` and ``truth`` have shape (p, n).

    Returns
    -------
    shorter_weight, gain : float
    """
    length, n = len(variables), truth.shape[1]
    capacity = 0
    for t in range(len(kept_variables)):
        for word in range(columns.shape[1]):
            whole = word_of_rows(word, n)
            mask = matching_word(columns, word, whole, 0, len(kept_variables), t, kept_variables, kept_values)
            capacity += np.int64(popcount(mask))
    without, sign = np.empty(capacity), np.empty(capacity)
    label, times = np.empty(capacity, dtype=np.uint8), np.empty(capacity)
    gain, used, t = 0.0, 0, 0
    for a in range(length):
        i = variables[a]
        share = 1.0 if values[a] else -1.0
        for word in range(columns.shape[1]):
            whole = word_of_rows(word, n)
            longer = matching_word(columns, word, whole, 0, length, a, variables, values)
            mask = longer
            if keep[a]:
                mask = matching_word(columns, word, whole, 0, len(kept_variables), t, kept_variables, kept_values)
            while mask != 0:
                lowest = mask & (~mask + _ONE)
                r = 64 * word + np.int64(popcount(lowest - _ONE))
                base = odds[i, r] - (share * weight if longer & lowest else 0.0)
                if keep[a]:
                    without[used], sign[used], label[used], times[used] = base, share, truth[i, r], counts[r]
                    used += 1
                else:
                    gain += counts[r] * log_likelihood(base, truth[i, r])
                gain -= counts[r] * log_likelihood(odds[i, r], truth[i, r])
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
def add_feature(columns, odds, variables, values, weight):
    """Add a feature's share to the log-odds of its columns."""
    for t in range(len(variables)):
        add_where_matching(columns, odds.shape[1], 0, len(variables), t, variables, values, weight, odds[variables[t]])
