"""The quadratic bound on chains, against the enumeration of all paths and against Theorem 1."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from treatise.inference import ChainBound, Chains
from treatise.optimize import log_partition_bound


def random_chain(rng):
    """A chain of at most five positions and four labels, its scores from nearly alike to far apart."""
    T, K = int(rng.integers(1, 6)), int(rng.integers(2, 5))
    scale = 10 ** rng.uniform(-1, 1)
    return Chains(
        scale * rng.normal(size=(T, K)), scale * rng.normal(size=(K, K)),
        start=scale * rng.normal(size=K), end=scale * rng.normal(size=K),
    )  # fmt: skip


def enumerated(chain, unary=0.0, transition=0.0):
    """log Z of one chain with changed scores, summed over all paths."""
    T, K = chain.unary.shape
    paths = np.array(list(product(range(K), repeat=T)))
    moved, moves = chain.unary + unary, chain.transition[0] + transition
    scores = moved[np.arange(T), paths].sum(axis=1) + moves[paths[:, :-1], paths[:, 1:]].sum(axis=1)
    return float(logsumexp(scores + chain.start[paths[:, 0]] + chain.end[paths[:, -1]]))


def test_the_bound_lies_above_three_hundred_chains_and_touches_them():
    rng = np.random.default_rng(0)
    for _ in range(300):
        chain = random_chain(rng)
        T, K = chain.unary.shape
        bound = ChainBound(chain)
        np.testing.assert_allclose(bound.value(np.zeros((T, K)), np.zeros((K, K))), enumerated(chain), rtol=1e-12)
        for _ in range(20):
            size = 10 ** rng.uniform(-2, 1.5)
            unary = size * rng.normal(size=(T, K)) * (rng.random((T, K)) < rng.random())
            transition = size * rng.normal(size=(K, K)) * (rng.random((K, K)) < rng.random())
            # Rounding of sums as large as the quadratic, up to 1e5.
            assert bound.value(unary, transition) >= enumerated(chain, unary, transition) - 1e-9


def test_no_direction_is_found_in_which_the_bound_fails():
    """Random directions seldom are the worst: here the gap is made as small as it will go."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        chain = random_chain(rng)
        T, K = chain.unary.shape
        bound = ChainBound(chain)

        def gap(x, chain=chain, bound=bound, T=T, K=K):
            unary, transition = x[: T * K].reshape(T, K), x[T * K :].reshape(K, K)
            moved = Chains(
                chain.unary + unary, chain.transition[0] + transition, start=chain.start, end=chain.end
            ).marginals()
            found = chain.marginals()
            pull = bound.product(unary, transition)
            value = bound.value(unary, transition) - moved.log_partition[0]
            slope = (found.nodes + pull[0] - moved.nodes, found.pairs + pull[1] - moved.pairs)
            return value, np.concatenate([slope[0].ravel(), slope[1].ravel()])

        for _ in range(2):
            start = 10 ** rng.uniform(-1, 1) * rng.normal(size=T * K + K * K)
            lowest = minimize(gap, start, jac=True, method="L-BFGS-B", options={"maxiter": 30})
            assert lowest.fun >= -1e-9


def curvature_matrix(bound):
    T, K = bound.chains.unary.shape
    columns = []
    for unit in np.eye(T * K + K * K):
        unary, transition = bound.product(unit[: T * K].reshape(T, K), unit[T * K :].reshape(K, K))
        columns.append(np.concatenate([unary.ravel(), transition.ravel()]))
    return np.array(columns)


def test_products_are_those_of_one_symmetric_positive_matrix():
    rng = np.random.default_rng(2)
    for _ in range(20):
        matrix = curvature_matrix(ChainBound(random_chain(rng)))
        # Springs are kept in single precision, but the same in both directions.
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
        assert np.linalg.eigvalsh(matrix).min() > -1e-12


