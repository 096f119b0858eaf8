"""Kernel and linear regression that obey knowledge of regions."""

import itertools
import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from treatise.io import load_model, save_model
from treatise.kernel_methods import (
    Knowledge,
    KnowledgeKernelRegressor,
    LinearKnowledgeRegressor,
    Polyhedron,
    plot_knowledge,
)

LINE = np.column_stack([np.arange(-5.0, 6.0)] * 2)
PRODUCTS = LINE[:, 0] ** 2
GRID = np.array(list(itertools.product(np.linspace(-5, 5, 50), repeat=2)))
CONES = [
    Knowledge(([[-1 / 3, -1], [2 / 3, 1]], [0, 0]), at_most=([10, 0], 0)),
    Knowledge(([[-2 / 3, -1], [1 / 3, 1]], [0, 0]), at_most=([0, 10], 0)),
]
PEAK = Knowledge(Polyhedron.box([-0.25], [0.25]), at_least=np.sinc(0.25))


def noisy_sinc(seed, n=26):
    """The paper's one-dimensional data: nothing near zero but three values, two of them misleading."""
    side = np.linspace(1.4303, 3, n)
    x = np.concatenate([-side[::-1], side, np.zeros(3)])[:, None]
    y = np.sinc(x[:, 0])
    y[: 2 * n] += np.random.RandomState(seed).normal(0, 0.5, 2 * n)
    y[2 * n :] = [1, 0, -1]
    return x, y


def program_as_written(K, KA, d, Ah, beta, y, C, mu1, mu2):
    """The paper's linear program (21) with one lower bound, variables (alpha, b, s, a, z, u, zeta), solved directly."""
    m, k = KA.shape
    one, eye, no = np.ones((m, 1)), np.eye(m), np.zeros((m, m))
    none, flat = np.zeros((m, k)), np.zeros((m, 1))
    rows = np.block([
        [K, one, -eye, no, no, none, flat],
        [-K, -one, -eye, no, no, none, flat],
        [eye, flat, no, -eye, no, none, flat],
        [-eye, flat, no, -eye, no, none, flat],
        [K, flat, no, no, -eye, KA, flat],
        [-K, flat, no, no, -eye, -KA, flat],
        [np.zeros((1, m)), -np.ones((1, 1)), np.zeros((1, 3 * m)), d[None], -np.ones((1, 1))],
    ])  # fmt: skip
    right = np.concatenate([y, -y, np.zeros(2 * m), Ah, -Ah, [-beta]])
    price = np.concatenate([np.zeros(m + 1), np.full(m, C), np.ones(m), np.full(m, mu1), np.zeros(k), [mu2]])
    low = np.concatenate([np.full(m + 1, -np.inf), np.zeros(3 * m + k + 1)])
    return linprog(price, A_ub=rows, b_ub=right, bounds=np.column_stack([low, np.full(len(low), np.inf)])).fun


def mean_error(model, X, truth):
    return np.abs(model.predict(X) - truth).mean()


@pytest.mark.parametrize("seed", range(3))
def test_objective_is_that_of_the_program_as_written(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 2)), rng.normal(size=15)
    region, slope, constant = Polyhedron.box([-1, -0.5], [0.5, 1]), np.array([0.3, -0.2]), 0.4
    K, KA = rbf_kernel(X, gamma=0.7), rbf_kernel(X, region.A, gamma=0.7)
    expected = program_as_written(K, KA, region.b, X @ slope, constant, y, 2.0, 0.3, 5.0)
    model = KnowledgeKernelRegressor(
        2.0, gamma=0.7, knowledge=Knowledge(region, at_least=(slope, constant)), mismatch_cost=0.3, shortfall_cost=5.0,
        enforcement="kernel",
    ).fit(X, y)  # fmt: skip
    # Both solvers stop at feasibilities of 1e-7 or better.
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    fitted = K[:, model.support_] @ model.dual_coef_ + model.intercept_
    cost = np.abs(model.dual_coef_).sum() + 2.0 * np.abs(fitted - y).sum()
    cost += 0.3 * model.knowledge_mismatch_[0] + 5.0 * model.knowledge_shortfall_[0]
    assert cost == pytest.approx(expected, rel=1e-6)


