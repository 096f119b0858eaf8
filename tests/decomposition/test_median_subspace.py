"""The geometric median subspace against a cone program, closed forms, theorems of the paper, and bad data."""

import warnings

import clarabel
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from treatise.datasets import make_subspace_outliers
from treatise.decomposition import (
    GeometricMedianSubspace,
    check_recovery_conditions,
    eigengap_dimension,
    plot_scree,
)
from treatise.decomposition.median_subspace._programs import Capped, Plain, Ridge, Spread, between
from treatise.decomposition.median_subspace._reweighting import minimise
from treatise.statistics import row_blocks, subspace_distance
from treatise.statistics.row_blocks import RowBlocks

SIZES = [(125, 125, 10, 5), (125, 125, 50, 5), (250, 250, 100, 10)]
EXACT = {"floor": 1e-12, "tol": 1e-9, "max_iter": 3000, "until_kernel": False}
VARIANTS = {
    "spread": {}, "gms": {}, "gms2": {"random_state": 0}, "egms": {}, "ridge": {}, "reaper": {},
}  # fmt: skip
by_variant = pytest.mark.parametrize("variant", VARIANTS)


def fitted(X, n_components="gap", **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return GeometricMedianSubspace(n_components, **parameters).fit(X)


def least_by_cones(X, with_center=False, pull=0.0):
    """Problem (4) as a second-order cone program in the entries of Q, the centre's image and one bound per row."""
    n, p = X.shape
    pairs = [(i, j) for i in range(p) for j in range(i, p)]
    place = {pair: k for k, pair in enumerate(pairs)}
    k, cones = len(pairs), n + (pull > 0)
    width = k + with_center * p + cones
    blocks = []
    for i in range(n):
        rows = np.zeros((p + 1, width))
        rows[0, width - cones + i] = -1.0
        for a in range(p):
            for b in range(p):
                rows[1 + a, place[min(a, b), max(a, b)]] -= X[i, b]
            if with_center:
                rows[1 + a, k + a] += 1.0
        blocks.append(rows)
    if pull > 0:
        rows = np.zeros((k + 1, width))
        rows[0, -1] = -1.0
        for (i, j), at in place.items():
            rows[1 + at, at] = -1.0 if i == j else -np.sqrt(2.0)
        blocks.append(rows)
    trace = np.zeros((1, width))
    for i in range(p):
        trace[0, place[i, i]] = 1.0
    A = sparse.csc_matrix(np.vstack([trace, *blocks]))
    b = np.zeros(A.shape[0])
    b[0] = 1.0
    cost = np.zeros(width)
    cost[width - cones :] = 1.0
    if pull > 0:
        cost[-1] = pull
    kinds = [clarabel.ZeroConeT(1), *(clarabel.SecondOrderConeT(len(block)) for block in blocks)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solution = clarabel.DefaultSolver(sparse.csc_matrix((width, width)), cost, A, b, kinds, settings).solve()
    Q = np.zeros((p, p))
    for (i, j), at in place.items():
        Q[i, j] = Q[j, i] = solution.x[at]
    return solution.obj_val, Q


@pytest.mark.parametrize("with_center", [False, True])
def test_minimum_is_that_of_a_cone_program(with_center):
    for seed in range(3):
        X = np.random.default_rng(seed).standard_t(3, size=(40, 4)) + 0.3
        value, Q = least_by_cones(X, with_center)
        found = minimise(RowBlocks(X), Plain(), with_center=with_center, **EXACT)
        assert found.objectives[-1] == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(found.Q, Q, atol=1e-4)
        assert found.gap <= 1e-9


def test_spread_adds_the_norm_of_the_matrix():
    X = np.random.default_rng(0).normal(size=(20, 4)) * [3.0, 1.0, 1.0, 0.2]
    value, Q = least_by_cones(X, True, pull=9.0)
    found = minimise(RowBlocks(X), Spread(9.0), with_center=True, **EXACT)
    assert found.objectives[-1] == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(found.Q, Q, atol=1e-4)


@pytest.mark.parametrize(
    "program",
    [Ridge(20.0), Capped(2), Capped(3), Spread(5.0), Plain()],
    ids=["ridge", "capped 2", "capped 3", "spread", "plain"],
)
def test_dual_bound_is_below_every_feasible_value_and_meets_the_least(program):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4)) * [3.0, 2.0, 1.0, 0.5]
    found = minimise(RowBlocks(X), program, **EXACT)
    least = found.objectives[-1] * (1 - found.gap)
    assert found.gap <= 1e-9
    for _ in range(300):
        frame = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        values = rng.dirichlet(np.ones(4))
        if isinstance(program, Capped):
            values = 0.5 * values + 0.5 / 4 if values.max() < 2 / program.rank - 0.25 else np.full(4, 0.25)
        Q = 0.1 * (frame * values) @ frame.T + 0.9 * found.Q
        assert np.linalg.norm(X @ Q, axis=1).sum() + program.penalty(Q) >= least
    if isinstance(program, Capped):
        assert np.linalg.eigvalsh(found.Q)[-1] <= 1 / program.rank + 1e-12


