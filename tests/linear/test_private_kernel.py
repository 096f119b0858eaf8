"""Private classification with random features."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale

from treatise.linear import BudgetExceededError, PrivacyAccountant, PrivateKernelClassifier, PrivateLogisticRegression


def quadrants(n, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def test_features_never_exceed_norm_one():
    """Algorithm 3 as printed allows the root of two, which would break the guarantee."""
    rng = np.random.default_rng(0)
    for n_components in (1, 2, 30):
        fitted = PrivateKernelClassifier(n_components=n_components, random_state=0).fit(*quadrants(50, 0))
        far = fitted._features(rng.normal(size=(5000, 2)) * 10 ** rng.uniform(-3, 3, (5000, 1)))
        assert np.linalg.norm(far, axis=1).max() <= 1 + 1e-12
    # With one feature a row that hits the phase attains the bound.
    one = PrivateKernelClassifier(n_components=1, random_state=0).fit(*quadrants(50, 0))
    hit = -one.phases_[0] * one.frequencies_[:, 0] / (one.frequencies_[:, 0] @ one.frequencies_[:, 0])
    np.testing.assert_allclose(one._features(hit[None, :]), 1.0)


def test_features_approach_half_the_gaussian_kernel():
    X = np.random.default_rng(1).normal(size=(20, 3))
    fitted = PrivateKernelClassifier(gamma=0.4, n_components=100_000, random_state=0)
    fitted._bounded(X)
    features = fitted._features(X)
    # 100 000 cosines: a standard error of 0.002.
    np.testing.assert_allclose(2 * features @ features.T, rbf_kernel(X, gamma=0.4), atol=0.015)


@pytest.mark.parametrize("loss", ["logistic", "huber", "smooth_hinge"])
def test_quadrants_are_learned_where_a_plane_fails(loss):
    X, y = quadrants(8000, 2)
    fresh, labels = quadrants(2000, 3)
    linear = PrivateLogisticRegression(1.0, data_norm=np.sqrt(2), random_state=0).fit(X, y)
    private = PrivateKernelClassifier(1.0, 1e-3, gamma=3.0, n_components=50, loss=loss, random_state=0).fit(X, y)
    assert linear.score(fresh, labels) < 0.65
    assert private.score(fresh, labels) > 0.9


def test_width_and_penalty_follow_from_public_sizes_alone():
    X, y = quadrants(500, 6)
    auto = PrivateKernelClassifier(random_state=0).fit(X, y)
    told = PrivateKernelClassifier(gamma=0.5, alpha=10 / 500, random_state=0).fit(X, y)
    np.testing.assert_array_equal(auto.weights_, told.weights_)
    np.testing.assert_array_equal(auto.frequencies_, PrivateKernelClassifier(random_state=0).fit(9 * X, y).frequencies_)


def test_defaults_learn_where_a_fixed_width_saw_every_row_alone():
    """With gamma = 1 and thirty columns of unit variance no two rows are alike, and the classes were told by chance."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)

    def score(seed, **options):
        fitted = PrivateKernelClassifier(random_state=seed, **options).fit(X[::2], y[::2])
        return fitted.score(X[1::2], y[1::2])

    default = np.mean([score(seed) for seed in range(8)])
    assert default > np.mean([score(seed, alpha=0.01, gamma=1.0) for seed in range(8)]) + 0.1


def test_features_and_noise_come_from_separate_generators():
    X, y = quadrants(100, 4)
    one = PrivateKernelClassifier(random_state=7).fit(X, y)
    other = PrivateKernelClassifier(random_state=7, mechanism="output").fit(X, y)
    np.testing.assert_array_equal(one.frequencies_, other.frequencies_)
    assert not np.array_equal(
        PrivateKernelClassifier().fit(X, y).frequencies_, PrivateKernelClassifier().fit(X, y).frequencies_
    )


def test_sparse_rows_budget_and_bad_input():
    X, y = quadrants(100, 5)
    dense = PrivateKernelClassifier(random_state=0).fit(X, y)
    thin = PrivateKernelClassifier(random_state=0).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.weights_, dense.weights_)
    with pytest.raises(BudgetExceededError):
        PrivateKernelClassifier(2.0, accountant=PrivacyAccountant(1.0)).fit(X, y)
    with pytest.raises(ValueError, match="'gamma' parameter"):
        PrivateKernelClassifier(gamma="scale").fit(X, y)  # a width from the data would leak