def test_a_symmetric_kernel_need_not_be_definite():
    rng = np.random.default_rng(0)
    K, y = rng.normal(size=(15, 15)), rng.normal(size=15)
    K = (K + K.T) / 2
    none = np.zeros((15, 1))
    expected = program_as_written(K, none, np.zeros(1), np.zeros(15), 0.0, y, 2.0, 0.0, 0.0)
    model = KnowledgeKernelRegressor(2.0, kernel="precomputed").fit(K, y)
    assert np.linalg.eigvalsh(K)[0] < -1 and np.diagonal(K).min() < 0
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    K[0, 1] += 1.0
    with pytest.raises(ValueError, match=r"symmetric; entry \(0, 1\)"):
        model.fit(K, y)


def test_hyperboloid_has_the_values_of_an_independent_run():
    # The values are from another formulation of the same program; HiGHS leaves 1e-7.
    blind = KnowledgeKernelRegressor(145110, gamma=0.361).fit(LINE, PRODUCTS)
    assert blind.objective_ == pytest.approx(61.31515, rel=1e-6)
    assert mean_error(blind, GRID, GRID.prod(axis=1)) == pytest.approx(4.9497, abs=1e-3)
    assert np.abs(blind.predict(LINE) - PRODUCTS).max() < 1e-6
    wide = KnowledgeKernelRegressor(5356, gamma=0.0052).fit(LINE, PRODUCTS)
    assert mean_error(wide, GRID, GRID.prod(axis=1)) == pytest.approx(13.85, abs=1e-2)
    costs = {"mismatch_cost": 685, "shortfall_cost": 670613}
    told = clone(wide).set_params(knowledge=CONES, enforcement="kernel", **costs).fit(LINE, PRODUCTS)
    assert told.objective_ == pytest.approx(391840.249, rel=1e-6)
    assert mean_error(told, GRID, GRID.prod(axis=1)) == pytest.approx(0.4363, abs=1e-3)


def corners_of(region):
    """All vertices, from every choice of as many inequalities as dimensions."""
    found = []
    for chosen in itertools.combinations(range(len(region.b)), region.n_features):
        A = region.A[list(chosen)]
        if abs(np.linalg.det(A)) > 1e-9:
            point = np.linalg.solve(A, region.b[list(chosen)])
            if (region.A @ point <= region.b + 1e-9).all():
                found.append(point)
    return np.array(found)


