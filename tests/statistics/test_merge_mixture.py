"""Mixtures by merging against scikit-learn's at the same start, and the laws of EM and of merging."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from treatise.statistics import MergeGaussianMixture
from treatise.statistics._mixture_loops import expectation, maximisation, merge_cheapest, merged, run_em
from treatise.statistics.merge_mixture import from_memberships


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0, 0], [3, 0, 1], [0, 4, -1]])
    return centres[np.arange(240) % 3] + rng.normal(size=(240, 3)) @ [[1, 0.4, 0], [0, 1, 0.2], [0, 0, 0.6]]


def climb(X, memberships, max_iter, tol=0.0, ridge=1e-6):
    columns = np.ascontiguousarray(X.T)
    parameters = from_memberships(columns, np.ascontiguousarray(memberships.T), ridge)
    k, n = len(parameters[0]), len(X)
    joint, total = np.empty((k, n)), np.empty(n)
    found = run_em(columns, k, ridge, tol, max_iter, *parameters, joint, total)
    return parameters, joint, found


def memberships_at_random(n, k, seed=1):
    return np.random.default_rng(seed).dirichlet(np.ones(k), n)


def test_em_equals_scikit_learn_from_the_same_start(drawn):
    start = memberships_at_random(240, 3)
    weights, means, covariances = from_memberships(np.ascontiguousarray(drawn.T), np.ascontiguousarray(start.T), 1e-6)
    peer = GaussianMixture(
        3, weights_init=weights, means_init=means, precisions_init=np.linalg.inv(covariances), reg_covar=1e-6,
        tol=0.0, max_iter=60,
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning):
        peer.fit(drawn)
    (weights, means, covariances), _, _ = climb(drawn, start, 60)
    np.testing.assert_allclose(weights, peer.weights_, atol=1e-6)
    np.testing.assert_allclose(means, peer.means_, atol=1e-6)
    np.testing.assert_allclose(covariances, peer.covariances_, atol=1e-6)


def test_the_likelihood_never_falls_and_is_that_of_scipy(drawn):
    start = memberships_at_random(240, 4)
    values = [climb(drawn, start, steps)[2][1] for steps in range(1, 40)]
    assert np.diff(values).min() >= -1e-9 * abs(values[-1])
    (weights, means, covariances), joint, (_, value, _, _) = climb(drawn, start, 39)
    densities = [w * multivariate_normal(m, c).pdf(drawn) for w, m, c in zip(weights, means, covariances)]
    assert value == pytest.approx(np.log(np.sum(densities, axis=0)).sum(), rel=1e-12)
    np.testing.assert_allclose(joint, densities / np.sum(densities, axis=0), atol=1e-12)


def test_merging_keeps_mean_and_covariance_of_the_two_and_takes_the_cheapest_pair(drawn):
    (weights, means, covariances), joint, _ = climb(drawn, memberships_at_random(240, 4), 30)
    columns, total = np.ascontiguousarray(drawn.T), np.empty(240)
    now = expectation(columns, 4, weights, means, covariances, joint, total)
    costs = {}
    for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        mean, covariance = np.empty(3), np.empty((3, 3))
        weight = merged(*pair, weights, means, covariances, mean, covariance)
        both = weights[list(pair)] / weight
        np.testing.assert_allclose(mean, both @ means[list(pair)])
        second = sum(b * (c + np.outer(m, m)) for b, c, m in zip(both, covariances[list(pair)], means[list(pair)]))
        np.testing.assert_allclose(covariance, second - np.outer(mean, mean), atol=1e-12)
        rest = [j for j in range(4) if j not in pair]
        parameters = (
            np.append(weights[rest], weight), np.vstack([means[rest], mean]),
            np.concatenate([covariances[rest], covariance[np.newaxis]]),
        )  # fmt: skip
        costs[pair] = expectation(columns, 3, *parameters, np.empty((3, 240)), np.empty(240)) - now
    merge_cheapest(columns, 4, weights, means, covariances, joint, total)
    after = expectation(columns, 3, weights, means, covariances, np.empty((3, 240)), np.empty(240))
    assert after - now == pytest.approx(max(costs.values()), rel=1e-9)


def test_collapsed_components_are_deleted_but_never_the_last():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [3.0, 1.0], [4.0, 5.0], [6.0, 2.0]])
    memberships = np.repeat(np.eye(2), 3, axis=0)
    weights, means, _ = from_memberships(np.ascontiguousarray(X.T), np.ascontiguousarray(memberships.T), 1e-6)
    assert weights.tolist() == [1.0]
    np.testing.assert_allclose(means, [[13 / 3, 8 / 3]])
    same = np.zeros((2, 4))
    assert maximisation(same, 1, np.ones((1, 4)), 1e-6, np.empty(1), np.empty((1, 2)), np.empty((1, 2, 2))) == 1


def test_the_number_of_groups_is_found_from_every_start(drawn):
    for init in ("kmeans", "random", "subsample"):
        model = MergeGaussianMixture(8, init=init, n_init=5, random_state=0).fit(drawn)
        assert model.n_components_ == 3
    assert model.bic_path_["n_components"][-1] == 1
    best = np.argmin(model.bic_path_["bic"])
    assert model.bic_path_["n_components"][best] == 3
    assert model.bic(drawn) == pytest.approx(model.bic_path_["bic"][best], rel=1e-6)
    np.testing.assert_allclose(model.predict_proba(drawn), model.responsibilities_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(drawn), model.labels_)
    peer = GaussianMixture(3, n_init=5, random_state=0, tol=1e-9, max_iter=1000).fit(drawn)
    assert model.score(drawn) >= peer.score(drawn) - 1e-4
    assert model.bic(drawn) == pytest.approx(peer.bic(drawn), rel=1e-4)


def test_shift_and_unit_change_the_density_alone(drawn):
    plain = MergeGaussianMixture(6, random_state=0).fit(drawn)
    moved = MergeGaussianMixture(6, random_state=0).fit(1e3 * drawn + 1e6)
    assert (moved.labels_ == plain.labels_).mean() > 0.99
    np.testing.assert_allclose(
        moved.score_samples(1e3 * drawn + 1e6), plain.score_samples(drawn) - 3 * np.log(1e3), atol=1e-3
    )


def test_a_fixed_number_few_rows_and_bad_ranges():
    X = load_iris().data
    fixed = MergeGaussianMixture(3, min_components=3, random_state=0).fit(X)
    assert fixed.n_components_ == 3 and fixed.bic_path_["n_components"].tolist() == [3]
    small = MergeGaussianMixture(random_state=0).fit(X[:3])
    assert small.n_components_ >= 1 and np.isfinite(small.score_samples(X)).all()
    constant = MergeGaussianMixture(random_state=0).fit(np.ones((5, 2)))
    assert constant.n_components_ == 1
    with pytest.raises(ValueError, match="min_components=4 exceeds max_components=3"):
        MergeGaussianMixture(3, min_components=4).fit(X)
    with pytest.raises(ValueError, match="exceeds the 1 distinct rows"):
        MergeGaussianMixture(3, min_components=2).fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="NaN"):
        MergeGaussianMixture().fit([[np.nan], [1.0]])