def test_one_position_has_the_curvature_of_theorem_1_or_more():
    rng = np.random.default_rng(3)
    for K in (2, 3, 6):
        chain = Chains(rng.normal(size=(1, K)), np.zeros((K, K)))
        found = curvature_matrix(ChainBound(chain))[:K, :K]
        exact = log_partition_bound(chain.unary[0], np.eye(K)).curvature
        # Springs that push are left out: none for two labels, whose curvature is then exact but for single precision.
        assert np.linalg.eigvalsh(found - exact).min() > -1e-12
        assert np.trace(found) <= 1.5 * np.trace(exact)
        if K == 2:
            np.testing.assert_allclose(found, exact, rtol=3e-6)


def test_the_diagonal_is_what_each_score_feels_at_least():
    rng = np.random.default_rng(4)
    bound = ChainBound(random_chain(rng))
    T, K = bound.chains.unary.shape
    exact = np.diag(curvature_matrix(bound))
    unary, transition = bound.diagonal()
    np.testing.assert_array_less(unary.ravel(), exact[: T * K] + 1e-12)
    np.testing.assert_array_less(transition.ravel(), exact[T * K :] + 1e-12)
    np.testing.assert_allclose(unary[-1], exact[(T - 1) * K : T * K], rtol=1e-6)


def test_sequences_add_up():
    rng = np.random.default_rng(5)
    unary, transition, lengths = rng.normal(size=(9, 3)), rng.normal(size=(3, 3)), [4, 1, 4]
    moved, moves = rng.normal(size=(9, 3)), rng.normal(size=(3, 3))
    whole = ChainBound(Chains(unary, transition, lengths=lengths))
    parts = [ChainBound(Chains(part, transition)) for part in np.split(unary, [4, 5])]
    pieces = [part.product(piece, moves) for part, piece in zip(parts, np.split(moved, [4, 5]))]
    nodes, pairs = whole.product(moved, moves)
    np.testing.assert_allclose(nodes, np.concatenate([piece[0] for piece in pieces]), rtol=1e-12)
    np.testing.assert_allclose(pairs, sum(piece[1] for piece in pieces), rtol=1e-12)
    np.testing.assert_allclose(
        whole.value(moved, moves), sum(p.value(m, moves) for p, m in zip(parts, np.split(moved, [4, 5]))), rtol=1e-12
    )


def test_curvature_grows_in_proportion_to_the_length():
    rng = np.random.default_rng(6)
    unary, transition = rng.normal(size=(16, 3)), rng.normal(size=(3, 3))
    traces = [np.trace(curvature_matrix(ChainBound(Chains(unary[:T], transition)))) for T in (4, 8, 16)]
    # The sum over labels that the thesis takes grows by a factor of about three with every position.
    assert traces[1] < 3 * traces[0]
    assert traces[2] < 3 * traces[1]


def test_scores_far_apart_neither_overflow_nor_lose_the_bound():
    rng = np.random.default_rng(7)
    for scale in (1e3, 1e5):
        chain = Chains(scale * rng.normal(size=(5, 4)), scale * rng.normal(size=(4, 4)))
        bound = ChainBound(chain)
        for size in (1.0, scale):
            unary, transition = size * rng.normal(size=(5, 4)), size * rng.normal(size=(4, 4))
            moved = Chains(chain.unary + unary, chain.transition[0] + transition).log_partition()[0]
            assert moved - 1e-9 * scale <= bound.value(unary, transition) < np.inf


def test_one_label_has_no_curvature():
    bound = ChainBound(Chains(np.zeros((3, 1)), np.zeros((1, 1))))
    assert bound.value(np.ones((3, 1)), np.ones((1, 1))) == pytest.approx(5.0)


def test_bad_input_is_named():
    unary = np.zeros((2, 2))
    with pytest.raises(ValueError, match="one for all"):
        ChainBound(Chains(unary, np.zeros((2, 2, 2))))
    with pytest.raises(ValueError, match="transition holds -inf"):
        ChainBound(Chains(unary, [[0.0, -np.inf], [0.0, 0.0]]))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2, 2\)"):
        ChainBound(Chains(unary, np.zeros((2, 2)))).product(np.zeros((2, 3)), np.zeros((2, 2)))
