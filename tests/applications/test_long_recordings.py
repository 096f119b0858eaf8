"""Symbols, mismatches and unusual recordings against their definitions."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

from treatise.applications import SegmentSymbolizer, SimilarityAnomalyDetector, symbolic_mismatch
from treatise.applications.long_recordings import knee
from treatise.datasets import load_ecg_beats, make_beat_recordings
from treatise.kernels import clip_spectrum
from treatise.statistics import dtw_pairwise


def ragged(seed, n=40, least=5, most=9):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=rng.integers(least, most + 1)) + 3 * rng.integers(0, 2) for _ in range(n)]


@pytest.mark.parametrize("window", [None, 0, 2])
@pytest.mark.parametrize("options", [{}, {"cost": "absolute"}, {"normalize": True}])
def test_symbols_are_those_of_a_plain_farthest_first_traversal(window, options):
    segments = ragged(0)
    costs = dtw_pairwise(segments, window=window, **options)
    chosen, distances = [0], costs[0].copy()
    radii = []
    while distances.max() >= 4.0:
        radii.append(distances.max())
        chosen.append(int(distances.argmax()))
        distances = np.minimum(distances, costs[chosen[-1]])
    radii.append(distances.max())
    model = SegmentSymbolizer(theta=4.0, window=window, **options).fit(segments)
    assert model.centroid_places_.tolist() == chosen
    np.testing.assert_allclose(model.distances_, distances, rtol=1e-12)
    np.testing.assert_allclose(model.radius_curve_, radii, rtol=1e-12)
    np.testing.assert_allclose(costs[np.arange(40), np.array(chosen)[model.labels_]], distances, rtol=1e-12)
    assert model.radius_ < 4.0 and model.frequencies_.sum() == pytest.approx(1.0)
    assert (model.predict(segments) == model.labels_).mean() > 0.9  # another symbol may be as near


def test_theta_zero_makes_every_different_segment_a_symbol():
    segments = [*ragged(1, n=12), *ragged(1, n=12)]
    model = SegmentSymbolizer(theta=0.0).fit(segments)
    assert model.n_symbols_ == 12 and model.radius_ == 0.0
    np.testing.assert_allclose(model.frequencies_, 1 / 12)


def test_symbols_by_number_by_knee_and_by_limit():
    recordings, _ = make_beat_recordings(1, n_risky=1, random_state=0)
    assert SegmentSymbolizer(n_symbols=5).fit(recordings[0]).n_symbols_ == 5
    assert SegmentSymbolizer(theta=0.0, max_symbols=7).fit(recordings[0]).n_symbols_ == 7
    model = SegmentSymbolizer(window=6).fit(recordings[0])
    assert model.n_symbols_ == knee(model.radius_curve_) + 1 < len(model.radius_curve_) == 100
    assert model.radius_ == model.radius_curve_[model.n_symbols_ - 1]
    assert (np.diff(model.radius_curve_) <= 0).all()
    assert 0.0 < model.spared_ < 1.0


def test_a_random_start_is_that_of_its_seed():
    segments = ragged(2)
    places = [
        SegmentSymbolizer(n_symbols=3, start="random", random_state=s).fit(segments).centroid_places_ for s in (1, 1, 2)
    ]
    assert places[0].tolist() == places[1].tolist() != places[2].tolist()


def test_the_knee_is_where_the_curve_bends():
    assert knee([9.0, 1.0, 0.5, 0.0]) == 1
    assert knee([3.0, 2.0, 1.0, 0.0]) == 3 and knee([1.0, 1.0, 1.0]) == 2 and knee([5.0]) == 0


def test_mismatch_is_the_mean_over_all_pairs_of_segments_where_each_is_its_own_symbol():
    groups = [ragged(seed, n=4 + seed) for seed in range(3)]
    recordings = [SegmentSymbolizer(theta=0.0).fit(segments) for segments in groups]
    found = symbolic_mismatch(recordings, window=3)
    expected = [[dtw_pairwise(a, b, window=3).mean() for b in groups] for a in groups]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(symbolic_mismatch(recordings[:2], recordings[1:], window=3), found[:2, 1:], rtol=1e-12)
    doubled = [([2.0 * each for each in r.centroids_], r.frequencies_) for r in recordings]
    np.testing.assert_allclose(symbolic_mismatch(doubled, window=3), 4.0 * found, rtol=1e-12)


def test_clipping_gives_the_nearest_positive_semidefinite_matrix():
    rng = np.random.default_rng(0)
    M = rng.normal(size=(8, 8))
    M = M + M.T
    clipped, transform = clip_spectrum(M, return_transform=True)
    assert np.linalg.eigvalsh(clipped)[0] >= -1e-10 * np.abs(M).max()
    np.testing.assert_allclose(M @ transform, clipped, atol=1e-12)
    # Of a projection onto a cone the rest is at right angles to the image and in the polar cone.
    assert abs(np.sum((M - clipped) * clipped)) < 1e-10
    assert np.linalg.eigvalsh(M - clipped)[-1] < 1e-10
    definite = M @ M
    np.testing.assert_array_equal(clip_spectrum(definite), (definite + definite.T) / 2)


@pytest.mark.parametrize(("mode", "image"), [("flip", abs), ("square", lambda v: v * v)])
def test_other_modes_change_the_eigenvalues_alone(mode, image):
    M = np.array([[1.0, 3.0, 0.0], [3.0, 1.0, 0.5], [0.0, 0.5, -2.0]])
    values, vectors = np.linalg.eigh(M)
    changed, transform = clip_spectrum(M, mode=mode, return_transform=True)
    np.testing.assert_allclose(changed, vectors @ np.diag(image(values)) @ vectors.T, atol=1e-12)
    np.testing.assert_allclose(M @ transform, changed, atol=1e-12)
    shifted = clip_spectrum(M, mode="shift")
    np.testing.assert_allclose(shifted - M, -values[0] * np.eye(3), atol=1e-12)


def cloud(seed=0, n=40):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    points[-4:] += [[12, 0], [0, 14], [-13, 2], [3, -15]]
    return points, squareform(pdist(points))


def test_neighbour_scores_are_those_of_scikit_learn():
    points, apart = cloud()
    model = SimilarityAnomalyDetector(n_neighbors=5, contamination=0.1, clip=False).fit(apart)
    sums = NearestNeighbors(n_neighbors=5, metric="precomputed").fit(apart).kneighbors()[0].sum(axis=1)
    np.testing.assert_allclose(model.scores_, sums, rtol=1e-12)
    assert (np.flatnonzero(model.labels_ == -1) == np.arange(36, 40)).all()
    new = np.linalg.norm(np.array([[0.0, 0.0], [20.0, 20.0]])[:, None] - points, axis=2)
    assert model.predict(new).tolist() == [1, -1]


@pytest.mark.parametrize("clip", [True, False])
@pytest.mark.parametrize("method", ["knn", "ocsvm", "hierarchical"])
def test_every_method_finds_what_lies_apart(method, clip):
    points, apart = cloud()
    model = SimilarityAnomalyDetector(method, clip=clip).fit(apart)
    assert roc_auc_score(np.arange(40) >= 36, model.scores_) == 1.0
    assert (model.labels_[36:] == -1).all()
    if method == "knn":
        assert (model.labels_ == -1).sum() == 10
    new = np.linalg.norm(np.array([[0.0, 0.0], [30.0, 30.0]])[:, None] - points, axis=2)
    usual, unusual = model.score_samples(new)
    assert usual > unusual and model.predict(new)[1] == -1


def test_groups_are_those_of_average_linkage_cut_at_the_bend():
    _, apart = cloud(1)
    model = SimilarityAnomalyDetector("hierarchical", clip=False).fit(apart)
    tree = linkage(squareform(apart), "average")
    groups = fcluster(tree, tree[knee(tree[:, 2]), 2], "distance")
    np.testing.assert_array_equal(model.labels_ == 1, groups == np.bincount(groups).argmax())


def test_risky_recordings_are_found_without_labels():
    recordings, risky = make_beat_recordings(40, n_risky=5, n_beats=100, random_state=0)
    symbols = [SegmentSymbolizer(theta=1.0, window=6).fit(each) for each in recordings]
    mismatch = symbolic_mismatch(symbols, window=6)
    for k in (3, 5, 7, 9):
        assert roc_auc_score(risky, SimilarityAnomalyDetector(n_neighbors=k).fit(mismatch).scores_) >= 0.99


@pytest.mark.data
def test_beats_of_the_real_recording_are_told_by_its_annotations(real_data):
    real_data("timeseries/100.dat")
    real_data("timeseries/100.atr")
    beats, kinds = load_ecg_beats()
    # The database's own directory counts 2239 normal, 33 atrial and 1 ventricular beats; some are too near an end.
    names, counts = np.unique(kinds, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist())) == {"A": 33, "N": 2237, "V": 1}
    assert all(abs(int(beat.argmax()) - 45) <= 5 for beat, kind in zip(beats, kinds) if kind == "N")


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ([], "holds nothing"),
        ([[1.0], []], "number 1 of segments is empty"),
        ([[np.nan]], "NaN"),
        ([[[1.0]]], "one axis"),
    ],
)
def test_what_is_no_recording_is_refused(segments, message):
    with pytest.raises(ValueError, match=message):
        SegmentSymbolizer().fit(segments)


def test_what_has_no_symbols_is_refused():
    with pytest.raises(ValueError, match="give fitted SegmentSymbolizers"):
        symbolic_mismatch([np.ones(3)])
    with pytest.raises(ValueError, match="no shares of a whole"):
        symbolic_mismatch([([np.ones(3)], [0.5])])
    with pytest.raises(ValueError, match="at least one recording"):
        symbolic_mismatch([])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "square"), (np.ones((2, 2)), "2 recordings"), (np.full((9, 9), np.nan), "NaN"),
        (-np.ones((9, 9)), "0 or more"), (np.arange(81.0).reshape(9, 9), "not symmetric"),
        (np.ones((5, 5)), "n_neighbors=7 of 5"),
    ],
)  # fmt: skip
def test_what_is_no_dissimilarity_is_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        SimilarityAnomalyDetector().fit(matrix)


def test_equal_recordings_are_scored_alike():
    model = SimilarityAnomalyDetector("ocsvm").fit(np.zeros((6, 6)))
    assert np.isfinite(model.scores_).all() and np.ptp(model.scores_) < 1e-9
