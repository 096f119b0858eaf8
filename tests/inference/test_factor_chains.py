"""Marginals from factors equal those from log scores, and say where factors do not suffice."""

import numpy as np
import pytest

from treatise.inference import Chains, factor_marginals


@pytest.mark.parametrize("K", [1, 3, 12, 13, 30])
def test_factors_give_the_marginals_of_their_logarithms(K):
    rng = np.random.default_rng(K)
    lengths = np.array([4, 1, 0, 30, 7])
    factors = rng.uniform(0, 3, (lengths.sum(), K)) * (rng.random((lengths.sum(), K)) < 0.9) + 1e-9
    transition = rng.uniform(size=(K, K)) * (rng.random((K, K)) < 0.8) + 1e-6
    start = rng.uniform(size=K)
    found = factor_marginals(factors, transition, start, lengths)
    expected = Chains(np.log(factors), np.log(transition), lengths=lengths, start=np.log(start)).marginals()
    np.testing.assert_allclose(found.log_partition, expected.log_partition, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.nodes, expected.nodes, atol=1e-12)
    np.testing.assert_allclose(found.pairs, expected.pairs, atol=1e-11)


def test_long_sequences_of_small_and_large_factors_keep_their_logarithm():
    rng = np.random.default_rng(0)
    factors = 10.0 ** rng.uniform(-120, -90, (2000, 1)) * rng.uniform(0.5, 1, (2000, 3))
    factors[1000:] = 1 / factors[1000:]
    transition, start = rng.dirichlet(np.ones(3), 3), np.full(3, 1 / 3)
    found = factor_marginals(factors, transition, start, [2000])
    expected = Chains(np.log(factors), np.log(transition), start=np.log(start)).log_partition()
    # The logarithms sum to hundreds of thousands before they cancel.
    np.testing.assert_allclose(found.log_partition, expected, atol=1e-7)
    np.testing.assert_allclose(found.nodes.sum(axis=1), 1, atol=1e-12)


def test_sequences_whose_numbers_vanish_or_overflow_are_told_apart():
    factors = np.array([[1.0, 1.0], [0.0, 0.0], [1e-300, 1e-300], [1.0, 2.0], [1e300, 1.0]])
    found = factor_marginals(factors, np.full((2, 2), 0.5), np.full(2, 0.5), [2, 1, 1, 1])
    assert np.isnan(found.log_partition).tolist() == [True, True, False, True]
    assert found.log_partition[2] == pytest.approx(np.log(1.5))


def test_shapes_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="lengths that sum to 3"):
        factor_marginals(np.ones((3, 2)), np.ones((2, 2)), np.ones(2), [2])
    with pytest.raises(ValueError, match="need transition"):
        factor_marginals(np.ones((3, 2)), np.ones((3, 3)), np.ones(2), [3])
