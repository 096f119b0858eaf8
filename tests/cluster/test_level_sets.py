"""Spectral clustering on level sets: theorems of the paper, brute force, other clusterers, and bad data."""

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KernelDensity

from treatise.cluster import LevelSetSpectralClustering, component_counts, level_set_components, plot_level_set
from treatise.cluster.level_sets import _graph, _spectrum
from treatise.cluster.level_sets._groups import count_groups
from treatise.cluster.level_sets.density import fitted_density

KERNELS = KernelDensity(bandwidth=0.1)


def noisy_moons():
    moons, sides = make_moons(1000, noise=0.06, random_state=0)
    stray = np.random.default_rng(0).uniform([-2, -1.5], [3, 2], (200, 2))
    return np.vstack([moons, stray]), np.append(sides, np.full(200, -1))


def dense_kernel(X, h):
    return np.maximum(1.0 - cdist(X, X) ** 2 / h**2, 0.0) ** 3


def test_graph_is_the_kernel_between_all_rows_in_few_and_in_many_dimensions():
    rng = np.random.default_rng(0)
    for d in (1, 3, 20):
        X = np.vstack([rng.normal(size=(60, d)), np.zeros((3, d))])
        h = np.median(cdist(X, X))
        graph = _graph.similarity_graph(X, h)
        np.testing.assert_allclose(graph.toarray(), dense_kernel(X, h), atol=1e-10)
        assert abs(graph - graph.T).max() == 0
        np.testing.assert_allclose(_graph.similarities(X[:5], X, h).toarray(), dense_kernel(X, h)[:5], atol=1e-10)


def test_spectrum_is_that_of_the_walk_and_has_one_for_each_component(monkeypatch):
    for limit in (_spectrum._DENSE, 5):
        monkeypatch.setattr(_spectrum, "_DENSE", limit)
        for seed in range(10):
            rng = np.random.default_rng(seed)
            X = rng.random((120, 2))
            graph = _graph.similarity_graph(X, rng.uniform(0.06, 0.3))
            count, part_of = connected_components(graph, directed=False)
            wanted = count + 3
            found = _spectrum.leading_spectrum(graph, part_of, count, wanted)
            walk = graph.toarray() / graph.toarray().sum(axis=1, keepdims=True)
            np.testing.assert_allclose(walk.sum(axis=1), 1.0)
            expected = np.sort(np.linalg.eigvals(walk).real)[::-1]
            assert np.sum(expected > 1 - 1e-9) == count and expected[-1] >= -1 - 1e-9
            np.testing.assert_allclose(found.eigenvalues, expected[: len(found.eigenvalues)], atol=1e-7)
            np.testing.assert_allclose(walk @ found.vectors, found.vectors * found.eigenvalues, atol=1e-5)
            degrees = graph.toarray().sum(axis=1)
            gram = found.vectors.T @ (degrees[:, np.newaxis] * found.vectors)
            np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-6)


def test_separate_components_are_the_groups_exactly():
    X, _ = make_blobs(300, centers=[[0, 0], [10, 0], [0, 10]], cluster_std=0.5, random_state=0)
    model = LevelSetSpectralClustering(level=0.0, scale=3.0).fit(X)
    count, part_of = connected_components(dense_kernel(X, 3.0) > 0)
    assert count == model.n_clusters_ == model.n_connected_components_ == 3
    assert adjusted_rand_score(part_of, model.labels_) == 1.0
    for group in range(3):
        inside = model.embedding_[model.labels_ == group]
        np.testing.assert_allclose(inside, np.tile(inside[0], (len(inside), 1)), atol=1e-12)


@pytest.mark.parametrize("n_clusters", [2, "auto"])
@pytest.mark.parametrize("level", [0.1, 0.15, 0.2])
def test_moons_are_told_apart_at_scales_that_join_them(level, n_clusters):
    X, y = noisy_moons()
    for scale in (0.15, 0.2, 0.3, 0.4):
        model = LevelSetSpectralClustering(n_clusters, level=level, scale=scale, density=KERNELS).fit(X)
        moons = model.retained_ & (y >= 0)
        assert adjusted_rand_score(y[moons], model.labels_[moons]) == 1.0
    assert model.n_connected_components_ == 1
    labels, count = level_set_components(X, level=level, radius=0.4, density=KERNELS)
    assert count == 1 and adjusted_rand_score(y[moons], labels[moons]) == 0.0