def test_one_step_from_even_weights_is_the_scaled_inverse_covariance():
    X = np.random.default_rng(2).normal(size=(80, 5)) * [4, 3, 2, 1, 0.5]
    inverse = np.linalg.inv(X.T @ X)
    Q = Plain().step(np.eye(5) / 5, X.T @ X / 25).Q
    np.testing.assert_allclose(Q, inverse / np.trace(inverse), atol=1e-12)
    bottom = np.linalg.eigh(Q)[1][:, :2].T
    assert subspace_distance(bottom, np.linalg.svd(X)[2][:2]) < 1e-10


def test_inverse_between_survives_a_gram_matrix_without_a_cholesky_factor():
    Q = np.diag([0.5, 0.5, 1e-20])
    inverse = between(Q, np.diag([1.0, 2.0, 0.0]))
    np.testing.assert_allclose(inverse, np.diag([0.25, 0.125, 0.0]), atol=1e-12)


@by_variant
def test_objective_never_rises_and_the_matrix_is_a_precision_of_trace_one(variant):
    X, _, _ = make_subspace_outliers(100, 100, 12, 3, noise=0.05, random_state=0)
    model = fitted(X, 3, variant=variant, **VARIANTS[variant])
    values = np.array(model.objective_history_)
    assert (np.diff(values) <= 1e-12 * values[0]).all()
    np.testing.assert_array_equal(model.precision_, model.precision_.T)
    assert np.trace(model.precision_) == pytest.approx(1.0, abs=1e-12)
    assert model.eigenvalues_[0] > 0 and model.converged_ and model.dual_gap_ <= 1e-8


@pytest.mark.parametrize("center", ["subspace", None])
@pytest.mark.parametrize("variant", ["spread", "gms"])
def test_subspace_and_its_dimension_are_found_exactly_without_noise(variant, center):
    for size in SIZES:
        for seed in range(5):
            X, inlier, components = make_subspace_outliers(*size, random_state=seed)
            offset = 0.0 if center is None else np.random.default_rng(seed).normal(size=size[2]) * 20
            model = fitted(X + offset, variant=variant, center=center)
            assert model.n_components_ == size[3]
            assert subspace_distance(model.components_, components) < 1e-6
            assert model.residuals_[inlier].max() < 1e-5 < 1e-3 < model.residuals_[~inlier].min()
            assert model.n_iter_ < 80


def test_recovery_error_falls_with_delta():
    # Figure 3 of the paper: proportional; the gap that ends the steps must not come first.
    X, _, components = make_subspace_outliers(250, 250, 100, 10, random_state=0)
    errors = []
    for delta in (1e-2, 1e-4, 1e-6):
        model = GeometricMedianSubspace(
            10, variant="gms", center=None, delta=delta, stopping="optimum", tol=1e-14, max_iter=60
        )
        with pytest.warns(ConvergenceWarning):
            errors.append(subspace_distance(model.fit(X).components_, components))
    np.testing.assert_allclose(np.diff(np.log10(errors)), -2.0, atol=0.3)


def test_variants_find_the_subspace_among_few_outliers():
    X, _, components = make_subspace_outliers(100, 20, 100, 20, noise=0.0, random_state=0)
    error = {}
    for name, parameters in {
        "optimum": {"variant": "gms", "stopping": "optimum"},
        "spread": {},
        "gms2": {"variant": "gms2", "random_state": 0},
        "ridge": {"variant": "ridge", "ridge": 100.0},
        "auto": {"variant": "ridge"},
        "egms": {"variant": "egms"},
        "all": {"variant": "egms", "removal": "all"},
    }.items():
        model = GeometricMedianSubspace(20, center=None, **parameters).fit(X)
        error[name] = subspace_distance(model.components_, components)
    assert error["optimum"] > 0.1 and error["egms"] < 0.4
    assert max(error[name] for name in ("spread", "gms2", "ridge", "auto", "all")) < 1e-5


def test_noise_among_few_outliers_needs_more_than_the_plain_variant():
    X, _, components = make_subspace_outliers(100, 20, 100, 20, noise=0.01, random_state=0)
    assert subspace_distance(fitted(X, 20, center=None).components_, components) < 0.1
    with pytest.warns(ConvergenceWarning):
        plain = GeometricMedianSubspace(20, variant="gms", center=None, max_iter=100).fit(X)
    assert subspace_distance(plain.components_, components) > 2


