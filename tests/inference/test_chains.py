"""Chains, against the enumeration of all paths."""

from itertools import product

import numpy as np
import pytest

from treatise.inference import Chains


def random_chains(seed, lengths=(4, 1, 3), K=3, own=False, forbid=False, scale=1.0):
    generator = np.random.default_rng(seed)
    T = sum(lengths)
    unary = scale * generator.normal(size=(T, K))
    transition = scale * generator.normal(size=(T, K, K) if own else (K, K))
    if forbid:
        transition[generator.random(transition.shape) < 0.3] = -np.inf
        unary[generator.random(unary.shape) < 0.1] = -np.inf
    return Chains(
        unary, transition, lengths=lengths, start=scale * generator.normal(size=K), end=scale * generator.normal(size=K)
    )


def enumerated(chains, s):
    """All paths of a sequence with their scores."""
    low, high = chains.offsets[s], chains.offsets[s + 1]
    K = chains.unary.shape[1]
    paths = np.array(list(product(range(K), repeat=high - low)))
    scores = []
    for path in paths:
        score = chains.start[path[0]] + chains.end[path[-1]]
        for t, state in enumerate(path):
            score += chains.unary[low + t, state]
            if t:
                score += chains.transition[0 if chains.shares_transition else low + t][path[t - 1], state]
        scores.append(score)
    return paths, np.array(scores)


@pytest.fixture(params=[(0, False, False), (1, True, False), (2, False, True), (3, True, True)])
def chains(request):
    seed, own, forbid = request.param
    return random_chains(seed, own=own, forbid=forbid)


def test_sums_and_probabilities_equal_those_of_all_paths(chains):
    marginals = chains.marginals()
    K = chains.unary.shape[1]
    moves = np.zeros_like(marginals.pairs)
    for s in range(len(chains)):
        paths, scores = enumerated(chains, s)
        log_z = np.logaddexp.reduce(scores)
        assert marginals.log_partition[s] == pytest.approx(log_z, abs=1e-12)
        p = np.exp(scores - log_z)
        low = chains.offsets[s]
        for t in range(paths.shape[1]):
            expected = np.bincount(paths[:, t], weights=p, minlength=K)
            np.testing.assert_allclose(marginals.nodes[low + t], expected, atol=1e-12)
            if t:
                here = moves if chains.shares_transition else moves[low + t]
                np.add.at(here, (paths[:, t - 1], paths[:, t]), p)
        assert chains.entropy()[s] == pytest.approx(-(p[p > 0] * np.log(p[p > 0])).sum(), abs=1e-10)
    np.testing.assert_allclose(marginals.pairs, moves, atol=1e-12)


def test_best_paths_and_max_marginals_equal_enumeration(chains):
    best, score = chains.best_paths()
    through = chains.max_marginals()
    many, many_scores = chains.best_k_paths(5)
    for s in range(len(chains)):
        paths, scores = enumerated(chains, s)
        low, high = chains.offsets[s], chains.offsets[s + 1]
        assert score[s] == pytest.approx(scores.max(), abs=1e-12)
        np.testing.assert_array_equal(best[low:high], paths[np.argmax(scores)])
        order = np.argsort(-scores)[:5]
        possible = order[scores[order] > -np.inf]
        np.testing.assert_allclose(many_scores[s], scores[possible], atol=1e-12)
        np.testing.assert_array_equal(many[s], paths[possible])
        for t in range(high - low):
            for state in range(chains.unary.shape[1]):
                assert through[low + t, state] == pytest.approx(scores[paths[:, t] == state].max(), abs=1e-12)
    np.testing.assert_allclose(chains.path_scores(best), score, atol=1e-12)


def test_scores_too_far_apart_for_scaled_numbers_are_summed_as_logarithms():
    # The second position's best state cannot be reached: what remains is smaller than any double.
    chains = Chains([[0.0, -2000.0], [-2000.0, 0.0]], [[0.0, -np.inf], [0.0, 0.0]])
    marginals = chains.marginals()
    assert marginals.log_partition[0] == pytest.approx(-2000.0 + np.log1p(1.0))
    np.testing.assert_allclose(marginals.nodes, [[0.5, 0.5], [0.5, 0.5]])
    assert marginals.pairs.sum() == pytest.approx(1.0)


