"""Block arrows against the dense matrices that they stand for."""

import numpy as np
import pytest

from treatise.optimize import BlockArrow


def made(b, seed=0, n=70, groups=6, q=2):
    rng = np.random.default_rng(seed)
    X, Z, group = rng.normal(size=(n, b)), rng.normal(size=(n, q)), rng.integers(0, groups, n)
    group[group == 3] = 2  # group 3 has no rows
    weight = rng.random(n) + 0.2
    C = np.zeros((n, b + groups * q))
    C[:, :b] = X
    for i in range(n):
        C[i, b + q * group[i] : b + q * group[i] + q] = Z[i]
    arrow = BlockArrow.of_rows(X, Z, group, groups, weight).plus(np.eye(b), 2 * np.eye(q))
    dense = C.T @ (weight[:, None] * C) + np.diag(np.r_[np.ones(b), np.full(groups * q, 2.0)])
    return X, Z, group, C, arrow, dense


@pytest.mark.parametrize("b", [1, 4, 40])
def test_solutions_inverses_and_forms_equal_dense_ones(b):
    X, Z, group, C, arrow, dense = made(b)
    factor, inverse = arrow.factor(), np.linalg.inv(dense)
    right = np.random.default_rng(1).normal(size=len(dense))
    shared, own = factor.solve(right[:b], right[b:].reshape(-1, 2))
    np.testing.assert_allclose(np.r_[shared, own.ravel()], inverse @ right, atol=1e-11)
    np.testing.assert_allclose(factor.log_determinant, np.linalg.slogdet(dense)[1], rtol=1e-12)
    np.testing.assert_allclose(factor.row_variances(X, Z, group), np.einsum("ij,jk,ik->i", C, inverse, C), atol=1e-11)
    np.testing.assert_allclose(factor.border_inverse(), inverse[:b, :b], atol=1e-11)
    np.testing.assert_allclose(factor.coupling_inverse().reshape(-1, b), inverse[b:, :b], atol=1e-11)
    for g, block in enumerate(factor.block_inverses()):
        part = slice(b + 2 * g, b + 2 * g + 2)
        np.testing.assert_allclose(block, inverse[part, part], atol=1e-11)
    product = arrow.times(right[:b], right[b:].reshape(-1, 2))
    np.testing.assert_allclose(np.r_[product[0], product[1].ravel()], dense @ right, atol=1e-10)


def test_coloured_noise_has_the_inverse_as_its_covariance():
    b = 3
    *_, arrow, dense = made(b)
    factor, size = arrow.factor(), len(dense)
    columns = []
    for unit in np.eye(size):
        shared, own = factor.color(unit[:b], unit[b:].reshape(-1, 2))
        columns.append(np.r_[shared, own.ravel()])
    half = np.array(columns).T
    np.testing.assert_allclose(half @ half.T, np.linalg.inv(dense), atol=1e-11)


def test_a_mixture_is_one_of_all_entries():
    *_, arrow, _ = made(2)
    other = arrow.plus(np.eye(2), np.eye(2))
    mixed = arrow.mixed(other, 0.25)
    np.testing.assert_allclose(mixed.border, arrow.border + 0.25 * np.eye(2))
    np.testing.assert_allclose(mixed.blocks, arrow.blocks + 0.25 * np.eye(2))


def test_a_matrix_that_is_not_positive_definite_is_told():
    with pytest.raises(np.linalg.LinAlgError, match="block"):
        BlockArrow(np.eye(1), np.zeros((1, 1, 1)), -np.ones((1, 1, 1))).factor()
    with pytest.raises(np.linalg.LinAlgError):
        BlockArrow(np.eye(1), np.full((1, 1, 1), 2.0), np.ones((1, 1, 1))).factor()
