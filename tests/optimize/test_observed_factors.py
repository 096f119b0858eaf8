"""Factors of the observed entries of a matrix against dense algebra and their stationary conditions."""

import numpy as np
import pytest
from scipy import sparse

from treatise.optimize import factorize_observed, factorize_signs


def observed(seed=0, n=40, m=30, rank=3, share=0.4, signs=False):
    rng = np.random.default_rng(seed)
    full = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, m))
    full = np.sign(full) if signs else full
    return sparse.csr_array(np.where(rng.random((n, m)) < share, full, 0.0)), full


def test_each_half_sweep_lowers_the_objective_and_solves_its_rows():
    A, _ = observed()
    reg = 0.7
    found = factorize_observed(A, 4, reg=reg, max_iter=5, tol=0.0, random_state=0)
    assert (np.diff(found.objective) <= 1e-9 * found.objective[0]).all()
    dense, seen = A.toarray(), A.toarray() != 0
    # The last half sweep solved for H: its gradient is zero.
    for j in range(A.shape[1]):
        W = found.W[seen[:, j]]
        gradient = W.T @ (W @ found.H[j] - dense[seen[:, j], j]) + reg * found.H[j]
        np.testing.assert_allclose(gradient, 0.0, atol=1e-9)
    residual = (dense - found.W @ found.H.T)[seen]
    value = residual @ residual + reg * (np.sum(found.W**2) + np.sum(found.H**2))
    assert found.objective[-1] == pytest.approx(value, rel=1e-12)


def test_a_matrix_of_low_rank_is_recovered_as_the_penalty_vanishes():
    A, full = observed(share=1.0)
    found = factorize_observed(A, 3, reg=1e-8, tol=1e-12, max_iter=500, random_state=1)
    np.testing.assert_allclose(found.W @ found.H.T, full, atol=1e-3)
    rows, columns = np.array([0, 5, 39]), np.array([29, 0, 3])
    np.testing.assert_allclose(found.at(rows, columns), full[rows, columns], atol=1e-3)


def test_rows_without_an_entry_are_zero():
    A = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]]))
    found = factorize_observed(A, 2, random_state=0)
    np.testing.assert_array_equal(found.W[1], 0.0)
    assert np.isfinite(found.W).all()


@pytest.mark.parametrize("loss", ["sigmoid", "squared_hinge"])
def test_sign_losses_fall_and_tell_the_signs(loss):
    A, full = observed(2, signs=True, share=0.8)
    found = factorize_signs(A, 6, loss=loss, reg=0.05, max_iter=300, random_state=0)
    assert (np.diff(found.objective) < 0).all()
    seen = A.toarray() != 0
    W, H = found.W, found.H
    margin = (full * (W @ H.T))[seen]
    losses = 1 / (1 + np.exp(margin)) if loss == "sigmoid" else np.maximum(0, 1 - margin) ** 2
    value = losses.sum() + 0.05 * (np.sum(W**2) + np.sum(H**2))
    assert found.objective[-1] == pytest.approx(value, rel=1e-9)
    assert np.mean(margin > 0) > 0.95


def test_bad_arguments_are_refused():
    A, _ = observed()
    with pytest.raises(ValueError, match="above zero"):
        factorize_observed(A, 2, reg=0.0)
    with pytest.raises(ValueError, match="whole number"):
        factorize_observed(A, 0)
    with pytest.raises(ValueError, match="-1 or 1"):
        factorize_signs(A, 2)
    with pytest.raises(ValueError, match="none of"):
        factorize_signs(sparse.csr_array(np.sign(A.toarray())), 2, loss="hinge")