@pytest.mark.parametrize("seed", range(5))
def test_linear_knowledge_holds_at_all_corners(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    y = X @ rng.normal(size=3) + 0.1 * rng.normal(size=30)
    region = Polyhedron(np.vstack([np.eye(3), -np.eye(3), rng.normal(size=(3, 3))]), np.full(9, 1.5))
    slope, constant = rng.normal(size=3), 2.0
    model = LinearKnowledgeRegressor(10.0, knowledge=Knowledge(region, at_least=(slope, constant))).fit(X, y)
    corners = corners_of(region)
    lead = model.predict(corners) - corners @ slope - constant
    assert lead.min() > -1e-8
    # The bound is costly, so that it is tight somewhere: without it the fit would be elsewhere.
    free = LinearKnowledgeRegressor(10.0).fit(X, y)
    short = corners @ slope + constant - free.predict(corners)
    assert short.max() > 0 and lead.min() < 1e-8
    assert model.shortfalls().max() < 1e-8
    checked = clone(free).set_params(knowledge=Knowledge(region, at_least=(slope, constant)), mismatch_cost=0,
                                     shortfall_cost=0).fit(X, y)  # fmt: skip
    assert checked.shortfalls()[0] == pytest.approx(short.max(), rel=1e-6)


def test_contradictory_knowledge_is_named():
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    fine = Knowledge(Polyhedron.box([0], [1]), at_least=-100)
    low = Knowledge(Polyhedron.box([0], [5]), at_most=1.0)
    high = Knowledge(Polyhedron.box([2], [3]), at_least=4.0)
    for model in (
        LinearKnowledgeRegressor(knowledge=[fine, low, high]),
        KnowledgeKernelRegressor(knowledge=[fine, low, high], random_state=0),
    ):
        with pytest.raises(ValueError, match=r"at the least, knowledge\[[12]\].*must give way") as caught:
            model.fit(X, y)
        assert "knowledge[0]" not in str(caught.value)
    soft = LinearKnowledgeRegressor(knowledge=[low, high], mismatch_cost=10, shortfall_cost=10).fit(X, y)
    assert soft.shortfalls().sum() >= 3 - 1e-6


def test_knowledge_of_no_cost_or_already_kept_changes_nothing():
    X, y = noisy_sinc(0)
    plain = KnowledgeKernelRegressor(5, gamma=7).fit(X, y)
    free = KnowledgeKernelRegressor(5, gamma=7, knowledge=PEAK, shortfall_cost=0).fit(X, y)
    unproven = KnowledgeKernelRegressor(
        5, gamma=7, knowledge=PEAK, enforcement="kernel", mismatch_cost=0, shortfall_cost=0
    ).fit(X, y)
    assert unproven.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    assert free.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    np.testing.assert_allclose(free.predict(X), plain.predict(X), atol=1e-6)
    known = Knowledge(Polyhedron.box([-3], [3]), at_least=plain.predict(np.linspace(-3, 3, 500)[:, None]).min() - 1)
    kept = KnowledgeKernelRegressor(5, gamma=7, knowledge=known, enforcement="points", shortfall_cost=1e3).fit(X, y)
    assert kept.objective_ == pytest.approx(plain.objective_, abs=1e-6)
    np.testing.assert_allclose(kept.predict(X), plain.predict(X), atol=1e-6)


def test_points_of_a_region_keep_the_bound():
    X, y = noisy_sinc(1)
    for cost in (0.01, 450.0, np.inf):
        model = KnowledgeKernelRegressor(
            13, gamma=1, knowledge=PEAK, enforcement="points", shortfall_cost=cost, random_state=0
        ).fit(X, y)
        points = PEAK.region.points(model.n_points, random_state=0)
        short = np.sinc(0.25) - model.predict(points).min()
        # Feasibility of the linear program.
        assert short <= model.knowledge_shortfall_[0] + 1e-8
        if cost < 1:
            assert model.knowledge_shortfall_[0] > 0.1 and short == pytest.approx(model.knowledge_shortfall_[0])
        else:
            assert model.shortfalls(random_state=5)[0] < 1e-3


def test_knowledge_is_kept_at_the_defaults():
    X, y = noisy_sinc(1)
    blind = KnowledgeKernelRegressor(gamma=1.0).fit(X, y)
    told = KnowledgeKernelRegressor(gamma=1.0, knowledge=PEAK, random_state=0).fit(X, y)
    assert PEAK.shortfall(np.zeros((1, 1)), blind.predict([[0.0]]))[0] > 0.1
    # Between the points at which the bound is a condition it may be missed a little.
    assert told.shortfalls(random_state=5)[0] < 1e-3


def test_sinc_gains_from_knowledge_in_most_draws():
    grid = np.linspace(-3, 3, 100)[:, None]
    truth = np.sinc(grid[:, 0])
    errors = []
    for seed in range(20):
        X, y = noisy_sinc(seed)
        blind = KnowledgeKernelRegressor(5, gamma=7).fit(X, y)
        told = KnowledgeKernelRegressor(
            13, gamma=1, knowledge=PEAK, enforcement="kernel", mismatch_cost=5, shortfall_cost=450
        ).fit(X, y)
        errors.append([mean_error(blind, grid, truth), mean_error(told, grid, truth)])
    errors = np.array(errors)
    # Values of an independent implementation on the same draws; the programs are the same, so only rounding differs.
    np.testing.assert_allclose(errors.mean(axis=0), [0.351, 0.265], atol=1e-3)
    assert np.mean(errors[:, 1] < errors[:, 0]) >= 0.8


def test_large_cost_interpolates_and_weights_are_sparse_otherwise():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (40, 2))
    y = np.sin(X).sum(axis=1)
    exact = KnowledgeKernelRegressor(1e6, gamma=3.0).fit(X, y)
    np.testing.assert_allclose(exact.predict(X), y, atol=1e-6)
    assert len(KnowledgeKernelRegressor(1.0, gamma=0.5).fit(X, y).support_) < 25


@pytest.mark.parametrize("enforcement", ["kernel", "points"])
def test_upper_bounds_mirror_lower_ones(enforcement):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    region, slope = Polyhedron.box([-1, -1], [1, 1]), np.array([0.5, 1.0])
    shared = {"gamma": 0.5, "mismatch_cost": 0.2, "shortfall_cost": 3.0, "enforcement": enforcement, "random_state": 0}
    upper = KnowledgeKernelRegressor(knowledge=Knowledge(region, at_most=(slope, -0.5)), **shared).fit(X, y)
    lower = KnowledgeKernelRegressor(knowledge=Knowledge(region, at_least=(-slope, 0.5)), **shared).fit(X, -y)
    np.testing.assert_allclose(upper.predict(X), -lower.predict(X), atol=1e-8)
    assert upper.objective_ == pytest.approx(lower.objective_, rel=1e-9)


