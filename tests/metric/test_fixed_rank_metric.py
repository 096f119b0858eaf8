"""Mahalanobis distances from classes and pairs; kernels and embeddings from distances."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treatise.metric import (
    FixedRankMetricLearner,
    LowRankKernelLearner,
    distance_constraints,
    pair_distances,
    plot_pair_distances,
)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_iris_neighbours_err_no_more_than_by_the_euclidean_distance():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    errors = {}
    for name, steps in (("plain", []), ("learned", [FixedRankMetricLearner(random_state=0)])):
        model = make_pipeline(*steps, KNeighborsClassifier(5))
        folds = (StratifiedKFold(2, shuffle=True, random_state=seed) for seed in range(10))
        errors[name] = 1 - np.mean([cross_val_score(model, X, y, cv=cv).mean() for cv in folds])
    assert errors["learned"] <= errors["plain"]
    assert errors["learned"] < 0.05


def test_pairs_bounds_and_transform_are_what_the_names_say(wine):
    X, y = wine
    assert FixedRankMetricLearner(3, random_state=0).fit(X, y).pairs_.shape == (1000, 2)
    learner = FixedRankMetricLearner(3, n_pairs="paper", random_state=0).fit(X, y)
    assert learner.pairs_.shape == (40 * 3 * 2, 2) and (learner.pairs_[:, 0] != learner.pairs_[:, 1]).all()
    a, b = learner.pairs_.T
    principal = np.linalg.svd(X - X.mean(axis=0))[2][:3]
    at_start = (((X[a] - X[b]) @ principal.T) ** 2).sum(axis=1)
    np.testing.assert_allclose(learner.bounds_, np.percentile(at_start, (5, 95)))
    W = learner.get_mahalanobis_matrix()
    expected = np.einsum("ij,jk,ik->i", X[a] - X[b], W, X[a] - X[b])
    np.testing.assert_allclose(pair_distances(learner, X, learner.pairs_), expected)
    np.testing.assert_allclose(((learner.transform(X[a]) - learner.transform(X[b])) ** 2).sum(axis=1), expected)
    low, high = learner.bounds_
    missed = np.where(y[a] == y[b], np.maximum(expected - low, 0), np.minimum(expected - high, 0))
    assert learner.cost_history_[-1] == pytest.approx(0.5 * np.mean(missed**2))
    assert np.linalg.matrix_rank(W) == 3


def test_fit_pairs_with_the_pairs_of_fit_is_fit(wine):
    X, y = wine
    learner = FixedRankMetricLearner(3, random_state=0).fit(X, y)
    a, b = learner.pairs_.T
    alike = y[a] == y[b]
    for marks in (alike, np.where(alike, 1, -1)):
        again = FixedRankMetricLearner(3, random_state=0).fit_pairs(X, learner.pairs_, marks)
        np.testing.assert_array_equal(again.components_, learner.components_)
    thin = FixedRankMetricLearner(3, bounds=learner.bounds_, tol=1e-2, random_state=0)
    thick = FixedRankMetricLearner(3, bounds=learner.bounds_, tol=1e-2, random_state=0).fit(X, y)
    W = thin.fit(sparse.csr_array(X), y).get_mahalanobis_matrix()
    np.testing.assert_allclose(W, thick.get_mahalanobis_matrix(), atol=1e-6)


def test_polar_with_a_held_subspace_is_learning_after_reduction(wine):
    X, y = wine
    learner = FixedRankMetricLearner(2, geometry="affine", random_state=0).fit(X, y)
    principal = np.linalg.svd(X - X.mean(axis=0))[2][:2]
    outside = learner.components_ - learner.components_ @ principal.T @ principal
    assert np.abs(outside).max() < 1e-10
    free = FixedRankMetricLearner(2, geometry="polar", random_state=0).fit(X, y)
    assert free.cost_history_[-1] < 0.7 * learner.cost_history_[-1]


def test_online_learning_from_pairs_lowers_the_cost(wine):
    X, y = wine
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(y), (3000, 2))
    alike = y[pairs[:, 0]] == y[pairs[:, 1]]
    learner = FixedRankMetricLearner(3, random_state=0)
    for part in np.array_split(np.arange(3000), 3):
        learner.partial_fit_pairs(X, pairs[part], alike[part])
    assert learner.n_samples_seen_ == 3000 and len(learner.cost_history_) == 3
    start = FixedRankMetricLearner(3, max_iter=1, tol=10, bounds=learner.bounds_, random_state=0)
    before = start.fit_pairs(X, pairs, alike).cost_history_[0]
    assert learner.cost_history_[-1] < 0.8 * before
    epochs = FixedRankMetricLearner(3, solver="online", random_state=0).fit(X, y)
    assert epochs.cost_history_[-1] < 0.8 * epochs.cost_history_[0] and len(epochs.cost_history_) == 6


@pytest.mark.parametrize("geometry", ["flat", "polar", "affine", "logdet", "log_euclidean"])
def test_every_geometry_ends_online_also_where_a_step_would_leave_the_cone(geometry):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + X[:, 1] ** 2 > 0.5
    learner = FixedRankMetricLearner(2, geometry=geometry, solver="online", random_state=0).fit(X, y)
    assert np.isfinite(learner.components_).all() and np.linalg.matrix_rank(learner.components_) == 2
    assert learner.cost_history_[-1] < learner.cost_history_[0]


def test_rows_that_are_all_alike_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = FixedRankMetricLearner(2, random_state=0).fit(np.ones((20, 3)), np.arange(20) % 2)
    assert learner.bounds_ == (0.0, 0.0)


def test_plot_shows_both_kinds_of_pairs_and_the_bounds(wine):
    X, y = wine
    learner = FixedRankMetricLearner(2, random_state=0).fit(X, y)
    ax = plot_pair_distances(learner, X, y, random_state=0)
    assert len(ax.patches) == 80 and len(ax.lines) == 2
    np.testing.assert_allclose(sorted(line.get_xdata()[0] ** 2 for line in ax.lines), learner.bounds_)
    assert plot_pair_distances(learner, X, y, ax=ax) is ax


def test_distances_of_points_in_the_plane_are_recovered():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    pairs = np.array([(i, j) for i in range(30) for j in range(i)])
    squared = ((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(axis=1)
    learner = LowRankKernelLearner(2, n_init=3, tol=1e-13, max_iter=5000, random_state=0).fit(pairs, squared)
    assert np.sum((learner.predict(pairs) - squared) ** 2) < 1e-8
    np.testing.assert_allclose(learner.predict(pairs), squared, atol=1e-4)
    centred = points - points.mean(axis=0)
    placed = learner.embedding_ - learner.embedding_.mean(axis=0)
    # The same distances: the same centred Gram matrix.
    np.testing.assert_allclose(placed @ placed.T, centred @ centred.T, atol=1e-3)
    K = learner.kernel_
    np.testing.assert_allclose(np.diagonal(K)[pairs].sum(axis=1) - 2 * K[tuple(pairs.T)], learner.predict(pairs))


def test_the_flat_geometry_moves_only_objects_in_missed_pairs_and_polar_all():
    rng = np.random.default_rng(0)
    start = rng.normal(size=(10, 3))
    pairs, wanted = np.array([[0, 1], [2, 3]]), np.array([0.1, 1e6])
    flat = LowRankKernelLearner(3, init=start).fit(pairs, wanted, [1, 1])
    assert np.abs(flat.embedding_[2:] - start[2:]).max() == 0 < np.abs(flat.embedding_[:2] - start[:2]).max()
    assert flat.predict(pairs)[0] < 0.15
    polar = LowRankKernelLearner(3, geometry="polar", init=start).fit(pairs, wanted, [1, 1])
    assert (np.abs(polar.kernel_ - start @ start.T).max(axis=1) > 1e-6).all()


def test_partial_fit_follows_distances_that_change():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(15, 2))
    pairs = np.array([(i, j) for i in range(15) for j in range(i)])
    squared = ((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(axis=1)
    learner = LowRankKernelLearner(2, n_init=3, tol=1e-10, max_iter=3000, step=0.05, random_state=0)
    before = learner.fit(pairs, squared).embedding_.copy()
    changed = 1.1 * squared
    missed = np.mean((learner.predict(pairs) - changed) ** 2)
    for _ in range(20):
        learner.partial_fit(pairs, changed)
    assert np.mean((learner.predict(pairs) - changed) ** 2) < 0.3 * missed
    assert np.linalg.norm(learner.embedding_ - before) < 0.2 * np.linalg.norm(before)


def test_constraints_scale_the_distances_of_the_kernel():
    rng = np.random.default_rng(0)
    Z, labels = rng.normal(size=(12, 4)), rng.integers(0, 2, 12)
    pairs, bounds, sense = distance_constraints(Z @ Z.T, labels, 200, margin=0.25, random_state=0)
    squared = ((Z[pairs[:, 0]] - Z[pairs[:, 1]]) ** 2).sum(axis=1)
    alike = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    np.testing.assert_allclose(bounds, squared * np.where(alike, 0.75, 1.25))
    np.testing.assert_array_equal(sense, np.where(alike, 1, -1))


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda X, y: FixedRankMetricLearner().fit(X, np.zeros(len(y), int)), "y holds one class"),
        (lambda X, y: FixedRankMetricLearner(12).fit(X[:5], np.array([0, 1, 0, 1, 0])), "take init='random'"),
        (lambda X, y: FixedRankMetricLearner(bounds=(2.0, 1.0)).fit(X, y), "near <= far"),
        (lambda X, y: FixedRankMetricLearner(bounds=("near", "far")).fit(X, y), "near <= far"),
        (lambda X, y: plot_pair_distances(FixedRankMetricLearner(2).fit(X, y), X, 0 * y), "all of one class"),
        (lambda X, y: FixedRankMetricLearner().fit_pairs(X, [[0, 999]], [1]), "0 to 177"),
        (lambda X, y: FixedRankMetricLearner().fit_pairs(X, [[0, 1]], [1, 1]), "alike must hold 1 "),
        (lambda X, y: FixedRankMetricLearner().fit_pairs(X, [[0.0, 1.0]], [1]), "pairs must be integers"),
        (lambda X, y: LowRankKernelLearner(2).fit([[0, 1], [1, 2]], [1.0, -1.0]), "none negative"),
        (lambda X, y: LowRankKernelLearner(4).fit([[0, 1], [1, 2]], [1.0, 1.0]), "rank=4 exceeds the dimension 3"),
        (lambda X, y: distance_constraints(np.eye(3), y[:4], 5), "with 4 labels"),
        (lambda X, y: distance_constraints(np.eye(4), y[:4], 5, margin=-1), "margin=-1"),
        (lambda X, y: distance_constraints(np.eye(4), y[:4], 0), "n_constraints=0"),
    ],
)
def test_bad_input_is_named(wine, work, message):
    with pytest.raises(ValueError, match=message):
        work(*wine)
