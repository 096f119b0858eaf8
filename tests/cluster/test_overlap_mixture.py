"""Mixtures with a prescribed overlap, their samples, and the referee."""

import numpy as np
import pytest
from joblib import parallel_config
from scipy.stats import chi2
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from treatise.cluster import (
    OverlapError,
    gaussian_overlap,
    make_overlap_mixture,
    plot_mixture,
    plot_referee,
    referee_clusterers,
)
from treatise.cluster.overlap import mixture as mixture_module
from treatise.cluster.overlap._pairs import Pairs
from treatise.cluster.overlap._targets import average_overlap, largest_overlap


def recomputed(mixture):
    return gaussian_overlap(mixture.weights, mixture.means, mixture.covariances)


@pytest.mark.parametrize(("average", "maximum"), [(0.05, 0.198), (0.05, 0.135), (0.001, 0.0036), (0.001, 0.0027)])
def test_both_targets_of_the_papers_figure_are_hit(average, maximum):
    for seed in range(3):
        mixture = make_overlap_mixture(6, 2, average=average, maximum=maximum, random_state=seed)
        found = recomputed(mixture)
        assert found.average == pytest.approx(average, abs=1e-6)
        assert found.maximum == pytest.approx(maximum, abs=1e-6)
        np.testing.assert_allclose(found.map, mixture.overlap.map, atol=1e-9)


@pytest.mark.parametrize("p", [1, 2, 7, 30])
@pytest.mark.parametrize("target", [{"maximum": 0.1}, {"average": 0.01}, {"maximum": 1e-4}])
@pytest.mark.parametrize("shape", [{}, {"spherical": True}, {"homogeneous": True}, {"min_weight": 0.05}])
def test_one_target_is_hit(p, target, shape):
    found = recomputed(make_overlap_mixture(5, p, **target, **shape, random_state=3))
    for name, value in target.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-7)


def test_two_components_have_one_overlap():
    found = recomputed(make_overlap_mixture(2, 3, average=0.2, maximum=0.2, random_state=0))
    assert found.average == found.maximum == pytest.approx(0.2, abs=1e-7)


def test_shapes_are_what_was_asked_for():
    spherical = make_overlap_mixture(4, 3, maximum=0.1, spherical=True, random_state=0)
    for covariance in spherical.covariances:
        np.testing.assert_allclose(covariance, covariance[0, 0] * np.eye(3), rtol=1e-12)
    same = make_overlap_mixture(4, 3, maximum=0.1, homogeneous=True, random_state=0)
    np.testing.assert_allclose(same.covariances, same.covariances[:1].repeat(4, axis=0), rtol=1e-12)
    round_ones = make_overlap_mixture(8, 3, maximum=0.1, max_eccentricity=0.5, random_state=0)
    values = np.linalg.eigvalsh(round_ones.covariances)
    assert np.sqrt(1 - values[:, 0] / values[:, -1]).max() <= 0.5 + 1e-9
    uneven = make_overlap_mixture(5, 2, maximum=0.1, min_weight=0.1, random_state=0)
    assert uneven.weights.min() >= 0.1
    assert uneven.weights.sum() == pytest.approx(1)
    assert uneven.weights.std() > 0.01


def test_the_range_of_the_means_does_not_touch_the_overlap():
    near = make_overlap_mixture(5, 2, maximum=0.1, random_state=1)
    far = make_overlap_mixture(5, 2, maximum=0.1, mean_range=(-50, 150), random_state=1)
    np.testing.assert_allclose(far.means, -50 + 200 * near.means)
    np.testing.assert_allclose(recomputed(far).map, recomputed(near).map, atol=1e-9)


def test_one_seed_gives_the_same_bits():
    first, second = (make_overlap_mixture(5, 3, average=0.01, maximum=0.04, random_state=5) for _ in range(2))
    assert np.array_equal(first.covariances, second.covariances)
    assert np.array_equal(first.sample(50, random_state=1)[0], second.sample(50, random_state=1)[0])


def test_bounds_and_screening_lose_no_pair():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 6, 4))
    pairs = Pairs(rng.dirichlet(np.ones(30)), rng.uniform(size=(30, 4)), np.einsum("knp,knq->kpq", rows, rows))
    for scale in (1e-3, 1e-2, 0.1, 1.0):
        scales = scale * rng.uniform(0.5, 2.0, 30)
        all_of_them = pairs.overlaps(scales).sum(axis=1)
        assert np.all(all_of_them <= pairs.bounds(scales) * (1 + 1e-9) + 1e-15)
        assert largest_overlap(pairs, scales)[0] == pytest.approx(all_of_them.max(), rel=1e-12)
        assert average_overlap(pairs, scales, 1e-9) == pytest.approx(all_of_them.mean(), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give average, maximum or both"),
        ({"average": 0.1, "maximum": 0.05}, "maximum=0.05 is less than average=0.1"),
        ({"average": 0.01, "maximum": 0.5}, "choose a maximum of at most 0.1"),
        ({"maximum": 1.5}, "maximum"),
        ({"maximum": 0.1, "min_weight": 0.5}, "min_weight=0.5 times 5"),
        ({"maximum": 0.1, "mean_range": (1, 0)}, "mean_range"),
    ],
)
def test_targets_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_overlap_mixture(5, 2, **arguments)


