"""Compiled normalisers of the multinomial preference model, with their gradients."""

import math

import numpy as np

from treatise._core.jit import compiled


@compiled
def partition(scores, starts, adherence, weights, values, slopes, gradient):
    """log Z of every instance at several adherences, in O(items) each.

    Z = sum over k != l of exp(a (s_k - s_l)) = A B - M with A = sum exp(a s_k), B = sum exp(-a s_k). ``values`` and
    ``slopes`` hold log Z and its derivative in the adherence a; ``gradient`` gains the derivatives in the scores,
    weighted with ``weights``.
    """
    n_instances, n_points = weights.shape
    for n in range(n_instances):
        first, last = starts[n], starts[n + 1]
        count = last - first
        if count < 2:
            continue
        low, high = scores[first], scores[first]
        for i in range(first, last):
            low, high = min(low, scores[i]), max(high, scores[i])
        up, down = np.empty(count), np.empty(count)
        for p in range(n_points):
            a = adherence[p]
            above, below = 0.0, 0.0
            for i in range(count):
                up[i] = math.exp(a * (scores[first + i] - high))
                down[i] = math.exp(a * (low - scores[first + i]))
                above += up[i]
                below += down[i]
            z = above * below - count * math.exp(a * (low - high))
            values[n, p] = a * (high - low) + math.log(z)
            slope = 0.0
            for i in range(count):
                pull = (up[i] * below - down[i] * above) / z
                slope += pull * scores[first + i]
                gradient[first + i] += weights[n, p] * a * pull
            slopes[n, p] = slope


@compiled
def partition_with_variance(scores, gammas, starts, adherence, weights, values, slopes, gradient, gradient_gamma):
    """As ``partition`` where each pair has the spread gamma_k + gamma_l (Section 2.4), in O(items^2) each."""
    n_instances, n_points = weights.shape
    for n in range(n_instances):
        first, last = starts[n], starts[n + 1]
        if last - first < 2:
            continue
        largest = 0.0
        for i in range(first, last):
            for j in range(i + 1, last):
                largest = max(largest, abs(scores[i] - scores[j]) / (gammas[i] + gammas[j]))
        for p in range(n_points):
            a = adherence[p]
            shift = a * largest
            z = 0.0
            for i in range(first, last):
                for j in range(i + 1, last):
                    x = a * (scores[i] - scores[j]) / (gammas[i] + gammas[j])
                    z += math.exp(x - shift) + math.exp(-x - shift)
            values[n, p] = shift + math.log(z)
            slope = 0.0
            for i in range(first, last):
                for j in range(i + 1, last):
                    spread = gammas[i] + gammas[j]
                    lead = (scores[i] - scores[j]) / spread
                    x = a * lead
                    pull = (math.exp(x - shift) - math.exp(-x - shift)) / z
                    slope += pull * lead
                    pull *= weights[n, p] * a / spread
                    gradient[i] += pull
                    gradient[j] -= pull
                    gradient_gamma[i] -= pull * lead
                    gradient_gamma[j] -= pull * lead
            slopes[n, p] = slope


@compiled
def agreement_with_variance(
    starts, items, values, binary, counts, scores, gammas, adherence, agreement, gradient, gradient_gamma
):
    """Sum of an instance's net preferences times (s_i - s_j) / (gamma_i + gamma_j), an expert at a time.

    ``counts`` is empty where preferences are differences of values. ``gradient`` and ``gradient_gamma`` gain the
    derivatives, each expert's times its adherence.
    """
    given = counts.size > 0
    for expert in range(len(starts) - 1):
        weight = adherence[expert]
        for a in range(starts[expert], starts[expert + 1]):
            i = items[a]
            for b in range(a + 1, starts[expert + 1]):
                j = items[b]
                net = counts[expert, i, j] - counts[expert, j, i] if given else values[b] - values[a]
                if binary:
                    net = np.sign(net)
                spread = gammas[i] + gammas[j]
                lead = (scores[i] - scores[j]) / spread
                agreement[expert] += net * lead
                pull = weight * net / spread
                gradient[i] += pull
                gradient[j] -= pull
                gradient_gamma[i] -= pull * lead
                gradient_gamma[j] -= pull * lead