def test_drawn_paths_have_the_marginals_of_the_chain():
    chains = random_chains(4, forbid=True)
    paths = chains.sample(20000, random_state=0)
    nodes = chains.marginals().nodes
    drawn = (paths[:, :, None] == np.arange(3)).mean(axis=0)
    # Five standard errors of a share of 20 000 draws.
    assert np.abs(drawn - nodes).max() < 5 * np.sqrt(0.25 / 20000)
    np.testing.assert_array_equal(chains.sample(3, random_state=1), chains.sample(3, random_state=1))
    for path in paths[:50]:
        assert np.isfinite(chains.path_scores(path)).all()


def test_a_million_positions_neither_underflow_nor_lose_probability():
    generator = np.random.default_rng(5)
    chains = Chains(generator.normal(size=(10**6, 3)), generator.normal(size=(3, 3)))
    marginals = chains.marginals()
    np.testing.assert_allclose(marginals.nodes.sum(axis=1), 1.0, atol=1e-10)
    assert marginals.pairs.sum() == pytest.approx(10**6 - 1)


def test_threads_do_not_change_a_bit():
    lengths = np.random.default_rng(6).integers(0, 40, 3000)
    generator = np.random.default_rng(7)
    chains = Chains(generator.normal(size=(lengths.sum(), 8)), generator.normal(size=(8, 8)), lengths=lengths)
    first, again = chains.marginals(), chains.marginals()
    np.testing.assert_array_equal(first.pairs, again.pairs)
    alone = Chains(chains.unary[: lengths[0]], chains.transition[0])
    np.testing.assert_array_equal(first.nodes[: lengths[0]], alone.marginals().nodes)


def test_empty_sequences_have_one_empty_path():
    chains = Chains(np.zeros((2, 2)), np.zeros((2, 2)), lengths=[0, 2, 0])
    np.testing.assert_allclose(chains.log_partition(), [0.0, np.log(4), 0.0])
    np.testing.assert_allclose(chains.entropy(), [0.0, np.log(4), 0.0])
    assert chains.best_k_paths(2)[0][0].shape == (1, 0)
    # What a neighbour forbids is no matter to an empty sequence.
    forbidden = Chains([[-np.inf, 0.0], [0.0, 0.0]], np.zeros((2, 2)), lengths=[0, 2, 0])
    np.testing.assert_array_equal(forbidden.path_scores([0, 1]), [0.0, -np.inf, 0.0])
    assert Chains(np.zeros((0, 2)), np.zeros((2, 2)), lengths=[]).path_scores([]).shape == (0,)


def test_bad_input_is_refused_with_its_reason():
    good = np.zeros((3, 2)), np.zeros((2, 2))
    with pytest.raises(ValueError, match=r"must sum to the 3 positions; they sum to 4"):
        Chains(*good, lengths=[1, 3])
    with pytest.raises(ValueError, match=r"shape \(2, 2\) or \(3, 2, 2\); it has \(3, 3\)"):
        Chains(good[0], np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"shape \(2, 2\) or \(3, 2, 2\); it has \(1, 2, 2\)"):
        Chains(good[0], np.zeros((1, 2, 2)))
    for path in ([0, 1, 2], [-1, 0, 1], [0.5, 0, 1]):
        with pytest.raises(ValueError, match="whole numbers from 0 to 1"):
            Chains(*good).path_scores(path)
    with pytest.raises(ValueError, match="unary holds NaN"):
        Chains(np.full((3, 2), np.nan), good[1])
    with pytest.raises(ValueError, match="one score for each of the 2 states"):
        Chains(*good, start=[0.0])
    forbidden = Chains(good[0], np.full((2, 2), -np.inf))
    for method in (forbidden.marginals, forbidden.best_paths, forbidden.sample):
        with pytest.raises(ValueError, match=r"sequence 0 .* has no possible path"):
            method()
    with pytest.raises(ValueError, match="at least one"):
        Chains(*good).best_k_paths(0)
