"""Alignment of Gram matrices, and of their mixtures with labels."""

import numpy as np
import pytest
from scipy.optimize import minimize

from treatise.kernels import align_kernels, kernel_alignment


@pytest.fixture
def grams():
    """Three Gram matrices of forty objects, two of them related to the labels."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 20)
    columns = [rng.normal(size=(40, 3)) + shift * y[:, None] for shift in (0.5, 1.0, 0.0)]
    return [X @ X.T for X in columns], y


def test_alignment_is_a_cosine(grams):
    (first, second, _), _ = grams
    assert kernel_alignment(first, first) == pytest.approx(1)
    assert kernel_alignment(first, 7 * second) == pytest.approx(kernel_alignment(second, first))
    expected = np.trace(first @ second) / np.sqrt(np.trace(first @ first) * np.trace(second @ second))
    assert kernel_alignment(first, second) == pytest.approx(expected)
    assert kernel_alignment(np.zeros((2, 2)), np.eye(2)) == 0


def test_without_ridge_the_mixture_is_aligned_best_of_all(grams):
    matrices, y = grams
    target = np.outer(y, y)
    weights = align_kernels(matrices, y, sigma=0.0)

    def loss(v):
        w = np.exp(v)
        return -kernel_alignment(sum(a * K for a, K in zip(w, matrices)), target)

    best = min(minimize(loss, np.random.default_rng(s).normal(size=3), method="Nelder-Mead").fun for s in range(5))
    reached = kernel_alignment(sum(a * K for a, K in zip(weights, matrices)), target)
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all()
    # Nelder-Mead stops at 1e-4 in its parameters, where the alignment is flat.
    assert reached >= -best - 1e-6
    assert reached >= max(kernel_alignment(K, target) for K in matrices) - 1e-12


def test_ridge_is_the_stated_quadratic_programme(grams):
    matrices, y = grams
    sigma = 0.3
    A = np.array([[np.sum(a * b) for b in matrices] for a in matrices])
    b = np.array([y @ K @ y for K in matrices])
    ridge = sigma / 9 * A.sum()
    scale = np.trace(A)
    found = minimize(
        lambda w: (w @ (A + ridge * np.eye(3)) @ w) / scale - b @ w / np.sqrt(scale), np.ones(3),
        bounds=[(0, None)] * 3, options={"ftol": 1e-15, "gtol": 1e-12},
    ).x  # fmt: skip
    np.testing.assert_allclose(align_kernels(matrices, y, sigma), found / found.sum(), atol=1e-5)


def test_labels_may_be_named_and_kernels_repeated(grams):
    matrices, y = grams
    names = np.where(y > 0, "family", "other")
    twice = [matrices[0], matrices[0]]
    np.testing.assert_allclose(align_kernels(twice, names, 0.01).sum(), 1)
    np.testing.assert_allclose(align_kernels(matrices, names), align_kernels(matrices, y))
    np.testing.assert_allclose(align_kernels([np.zeros((40, 40))] * 2, y), 0.5)


def test_wrong_shapes_and_labels_are_refused(grams):
    matrices, y = grams
    with pytest.raises(ValueError, match="same shape"):
        kernel_alignment(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match=r"shape \(39, 39\) is expected"):
        align_kernels(matrices, y[:-1])
    with pytest.raises(ValueError, match="0 Gram matrices"):
        align_kernels([], y)
    with pytest.raises(ValueError, match="1 distinct labels"):
        align_kernels(matrices, np.ones(40))
    with pytest.raises(ValueError, match="sigma=-1"):
        align_kernels(matrices, y, -1)
