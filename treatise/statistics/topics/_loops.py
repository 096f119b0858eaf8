"""The compiled token loop of collapsed Gibbs sampling, and that of documents whose topics are given."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step, compiled_sums
from treatise.statistics.sampling.random_numbers import mixed_bits, split_mix_uniform

LOG2_E = 1.0 / math.log(2.0)
FURTHEST = 2.0**29
"""A topic that is likelier by so many powers of two is taken as likelier by just so many."""
ONE = np.float32(1.0)
# 2^f for 0 <= f < 1: a polynomial of least relative error, 2e-9, which leaves the rounding of single numbers.
P1, P2, P3 = np.float32(0.693147044), np.float32(0.240229306), np.float32(0.0554852805)
P4, P5, P6 = np.float32(0.00967545173), np.float32(0.00124678451), np.float32(0.000216129189)


@compiled
def largest_remainders(starts, amounts, total, counts):
    """Whole numbers in proportion to the positive amounts of each row, ``total`` in all, into ``counts``."""
    for row in range(len(starts) - 1):
        first, last = starts[row], starts[row + 1]
        if first == last:
            continue
        exact = amounts[first:last] / amounts[first:last].max()  # so that no sum overflows
        exact *= total / exact.sum()
        whole = np.floor(exact)
        left = total - np.int64(whole.sum())
        order = np.argsort(whole - exact, kind="mergesort")
        for j in range(min(left, len(order))):
            whole[order[j]] += 1.0
        for j in range(len(order)):
            counts[first + j] = np.int64(whole[j])


@compiled_sums
def plain_weights(out, word_topic, word, doc_topic, doc, alpha, beta, inverse):
    """Weights of the topics for a token that was taken out, by words and document alone; returns their sum."""
    total = np.float32(0.0)
    for k in range(len(out)):
        weight = (np.float32(word_topic[word, k]) + beta) * (np.float32(doc_topic[doc, k]) + alpha) * inverse[k]
        out[k] = weight
        total += weight
    return total


@compiled_sums
def scored_weights(out, whole, scale, power, columns, old, word_topic, word, doc_topic, doc, alpha, beta, inverse):
    """The same, times two to the power of ``power`` plus the column of the token's last topic; returns their sum.

    The powers are split into whole numbers, which are exponents of floating point numbers, and fractions, for which
    there is a polynomial: the processor then takes many topics at once. ``whole`` and ``scale`` are one memory, as
    whole numbers and as single ones. Only ratios count: the largest power is brought to zero.
    """
    here = power[old] + columns[old, old]
    top = np.int32(-(2**30))
    for k in range(len(out)):
        ratio = min(max(power[k] + columns[old, k] - here, -FURTHEST), FURTHEST)
        exponent = np.floor(ratio)
        out[k] = np.float32(ratio - exponent)
        whole[k] = np.int32(exponent)
        top = max(top, whole[k])
    for k in range(len(out)):
        f = out[k]
        out[k] = ONE + f * (P1 + f * (P2 + f * (P3 + f * (P4 + f * (P5 + f * P6)))))
        whole[k] = (max(whole[k] - top, np.int32(-127)) + np.int32(127)) << np.int32(23)
    total = np.float32(0.0)
    for k in range(len(out)):
        count, share = np.float32(word_topic[word, k]) + beta, np.float32(doc_topic[doc, k]) + alpha
        weight = out[k] * scale[k] * count * share * inverse[k]
        out[k] = weight
        total += weight
    return total


@compiled_sums
def pick_topic(weights, left):
    """The topic at which the sum of the weights passes ``left``; eight are passed at once."""
    start, size = 0, len(weights)
    while start + 8 <= size:
        first = (weights[start] + weights[start + 1]) + (weights[start + 2] + weights[start + 3])
        second = (weights[start + 4] + weights[start + 5]) + (weights[start + 6] + weights[start + 7])
        if left < first + second:
            break
        left -= first + second
        start += 8
    last = size - 1
    for k in range(start, size):
        if weights[k] > 0.0:
            last = k
            left -= weights[k]
            if left < 0.0:
                return k
    return last


@compiled_step
def fill_column(columns, known, topic, weights, precision, doc, length):
    """How much the power of every topic falls with a token of this one, where it is not known of this document yet."""
    if known[topic]:
        return
    known[topic] = True
    for k in range(len(known)):
        columns[topic, k] = 0.0
    for i in range(len(weights)):
        slope = LOG2_E * precision[doc, i] * weights[i, topic] / (length * length)
        for k in range(len(known)):
            columns[topic, k] += slope * weights[i, k]


@compiled_step
def start_powers(power, weights, pull, precision, doc_topic, doc, length):
    """Change of the log factor, in powers of two, by one more token of each topic than the document has."""
    for k in range(len(power)):
        power[k] = 0.0
    for i in range(len(weights)):
        score = 0.0
        for k in range(len(power)):
            score += weights[i, k] * doc_topic[doc, k]
        for k in range(len(power)):
            w = weights[i, k]
            power[k] += LOG2_E * w * (pull[doc, i] - precision[doc, i] * (0.5 * w + score) / length) / length


@compiled
def sweep_documents(
    rng, first, last, starts, words, topics, doc_topic, word_topic, totals, alpha, beta, weights, pull, precision
):  # fmt: skip
    """One sweep over the tokens of some documents: takes each out, draws its topic anew, and puts it back.

    The factor of a document is exp(pull s - precision s^2 / 2), one for each row of ``weights``, where the score s is
    the mean of the row over the topics of the document's tokens. As a function of the counts it is quadratic: with a
    token of topic k more, its log grows by power[k]; a token of topic j lowers power[k] by columns[j, k].
    """
    n_words, n_topics = word_topic.shape
    mass = n_words * beta
    inverse = np.empty(n_topics, np.float32)
    for k in range(n_topics):
        inverse[k] = 1.0 / (totals[k] + mass)
    out, whole = np.empty(n_topics, np.float32), np.empty(n_topics, np.int32)
    scale = whole.view(np.float32)
    power, columns, known = np.empty(n_topics), np.empty((n_topics, n_topics)), np.zeros(n_topics, np.bool_)
    scored = len(weights) > 0
    a, b = np.float32(alpha), np.float32(beta)
    for doc in range(first, last):
        length = float(starts[doc + 1] - starts[doc])
        if scored:
            known[:] = False
            start_powers(power, weights, pull, precision, doc_topic, doc, length)
        for n in range(starts[doc], starts[doc + 1]):
            word, old = words[n], topics[n]
            word_topic[word, old] -= 1
            doc_topic[doc, old] -= 1
            totals[old] -= 1
            inverse[old] = 1.0 / (totals[old] + mass)
            if scored:
                fill_column(columns, known, old, weights, precision, doc, length)
                total = scored_weights(
                    out, whole, scale, power, columns, old, word_topic, word, doc_topic, doc, a, b, inverse
                )
            else:
                total = plain_weights(out, word_topic, word, doc_topic, doc, a, b, inverse)
            new = pick_topic(out, np.float32(rng.random()) * total)
            word_topic[word, new] += 1
            doc_topic[doc, new] += 1
            totals[new] += 1
            inverse[new] = 1.0 / (totals[new] + mass)
            if new != old:
                topics[n] = new
                if scored:
                    fill_column(columns, known, new, weights, precision, doc, length)
                    for k in range(n_topics):
                        power[k] += columns[old, k] - columns[new, k]


@compiled_sums
def given_weights(out, given, word, here, alpha):
    """Weights of the topics for a token of a document whose topics' words are given; returns their sum."""
    total = np.float32(0.0)
    for k in range(len(out)):
        weight = given[word, k] * (here[k] + alpha)
        out[k] = weight
        total += weight
    return total


