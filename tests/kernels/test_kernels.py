"""Kernels of rows, their combinations, and the rows of their Gram matrices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from treatise.kernels import (
    CubicSpline,
    FunctionKernel,
    Gaussian,
    GaussianProductKernel,
    GramRows,
    GramTransformer,
    HiddenMarkovProductKernel,
    Laplacian,
    Linear,
    LinearDynamicalProductKernel,
    OnColumns,
    Polynomial,
    check_gram,
    kernel_gamma,
    resolve_kernel,
)
from treatise.kernels._distance_loops import scale_distances

PEERS = [
    (Linear(), linear_kernel),
    (Gaussian(0.3), lambda X, Y: rbf_kernel(X, Y, gamma=0.3)),
    (Laplacian(0.3), lambda X, Y: laplacian_kernel(X, Y, gamma=0.3)),
    (Polynomial(2, gamma=0.5, coef0=2.0), lambda X, Y: polynomial_kernel(X, Y, degree=2, gamma=0.5, coef0=2.0)),
]


@pytest.fixture
def tables():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 5)) * (generator.random((30, 5)) < 0.5)
    return X, generator.normal(size=(7, 5))


@pytest.mark.parametrize("kernel, peer", PEERS)
def test_dense_and_sparse_rows_give_the_values_of_scikit_learn(kernel, peer, tables):
    X, Y = tables
    for A in (X, sparse.csr_array(X)):
        for B in (Y, sparse.csr_array(Y)):
            # Both compute in double precision; 1e-12 is rounding.
            np.testing.assert_allclose(kernel(A, B), peer(X, Y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in PEERS] + [FunctionKernel(linear_kernel)])
def test_diagonal_is_that_of_the_gram_matrix(kernel, tables):
    X, _ = tables
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(kernel.diagonal(kernel.prepare(rows)), np.diagonal(kernel(rows)), atol=1e-12)


def test_euclidean_laplacian_decays_with_the_distance():
    assert Laplacian(0.5, p=2)([[0.0, 0.0]], [[3.0, 4.0]])[0, 0] == pytest.approx(np.exp(-2.5))


def test_sums_products_and_multiples_combine_values(tables):
    X, Y = tables
    combined = (Gaussian(0.3) + 0.5 * Linear()) * Polynomial(2)
    expected = (Gaussian(0.3)(X, Y) + 0.5 * Linear()(X, Y)) * Polynomial(2)(X, Y)
    np.testing.assert_allclose(combined(X, Y), expected, rtol=1e-12)
    np.testing.assert_allclose(combined.diagonal(combined.prepare(X)), np.diagonal(combined(X)), rtol=1e-12)


def test_normalized_kernel_has_unit_diagonal_and_zero_for_an_object_of_no_length():
    gram = Linear().normalized()([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(gram, [[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 0.0]], atol=1e-15)


def test_negative_multiple_and_foreign_operand_are_refused():
    with pytest.raises(ValueError, match=r"times -1 is no kernel"):
        (-1.0 * Linear())([[1.0]])
    with pytest.raises(TypeError, match="not with str"):
        Linear() + "rbf"


def test_parameters_of_a_combined_kernel_can_be_searched_in_a_pipeline():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(60, 2))
    y = np.linalg.norm(X, axis=1) > 1.1
    model = make_pipeline(GramTransformer(Gaussian()), SVC(kernel="precomputed"))
    search = GridSearchCV(model, {"gramtransformer__kernel__gamma": [1e-6, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"gramtransformer__kernel__gamma": 1.0}
    assert clone(Gaussian(2.0) + Linear()).kernels[0].gamma == 2.0


def test_kernels_serve_scikit_learns_svc_as_functions(tables):
    X, Y = tables
    y = X[:, 0] > 0
    ours = SVC(kernel=Gaussian(0.3)).fit(X, y).decision_function(Y)
    np.testing.assert_allclose(ours, SVC(kernel="rbf", gamma=0.3).fit(X, y).decision_function(Y), atol=1e-6)


def test_names_resolve_to_scikit_learns_kernels(tables):
    X, Y = tables
    assert kernel_gamma("scale", X) == pytest.approx(1 / (5 * X.var()))
    assert kernel_gamma("scale", sparse.csr_array(X)) == pytest.approx(1 / (5 * X.var()))
    assert kernel_gamma("auto", X) == 0.2
    assert kernel_gamma("scale", np.ones((3, 2))) == 1.0
    assert resolve_kernel("rbf", X, gamma=0.3).gamma == 0.3
    with pytest.raises(ValueError, match="kernel='cosine' is unknown"):
        resolve_kernel("cosine", X)
    with pytest.raises(ValueError, match=r"gave shape \(5, 5\) for 30 and 7 rows"):
        FunctionKernel(lambda A, B: A.T @ A)(X, Y)


def test_rows_come_out_right_however_few_are_kept():
    X = np.random.default_rng(2).normal(size=(50, 3))
    kernel = Gaussian(0.2)
    gram = kernel(X)
    rows = GramRows(kernel, kernel.prepare(X), cache_bytes=3 * 50 * 8)
    assert not rows.holds_all
    for i in np.random.default_rng(3).integers(0, 50, 400):
        np.testing.assert_allclose(rows.row(i), gram[i], atol=1e-14)
        assert np.count_nonzero(rows.slot_of >= 0) <= 3
    positions, weights = np.array([1, 5, 49]), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(rows.product(positions, weights), weights @ gram[positions], atol=1e-13)
    with pytest.raises(ValueError, match="4 rows were asked for at once; the cache holds 3"):
        rows.fetch([10, 11, 12, 13])


def test_the_row_used_last_outlives_older_ones():
    X = np.arange(8.0)[:, None]
    rows = GramRows(Linear(), X, cache_bytes=0)
    rows.fetch([0])
    rows.fetch([1])
    rows.fetch([0])
    rows.fetch([2])
    assert rows.slot_of[0] >= 0 and rows.slot_of[2] >= 0 and rows.slot_of[1] < 0


def test_matrices_that_are_no_gram_matrices_are_refused_with_the_offender():
    X = np.random.default_rng(8).normal(size=(30, 3))
    good = Gaussian(0.3)(X)
    check_gram(good)
    check_gram(Linear()(X))
    with pytest.raises(ValueError, match=r"square matrix; it has shape \(30, 20\)"):
        check_gram(good[:, :20])
    bad = good.copy()
    bad[3, 7] += 1e-3
    with pytest.raises(ValueError, match=r"symmetric; entry \((3, 7|7, 3)\)"):
        check_gram(bad)
    bad = good.copy()
    bad[4, 4] = -1.0
    with pytest.raises(ValueError, match=r"never negative; entry \(4, 4\) is -1"):
        check_gram(bad)
    bad = good.copy()
    bad[5, 9] = bad[9, 5] = 1.5
    with pytest.raises(ValueError, match=r"entry \((5, 9|9, 5)\) is 1\.5, more than the lengths .* allow, 1"):
        check_gram(bad)
    bad = np.full((4, 4), -0.9)
    np.fill_diagonal(bad, 1.0)
    with pytest.raises(ValueError, match=r"smallest eigenvalue is -1\.7"):
        check_gram(bad)


@pytest.mark.parametrize("n", [1, 5, 300])
def test_a_gram_matrix_is_the_mean_of_the_block_and_its_transpose_to_the_last_bit(n):
    class Skewed(Linear):
        def block(self, A, B):
            return np.exp(A @ B.T + 1e-3 * np.arange(len(B)))

    X = np.random.default_rng(0).normal(size=(n, 3))
    block = Skewed().block(X, X)
    np.testing.assert_array_equal(Skewed()(X), 0.5 * (block + block.T))


def test_a_block_that_belongs_to_somebody_else_is_left_alone():
    class Borrowed(Linear):
        def block(self, A, B):
            return A[:, :3]

    X = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(Borrowed()(X), 0.5 * (X[:, :3] + X[:, :3].T))
    np.testing.assert_array_equal(X, np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize(
    ("kernel", "objects", "words"),
    [
        (CubicSpline(domain=()), [[0.5]], "must be two numbers"),
        (OnColumns(Linear(), ["other"]), [[1.0, 2.0]], "whole numbers"),
        (GaussianProductKernel(np.zeros(2)), [[[1.0], [2.0]]], "none of 'full'"),
        (HiddenMarkovProductKernel(n_steps=2**31), ["ACGT"], "n_steps=2147483648"),
        (LinearDynamicalProductKernel(n_steps=2**31), [np.ones((9, 1))], "n_steps=2147483648"),
    ],
)
def test_parameters_that_no_kernel_has_are_told_in_words(kernel, objects, words):
    with pytest.raises(ValueError, match=words):
        kernel(objects)


def test_exponents_of_equal_rows_are_never_positive_and_what_is_not_a_number_stays_so():
    rows = Gaussian(2.0).prepare(np.random.default_rng(0).normal(scale=1e4, size=(300, 7)))
    values = Gaussian(2.0).block(rows, rows)
    assert values.max() <= 1.0
    assert np.all(np.diagonal(values) > 0.99), "up to rounding of squares of 1e8"
    products = np.array([[np.nan, 1.0]])
    scale_distances(products, np.array([1.0]), np.array([1.0, 1.0]), 2.0)
    assert np.isnan(products[0, 0])
    assert products[0, 1] == 0.0


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Gaussian(1e-4), Laplacian(0.3, p=2), Laplacian(0.3)])
@pytest.mark.parametrize("far", [1e5, 1e8])
def test_the_origin_of_the_columns_does_not_change_what_depends_on_distances(kernel, far):
    """Squared lengths of rows far from the origin hid their distances: times in seconds gave machines of chance."""
    rng = np.random.default_rng(8)
    A, B = np.round(rng.normal(size=(12, 3)), 3), np.round(rng.normal(size=(9, 3)), 3)
    # The sums lose digits themselves: to 1e-8 beside 1e8.
    np.testing.assert_allclose(kernel(A + far, B + far), kernel(A, B), atol=1e-7)
    np.testing.assert_allclose(kernel(A - far), kernel(A), atol=1e-7)


def test_rows_near_the_origin_are_left_where_they_are():
    X = np.random.default_rng(9).normal(size=(20, 4)) + 3.0
    lengths, exponents = np.einsum("ij,ij->i", X, X), X @ X.T
    scale_distances(exponents, lengths, lengths, 0.2)
    rows = Gaussian(0.2).prepare(X)
    np.testing.assert_array_equal(Gaussian(0.2).block(rows, rows), np.exp(exponents))
