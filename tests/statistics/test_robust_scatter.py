"""Weighted sums over blocks of rows, the geometric median, scatters and distances of subspaces."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from treatise.statistics import geometric_median, row_blocks, scatter_m_estimate, subspace_distance
from treatise.statistics.row_blocks import RowBlocks
from treatise.statistics.subspaces import complement


def test_blocks_of_rows_give_the_sums_of_the_whole_table(monkeypatch):
    rng = np.random.default_rng(0)
    X, center, scale, weights = rng.normal(size=(101, 3)), rng.normal(size=3), rng.random(101), rng.random(101)
    Z = (X - center) * scale[:, np.newaxis]
    for numbers in (row_blocks.NUMBERS, 1):
        monkeypatch.setattr(row_blocks, "NUMBERS", numbers)
        rows = RowBlocks(X, center, scale)
        np.testing.assert_allclose(rows.gram(weights), (Z.T * weights) @ Z)
        np.testing.assert_allclose(rows.gram(), Z.T @ Z)
        np.testing.assert_allclose(rows.norms(), np.linalg.norm(Z, axis=1))
        np.testing.assert_allclose(rows.by(np.eye(3)[:, :2]), Z[:, :2])
        np.testing.assert_allclose(rows.at_hand().by(np.eye(3)), Z)


def test_geometric_median_has_the_least_sum_of_distances():
    for seed in range(5):
        X = np.random.default_rng(seed).standard_t(2, size=(40, 3))
        found = geometric_median(X, tol=1e-10)

        def value(y, X=X):
            return np.linalg.norm(X - y, axis=1).sum()

        best = minimize(value, X.mean(axis=0), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
        assert value(found) <= best.fun * (1 + 1e-9)
        np.testing.assert_allclose(found, best.x, atol=1e-4)


def test_geometric_median_stays_where_more_than_half_of_the_rows_are():
    X = np.vstack([np.tile([1.0, 2.0], (60, 1)), np.random.default_rng(0).normal(size=(40, 2)) * 1e6])
    np.testing.assert_allclose(geometric_median(X, tol=1e-10), [1.0, 2.0], atol=1e-3)
    np.testing.assert_array_equal(geometric_median(np.ones((3, 2))), [1.0, 1.0])


def test_geometric_median_turns_and_moves_with_the_rows():
    rng = np.random.default_rng(1)
    X, turn = rng.normal(size=(50, 4)), np.linalg.qr(rng.normal(size=(4, 4)))[0]
    expected = geometric_median(X, tol=1e-12) @ turn * 1e6 + 7.0
    np.testing.assert_allclose(geometric_median(X @ turn * 1e6 + 7.0, tol=1e-12), expected, rtol=1e-4)


def test_too_few_steps_to_the_median_are_told():
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        geometric_median(np.random.default_rng(0).normal(size=(30, 2)) ** 3, max_iter=1, tol=1e-12)


@pytest.mark.parametrize("weight", ["tyler", "student", "power"])
def test_scatter_solves_its_equation_and_follows_every_linear_map(weight):
    rng = np.random.default_rng(2)
    X, maps = rng.standard_t(3, size=(200, 4)), rng.normal(size=(4, 4))
    V = scatter_m_estimate(X, weight)
    d = np.einsum("ij,jk,ik->i", X, np.linalg.inv(V), X)
    u = {"tyler": 4 / d, "student": 5 / (1 + d), "power": d**-0.9}[weight]
    right = (X.T * u) @ X / len(X)
    if weight == "tyler":
        right /= np.trace(right)
    np.testing.assert_allclose(right, V, atol=1e-6 * np.abs(V).max())
    mapped, expected = scatter_m_estimate(X @ maps.T, weight), maps @ V @ maps.T
    if weight == "tyler":
        expected /= np.trace(expected)
    np.testing.assert_allclose(mapped, expected, atol=1e-5 * np.abs(expected).max())


def test_tyler_ignores_the_lengths_of_rows_and_a_zero_row():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 3)) * [3.0, 1.0, 1.0]
    stretched = np.vstack([X * rng.lognormal(0, 5, (100, 1)), np.zeros((1, 3))])
    np.testing.assert_allclose(scatter_m_estimate(stretched), scatter_m_estimate(X), atol=1e-6)


def test_tyler_ends_at_a_subspace_that_holds_too_many_rows():
    rng = np.random.default_rng(4)
    frame = np.linalg.qr(rng.normal(size=(8, 2)))[0]
    X = np.vstack([rng.normal(size=(60, 2)) @ frame.T, rng.random((60, 8))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        V = scatter_m_estimate(X)
    assert subspace_distance(np.linalg.eigh(V)[1][:, -2:].T, frame.T) < 1e-6


def test_bad_input_to_scatter_is_refused():
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(ValueError, match="2 rows for 3 columns"):
        scatter_m_estimate(X[:2])
    with pytest.raises(ValueError, match="weight='huber' must be"):
        scatter_m_estimate(X, "huber")
    with pytest.raises(ValueError, match=r"shape=1\.5 must be below 1"):
        scatter_m_estimate(X, "power", shape=1.5)
    with pytest.raises(ValueError, match="shape=-1 must be above 0"):
        scatter_m_estimate(X, "student", shape=-1)
    with pytest.raises(ValueError, match="one number for each of the 3 columns"):
        scatter_m_estimate(X, center=[1.0])
    with pytest.raises(ValueError, match="span fewer than its 3 columns"):
        scatter_m_estimate(X[:, [0, 0, 1]] * [1, 0, 1])
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        scatter_m_estimate(X, max_iter=1, tol=1e-14)


def test_distance_of_subspaces_is_that_of_their_projections():
    rng = np.random.default_rng(5)
    for first, second in ((2, 2), (1, 3)):
        A, B = rng.normal(size=(first, 6)), rng.normal(size=(second, 6))
        projections = [np.linalg.pinv(M) @ M for M in (A, B)]
        assert subspace_distance(A, B) == pytest.approx(np.linalg.norm(projections[0] - projections[1]))
    tilted = np.array([[1.0, 1e-12, 0.0]])
    assert subspace_distance([[1.0, 0.0, 0.0]], tilted) == pytest.approx(np.sqrt(2) * 1e-12, rel=1e-3)
    rest = complement(np.linalg.qr(A.T)[0])
    np.testing.assert_allclose(rest.T @ rest, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(A @ rest, 0.0, atol=1e-12)
    with pytest.raises(ValueError, match="2 rows of A are not independent"):
        subspace_distance([[1.0, 0.0], [2.0, 0.0]], np.eye(2))
    with pytest.raises(ValueError, match="A has 2 columns and B 3"):
        subspace_distance([[1.0, 0.0]], [[1.0, 0.0, 0.0]])
