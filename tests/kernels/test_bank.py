"""Banks of kernels: sums, quadratic forms, normalisation and memory, against plain matrices."""

import numpy as np
import pytest
from scipy import sparse

from treatise.kernels import Gaussian, KernelBank, Laplacian, Linear, OnColumns, Polynomial, SpectrumKernel


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(60, 5))


KERNELS = [
    Linear(),
    Gaussian(0.1),
    OnColumns(Gaussian(0.5), [0, 2]),
    OnColumns(Gaussian(2.0), [0, 2]),
    OnColumns(Polynomial(2), slice(1, 4)),
    Laplacian(0.3),
    Gaussian(1.0),
]


def plain(rows, scales):
    return np.array([scale * kernel(rows) for kernel, scale in zip(KERNELS, scales)])


def small_bank(rows, **options):
    """A bank whose matrices do not fit, with room for 20 rows of each kernel in single precision."""
    return KernelBank(KERNELS, rows, memory_bytes=4 * len(KERNELS) * len(rows) * 20, **options)


# Double precision carries 16 digits, the single precision of banks that do not fit 7; sums lose one more.
TOLERANCES = {"all in double precision": 1e-12, "some rows in single precision": 2e-6}


@pytest.fixture(params=list(TOLERANCES))
def bank_and_tolerance(request, rows):
    bank = KernelBank(KERNELS, rows) if "double" in request.param else small_bank(rows)
    return bank, TOLERANCES[request.param]


def test_mixtures_forms_and_products_equal_those_of_plain_matrices(bank_and_tolerance, rows):
    bank, tolerance = bank_and_tolerance
    rng = np.random.default_rng(1)
    grams = plain(rows, bank.scales)
    weights, coef = rng.uniform(size=len(KERNELS)), rng.normal(size=60)
    weights[1] = coef[3] = 0.0
    size = np.abs(grams).max()
    np.testing.assert_allclose(bank.mixture(weights), np.einsum("m,mij->ij", weights, grams), atol=tolerance * size)
    expected = np.einsum("i,mij,j->m", coef, grams, coef)
    np.testing.assert_allclose(bank.quadratic_forms(coef), expected, atol=60 * tolerance * size)
    positions = np.array([40, 2, 17, 59, *range(20, 36)])
    expected = np.einsum("mij,i->mj", grams[:, positions], coef[positions])
    np.testing.assert_allclose(bank.products(positions, coef[positions]), expected, atol=20 * tolerance * size)
    inner = grams[np.ix_(range(len(KERNELS)), positions, positions)]
    found = bank.block_mixture(positions, weights)
    np.testing.assert_allclose(found, np.einsum("m,mij->ij", weights, inner), atol=tolerance * size)
    found = bank.block_products(positions, coef[positions])
    np.testing.assert_allclose(found, np.einsum("mij,i->mj", inner, coef[positions]), atol=20 * tolerance * size)


def test_rows_that_make_room_for_others_come_back_right(rows):
    bank = small_bank(rows, normalize=None)
    grams = plain(rows, np.ones(len(KERNELS)))
    assert not bank.holds_all and bank.n_rows_held == 20
    for first in (0, 15, 30, 5, 40, 0):
        positions = np.arange(first, first + 20)
        found = bank.products(positions, np.ones(20))
        np.testing.assert_allclose(found, grams[:, positions].sum(axis=1), rtol=1e-5, atol=1e-5)
    # More rows than fit are taken in parts.
    everything = bank.products(np.arange(60), np.ones(60))
    np.testing.assert_allclose(everything, grams.sum(axis=1), rtol=1e-5, atol=1e-4)
    with pytest.raises(ValueError, match="21 rows were asked for"):
        bank.block_mixture(np.arange(21), np.ones(len(KERNELS)))


def test_multiplicative_normalisation_gives_variance_one(rows):
    for gram in plain(rows, KernelBank(KERNELS, rows).scales):
        assert np.trace(gram) / 60 - gram.mean() == pytest.approx(1.0, abs=1e-12)


def test_trace_and_spherical_normalisation(rows):
    traced = KernelBank(KERNELS, rows, normalize="trace")
    for gram in plain(rows, traced.scales):
        assert np.trace(gram) == pytest.approx(1.0, abs=1e-12)
    spherical = KernelBank(KERNELS, rows, normalize="spherical")
    for m in range(len(KERNELS)):
        gram = spherical.mixture(np.eye(len(KERNELS))[m])
        raw = KERNELS[m](rows)
        np.testing.assert_allclose(gram, raw / np.sqrt(np.outer(np.diag(raw), np.diag(raw))), atol=1e-12)


def test_weights_of_objects_count_as_copies(rows):
    copies = np.arange(60) % 3
    weighted = KernelBank(KERNELS, rows, weights=copies)
    np.testing.assert_allclose(weighted.scales, KernelBank(KERNELS, rows.repeat(copies, axis=0)).scales, rtol=1e-12)


def test_a_constant_kernel_carries_nothing(rows):
    table = np.column_stack([rows[:, 0], np.full(60, 3.0)])
    bank = KernelBank([OnColumns(Linear(), [0]), OnColumns(Linear(), [1])], table)
    assert bank.scales[0] > 0 and bank.scales[1] == 0.0
    assert bank.quadratic_forms(np.ones(60))[1] == 0.0


def test_precomputed_matrices_are_used_as_they_are(rows):
    grams = plain(rows, np.ones(len(KERNELS)))
    bank, reference = KernelBank.precomputed(list(grams)), KernelBank(KERNELS, rows)
    np.testing.assert_allclose(bank.scales, reference.scales, rtol=1e-10)
    assert np.shares_memory(bank._store[0], grams)
    with pytest.raises(ValueError, match="spherical"):
        KernelBank.precomputed(list(grams), normalize="spherical")
    with pytest.raises(ValueError, match="square"):
        KernelBank.precomputed([np.ones((3, 4))])
    with pytest.raises(ValueError, match="of 5 objects, the first one of 60"):
        KernelBank.precomputed([grams[0], np.eye(5)])
    with pytest.raises(ValueError, match="at least one"):
        KernelBank.precomputed([])


def test_sparse_rows_and_strings_have_banks_too(rows):
    thin = np.where(rows > 0.5, rows, 0.0)
    weights = np.ones(len(KERNELS))
    dense = KernelBank(KERNELS, thin).mixture(weights)
    np.testing.assert_allclose(KernelBank(KERNELS, sparse.csr_array(thin)).mixture(weights), dense, atol=1e-10)
    words = ["abab", "abba", "bbbb", "aabb"]
    bank = KernelBank([SpectrumKernel(k=1), SpectrumKernel(k=2)], words, normalize=None)
    np.testing.assert_allclose(bank.mixture(np.ones(2)), SpectrumKernel(k=1)(words) + SpectrumKernel(k=2)(words))


def test_bad_kernels_are_refused(rows):
    with pytest.raises(ValueError, match="list of one or more Kernel"):
        KernelBank([], rows)
    with pytest.raises(ValueError, match="normalize='unit' is unknown"):
        KernelBank(KERNELS, rows, normalize="unit")
    with pytest.raises(ValueError, match="column 7 does not exist"):
        KernelBank([OnColumns(Linear(), [7])], rows)
    with pytest.raises(ValueError, match="columns is empty"):
        KernelBank([OnColumns(Linear(), [])], rows)