@compiled
def infer_documents(seed, first, last, starts, words, given, alpha, n_burn, n_samples, shares):
    """Mean shares of the topics in some documents over samples of a chain of each, into ``shares``.

    A document's random numbers follow from the seed and its words, so that neither its place nor other documents
    matter. Each token starts with a topic by its word alone: given those before it, few would crowd out the others.
    """
    n_topics = given.shape[1]
    longest = 0
    for doc in range(first, last):
        longest = max(longest, starts[doc + 1] - starts[doc])
    topics, here, flat = np.empty(longest, np.int32), np.empty(n_topics, np.float32), np.ones(n_topics, np.float32)
    out, state = np.empty(n_topics, np.float32), np.empty(1, np.uint64)
    a = np.float32(alpha)
    for doc in range(first, last):
        start, length = starts[doc], starts[doc + 1] - starts[doc]
        state[0] = np.uint64(seed)
        for n in range(length):
            state[0] = mixed_bits(state[0] ^ np.uint64(words[start + n] + 1))
        here[:] = 0.0
        for n in range(length):
            total = given_weights(out, given, words[start + n], flat, a)
            topics[n] = pick_topic(out, np.float32(split_mix_uniform(state)) * total)
            here[topics[n]] += ONE
        for sweep in range(n_burn + n_samples):
            for n in range(length):
                here[topics[n]] -= ONE
                total = given_weights(out, given, words[start + n], here, a)
                topics[n] = pick_topic(out, np.float32(split_mix_uniform(state)) * total)
                here[topics[n]] += ONE
            if sweep >= n_burn:
                for k in range(n_topics):
                    shares[doc, k] += here[k]
        for k in range(n_topics):
            shares[doc, k] = shares[doc, k] / (n_samples * length) if length > 0 else 1.0 / n_topics
