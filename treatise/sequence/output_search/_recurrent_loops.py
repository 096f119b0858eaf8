"""Loops of the recurrent classifier: the multiclass perceptron, and decisions fed back as labels."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def perceptron_epoch(order, indptr, indices, data, codes, previous, weights, label_weights, sums, label_sums, visited):
    """One pass of the multiclass perceptron at rate 1 (Algorithm 1, line 8); returns the count of visits and mistakes.

    ``sums`` hold the updates times the count of visits before them, so that the average of all weights along the way
    is ``weights - sums / visited``.
    """
    K = weights.shape[1]
    scores = np.empty(K)
    mistakes = 0
    for t in order:
        scores[:] = 0.0
        for e in range(indptr[t], indptr[t + 1]):
            for k in range(K):
                scores[k] += data[e] * weights[indices[e], k]
        for j in range(previous.shape[1]):
            for k in range(K):
                scores[k] += label_weights[j, previous[t, j], k]
        guess, right = np.argmax(scores), codes[t]
        if guess != right:
            mistakes += 1
            for e in range(indptr[t], indptr[t + 1]):
                c = indices[e]
                weights[c, right] += data[e]
                weights[c, guess] -= data[e]
                sums[c, right] += visited * data[e]
                sums[c, guess] -= visited * data[e]
            for j in range(previous.shape[1]):
                p = previous[t, j]
                label_weights[j, p, right] += 1.0
                label_weights[j, p, guess] -= 1.0
                label_sums[j, p, right] += visited
                label_sums[j, p, guess] -= visited
        visited += 1.0
    return visited, mistakes


@compiled
def best_label(observed, pushes, t, context):
    """The label of highest score at position ``t`` after the labels that ``context`` stands for."""
    push = pushes[min(t, len(pushes) - 1), context]
    best, highest = 0, observed[t, 0] + push[0]
    for k in range(1, observed.shape[1]):
        score = observed[t, k] + push[k]
        if score > highest:
            best, highest = k, score
    return best


@compiled
def decide(first, last, offsets, observed, pushes, labels):
    """Label sequences from left to right, each decision a part of the context of the next."""
    contexts, base = pushes.shape[1], observed.shape[1] + 1
    for s in range(first, last):
        context = contexts - 1
        for t in range(offsets[s], offsets[s + 1]):
            labels[t] = best_label(observed, pushes, t, context)
            context = (context * base + labels[t]) % contexts


@compiled
def decide_on_the_true_path(first, last, offsets, observed, pushes, truth, labels):
    """The decision at every position when all labels before it are the true ones."""
    contexts, base = pushes.shape[1], observed.shape[1] + 1
    for s in range(first, last):
        context = contexts - 1
        for t in range(offsets[s], offsets[s + 1]):
            labels[t] = best_label(observed, pushes, t, context)
            context = (context * base + truth[t]) % contexts
