"""Overlap of Gaussian components against closed forms, draws and invariances."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from treatise.cluster import gaussian_overlap, overlap_of_labels, overlap_of_mixture, plot_overlap
from treatise.statistics import MergeGaussianMixture


def random_components(K, p, seed, spread=0.3):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(K, p + 3, p))
    return rng.dirichlet(np.ones(K) * 3), rng.uniform(size=(K, p)), spread * np.einsum("knp,knq->kpq", rows, rows) / p


def drawn_map(weights, means, covariances, n, rng):
    """Shares of draws of i with a higher weighted density under j, by the definition."""
    K = len(means)
    found = np.eye(K)
    for i in range(K):
        X = rng.multivariate_normal(means[i], covariances[i], n)
        logs = []
        for weight, mean, covariance in zip(weights, means, covariances):
            away = X - mean
            _, log_det = np.linalg.slogdet(covariance)
            logs.append(np.log(weight) - 0.5 * (log_det + np.sum(away * np.linalg.solve(covariance, away.T).T, axis=1)))
        for j in set(range(K)) - {i}:
            found[i, j] = np.mean(logs[i] < logs[j])
    return found


def test_equal_covariances_have_the_closed_form_of_a_normal_tail():
    found = gaussian_overlap([1, 1], [[0.0, 0.0], [2.0, 0.0]], [np.eye(2)] * 2)
    assert found.map[0, 1] == pytest.approx(norm.cdf(-1), abs=1e-14)
    assert found.maximum == pytest.approx(0.31731050786, abs=1e-10)
    # Weights of 3 to 1 move the border by log(3) / distance from the middle.
    uneven = gaussian_overlap([3, 1], [[0.0, 0.0], [2.0, 0.0]], [np.eye(2)] * 2)
    assert uneven.map[0, 1] == pytest.approx(norm.cdf(-1 - np.log(3) / 2), abs=1e-13)
    assert uneven.map[1, 0] == pytest.approx(norm.cdf(-1 + np.log(3) / 2), abs=1e-13)


def test_concentric_spheres_have_the_closed_form_of_chi_squares():
    from scipy.stats import chi2

    p, ratio = 5, 3.0
    found = gaussian_overlap([1, 1], np.zeros((2, p)), [np.eye(p), ratio * np.eye(p)])
    border = p * np.log(ratio) / (1 - 1 / ratio)
    assert found.map[0, 1] == pytest.approx(chi2.sf(border, p), rel=1e-9)
    assert found.map[1, 0] == pytest.approx(chi2.cdf(border / ratio, p), rel=1e-9)


def test_iris_has_the_known_overlap():
    X, y = load_iris(return_X_y=True)
    found = overlap_of_labels(X, y)
    assert found.map[1, 2] == pytest.approx(0.0230231, abs=1e-6)
    assert found.map[2, 1] == pytest.approx(0.0262945, abs=1e-6)
    assert found.map[1, 0] == pytest.approx(1.115e-7, rel=1e-3)
    assert found.map[0, 1] == pytest.approx(6.136e-8, rel=1e-3)
    assert found.maximum == pytest.approx(0.0493176, abs=1e-6)
    assert found.average == pytest.approx(0.0164392, abs=1e-6)
    assert found.pair == (1, 2)


@pytest.mark.parametrize("p", [1, 2, 5, 20])
def test_map_agrees_with_draws_within_four_standard_errors(p):
    rng = np.random.default_rng(p)
    for seed in range(4):
        weights, means, covariances = random_components(3, p, seed)
        exact = gaussian_overlap(weights, means, covariances).map
        n = 40_000
        share = drawn_map(weights, means, covariances, n, rng)
        error = np.sqrt(exact * (1 - exact) / n) + 1e-12
        assert np.all(np.abs(share - exact) <= 4 * error + 1 / n)


def test_one_feature_agrees_with_the_general_integral():
    # A second feature of the same law in all components changes nothing, and takes the other way through the code.
    weights, means, covariances = random_components(4, 1, 0)
    one = gaussian_overlap(weights, means, covariances).map
    two = np.zeros((4, 2, 2))
    two[:, :1, :1], two[:, 1, 1] = covariances, 1.7
    np.testing.assert_allclose(gaussian_overlap(weights, np.c_[means, np.ones(4)], two).map, one, rtol=1e-8, atol=1e-13)


def test_affine_maps_change_nothing_and_permutations_permute():
    weights, means, covariances = random_components(5, 4, 1)
    found = gaussian_overlap(weights, means, covariances).map
    A = np.array([[1.0], [1e6], [1e-6], [30.0]]) * np.random.default_rng(0).normal(size=(4, 4))
    moved = gaussian_overlap(weights, means @ A.T + 7.0, A @ covariances @ A.T).map
    np.testing.assert_allclose(moved, found, atol=1e-8)
    order = np.array([3, 0, 4, 1, 2])
    permuted = gaussian_overlap(weights[order], means[order], covariances[order]).map
    np.testing.assert_allclose(permuted, found[np.ix_(order, order)], rtol=1e-7, atol=1e-12)


def test_nearly_equal_covariances_pass_smoothly_to_equal_ones():
    weights, means = [0.4, 0.6], [[0.0, 0.0, 0.0], [1.0, 0.5, 0.2]]
    limit = gaussian_overlap(weights, means, [np.eye(3)] * 2).map
    for nudge in (1e-4, 1e-6, 1e-8, 1e-10, 1e-13):
        near = gaussian_overlap(weights, means, [np.eye(3), np.diag([1 + nudge, 1 - nudge, 1 + 2 * nudge])]).map
        np.testing.assert_allclose(near, limit, atol=3 * nudge + 1e-12)


def test_the_same_component_twice_overlaps_fully():
    found = gaussian_overlap([1, 1], np.zeros((2, 3)), [np.eye(3)] * 2)
    assert found.maximum == 1.0
    assert np.diag(found.map).tolist() == [1.0, 1.0]


def test_equal_weights_overlap_as_one_less_the_total_variation():
    from scipy.integrate import quad

    a, b = norm(0.0, 1.0), norm(1.3, 0.5)
    shared = quad(lambda x: min(a.pdf(x), b.pdf(x)), -10, 10, points=[0.3, 2.6], limit=200, epsabs=1e-12)[0]
    assert gaussian_overlap([1, 1], [[0.0], [1.3]], [[[1.0]], [[0.25]]]).maximum == pytest.approx(shared, abs=1e-9)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_fitted_mixtures_of_every_covariance_type_are_read(kind):
    X = load_iris().data
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    found = overlap_of_mixture(model)
    rows, _ = model.sample(1)  # the model's own view of its covariances: densities of one component against another
    full = np.linalg.inv(model.precisions_) if kind in ("full", "tied") else None
    if full is None:
        precisions = model.precisions_ if kind == "diag" else np.repeat(model.precisions_[:, None], 4, axis=1)
        full = np.stack([np.diag(1 / row) for row in precisions])
    full = np.broadcast_to(full, (3, 4, 4))
    share = drawn_map(model.weights_, model.means_, full, 20_000, np.random.default_rng(0))
    assert np.abs(share - found.map).max() < 0.015
    assert rows.shape == (1, 4)


def test_other_mixtures_are_read_too():
    X = load_iris().data
    assert 0 <= overlap_of_mixture(BayesianGaussianMixture(n_components=2, random_state=0).fit(X)).maximum < 0.01
    assert 0 <= overlap_of_mixture(MergeGaussianMixture().fit(X[:, :2])).maximum <= 1


def test_noise_is_left_out_and_small_groups_need_shrinking():
    X, y = load_iris(return_X_y=True)
    noisy = overlap_of_labels(np.vstack([X, 100 + X[:5]]), np.append(y, [-1] * 5))
    np.testing.assert_array_equal(noisy.map, overlap_of_labels(X, y).map)
    few = np.append(y[:-3], [7] * 3)
    with pytest.raises(ValueError, match=r"group 7 has 3 rows.*at least 5.*shrink"):
        overlap_of_labels(X, few)
    assert overlap_of_labels(X, few, shrink=True).names == (0, 1, 2, 7)
    words = np.array(["a", "b", "c"])[y]
    assert overlap_of_labels(X, words).pair == ("b", "c")


def test_one_group_has_no_pair():
    found = overlap_of_labels(load_iris().data, np.zeros(150))
    assert (found.average, found.maximum, found.pair) == (0.0, 0.0, None)


@pytest.mark.parametrize(
    ("weights", "means", "covariances", "message"),
    [
        ([1, 1], [[0.0], [1.0]], [[[1.0]]], "have shapes"),
        ([1, 0], [[0.0], [1.0]], [[[1.0]]] * 2, "weights must be above zero; found 0"),
        ([1, 1], [[0.0], [np.nan]], [[[1.0]]] * 2, "means must be finite"),
        ([1, 1], np.zeros((2, 2)), [np.ones((2, 2)), np.eye(2)], "component 0 is singular"),
        ([1, 1], np.zeros((2, 2)), [np.eye(2), np.diag([1.0, 0.0])], "feature 1 has no variance in component 1"),
        ([1, 1], np.zeros((2, 2)), [np.eye(2), [[1.0, 0.5], [0.0, 1.0]]], "symmetric"),
    ],
)
def test_bad_components_are_refused(weights, means, covariances, message):
    with pytest.raises(ValueError, match=message):
        gaussian_overlap(weights, means, covariances)


def test_what_is_no_mixture_is_named():
    with pytest.raises(ValueError, match="KMeans is no mixture of normal components: it has no weights_, means_, cov"):
        overlap_of_mixture(KMeans(2, n_init=1).fit(load_iris().data))


def test_bad_labels_are_refused():
    with pytest.raises(ValueError, match="noise"):
        overlap_of_labels([[1.0], [2.0]], [-1, -1])
    with pytest.raises(ValueError, match="inconsistent"):
        overlap_of_labels([[1.0], [2.0]], [0])


def test_the_map_is_drawn_with_its_numbers():
    X, y = load_iris(return_X_y=True)
    ax = plot_overlap(overlap_of_labels(X, y))
    assert {text.get_text() for text in ax.texts} >= {"0.023", "0.026", "<1e-06"}
