"""What it gains to replace one conjunctive feature by a shorter one."""

import numpy as np

from treatise._core.jit import compiled
from treatise.graphical._conjunction_loops import add_where_matching, matching_word, word_of_rows
from treatise.statistics._counts_loops import popcount

_ONE = np.uint64(1)
_NEWTON_STEPS = 8
_LONGEST_STEP = 2.0


@compiled
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