def test_without_the_level_stray_rows_spoil_the_groups():
    X, y = noisy_moons()
    with pytest.warns(UserWarning, match="components, more than n_clusters=2"):
        model = LevelSetSpectralClustering(2, level=0.0, scale=0.3, min_cluster_size=1).fit(X)
    assert model.n_connected_components_ == 20
    assert adjusted_rand_score(y[y >= 0], model.labels_[y >= 0]) < 0.1


def test_one_blob_is_cut_as_by_spectral_clustering_of_the_same_kernel():
    X = make_blobs(200, centers=1, random_state=0)[0] * [6.0, 1.0]
    model = LevelSetSpectralClustering(3, level=0.0, scale=6.0, min_cluster_size=1).fit(X)
    peer = SpectralClustering(3, affinity="precomputed", random_state=0).fit(dense_kernel(X, 6.0))
    assert model.n_connected_components_ == 1
    assert adjusted_rand_score(peer.labels_, model.labels_) > 0.97


@pytest.mark.parametrize(
    ("name", "X", "count"),
    [
        ("moons", make_moons(600, noise=0.06, random_state=1)[0], 2),
        ("circles", make_circles(800, noise=0.05, factor=0.5, random_state=0)[0], 2),
        ("blobs", make_blobs(600, centers=4, random_state=3)[0], 4),
        ("ten dimensions", make_blobs(600, n_features=10, centers=5, random_state=1)[0], 5),
        ("noise", noisy_moons()[0], 2),
    ],
)
def test_number_of_groups_is_found_at_the_defaults(name, X, count):
    assert LevelSetSpectralClustering().fit(X).n_clusters_ == count


def test_single_groups_are_rarely_parted():
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 2)) * [3.0, 1.0] if seed % 2 else rng.random((200, 3))
        alarms += LevelSetSpectralClustering().fit(X).n_clusters_ > 1
    assert alarms <= 2


def test_count_needs_a_step_that_one_piece_cannot_have():
    path = 1 - 1e-4 * np.arange(8.0) ** 2
    assert count_groups(path, 1) == 1
    assert count_groups(np.array([1.0, 1 - 1e-6, 1 - 1e-3, 1 - 2e-3]), 1) == 2
    assert count_groups(np.array([1.0, 1.0, 1 - 1e-3]), 2) == 2


def test_predicted_groups_of_the_rows_are_their_labels():
    X, _ = noisy_moons()
    for parameters in ({}, {"n_clusters": 3}, {"density": "gaussian"}, {"scale": 0.4, "density": KERNELS}):
        model = LevelSetSpectralClustering(**parameters).fit(X)
        assert np.mean(model.predict(X) == model.labels_) >= 0.999
    assert model.predict([[50.0, 50.0]])[0] == -1


def test_rigid_motions_units_and_order_change_nothing():
    X, _ = noisy_moons()
    X = X[::3]
    plain = LevelSetSpectralClustering().fit(X)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    moved = LevelSetSpectralClustering().fit(1e4 * (X @ turn) + 3.0)
    np.testing.assert_array_equal(moved.labels_, plain.labels_)
    np.testing.assert_allclose(moved.eigenvalues_, plain.eigenvalues_, atol=1e-6)
    np.testing.assert_allclose(np.abs(moved.embedding_), np.abs(plain.embedding_), atol=1e-5)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(LevelSetSpectralClustering().fit(X[order]).labels_, plain.labels_[order])


def test_errors_vanish_as_rows_grow_in_number():
    errors = []
    for n in (200, 1000, 5000):
        rng = np.random.default_rng(n)
        sides = rng.integers(0, 2, int(0.8 * n))
        X = rng.normal(size=(len(sides), 2)) + np.where(sides, 6.0, 0.0)[:, np.newaxis] * [1, 0]
        X = np.vstack([X, rng.uniform([-4, -5], [10, 5], (n - len(sides), 2))])
        model = LevelSetSpectralClustering(2, level=0.02, density=KernelDensity(bandwidth=0.4)).fit(X)
        kept = model.labels_[: len(sides)] >= 0
        wrong = np.mean(model.labels_[: len(sides)][kept] != sides[kept])
        errors.append(min(wrong, 1 - wrong))
    assert errors[-1] <= 0.002 and errors[-1] <= errors[0] + 1e-12


def test_density_is_that_of_neighbours_or_kernels():
    X = np.random.default_rng(0).random((20_000, 2))
    inner = (np.abs(X - 0.5) < 0.3).all(axis=1)
    for name in ("knn", "gaussian"):
        sample = X if name == "knn" else X[:2000]
        density = np.exp(fitted_density(name, sample).score_samples(X[inner][:1000]))
        assert np.mean(density) == pytest.approx(1.0, abs=0.1)
    model = LevelSetSpectralClustering(keep_fraction=0.75).fit(X[:1000])
    assert model.retained_.sum() == 750
    assert model.log_density_[model.retained_].min() == model.log_level_