def test_robust_errors_are_below_those_of_covariances_with_noise():
    for size in SIZES:
        X, _, components = make_subspace_outliers(*size, noise=0.01, random_state=0)
        plain = subspace_distance(PCA(size[3]).fit(X).components_, components)
        assert subspace_distance(fitted(X, size[3]).components_, components) < 0.5 * plain


@by_variant
def test_subspace_turns_moves_and_scales_with_the_rows(variant):
    X, _, _ = make_subspace_outliers(80, 60, 8, 2, noise=0.05, random_state=3)
    parameters = {"variant": variant, **VARIANTS[variant]}
    plain = fitted(X, 2, **parameters)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0]
    # The drawn outliers do not turn with the rows.
    if variant != "gms2":
        turned = fitted(X @ turn, 2, **parameters)
        assert subspace_distance(turned.components_, plain.components_ @ turn) < 1e-5
    for unit in (1e-6, 1e6):
        scaled = fitted(unit * (X + 3.0), 2, **parameters)
        assert subspace_distance(scaled.components_, plain.components_) < 1e-5
        np.testing.assert_allclose(scaled.residuals_, unit * plain.residuals_, rtol=1e-3, atol=1e-5 * unit)
        np.testing.assert_allclose(scaled.precision_, plain.precision_, atol=1e-5)
    assert subspace_distance(fitted(X[::-1], 2, **parameters).components_, plain.components_) < 1e-5


def test_far_row_counts_by_its_direction_alone_on_the_sphere():
    X, _, _ = make_subspace_outliers(100, 50, 6, 2, noise=0.02, random_state=1)
    far = X.copy()
    far[-1] *= 1e6
    models = [fitted(data, 2, center=None, spherize=True) for data in (X, far)]
    assert subspace_distance(models[0].components_, models[1].components_) < 1e-8
    near = fitted(X, 2, center=None)
    with pytest.warns(UserWarning, match=f"row {len(X) - 1} is longer than all others together.*spherize=True"):
        misled = GeometricMedianSubspace(2, center=None).fit(far)
    assert subspace_distance(near.components_, misled.components_) > 0.1


def test_more_columns_than_rows_and_columns_that_follow_from_others_lose_nothing():
    X, _, components = make_subspace_outliers(60, 20, 15, 3, random_state=0)
    frame = np.linalg.qr(np.random.default_rng(0).normal(size=(400, 15)))[0]
    model = fitted(X @ frame.T, variant="gms")
    assert model.n_components_ == 3 and len(model.eigenvalues_) == 15
    assert subspace_distance(model.components_, components @ frame.T) < 1e-6
    twice = fitted(np.hstack([X, X]), variant="gms")
    assert subspace_distance(twice.components_, np.hstack([components, components])) < 1e-6


def test_blocks_change_nothing(monkeypatch):
    X, _, _ = make_subspace_outliers(300, 200, 6, 2, noise=0.1, random_state=0)
    whole = fitted(X, 2)
    monkeypatch.setattr(row_blocks, "NUMBERS", 1)
    parts = fitted(X, 2)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-7)
    np.testing.assert_allclose(parts.center_, whole.center_, atol=1e-6)


def test_coordinates_residuals_and_scores_belong_together():
    X, inlier, _ = make_subspace_outliers(80, 60, 8, 2, noise=0.05, random_state=3)
    model = fitted(X, 2)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(np.linalg.norm(X - back, axis=1), model.residuals_, atol=1e-12)
    np.testing.assert_allclose(model.score_samples(X), -model.residuals_)
    assert model.score(X) == pytest.approx(-model.residuals_.mean())
    assert model.weights_.sum() == pytest.approx(1.0)
    assert model.weights_[inlier].min() > model.weights_[~inlier].max()
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)


def test_dimension_by_share_gap_or_number():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4)) * [10.0, 5.0, 1.0, 0.5]
    shares = np.cumsum(1 / fitted(X, 4).eigenvalues_) / (1 / fitted(X, 4).eigenvalues_).sum()
    for share in (0.5, 0.7, 0.99, 1 - 1e-12):
        assert fitted(X, share).n_components_ == np.sum(shares < share) + 1
    assert eigengap_dimension([0.5, 0.1, 0.4]) == (1, pytest.approx(4.0))
    assert eigengap_dimension([0.5]) == (1, 1.0)
    with pytest.raises(ValueError, match="the least is -1"):
        eigengap_dimension([-1.0, 2.0])
    with pytest.warns(UserWarning, match="no dimension stands out"):
        GeometricMedianSubspace("gap").fit(X / [10.0, 5.0, 1.0, 0.5])


