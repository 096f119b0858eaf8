"""Polynomials of several signals, covariances from blocks, and windows of time."""

from itertools import product

import numpy as np
import pytest
from numpy.polynomial.legendre import legval

from treatise.statistics import PolynomialTerms, StreamingCovariance, delay_windows, n_polynomial_terms
from treatise.statistics.time_windows import checked_lengths, time_blocks

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("basis", ["legendre", "monomial"])
@pytest.mark.parametrize("n_signals, degree", [(1, 5), (2, 7), (3, 3), (4, 2), (5, 1)])
def test_terms_are_all_products_up_to_the_degree_each_once(basis, n_signals, degree):
    signals = RNG.uniform(-1, 1, size=(n_signals, 30))

    def of_one(x, power):
        return legval(x, np.eye(power + 1)[power]) if basis == "legendre" else x**power

    powers = [p for p in product(range(degree + 1), repeat=n_signals) if 0 < sum(p) <= degree]
    expected = [np.prod([of_one(x, k) for x, k in zip(signals, p)], axis=0) for p in powers]
    found = PolynomialTerms(n_signals, degree, basis).evaluate(signals)
    assert len(found) == len(powers) == n_polynomial_terms(n_signals, degree)

    def by_first_values(rows):
        return np.array(sorted(np.round(rows, 12).tolist()))

    np.testing.assert_allclose(by_first_values(found), by_first_values(np.array(expected)), atol=1e-11)


def test_terms_of_the_first_signals_come_first_and_signals_can_be_added():
    signals = RNG.uniform(-1, 1, size=(4, 20))
    terms = PolynomialTerms(4, 3)
    whole, grown = terms.evaluate(signals), np.empty((terms.n_terms, 20))
    for number in range(4):
        terms.add_signal(number, signals[number], grown)
        count = terms.n_terms_of(number + 1)
        np.testing.assert_array_equal(grown[:count], whole[:count])
        np.testing.assert_array_equal(PolynomialTerms(number + 1, 3).evaluate(signals[: number + 1]), whole[:count])


def test_polynomials_that_are_none_are_refused():
    with pytest.raises(ValueError, match="basis='fourier' must be"):
        PolynomialTerms(2, 2, "fourier")
    with pytest.raises(ValueError, match="degree=0 must be at least 1"):
        PolynomialTerms(2, 0)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_covariance_from_blocks_is_that_of_the_whole(offset):
    signals = RNG.normal(size=(4, 500)) * [[1.0], [1e-3], [10.0], [1.0]] + offset
    exact = np.cov(signals - offset, bias=True)
    for cuts in ([], [1], [3, 4, 250], list(range(1, 500, 7))):
        whole, crossed = StreamingCovariance(), StreamingCovariance()
        for block in np.split(signals, cuts, axis=1):
            whole.update(block)
            crossed.update(block[1:3], block)
        # The offset leaves ten digits of the values.
        tolerance = 1e-12 if offset == 0.0 else 1e-8
        scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
        assert np.abs((whole.covariance - exact) / scale).max() < tolerance * (1e3 if offset else 1)
        np.testing.assert_allclose(crossed.covariance, whole.covariance[1:3], rtol=0, atol=1e-9 * scale.max())
        np.testing.assert_allclose(whole.mean, signals.mean(axis=1), rtol=1e-12, atol=1e-12)
        assert whole.n_times == 500


def test_an_empty_block_changes_nothing_and_no_block_has_no_covariance():
    moments = StreamingCovariance()
    with pytest.raises(ValueError, match="no block was seen"):
        _ = moments.covariance
    moments.update(np.ones((2, 3)))
    moments.update(np.ones((2, 0)))
    np.testing.assert_array_equal(moments.covariance, np.zeros((2, 2)))


def test_windows_hold_each_frame_with_those_before_it_and_take_no_memory():
    X = RNG.normal(size=(50, 3))
    windows = delay_windows(X, 4)
    np.testing.assert_array_equal(windows, [X[t : t + 4].ravel() for t in range(47)])
    assert np.shares_memory(windows, X) and not windows.flags.writeable
    np.testing.assert_array_equal(delay_windows(X[:, ::-1], 2)[0], X[:2, ::-1].ravel())
    for wrong in (0, 51):
        with pytest.raises(ValueError, match=f"n_frames={wrong} must be from 1 to the 50"):
            delay_windows(X, wrong)
    with pytest.raises(ValueError, match="1 dimensions"):
        delay_windows(X[0], 1)


def test_blocks_cover_every_frame_and_every_difference_within_a_sequence_once():
    lengths = np.array([5, 1, 8, 2])
    for size in (1, 2, 3, 100):
        values, differences = [], []
        for start, stop, reach in time_blocks(lengths, size):
            assert stop - start <= size
            values += range(start, stop)
            differences += range(start, reach - 1)
        assert values == list(range(16))
        assert differences == [t for t in range(15) if t not in (4, 5, 13)]


def test_lengths_that_do_not_fit_are_refused():
    np.testing.assert_array_equal(checked_lengths(None, 7), [7])
    with pytest.raises(ValueError, match="add up to 6 frames; X has 7"):
        checked_lengths([2, 4], 7)
    with pytest.raises(ValueError, match="whole numbers of at least 1"):
        checked_lengths([0, 7], 7)
    with pytest.raises(ValueError, match="whole numbers"):
        checked_lengths([3.5, 3.5], 7)