def test_small_components_are_noise_and_counts_follow_the_level():
    X = np.r_[np.arange(0, 1, 0.05), np.arange(3, 3.5, 0.05), 9.0, 9.01][:, np.newaxis]
    every = LevelSetSpectralClustering(level=0.0, scale=0.5, min_cluster_size=1).fit(X)
    assert every.n_connected_components_ == 3 and every.n_clusters_ == 3
    large = LevelSetSpectralClustering(level=0.0, scale=0.5, min_cluster_size=3).fit(X)
    assert large.n_clusters_ == 2 and (large.labels_[-2:] == -1).all()
    labels, count = level_set_components(X, level=0.0, radius=0.5)
    assert count == 3 and labels[0] == 0 and labels[-1] == 2
    assert level_set_components(X, level=0.0, radius=0.5, min_size=3)[1] == 2
    np.testing.assert_array_equal(component_counts(X, [0.0, 1e9], radius=0.5), [3, 0])


def test_more_groups_than_components_are_cut_and_the_scale_widens_for_fewer():
    X, y = make_blobs(400, centers=4, cluster_std=0.6, random_state=3)
    four = LevelSetSpectralClustering(5).fit(X)
    assert four.n_clusters_ == 5 and set(four.labels_) == {-1, 0, 1, 2, 3, 4}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        two = LevelSetSpectralClustering(2).fit(X)
    assert two.n_clusters_ == 2 and two.scale_ > four.scale_
    joined = [set(y[two.labels_ == group]) for group in range(2)]
    assert not joined[0] & joined[1]


def test_eigenvectors_that_are_not_found_are_told():
    X, _ = make_blobs(600, centers=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_restarts=1"):
        model = LevelSetSpectralClustering(max_restarts=1, level=0.0, scale=0.6, min_cluster_size=10).fit(X)
    assert model.converged_ is False


def test_bad_data_are_refused_or_answered():
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match="above the density of every row"):
        LevelSetSpectralClustering(level=1e9).fit(X)
    with pytest.raises(ValueError, match="n_clusters=40 exceeds the 27 rows"):
        LevelSetSpectralClustering(40).fit(X)
    with pytest.raises(ValueError, match="differ"):
        LevelSetSpectralClustering().fit(np.ones((20, 2)))
    with pytest.raises(ValueError, match="no component of the graph has min_cluster_size=10"):
        LevelSetSpectralClustering(scale=1e-9, min_cluster_size=10).fit(X)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        LevelSetSpectralClustering().fit(X[:1])
    with pytest.raises(ValueError, match="NaN"):
        LevelSetSpectralClustering().fit(np.where(X > 1, np.nan, X))
    with pytest.raises(ValueError, match="radius=-1 must be above 0"):
        level_set_components(X, radius=-1)
    with pytest.raises(ValueError, match="levels holds -1"):
        component_counts(X, [-1.0])
    single = LevelSetSpectralClustering(scale=1e-9, min_cluster_size=1, level=0.0).fit(X)
    assert single.n_clusters_ == 30 and np.isfinite(single.embedding_).all()
    with pytest.raises(ValueError, match="every row of X has 9 others in the same place"):
        LevelSetSpectralClustering().fit(np.repeat(X[:5], 20, axis=0))
    twice = LevelSetSpectralClustering().fit(np.repeat(X, 5, axis=0))
    assert np.isfinite(twice.log_density_).all()
    assert LevelSetSpectralClustering().fit(X[:2]).n_clusters_ >= 1


def test_picture_shows_groups_noise_and_spectrum():
    X, _ = noisy_moons()
    model = LevelSetSpectralClustering().fit(X)
    panels = Figure().subplots(1, 2)
    left, right = plot_level_set(model, X, ax=panels)
    assert [len(line.get_xdata()) for line in left.lines] == [np.sum(model.labels_ == k) for k in (-1, 0, 1)]
    np.testing.assert_allclose(right.lines[0].get_ydata(), np.maximum(1 - model.eigenvalues_, 1e-15))
    plot_level_set(LevelSetSpectralClustering().fit(X[:, :1]), X[:, :1], ax=Figure().subplots(1, 2))
    with pytest.raises(ValueError, match="1200 rows of 2 numbers"):
        plot_level_set(model, X[:10], ax=panels)
