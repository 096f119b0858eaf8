"""Online clustering with experts (Choromanska, 2014, Chapter 5)."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from treatise.online import (
    OnlineClusteringExperts,
    kmeans_plus_plus_centers,
    kmeans_sharp_centers,
    learning_alphas,
    lloyd_centers,
    online_kmeans_centers,
)
from treatise.online.clustering.experts import ShareWeights


def cost(X, centers):
    return np.min(np.sum((X[:, None] - centers) ** 2, axis=2), axis=1).sum()


def fixed(center):
    """An expert that always names one centre."""
    return lambda window, n_clusters, rng: np.array([center], dtype=float)


@pytest.fixture(scope="module")
def switching():
    """Rows near one point, then near its opposite, with an expert for each."""
    rng = np.random.default_rng(0)
    near = 0.02 * rng.normal(size=(600, 2))
    near[:300] += [0.9, 0.0]
    near[300:] -= [0.9, 0.0]
    return near, [fixed([0.9, 0.0]), fixed([-0.9, 0.0])]


def test_loss_is_realizable():
    """Theorem 6: the loss of the mixture never exceeds -2 log of the mixed exponentials."""
    rng = np.random.default_rng(0)
    n, d, n_draws = 4, 3, 100_000
    points = rng.normal(size=(n_draws, n + 1, d))
    points *= (rng.random((n_draws, n + 1, 1)) ** 0.3) / np.linalg.norm(points, axis=2, keepdims=True)
    x, centers = points[:, 0], points[:, 1:]
    p = rng.dirichlet(np.full(n, 0.5), size=n_draws)
    losses = np.sum((x[:, None] - centers) ** 2, axis=2) / 4
    mixed = np.sum((x - np.einsum("ti,tid->td", p, centers)) ** 2, axis=1) / 4
    assert np.all(mixed <= -2 * np.log(np.sum(p * np.exp(-losses / 2), axis=1)) + 1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.7, 1.0])
def test_weights_follow_the_printed_update(alpha):
    rng = np.random.default_rng(1)
    losses, n = rng.random((30, 4)), 4
    share = ShareWeights.start(np.array([alpha]), n)
    p = np.full(n, 1 / n)
    move = np.full((n, n), alpha / (n - 1))
    np.fill_diagonal(move, 1 - alpha)
    for row in losses:
        np.testing.assert_allclose(share.weights(), p, atol=1e-12)
        assert share.update(row) == pytest.approx(-np.log(p @ np.exp(-row / 2)))
        p = (p * np.exp(-row / 2)) @ move
        p /= p.sum()


def test_learned_share_follows_the_printed_update_and_its_bound():
    rng = np.random.default_rng(2)
    losses, alphas = rng.random((200, 3)), np.array([0.01, 0.2, 0.6])
    learned = ShareWeights.start(alphas, 3)
    single = [ShareWeights.start(np.array([alpha]), 3) for alpha in alphas]
    total, totals = 0.0, np.zeros(3)
    for row in losses:
        over_alphas = np.exp(-totals) / np.exp(-totals).sum()
        np.testing.assert_allclose(learned.weights(), over_alphas @ [share.weights() for share in single], atol=1e-12)
        total += learned.update(row)
        totals += [share.update(row) for share in single]
    # Theorem 10 with the best share on the grid.
    assert total <= totals.min() + np.log(3) + 1e-9


@pytest.mark.parametrize("mixing", ["static", "fixed_share", "learn_alpha"])
def test_regret_keeps_to_its_bounds(mixing):
    X, _ = make_blobs(150, n_features=3, centers=6, random_state=1)
    model = OnlineClusteringExperts(6, mixing=mixing, window=50, random_state=0).fit(X)
    assert model.loss_ <= 2 * model.log_loss_ + 1e-12  # Lemma 7
    if mixing == "static":
        assert model.loss_ <= model.expert_losses_.min() + 2 * np.log(3)  # Theorem 7
    assert model.weights_.sum() == pytest.approx(1.0)


def test_sharing_follows_a_switch_and_static_weights_do_not(switching):
    X, experts = switching
    losses = {
        mixing: OnlineClusteringExperts(1, experts=experts, mixing=mixing, radius=1.0).fit(X).loss_
        for mixing in ("static", "fixed_share", "learn_alpha")
    }
    assert losses["fixed_share"] < 0.1 * losses["static"]
    assert losses["learn_alpha"] < 0.1 * losses["static"]


def test_learned_share_is_within_a_logarithm_of_the_best(switching):
    X, experts = switching
    options = {"experts": experts, "radius": 1.0}
    singles = [
        OnlineClusteringExperts(1, mixing="fixed_share", alpha=alpha, **options).fit(X).log_loss_
        for alpha in learning_alphas()
    ]
    learned = OnlineClusteringExperts(1, **options).fit(X).log_loss_
    assert learned <= min(singles) + np.log(len(learning_alphas())) + 1e-9


def test_output_is_the_weighted_centre_and_the_rest_of_the_leaders():
    X = np.array([[0.0, 0.5], [0.4, 0.1], [0.9, 0.1]])
    pair = [[1.0, 0.0], [0.0, 1.0]]
    experts = [lambda window, n_clusters, rng: np.array(pair), fixed([0.5, 0.0])]
    model = OnlineClusteringExperts(2, experts=experts, mixing="static", radius=1.0).fit(X[:2])
    after = np.exp(-0.5 * np.array([0.6**2 + 0.1**2, 0.1**2 + 0.1**2]) / 4)
    np.testing.assert_allclose(model.weights_, after / after.sum(), rtol=1e-12)
    weights = model.weights_
    model = OnlineClusteringExperts(2, experts=experts, mixing="static", radius=1.0)
    model.partial_fit(X)
    # The second expert leads by then, and has no other centre.
    np.testing.assert_allclose(model.cluster_centers_, [weights @ [[1.0, 0.0], [0.5, 0.0]]], rtol=1e-12)


def test_experts_see_only_the_rows_before():
    seen = []

    def spy(window, n_clusters, rng):
        seen.append(window.copy())
        return window[:1]

    X = np.arange(12.0).reshape(6, 2)
    OnlineClusteringExperts(2, experts=[spy], window=3, radius=100.0).fit(X)
    expected = [X[max(0, t - 3) : t] for t in range(1, 6)]
    assert len(seen) == 5
    for here, there in zip(seen, expected):
        np.testing.assert_array_equal(here, there)


def test_parts_of_a_stream_give_what_the_whole_gives():
    X, _ = make_blobs(80, centers=3, random_state=2)
    whole = OnlineClusteringExperts(3, radius=50.0, random_state=0).fit(X)
    parts = OnlineClusteringExperts(3, radius=50.0, random_state=0)
    for rows in np.array_split(X, 5):
        parts.partial_fit(rows)
    assert parts.loss_ == whole.loss_
    np.testing.assert_array_equal(parts.cluster_centers_, whole.cluster_centers_)


def test_scikit_learn_clusterers_are_experts():
    X, _ = make_blobs(40, centers=3, random_state=3)
    model = OnlineClusteringExperts(3, experts=[KMeans(n_init=1), "kmeans++"], random_state=0).fit(X)
    assert [len(centers) for centers in model.expert_centers_] == [3, 3]
    assert cost(X, model.expert_centers_[0]) < cost(X, X[:1]) / 5


def test_procedures_find_separated_groups():
    X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], cluster_std=0.5, random_state=0)
    best = KMeans(4, n_init=5, random_state=0).fit(X).inertia_
    rng = np.random.RandomState(0)
    assert cost(X, kmeans_plus_plus_centers(X, 4, rng)) <= best * (1 + 1e-9)
    assert min(cost(X, lloyd_centers(X, 4, rng)) for _ in range(20)) <= best * (1 + 1e-9)
    assert cost(X, kmeans_sharp_centers(X, 4, rng)) < best


def test_online_procedure_is_a_running_mean():
    window = np.array([[0.0], [10.0], [2.0], [4.0], [9.0]])
    np.testing.assert_allclose(online_kmeans_centers(window, 2, None), [[2.0], [9.5]])


def test_sharp_rounds_draw_far_rows():
    rng = np.random.RandomState(0)
    window = np.repeat([[0.0], [1.0], [50.0]], [60, 60, 1], axis=0)
    # The lone far row holds nearly all the squared distance, so that the second round draws it almost surely.
    found = [50.0 in kmeans_sharp_centers(window, 3, rng) for _ in range(200)]
    assert np.mean(found) > 0.95
    centers = kmeans_sharp_centers(window, 3, rng)
    assert len(centers) <= round(3 * 3 * np.log(3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experts": ["nobody"]}, "no expert is named 'nobody'"),
        ({"experts": []}, "experts is empty"),
        ({"experts": [3]}, "neither a name"),
        ({"alphas": [0.5, 2.0]}, "shares from 0 to 1"),
        ({"radius": 0.5}, "a row has the norm 1"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        OnlineClusteringExperts(2, **options).fit(np.eye(3))


def test_a_stream_needs_a_radius():
    with pytest.raises(ValueError, match="radius is None"):
        OnlineClusteringExperts(2).partial_fit(np.eye(3))