def test_two_bounds_of_one_region_are_two_pieces_of_knowledge():
    X, y = noisy_sinc(2)
    region = PEAK.region
    shared = {"C": 13, "gamma": 1, "mismatch_cost": 5, "shortfall_cost": 450, "enforcement": "kernel"}
    both = KnowledgeKernelRegressor(knowledge=Knowledge(region, at_least=0.9, at_most=1.1), **shared).fit(X, y)
    apart = KnowledgeKernelRegressor(
        knowledge=[Knowledge(region, at_least=0.9), Knowledge(region, at_most=1.1)], **shared
    ).fit(X, y)
    assert both.knowledge_shortfall_.shape == (2,)
    np.testing.assert_allclose(both.predict(X), apart.predict(X), atol=1e-9)


def test_scale_of_y_scales_the_function():
    X, y = noisy_sinc(3)
    tall = Knowledge(PEAK.region, at_least=1e6 * np.sinc(0.25))
    shared = {"C": 13, "gamma": 1, "mismatch_cost": 5, "shortfall_cost": 450, "enforcement": "kernel"}
    small = KnowledgeKernelRegressor(knowledge=PEAK, **shared).fit(X, y)
    large = KnowledgeKernelRegressor(knowledge=tall, **shared).fit(X, 1e6 * y)
    np.testing.assert_allclose(large.predict(X), 1e6 * small.predict(X), atol=1e-2)


def test_knowledge_moves_with_a_scaler():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(25, 2)) * [5, 0.1] + [10, 1], rng.normal(size=25)
    mean, scale = X.mean(axis=0), X.std(axis=0)
    known = Knowledge(Polyhedron.box([8, 0.9], [12, 1.1]), at_least=([0.1, 2.0], 1.0))
    plain = LinearKnowledgeRegressor(knowledge=known, mismatch_cost=np.inf).fit(X, y)
    moved = LinearKnowledgeRegressor(knowledge=known.standardized(mean, scale)).fit((X - mean) / scale, y)
    corners = corners_of(known.region)
    for model, points in ((plain, corners), (moved, (corners - mean) / scale)):
        assert (model.predict(points) - corners @ [0.1, 2.0] - 1.0).min() > -1e-7


def test_weights_of_two_are_second_copies_and_of_zero_absence():
    X, y = noisy_sinc(4)
    weights = np.ones(len(y))
    weights[:10], weights[10:13] = 2, 0
    weighted = KnowledgeKernelRegressor(3, gamma=2, knowledge=PEAK).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    assert not set(weighted.support_) & {10, 11, 12}
    # A second copy counts twice among the errors of the proof too, so that only the program without one compares.
    plain = KnowledgeKernelRegressor(3, gamma=2).fit(X, y, sample_weight=weights)
    copied = KnowledgeKernelRegressor(3, gamma=2).fit(X[rows], y[rows])
    np.testing.assert_allclose(plain.predict(X), copied.predict(X), atol=1e-7)


def test_sparse_rows_and_linear_knowledge_kernel_agree_with_dense():
    rng = np.random.default_rng(1)
    X = np.where(rng.random((30, 3)) < 0.5, rng.normal(size=(30, 3)), 0.0)
    y = X.sum(axis=1)
    known = Knowledge(Polyhedron.box([-1] * 3, [1] * 3), at_least=(np.ones(3), 0.5))
    in_kernel = {"enforcement": "kernel", "mismatch_cost": 1.0, "shortfall_cost": 1.0}
    for choice in (in_kernel, in_kernel | {"knowledge_kernel": "linear"}, {"random_state": 0}):
        dense = KnowledgeKernelRegressor(knowledge=known, gamma=0.3, **choice).fit(X, y)
        thin = KnowledgeKernelRegressor(knowledge=known, gamma=0.3, **choice).fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-8)


def test_models_with_knowledge_are_cloned_pickled_and_saved(tmp_path):
    X, y = noisy_sinc(0)
    model = clone(KnowledgeKernelRegressor(13, gamma=1, knowledge=[PEAK])).fit(X, y)
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    save_model(model, tmp_path / "told.skops")
    loaded = load_model(tmp_path / "told.skops").model
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.knowledge[0].region.contains([[0.0]]).all()


