"""Compiled parts of the sampler beside the token loop: sums over documents, and scales of their losses."""

import numpy as np

from treatise._core.jit import compiled
from treatise.statistics.sampling.random_numbers import inverse_gaussian

LARGEST_MEAN = 1e10
"""Mean of the inverse of a scale where the loss is at its kink: there it has none."""


@compiled
def add_moments(doc_topic, lengths, pull, precision, squares, sums):
    """Add to ``squares`` (topics by topics by scores) sum_d precision z z', and to ``sums`` sum_d pull z.

    Here z has the shares of the topics in a document; most are zero, and are passed over. Of the squares the part
    below the diagonal is filled.
    """
    n_documents, n_topics = doc_topic.shape
    n_scores = pull.shape[1]
    present = np.empty(n_topics, np.int64)
    for d in range(n_documents):
        found = 0
        for k in range(n_topics):
            if doc_topic[d, k] > 0:
                present[found] = k
                found += 1
        for i in range(found):
            a = present[i]
            share = doc_topic[d, a] / lengths[d]
            for t in range(n_scores):
                sums[a, t] += share * pull[d, t]
            for j in range(i + 1):
                b = present[j]
                product = share * doc_topic[d, b] / lengths[d]
                for t in range(n_scores):
                    squares[a, b, t] += product * precision[d, t]


@compiled
def draw_scales(rng, distances, scales):
    """Draw 1 / scale from the inverse Gaussian law of mean 1 / distance and shape 1 (equation 12), for each."""
    for d in range(distances.shape[0]):
        for t in range(distances.shape[1]):
            distance = abs(distances[d, t])
            mean = 1.0 / distance if distance * LARGEST_MEAN > 1.0 else LARGEST_MEAN
            scales[d, t] = 1.0 / inverse_gaussian(rng, mean, 1.0)
