"""Linear canonical transforms: group, length, shifts; phases from moduli; convolutive factors."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.decomposition import (
    convolutive_nmf,
    fractional_fourier_transform,
    gerchberg_saxton,
    linear_canonical_transform,
)

N = 512
T = (np.arange(N) - N // 2) / np.sqrt(N)
CHIRP = np.exp(-1.3 * np.pi * (T - 0.7) ** 2 + 1j * np.pi * (0.4 * T**2 + 1.1 * T))


def small_matrix(rng):
    a, b, c = rng.uniform(-0.6, 0.6, 3)
    return np.array([[1, a], [0, 1]]) @ np.array([[1, 0], [b, 1]]) @ np.array([[1, c], [0, 1]])


def test_transforms_compose_as_their_matrices_and_keep_the_length():
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = small_matrix(rng), small_matrix(rng)
        twice = linear_canonical_transform(linear_canonical_transform(CHIRP, first), second)
        once = linear_canonical_transform(CHIRP, second @ first)
        assert min(np.abs(twice - once).max(), np.abs(twice + once).max()) < 1e-8
        assert np.linalg.norm(once) == pytest.approx(np.linalg.norm(CHIRP), rel=1e-8)


def test_a_gaussian_stays_one_with_the_width_of_theory():
    # |L(M)| of exp(-pi t^2) is a Gaussian of variance A^2 + B^2 in the unit of the first.
    for matrix in ([[1, 0.8], [0, 1]], [[0, 1], [-1, 0]], [[0.6, 0.8], [-0.8, 0.6]], [[1.5, 0], [0.2, 1 / 1.5]]):
        y = np.abs(linear_canonical_transform(np.exp(-np.pi * T**2), matrix))
        spread = matrix[0][0] ** 2 + matrix[0][1] ** 2
        np.testing.assert_allclose(y, np.exp(-np.pi * T**2 / spread) / spread**0.25, atol=1e-8)


def test_a_delay_becomes_a_delay_times_a():
    step = 24
    matrix = np.array([[0.5, 1.2], [-0.5, 0.8]])
    here = np.abs(linear_canonical_transform(CHIRP, matrix))
    late = np.abs(linear_canonical_transform(np.roll(CHIRP, step), matrix))
    np.testing.assert_allclose(late, np.roll(here, step // 2), atol=1e-8)


def test_turns_add_up_and_a_quarter_is_the_fourier_transform():
    fourier = np.fft.fftshift(np.fft.fft(np.fft.ifftshift(CHIRP), norm="ortho"))
    np.testing.assert_allclose(fractional_fourier_transform(CHIRP, np.pi / 2), fourier, atol=1e-10)
    np.testing.assert_allclose(fractional_fourier_transform(CHIRP, 0.0), CHIRP, atol=1e-10)
    for a in np.linspace(-np.pi, np.pi, 9):
        for b in np.linspace(-np.pi, np.pi, 9):
            twice = fractional_fourier_transform(fractional_fourier_transform(CHIRP, a), b)
            np.testing.assert_allclose(twice, fractional_fourier_transform(CHIRP, a + b), atol=1e-8)


def test_a_signal_is_found_from_its_moduli():
    matrices = [np.eye(2), [[1, 1], [0, 1]], [[0, 1], [-1, 0]]]
    moduli = [np.abs(linear_canonical_transform(CHIRP, matrix)) for matrix in matrices]
    signal, error = gerchberg_saxton(moduli, matrices, start=CHIRP * np.exp(0.3j * T), max_iter=2000)
    assert error < 1e-3
    assert abs(np.vdot(signal, CHIRP)) > 0.999 * np.vdot(CHIRP, CHIRP).real


def test_matrices_of_another_determinant_and_moduli_below_zero_are_refused():
    with pytest.raises(ValueError, match="determinant one"):
        linear_canonical_transform(CHIRP, [[1, 1], [1, 1]])
    with pytest.raises(ValueError, match="domains"):
        gerchberg_saxton(np.ones((1, 8)), [np.eye(2)])
    with pytest.raises(ValueError, match="not negative"):
        gerchberg_saxton(-np.ones((2, 8)), [np.eye(2), np.eye(2)])


def test_error_of_the_plain_convolutive_factors_never_rises():
    X = np.abs(np.random.default_rng(0).normal(size=(4, 60)))
    found = convolutive_nmf(X, 2, max_iter=60, tol=0.0, random_state=0)
    assert np.all(np.diff(found.history) <= 1e-12 * found.history[0])
    assert found.filters.min() >= 0.0
    assert found.sources.min() >= 0.0
    rebuilt = np.fft.irfft(np.einsum("ijf,jf->if", np.fft.rfft(found.filters), np.fft.rfft(found.sources)), 60)
    assert np.linalg.norm(X - rebuilt) == pytest.approx(found.history[-1])


def test_convolutive_factors_end_where_the_error_stands_still_or_say_that_it_does_not():
    X = np.abs(np.random.default_rng(0).normal(size=(4, 60)))
    found = convolutive_nmf(X, 2, max_iter=2000, tol=1e-4, random_state=0)
    assert found.converged
    assert 11 < len(found.history) < 2001
    assert found.history[-11] - found.history[-1] <= 1e-4 * found.history[0] < found.history[-12] - found.history[-2]
    with pytest.warns(ConvergenceWarning, match="max_iter=15"):
        assert not convolutive_nmf(X, 2, max_iter=15, random_state=0).converged


def test_filters_between_a_source_and_its_shifts_are_single_pulses():
    pulse = np.exp(-0.1 * (np.arange(80) - 10.0) ** 2) + 0.01
    shifts, weights = [0, 13, 40], [1.0, 2.0, 0.5]
    X = [weight * np.roll(pulse, shift) for weight, shift in zip(weights, shifts)]
    found = convolutive_nmf(X, 1, sparse_filters=True, sources=[pulse], max_iter=300, random_state=0)
    peaks = np.argmax(found.filters[:, 0], axis=1)
    np.testing.assert_array_equal((peaks - peaks[0]) % 80, shifts)
    heights = found.filters[:, 0].sum(axis=1)
    np.testing.assert_allclose(heights / heights[0], weights, rtol=0.05)


def test_powers_below_zero_and_zero_recordings_are_refused():
    with pytest.raises(ValueError, match="below zero"):
        convolutive_nmf([[1.0, -1.0]], 1)
    with pytest.raises(ValueError, match="recordings are zero"):
        convolutive_nmf(np.zeros((2, 5)), 1)
    with pytest.raises(ValueError, match="not negative"):
        convolutive_nmf(np.ones((2, 5)), 1, sources=-np.ones((1, 5)))
