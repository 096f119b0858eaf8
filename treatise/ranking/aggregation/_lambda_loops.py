"""Compiled steps of LambdaRank: pairs of items weighted by what swapping them would change."""

import math

import numpy as np

from treatise._core.jit import compiled


@compiled
def lambda_pass(features, starts, gains, ideals, discounts, rate, weights):
    """One pass of Algorithm 1: after each instance the weights move down its lambda-gradient.

    ``gains`` are 2^label - 1, ``ideals`` the discounted gain of each instance's best order (zero where there is none).
    """
    for n in range(len(starts) - 1):
        first, last = starts[n], starts[n + 1]
        count = last - first
        if ideals[n] == 0.0:
            continue
        scores = features[first:last] @ weights
        place = np.empty(count, np.int64)
        order = np.argsort(-scores, kind="mergesort")
        for p in range(count):
            place[order[p]] = p
        pull = np.zeros(count)
        for i in range(count):
            for j in range(count):
                if gains[first + i] > gains[first + j]:
                    swap = (gains[first + i] - gains[first + j]) * abs(discounts[place[i]] - discounts[place[j]])
                    # Slope of -log(1 / (1 + exp(-(s_i - s_j)))) in the lead.
                    lead = scores[i] - scores[j]
                    slope = swap / ideals[n] / (1.0 + math.exp(min(lead, 700.0)))
                    pull[i] += slope
                    pull[j] -= slope
        weights += rate * (features[first:last].T @ pull)