def test_targets_out_of_reach_say_how_many_draws_were_tried():
    # Random covariances in many features differ too much to overlap, even about one mean.
    with pytest.raises(OverlapError, match=r"none of 3 draws of 4 components in 60 features can have maximum=0.9"):
        make_overlap_mixture(4, 60, maximum=0.9, max_resample=3, random_state=0)
    with pytest.raises(OverlapError, match="average"):
        make_overlap_mixture(30, 2, average=0.0099, maximum=0.01, max_resample=2, random_state=0)


def test_a_few_poor_draws_do_not_end_the_search_for_both_targets():
    """A figure of the paper: about one draw in ten of the components can be evened out to it."""
    for seed in (3, 5, 11):
        found = make_overlap_mixture(6, 2, average=0.05, maximum=0.135, random_state=seed)
        again = gaussian_overlap(found.weights, found.means, found.covariances)
        assert (again.average, again.maximum) == (pytest.approx(0.05, abs=1e-6), pytest.approx(0.135, abs=1e-6))


@pytest.mark.parametrize(("K", "p", "average", "maximum"), [(6, 2, 0.05, 0.1), (10, 5, 0.02, 0.05)])
def test_targets_close_to_each_other_are_searched_for(K, p, average, maximum):
    for seed in range(3):
        mixture = make_overlap_mixture(K, p, average=average, maximum=maximum, random_state=seed)
        assert mixture.overlap.average == pytest.approx(average, abs=1e-6)
        assert mixture.overlap.maximum == pytest.approx(maximum, abs=1e-6)


def test_more_components_are_drawn_where_one_of_the_first_came_close(monkeypatch):
    asked = {"average": 0.05, "maximum": 0.1, "random_state": 2}
    monkeypatch.setattr(mixture_module, "DRAWS", 2)
    monkeypatch.setattr(mixture_module, "CLOSE", 0.5)
    assert make_overlap_mixture(6, 2, **asked).n_rejected > 2
    monkeypatch.setattr(mixture_module, "CLOSE", 1.0)
    with pytest.raises(OverlapError, match="none of 2 draws"):
        make_overlap_mixture(6, 2, **asked)


def test_the_closest_draw_is_named_where_none_has_both_targets():
    # Six components of the plane cannot all be as close to one another as this asks for.
    with pytest.raises(OverlapError, match=r"in the closest, the average is 0\.0[234]\d* where the largest is right"):
        make_overlap_mixture(6, 2, average=0.05, maximum=0.06, max_resample=30, random_state=0)


def test_samples_have_the_moments_of_their_components():
    mixture = make_overlap_mixture(3, 2, maximum=0.2, min_weight=0.1, random_state=0)
    X, labels = mixture.sample(60_000, random_state=0)
    np.testing.assert_allclose(np.bincount(labels) / len(labels), mixture.weights, atol=0.01)
    for k in range(3):
        rows, deviations = X[labels == k], np.sqrt(np.diag(mixture.covariances[k]))
        np.testing.assert_allclose((rows.mean(axis=0) - mixture.means[k]) / deviations, 0.0, atol=0.04)
        scaled = (np.cov(rows.T) - mixture.covariances[k]) / np.outer(deviations, deviations)
        np.testing.assert_allclose(scaled, 0.0, atol=0.06)


def test_outliers_lie_outside_every_component_and_noise_tells_nothing():
    mixture = make_overlap_mixture(4, 2, maximum=0.05, random_state=0)
    X, labels = mixture.sample(300, n_outliers=40, noise_features=2, random_state=0)
    assert X.shape == (340, 4)
    assert np.sum(labels == -1) == 40
    outside = X[labels == -1, :2]
    for mean, covariance in zip(mixture.means, mixture.covariances):
        away = outside - mean
        assert np.sum(away * np.linalg.solve(covariance, away.T).T, axis=1).min() > chi2.isf(0.001, 2)
    assert X[:, 2:].min() >= mixture.means.min()
    assert X[:, 2:].max() <= mixture.means.max()


def test_box_cox_bends_columns_and_keeps_their_order():
    mixture = make_overlap_mixture(3, 2, maximum=0.05, random_state=0)
    plain, _ = mixture.sample(200, random_state=0)
    bent, _ = mixture.sample(200, box_cox=[0.0, 0.5], random_state=0)
    np.testing.assert_allclose(bent[:, 0], np.exp(plain[:, 0]))
    base = 0.5 * plain[:, 1] + 1
    np.testing.assert_allclose(bent[:, 1], np.sign(base) * base**2)
    same, _ = mixture.sample(200, box_cox=1.0, random_state=0)
    np.testing.assert_allclose(same, plain + 1)
    with pytest.raises(ValueError, match=r"box_cox=-2 of column 0 needs values below 0\.5"):
        mixture.sample(200, box_cox=-2.0, random_state=0)
    with pytest.raises(ValueError, match="box_cox must be"):
        mixture.sample(10, box_cox=[1.0, 2.0, 3.0])


