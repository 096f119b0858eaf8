"""Mixtures by merging against scikit-learn's at the same start, and the laws of EM and of merging."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import scale

from treatise.statistics import MergeGaussianMixture
from treatise.statistics._mixture_loops import FULL, expectation, maximisation, merge_cheapest, merged, run_em
from treatise.statistics.merge_mixture import FORMS, from_memberships

PEER_FORMS = {"full": "full", "tied": "tied", "diagonal": "diag"}


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0, 0], [3, 0, 1], [0, 4, -1]])
    return centres[np.arange(240) % 3] + rng.normal(size=(240, 3)) @ [[1, 0.4, 0], [0, 1, 0.2], [0, 0, 0.6]]


def climb(X, memberships, max_iter, tol=0.0, ridge=1e-6, form="full"):
    columns = np.ascontiguousarray(X.T)
    parameters = from_memberships(columns, np.ascontiguousarray(memberships.T), ridge, form)
    k, n = len(parameters[0]), len(X)
    joint, total = np.empty((k, n)), np.empty(n)
    found = run_em(columns, k, FORMS[form], ridge, tol, max_iter, *parameters, joint, total)
    return parameters, joint, found


def memberships_at_random(n, k, seed=1):
    return np.random.default_rng(seed).dirichlet(np.ones(k), n)


@pytest.mark.parametrize("form", FORMS)
def test_em_equals_scikit_learn_from_the_same_start(drawn, form):
    start = memberships_at_random(240, 3)
    columns, rows = np.ascontiguousarray(drawn.T), np.ascontiguousarray(start.T)
    weights, means, covariances = from_memberships(columns, rows, 1e-6, form)
    precisions = np.linalg.inv(covariances)
    as_peers = {"full": lambda each: each, "tied": lambda each: each[0], "diagonal": np.diagonal}
    arguments = {"diagonal": {"axis1": 1, "axis2": 2}}.get(form, {})
    peer = GaussianMixture(
        3, covariance_type=PEER_FORMS[form], weights_init=weights, means_init=means,
        precisions_init=as_peers[form](precisions, **arguments), reg_covar=1e-6, tol=0.0, max_iter=60,
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning):
        peer.fit(drawn)
    (weights, means, covariances), _, _ = climb(drawn, start, 60, form=form)
    np.testing.assert_allclose(weights, peer.weights_, atol=1e-6)
    np.testing.assert_allclose(means, peer.means_, atol=1e-6)
    np.testing.assert_allclose(as_peers[form](covariances, **arguments), peer.covariances_, atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_bic_charges_the_parameters_of_each_form(drawn, form):
    model = MergeGaussianMixture(3, min_components=3, covariance=form, random_state=0, tol=1e-9).fit(drawn)
    peer = GaussianMixture(
        3, covariance_type=PEER_FORMS[form], n_init=5, random_state=0, tol=1e-9, max_iter=1000
    ).fit(drawn)  # fmt: skip
    assert model.covariance_ == form
    assert model.bic(drawn) == pytest.approx(peer.bic(drawn), rel=1e-4)


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
    assert maximisation(same, 1, FULL, np.ones((1, 4)), 1e-6, np.empty(1), np.empty((1, 2)), np.empty((1, 2, 2))) == 1


def test_a_full_covariance_asks_for_more_rows_than_columns_and_a_shared_one_for_none():
    X = np.random.default_rng(0).normal(size=(12, 4))
    memberships = np.ascontiguousarray(np.repeat(np.eye(2), [4, 8], axis=0).T)
    kept = {form: len(from_memberships(np.ascontiguousarray(X.T), memberships, 1e-6, form)[0]) for form in FORMS}
    assert kept == {"full": 1, "tied": 2, "diagonal": 2}
    X[:4, 0] = 1.0  # the first has no width in a column
    kept = {form: len(from_memberships(np.ascontiguousarray(X.T), memberships, 1e-6, form)[0]) for form in FORMS}
    assert kept == {"full": 1, "tied": 2, "diagonal": 1}


def test_groups_of_many_columns_are_found_and_none_in_one_gaussian():
    X, y = load_wine(return_X_y=True)
    model = MergeGaussianMixture(random_state=0).fit(scale(X))
    assert adjusted_rand_score(y, model.labels_) > 0.7  # full covariances alone have 0.46
    path = model.bic_path_
    assert path["bic"].min() == path["bic"][path["covariance"] == model.covariance_].min()
    X, y = (part[:600] for part in load_digits(return_X_y=True))
    assert adjusted_rand_score(y, MergeGaussianMixture(random_state=0).fit(scale(X)).labels_) > 0.3
    for seed in range(10):
        rng = np.random.default_rng(seed)
        alone = rng.normal(size=(120, 13)) @ rng.normal(size=(13, 13))
        assert MergeGaussianMixture(6, n_init=3, random_state=0).fit(scale(alone)).n_components_ == 1


def test_the_number_of_groups_is_found_from_every_start(drawn):
    for init in ("kmeans", "random", "subsample"):
        model = MergeGaussianMixture(8, init=init, n_init=5, random_state=0).fit(drawn)
        assert model.n_components_ == 3 and model.covariance_ == "tied"  # as they were drawn
    assert model.bic_path_["n_components"][-1] == 1
    best = np.argmin(model.bic_path_["bic"])
    assert model.bic_path_["n_components"][best] == 3
    assert model.bic(drawn) == pytest.approx(model.bic_path_["bic"][best], rel=1e-6)
    np.testing.assert_allclose(model.predict_proba(drawn), model.responsibilities_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(drawn), model.labels_)
    peer = GaussianMixture(3, covariance_type="tied", n_init=5, random_state=0, tol=1e-9, max_iter=1000).fit(drawn)
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
    assert fixed.n_components_ == 3 and fixed.bic_path_["n_components"].tolist() == [3, 3, 3]
    assert fixed.bic_path_["covariance"].tolist() == ["full", "tied", "diagonal"]
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