def test_conditions_for_recovery_hold_and_fail_where_the_paper_says():
    X, inlier, components = make_subspace_outliers(400, 60, 10, 2, random_state=0)
    found = check_recovery_conditions(X[inlier], X[~inlier], components)
    assert found.hold and found.rank == found.codimension == 8
    # One dimension: the permeance is the sum of lengths.
    line = check_recovery_conditions(X[inlier] @ components[:1].T @ components[:1], X[~inlier], components[:1])
    assert line.permeance == pytest.approx(np.abs(X[inlier] @ components[0]).sum(), rel=1e-6)
    few = check_recovery_conditions(X[inlier], X[~inlier][:5], components)
    assert few.rank < few.codimension and not few.hold
    far = check_recovery_conditions(X[inlier], 1e4 * X[~inlier], components)
    assert far.along == pytest.approx(1e4 * found.along, rel=1e-4) and not far.hold
    with pytest.raises(ValueError, match="orthonormal rows"):
        check_recovery_conditions(X[inlier], X[~inlier], 2 * components)
    with pytest.raises(ValueError, match="have 10, 9 and 10 columns"):
        check_recovery_conditions(X[inlier], X[~inlier][:, 1:], components)
    with pytest.raises(ValueError, match="nothing beside it"):
        check_recovery_conditions(X[inlier], X[~inlier], np.eye(10))


def test_too_few_steps_are_told():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        assert GeometricMedianSubspace(1, max_iter=1).fit(X).converged_ is False


def test_bad_data_are_refused():
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(ValueError, match="all 4 rows of X are equal"):
        GeometricMedianSubspace(1).fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="all 4 rows of X are zero"):
        GeometricMedianSubspace(1, center=None).fit(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="NaN"):
        GeometricMedianSubspace(1).fit([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(ValueError, match="X holds -1e\\+200, whose square overflows"):
        GeometricMedianSubspace(1).fit([[1.0, -1e200], [0.0, 1.0]])
    with pytest.raises(ValueError, match="n_components=4 exceeds the 3 dimensions"):
        GeometricMedianSubspace(4).fit(X)
    for parameters in ({"variant": "egms"}, {"variant": "reaper"}, {"variant": "ridge"}):
        with pytest.raises(ValueError, match="needs the dimension; give n_components as an int"):
            GeometricMedianSubspace(**parameters).fit(X)
    with pytest.raises(ValueError, match="X has 3 columns; the subspace has 2 dimensions"):
        GeometricMedianSubspace(2).fit(X).inverse_transform(np.ones((2, 3)))
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        GeometricMedianSubspace(1).fit(X[:1])


@by_variant
def test_whole_space_two_rows_and_one_column_have_an_answer(variant):
    parameters = {"variant": variant, **VARIANTS[variant]}
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert subspace_distance(fitted(X, 3, **parameters).components_, np.eye(3)) < 1e-12
    two = fitted(X[:2], 1, **parameters)
    assert two.residuals_.max() < 1e-8
    assert fitted(X[:, :1], 1, **parameters).components_ == pytest.approx(np.ones((1, 1)))


def test_generator_draws_what_it_says():
    X, inlier, components = make_subspace_outliers(30, 20, 6, 2, random_state=0)
    assert X.shape == (50, 6) and inlier.sum() == 30
    np.testing.assert_allclose(X[inlier] @ components.T @ components, X[inlier], atol=1e-12)
    assert X[~inlier].min() >= 0 and X[~inlier].max() <= 1
    with pytest.raises(ValueError, match="basis='haar' must be"):
        make_subspace_outliers(basis="haar")
    with pytest.raises(ValueError, match="n_components=7 must be from 1 to n_features=6"):
        make_subspace_outliers(3, 3, 6, 7)


def test_scree_shows_both_spectra_and_the_dimension():
    X, _, _ = make_subspace_outliers(100, 50, 10, 3, random_state=0)
    model = fitted(X)
    ax = Figure().subplots()
    assert plot_scree(model, X, ax=ax) is ax
    robust, plain, end = ax.lines
    np.testing.assert_allclose(robust.get_ydata(), 1 / model.eigenvalues_ / (1 / model.eigenvalues_).sum())
    variances = PCA().fit(X).explained_variance_ratio_
    np.testing.assert_allclose(plain.get_ydata(), variances, rtol=1e-8)
    assert end.get_xdata()[0] == 3.5
    with pytest.raises(ValueError, match="fitted to 10 columns"):
        plot_scree(model, X[:, 1:], ax=ax)
