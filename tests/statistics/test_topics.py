"""The collapsed sampler of topics against enumeration, its own conditional law and its invariants."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln
from scipy.stats import chisquare

from treatise.statistics import effective_sample_size
from treatise.statistics.topics import (
    CollapsedTopics,
    ScoreFactor,
    counts_from_shares,
    infer_shares,
    tokens_of,
    whole_counts,
)
from treatise.statistics.topics import sampler as sampler_file
from treatise.statistics.topics._loops import pick_topic, scored_weights

LIKELY = 1e-4
"""Smallest p-value of a right law that is let pass."""


def documents(*rows, n_words=None):
    """Tokens of documents that are written as lists of words."""
    width = n_words or 1 + max(max(row, default=0) for row in rows)
    return tokens_of(whole_counts(np.array([np.bincount(row, minlength=width) for row in rows])))


def random_counts(n_documents=40, n_words=30, mean=0.5, seed=0):
    return np.random.default_rng(seed).poisson(mean, (n_documents, n_words))


def log_dirichlet_multinomial(counts, prior):
    """Log probability of one sequence with these counts."""
    size = counts.size
    return (
        gammaln(counts + prior).sum()
        - gammaln(counts.sum() + size * prior)
        + gammaln(size * prior)
        - size * gammaln(prior)
    )


def test_tokens_repeat_words_by_their_counts_and_take_every_form_of_matrix():
    dense = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]])
    twice = sparse.coo_array(([1, 1, 1, 3], ([0, 0, 0, 2], [0, 0, 2, 1])), shape=(3, 3)).tocsr()
    unsorted = sparse.csr_array((np.array([1, 2, 3]), np.array([2, 0, 1]), np.array([0, 2, 2, 3])), shape=(3, 3))
    for X in (dense, dense.astype(float), twice, unsorted, sparse.csc_matrix(dense)):
        tokens = tokens_of(whole_counts(X))
        assert tokens.words.tolist() == [0, 0, 2, 1, 1, 1] and tokens.starts.tolist() == [0, 3, 3, 6]
    assert tokens.n_documents == 3 and tokens.lengths.tolist() == [3, 0, 3]


def test_what_is_no_count_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"holds 0.5 in row 1, which is no count.*or so"):
        whole_counts(np.array([[1.0, 2.0], [0.5, 0.0]]), " or so")
    with pytest.raises(ValueError, match=r"Negative values in data: X holds -1 in row 0"):
        whole_counts(np.array([[-1.0, 2.0]]))
    with pytest.raises(ValueError, match=r"1e\+15 words in all, which take .* GiB where .* are free; divide"):
        whole_counts(np.array([[1e15]]))


def test_amounts_become_tokens_by_largest_remainders_whatever_their_scale():
    X = np.random.default_rng(0).random((20, 7)) ** 3
    X[4] = 0.0
    counts = counts_from_shares(X, 50).toarray()
    assert (np.delete(counts.sum(axis=1), 4) == 50).all() and counts[4].sum() == 0
    exact = 50 * np.delete(X, 4, axis=0) / np.delete(X, 4, axis=0).sum(axis=1, keepdims=True)
    assert np.abs(np.delete(counts, 4, axis=0) - exact).max() < 1.0
    for scale in (1e-300, 1e300):
        np.testing.assert_array_equal(counts_from_shares(X * scale, 50).toarray(), counts)


def test_counts_stay_those_of_the_topics_sweep_by_sweep():
    rng = np.random.default_rng(0)
    tokens = tokens_of(whole_counts(random_counts()))
    state = CollapsedTopics(tokens, 7, 0.1, 0.01, rng)
    factor = ScoreFactor(
        rng.normal(0, 50, (3, 7)), rng.normal(0, 2, (tokens.n_documents, 3)), rng.random((tokens.n_documents, 3))
    )
    for each in (None, factor, factor, None):
        state.sweep(each)
        found = CollapsedTopics(tokens, 7, 0.1, 0.01, rng)
        found.set_topics(state.topics)
        for name in ("doc_topic", "word_topic", "totals"):
            np.testing.assert_array_equal(getattr(state, name), getattr(found, name))
        np.testing.assert_array_equal(state.doc_topic.sum(axis=1), tokens.lengths)
        assert state.totals.sum() == len(tokens.words)


def brute_conditional(state, doc, token, factor):
    """Weights of the topics of a token, from the joint probability of everything."""
    found, topics = [], state.topics.copy()
    for k in range(state.n_topics):
        topics[token] = k
        other = CollapsedTopics(state.tokens, state.n_topics, state.alpha, state.beta, np.random.default_rng(0))
        other.set_topics(topics)
        scores = factor.weights @ other.shares()[doc]
        log_factor = np.sum(factor.pull[doc] * scores - 0.5 * factor.precision[doc] * scores**2)
        found.append(other.log_joint() + log_factor)
    weights = np.exp(np.array(found) - max(found))
    return weights / weights.sum()


@pytest.mark.parametrize("n_scores", [0, 1, 3])
def test_a_token_is_drawn_from_its_conditional_law(n_scores):
    rng = np.random.default_rng(1)
    tokens = documents([0, 1, 1, 2], [2, 3, 3], [4], n_words=5)
    factor = ScoreFactor(rng.normal(0, 2, (n_scores, 4)), rng.normal(0, 2, (3, n_scores)), rng.random((3, n_scores)))
    start = rng.integers(0, 4, len(tokens.words))
    for doc, token in ((0, 0), (1, 4), (2, 7)):
        # The first token of a document is drawn first, given where all others stand.
        drawn = np.zeros(4)
        state = CollapsedTopics(tokens, 4, 0.3, 0.2, rng)
        state.set_topics(start)
        expected = brute_conditional(state, doc, token, factor)
        for _ in range(3000):
            state.set_topics(start)
            sampler_file.sweep_documents(
                rng, doc, doc + 1, tokens.starts, tokens.words, state.topics, state.doc_topic, state.word_topic,
                state.totals, 0.3, 0.2, *factor,
            )  # fmt: skip
            drawn[state.topics[token]] += 1
        assert chisquare(drawn, 3000 * expected).pvalue > LIKELY


def test_weights_with_a_factor_are_exact_to_single_precision_over_a_range_of_powers():
    rng = np.random.default_rng(2)
    for size in (2, 8, 13, 50):
        for spread in (0.1, 10.0, 100.0):
            power, columns = rng.normal(0, spread, size), rng.normal(0, spread, (size, size))
            words, here = (
                rng.integers(0, 50, (3, size)).astype(np.int32),
                rng.integers(0, 9, (2, size)).astype(np.int32),
            )
            inverse, old = rng.random(size).astype(np.float32), int(rng.integers(size))
            out, whole = np.empty(size, np.float32), np.empty(size, np.int32)
            single = np.float32(0.02), np.float32(0.01)
            total = scored_weights(
                out, whole, whole.view(np.float32), power, columns, old, words, 1, here, 1, *single, inverse
            )
            logs = (
                np.log(words[1] + 0.01) + np.log(here[1] + 0.02) + np.log(inverse) + np.log(2) * (power + columns[old])
            )
            exact = np.exp(logs - logs.max())
            np.testing.assert_allclose(out / total, exact / exact.sum(), rtol=2e-6, atol=1e-30)


@pytest.mark.parametrize("size", [1e6, 1e12, 1e300])
def test_powers_of_any_size_leave_the_likeliest_topic(size):
    power, columns = np.array([0.0, 3.0, 2.0]) * size, np.zeros((3, 3))
    out, whole, ones = np.empty(3, np.float32), np.empty(3, np.int32), np.ones((1, 3), np.int32)
    half = np.float32(0.5)
    total = scored_weights(
        out, whole, whole.view(np.float32), power, columns, 2, ones, 0, ones, 0, half, half, np.ones(3, np.float32)
    )
    np.testing.assert_array_equal(out / total, [0, 1, 0])


def test_a_topic_is_picked_where_the_sum_passes_and_never_one_without_weight():
    for size in (3, 8, 21):
        weights = np.random.default_rng(size).integers(0, 3, size).astype(np.float32)
        ends = np.cumsum(weights)
        for at in np.arange(0, int(ends[-1])):
            assert pick_topic(weights, np.float32(at + 0.5)) == np.searchsorted(ends, at + 0.5)
        assert pick_topic(weights, np.float32(ends[-1])) == np.flatnonzero(weights)[-1]


def test_a_long_chain_visits_topics_as_often_as_enumeration_says():
    tokens, alpha, beta = documents([0, 0, 1], [1, 2]), 0.4, 0.3
    rng = np.random.default_rng(3)
    state = CollapsedTopics(tokens, 2, alpha, beta, rng)
    log_weights, same = [], []
    for topics in itertools.product(range(2), repeat=5):
        state.set_topics(np.array(topics))
        each = sum(log_dirichlet_multinomial(row, alpha) for row in state.doc_topic)
        each += sum(log_dirichlet_multinomial(column, beta) for column in state.word_topic.T)
        assert state.log_joint() == pytest.approx(each, abs=1e-9)
        log_weights.append(each)
        same.append([np.mean(np.equal.outer(topics, topics)), topics[0] == topics[4]])
    weights = np.exp(np.array(log_weights) - max(log_weights))
    expected = weights @ np.array(same, dtype=float) / weights.sum()
    drawn = []
    for _ in range(20_000):
        state.sweep()
        drawn.append([np.mean(np.equal.outer(state.topics, state.topics)), state.topics[0] == state.topics[4]])
    drawn = np.array(drawn, dtype=float)
    error = drawn.std(axis=0) / np.sqrt(effective_sample_size(drawn[np.newaxis]))
    assert error.max() < 0.005
    assert np.all(np.abs(drawn.mean(axis=0) - expected) < 4 * error)


def test_a_factor_without_pull_and_precision_is_plain_allocation():
    tokens = tokens_of(whole_counts(random_counts()))
    states = [CollapsedTopics(tokens, 5, 0.2, 0.01, np.random.default_rng(4)) for _ in range(2)]
    nothing = np.zeros((tokens.n_documents, 2))
    for _ in range(3):
        states[0].sweep()
        states[1].sweep(ScoreFactor(np.random.default_rng(5).normal(size=(2, 5)), nothing, nothing))
    np.testing.assert_array_equal(states[0].topics, states[1].topics)


def test_blocks_of_documents_give_the_same_sweep(monkeypatch):
    tokens = tokens_of(whole_counts(random_counts()))
    whole = CollapsedTopics(tokens, 5, 0.2, 0.01, np.random.default_rng(6))
    whole.sweep()
    monkeypatch.setattr(sampler_file, "BLOCK", 50)
    assert len(sampler_file.document_blocks(tokens.starts)) > 3
    parts = CollapsedTopics(tokens, 5, 0.2, 0.01, np.random.default_rng(6))
    parts.sweep()
    np.testing.assert_array_equal(whole.topics, parts.topics)


def test_shares_of_new_documents_are_those_of_enumeration():
    rng = np.random.default_rng(7)
    word_shares, alpha = rng.dirichlet(np.ones(4), 3), 0.6
    tokens = documents([0, 1, 3], [2, 2], n_words=4)
    for doc, words in enumerate(([0, 1, 3], [2, 2])):
        expected, mass = np.zeros(3), 0.0
        for topics in itertools.product(range(3), repeat=len(words)):
            counts = np.bincount(topics, minlength=3)
            weight = np.exp(log_dirichlet_multinomial(counts, alpha)) * np.prod(word_shares[topics, words])
            expected, mass = expected + weight * counts / len(words), mass + weight
        found = infer_shares(tokens, word_shares, alpha, n_burn=50, n_samples=40_000)[doc]
        np.testing.assert_allclose(found, expected / mass, atol=0.01)  # four standard errors of some 20 000 draws


def test_shares_of_a_document_depend_on_its_own_words_and_the_seed_alone():
    X = random_counts(seed=8)
    X[5] = 0
    word_shares = np.random.default_rng(8).dirichlet(np.ones(30), 4)
    shares = infer_shares(tokens_of(whole_counts(X)), word_shares, 0.1, seed=3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares[5], 0.25)
    order = np.random.default_rng(9).permutation(len(X))
    moved = infer_shares(tokens_of(whole_counts(X[order][:11])), word_shares, 0.1, seed=3)
    np.testing.assert_array_equal(moved, shares[order][:11])
    assert not np.array_equal(infer_shares(tokens_of(whole_counts(X)), word_shares, 0.1, seed=4), shares)


def test_a_word_that_no_topic_has_says_nothing():
    word_shares = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert np.isfinite(infer_shares(documents([1, 1], n_words=2), word_shares, 0.5)).all()