def test_region_points_cover_corners_and_stay_inside():
    square = Polyhedron.box([0, 0], [2, 1])
    points = square.points(100, random_state=0)
    assert points.shape == (100, 2) and square.contains(points).all()
    for corner in itertools.product([0, 2], [0, 1]):
        assert np.abs(points - corner).sum(axis=1).min() < 1e-9
    segment = Polyhedron([[1, 1], [-1, -1], [1, 0], [-1, 0]], [1, -1, 1, 0])
    flat = segment.points(30, random_state=0)
    np.testing.assert_allclose(flat.sum(axis=1), 1.0, atol=1e-9)
    assert np.ptp(flat[:, 0]) == pytest.approx(1.0)
    assert square.bounded and not Polyhedron([[1.0, 0.0]], [1.0]).bounded


def test_bad_regions_and_bad_knowledge_are_refused():
    with pytest.raises(ValueError, match="region is empty"):
        Polyhedron([[1.0], [-1.0]], [0.0, -1.0])
    with pytest.raises(ValueError, match="feature 1 would lie between 2 and 1"):
        Polyhedron.box([0, 2], [1, 1])
    with pytest.raises(ValueError, match="one limit for each"):
        Polyhedron([[1.0, 0.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        Polyhedron([[np.nan]], [1.0])
    with pytest.raises(ValueError, match="no limits"):
        Polyhedron.box([-np.inf], [np.inf])
    with pytest.raises(ValueError, match="at_least, at_most, or both"):
        Knowledge(PEAK.region)
    with pytest.raises(ValueError, match="slope of at_most has shape"):
        Knowledge(PEAK.region, at_most=([1.0, 2.0], 0.0))
    with pytest.raises(ValueError, match=r"form \(slope, constant\)"):
        Knowledge(PEAK.region, at_least="a lot")
    with pytest.raises(ValueError, match="n_points=0"):
        PEAK.region.points(0)
    with pytest.raises(ValueError, match=r"X has shape \(3, 2\); the region has 1 features"):
        PEAK.shortfall(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="regions of 1 and 2 features"):
        PEAK.region.intersect(Polyhedron.box([0, 0], [1, 1]))
    for seed in range(20):  # whichever way the few random directions point
        with pytest.raises(ValueError, match="unbounded"):
            Polyhedron([[1.0]], [0.0]).points(2, random_state=seed)


def test_knowledge_that_does_not_fit_the_data_is_refused():
    X, y = np.random.default_rng(0).normal(size=(10, 2)), np.zeros(10)
    with pytest.raises(ValueError, match=r"knowledge\[0\] is about 1 features, and X has 2"):
        KnowledgeKernelRegressor(knowledge=[PEAK]).fit(X, y)
    with pytest.raises(ValueError, match=r"knowledge\[0\] must be a Knowledge"):
        KnowledgeKernelRegressor(knowledge=["f > 0"]).fit(X, y)
    with pytest.raises(ValueError, match="does not read them"):
        KnowledgeKernelRegressor(kernel="precomputed", knowledge=[PEAK]).fit(np.eye(10), y)
    far = Knowledge(Polyhedron.box([-np.inf], [-1000]), at_least=0)
    with pytest.raises(ValueError, match="about nothing in the kernel's space"):
        # The inequality x <= -1000 has its row at 1, where kernels of rows near 1000 vanish.
        KnowledgeKernelRegressor(gamma=1.0, knowledge=far, enforcement="kernel").fit(X[:, :1] + 1000, y)
    with pytest.raises(ValueError, match="does not meet the range"):
        KnowledgeKernelRegressor(gamma=1.0, knowledge=far).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="'C' parameter"):
        KnowledgeKernelRegressor(C=0).fit(X, y)


def test_pictures_show_fit_rows_and_regions():
    X, y = noisy_sinc(0)
    ax = plot_knowledge(KnowledgeKernelRegressor(13, gamma=1, knowledge=PEAK).fit(X, y), X, y)
    labels = ax.get_legend_handles_labels()[1]
    assert "fit" in labels and any(label.startswith("f(x) >= 0.9") for label in labels)
    surface = KnowledgeKernelRegressor(5356, gamma=0.0052, knowledge=CONES).fit(LINE, PRODUCTS)
    assert len(plot_knowledge(surface, LINE, PRODUCTS).patches) == 2
    line = LinearKnowledgeRegressor(knowledge=PEAK).fit(X, y)
    assert plot_knowledge(line, X, y).lines
    with pytest.raises(ValueError, match="one or two features"):
        plot_knowledge(line, np.zeros((3, 3)), np.zeros(3))