@pytest.mark.parametrize("arguments", [{"n_samples": 0}, {"n_outliers": -1}, {"noise_features": 1.5}])
def test_bad_counts_are_refused(arguments):
    mixture = make_overlap_mixture(2, 1, maximum=0.1, random_state=0)
    with pytest.raises(ValueError, match=f"{next(iter(arguments))}="):
        mixture.sample(**arguments)


# The referee.


def grid(**changed):
    return {"n_components": [3], "n_features": [2], "maximum": [0.3, 0.001], **changed}


def test_all_clusterers_see_the_same_rows_and_the_true_count():
    seen = []

    def spy(X, n_groups):
        seen.append((X.copy(), n_groups))
        return np.zeros(len(X))

    found = referee_clusterers({"a": spy, "b": spy}, grid(), n_replications=2, n_samples=30, random_state=0)
    assert found.scores.shape == (2, 2, 2)
    assert all(n_groups == 3 and len(X) == 30 for X, n_groups in seen)
    assert all(np.array_equal(one[0], two[0]) for one, two in zip(seen[::2], seen[1::2]))
    assert not np.array_equal(seen[0][0], seen[2][0])


def test_an_oracle_scores_one_and_easier_mixtures_score_more():
    found = referee_clusterers(
        {"k-means": KMeans(n_init=3), "ward": AgglomerativeClustering(), "mixture": GaussianMixture()},
        grid(), n_replications=9, random_state=0,
    )  # fmt: skip
    assert np.all(found.median[1] > found.median[0] + 0.2)
    assert found.varying == ["maximum"]
    text = str(found)
    assert "k-means" in text
    assert f"{found.median[0, 0]:.3f} ({found.iqr[0, 0]:.3f})" in text
    frame = found.to_polars()
    assert frame.shape == (2 * 3 * 9, 4)
    with parallel_config(backend="threading"):
        again = referee_clusterers(
            {"k-means": KMeans(n_init=3), "ward": AgglomerativeClustering(), "mixture": GaussianMixture()},
            grid(), n_replications=9, random_state=0, n_jobs=2,
        )  # fmt: skip
    np.testing.assert_array_equal(again.scores, found.scores)


def test_outliers_noise_and_other_metrics_pass_through():
    found = referee_clusterers(
        {"rows": lambda X, n_groups: np.full(len(X), X.shape[1])}, grid(n_outliers=[5], noise_features=[2]),
        metric=lambda truth, labels: float(labels[0] + np.sum(truth == -1)), n_replications=1, random_state=0,
    )  # fmt: skip
    assert found.scores.ravel().tolist() == [9.0, 9.0]


@pytest.mark.parametrize(
    ("clusterers", "changed", "arguments", "message"),
    [
        ({}, {}, {}, "at least one clusterer"),
        ({"k": 3}, {}, {}, "clusterer 'k' must have fit_predict"),
        ({"k": KMeans}, {}, {}, "clusterer 'k' must have fit_predict"),
        ({"k": KMeans()}, {"typo": [1]}, {}, "the grid names 'typo'"),
        ({"k": KMeans()}, {}, {"metric": "rank"}, "metric='rank' is not known"),
        ({"k": KMeans()}, {}, {"n_replications": 0}, "n_replications=0"),
        ({"k": lambda X, n: np.zeros(3)}, {}, {}, r"labels of shape \(3,\)"),
        ({"k": lambda X, n: 1 / 0}, {}, {}, "clusterer 'k' failed on .*division"),
    ],
)
def test_a_referee_says_what_is_wrong(clusterers, changed, arguments, message):
    with pytest.raises(ValueError, match=message):
        referee_clusterers(clusterers, grid(**changed), **{"n_replications": 1, **arguments}, random_state=0)


def test_the_grid_must_say_the_size():
    with pytest.raises(ValueError, match="must say n_features"):
        referee_clusterers({"k": KMeans()}, {"n_components": [3], "maximum": [0.1]})


def test_pictures_show_ellipses_and_scores():
    mixture = make_overlap_mixture(4, 2, maximum=0.05, random_state=0)
    ax = plot_mixture(mixture, *mixture.sample(30, n_outliers=3, random_state=0))
    assert len(ax.patches) == 2 * 2 * 4
    with pytest.raises(ValueError, match="3 features"):
        plot_mixture(make_overlap_mixture(2, 3, maximum=0.1, random_state=0))
    found = referee_clusterers({"k-means": KMeans(n_init=1)}, grid(), n_replications=2, random_state=0)
    ax = plot_referee(found)
    assert ax.get_xlabel() == "largest overlap"
    assert ax.get_xscale() == "log"
    with pytest.raises(ValueError, match="differ in"):
        plot_referee(found, "average")
