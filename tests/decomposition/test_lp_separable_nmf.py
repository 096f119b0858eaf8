"""Separable factorisation by linear programming: the optimum against a plain solver, theorems, rank and outliers."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from treatise.datasets import make_near_separable, make_separable, make_swimmer
from treatise.decomposition import LPSeparableNMF, SeparableNMF, cluster_lp_weights, conical_conditioning


def well_mixed(n, p, r, level, seed):
    """Rows of sum one, r of them pure and no other near to pure, with noise on a quarter of the entries."""
    rng = np.random.default_rng(seed)
    parts = rng.random((r, p))
    parts /= parts.sum(axis=1, keepdims=True)
    noise = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.25)
    X = np.vstack([parts, rng.dirichlet(np.full(r, 3.0), n - r) @ parts])
    return X + level * noise / np.abs(noise).sum(axis=1).max()


def plain_program(X, limits, costs, total=None):
    """The program with all its variables: Y by rows, then the magnitudes of the residuals."""
    n, p = X.shape
    sizes = np.abs(X).sum(axis=1)
    errors = np.eye(n * p)
    rebuilt = np.kron(X.T, np.eye(n))  # entry (a, j) of the sum over i of X[i, a] Y[i, j]
    target = X.T.ravel()
    within = np.hstack([np.zeros((n, n * n)), np.kron(np.ones(p), np.eye(n))])
    below = np.zeros((n * n, n * n + n * p))
    for i in range(n):
        for j in range(n):
            below[i * n + j, i * n + j] += sizes[i]
            below[i * n + j, i * n + i] -= sizes[j]
    A = np.vstack([np.hstack([rebuilt, -errors]), np.hstack([-rebuilt, -errors]), within, below])
    b = np.concatenate([target, -target, limits, np.zeros(n * n)])
    diagonal = np.concatenate([np.eye(n).ravel(), np.zeros(n * p)])
    c = np.concatenate([np.diag(costs).ravel(), np.zeros(n * p)])
    equal = {} if total is None else {"A_eq": diagonal[None], "b_eq": [total]}
    bounds = [(0, 1 if on else None) for on in diagonal]
    return linprog(c, A_ub=A, b_ub=b, bounds=bounds, **equal).fun


def violation(model, X, limits):
    """Largest violation of a constraint by the solution, with errors as shares of the rows."""
    sizes = np.abs(X).sum(axis=1)
    weights = model.lp_weights_.toarray()
    own = np.diag(weights)
    errors = (np.abs(X - weights @ X).sum(axis=1) - limits) / sizes
    shares = weights * sizes / sizes[:, None] - own
    return max(errors.max(), shares.max(), -weights.min(), own.max() - 1.0)


@pytest.mark.parametrize("noise", ["dense", "sparse", "pointwise"])
@pytest.mark.parametrize("model", ["absolute", "relative", "hottopixx"])
def test_optimum_is_that_of_the_plain_program(model, noise):
    for seed, level in enumerate((0.02, 0.1, 0.3)):
        X, _ = make_near_separable(
            "dirichlet", noise, level, n_samples=15, n_features=6, n_components=3, random_state=seed
        )
        rng = np.random.default_rng(seed)
        X *= rng.uniform(0.5, 2.0, size=(15, 1))
        costs = 1 + rng.uniform(-0.3, 0.3, 15)
        limits = level * (np.ones(15) if model == "absolute" else np.abs(X).sum(axis=1))
        total = 4 if model == "hottopixx" else None
        fitted = LPSeparableNMF(4, noise=level, model=model, costs=costs, tol=1e-9).fit(X)
        expected = plain_program(X, limits, costs, total)
        assert fitted.objective_ == pytest.approx(expected, abs=1e-6)
        assert fitted.objective_bound_ <= expected + 1e-7
        assert violation(fitted, X, limits) < 1e-7
        assert fitted.converged_


def test_middle_points_which_depend_on_one_another_are_solved():
    X, _ = make_near_separable("middle_points", "dense", 0.08, n_samples=30, n_components=6, random_state=0)
    costs = 1 + np.random.default_rng(0).uniform(-0.01, 0.01, 30)
    model = LPSeparableNMF(6, noise=0.08, costs=costs, tol=1e-9).fit(X)
    assert model.objective_ == pytest.approx(plain_program(X, np.full(30, 0.08), costs), abs=1e-6)


@pytest.mark.parametrize("noise, own", [(0.1, 0.8), (0.3, 0.4), (0.45, 0.1)])
def test_example_1_of_the_paper(noise, own):
    X = np.vstack([np.eye(5), np.full(5, 0.2)])
    model = LPSeparableNMF(5, noise=noise, model="relative", rho=2.0).fit(X)
    np.testing.assert_allclose(model.lp_diagonal_, [own] * 5 + [0.0], atol=1e-6)
    np.testing.assert_array_equal(np.sort(model.components_indices_), np.arange(5))


def test_without_noise_the_diagonal_is_one_on_the_cheapest_copies_of_the_parts():
    for seed in range(5):
        X, pure = well_mixed(30, 50, 4, 0.0, seed), np.arange(4)
        X = np.vstack([X, X[pure], np.zeros((2, 50))])
        costs = 1 + np.random.default_rng(seed).uniform(-0.1, 0.1, len(X))
        model = LPSeparableNMF(noise=0.0, costs=costs, tol=1e-9).fit(X)
        copies = np.column_stack([pure, np.arange(30, 34)])
        cheapest = copies[np.arange(4), np.argmin(costs[copies], axis=1)]
        np.testing.assert_array_equal(np.sort(model.components_indices_), np.sort(cheapest))
        assert model.objective_ == pytest.approx(costs[cheapest].sum(), abs=1e-6)
        np.testing.assert_allclose(model.lp_diagonal_[cheapest], 1.0, atol=1e-6)
        np.testing.assert_allclose(model.lp_weights_ @ X, X, atol=1e-7)


def test_noise_within_the_bound_of_theorem_2_leaves_the_parts_exact():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        parts = rng.random((4, 20))
        parts /= parts.sum(axis=1, keepdims=True)
        mixtures = rng.dirichlet(np.full(4, 3.0), 40)
        mixtures = mixtures[mixtures.max(axis=1) < 0.7]
        noise = rng.normal(size=(4 + len(mixtures), 20))
        level = conical_conditioning(parts) * (1 - mixtures.max()) / 15
        noise *= 0.99 * level / np.abs(noise).sum(axis=1).max()
        X = np.vstack([parts, mixtures @ parts]) + noise
        model = LPSeparableNMF(noise=level, model="relative", post="threshold").fit(X)
        np.testing.assert_array_equal(np.sort(model.components_indices_), np.arange(4))


def test_swimmers_fall_into_their_limbs():
    X = make_swimmer()
    assert X.shape == (220, 256) and np.linalg.matrix_rank(X) == 13
    for parameters in ({"model": "relative", "noise": 0.5}, {"model": "relative", "noise": 0.9}, {"noise": 30.0}):
        model = LPSeparableNMF(**parameters).fit(X)
        assert model.n_components_ == 16 and len(np.unique(model.components_indices_ // 3)) == 16
        assert model.components_indices_.max() < 48
        assert model.reconstruction_err_ < 1e-6


@pytest.mark.parametrize("mixtures", ["dirichlet", "middle_points"])
def test_noise_on_single_entries_misleads_projection_and_not_the_program(mixtures):
    found = {"lp": [], "spa": []}
    for seed in range(2):
        X, pure = make_near_separable(mixtures, "pointwise", 0.15, random_state=seed)
        by_noise = LPSeparableNMF(10, noise=0.15).fit(X)
        found["lp"].append(np.isin(pure, by_noise.components_indices_).mean())
        projected = SeparableNMF(10, method="spa", normalize=True).fit(X)
        found["spa"].append(np.isin(pure, projected.components_indices_).mean())
    assert np.mean(found["lp"]) >= 0.95
    assert np.mean(found["spa"]) < 0.6


def test_number_of_parts_is_found_from_the_noise_and_the_noise_from_their_number():
    for seed in range(3):
        X = well_mixed(60, 50, 5, 0.1, seed)
        by_noise, by_number = LPSeparableNMF(noise=0.1).fit(X), LPSeparableNMF(5).fit(X)
        np.testing.assert_array_equal(np.sort(by_noise.components_indices_), np.arange(5))
        np.testing.assert_array_equal(np.sort(by_number.components_indices_), np.arange(5))
        # At the true level five parts suffice, so the least level is not above.
        assert 0.0 < by_number.noise_ <= 0.1 and by_number.lp_diagonal_.sum() == pytest.approx(5.0, rel=0.03)


@pytest.mark.parametrize("level", [0.02, 0.1, 0.2])
def test_number_and_noise_are_found_where_neither_is_told(level):
    for seed in range(2):
        X, pure = make_near_separable("dirichlet", "dense", level, n_samples=50, random_state=seed)
        model = LPSeparableNMF().fit(X)
        assert np.array_equal(np.sort(model.components_indices_), pure)
    # Noise that is larger than a tenth of a row is seen, to a fifth of its size.
    assert model.noise_ == pytest.approx(max(level, 0.1 * np.abs(X).sum(axis=1).mean()), rel=0.2)


def test_dark_rows_do_not_make_parts_of_bright_ones_variations():
    """Half of the rows a tenth as large: the median row is one of them, or not, by chance."""
    for seed in range(3):
        X, _ = make_separable(60, 30, 4, noise=0.02, random_state=seed)
        X[np.random.default_rng(seed).permutation(60)[:31]] *= 0.05
        assert LPSeparableNMF().fit(np.abs(X)).n_components_ <= 5


def test_outliers_are_told_from_parts():
    rng = np.random.default_rng(0)
    for seed in range(5):
        X = well_mixed(60, 30, 4, 0.01, seed)
        strange = rng.random((3, 30)) * (rng.random((3, 30)) < 0.2)
        strange /= strange.sum(axis=1, keepdims=True)
        X = np.vstack([X, strange])
        model = LPSeparableNMF(noise=0.01, rho=2.0, outliers=True).fit(X)
        np.testing.assert_array_equal(np.sort(model.components_indices_), np.arange(4))
        np.testing.assert_array_equal(np.sort(model.outlier_indices_), [60, 61, 62])
        numbered = LPSeparableNMF(4, noise=0.01, rho=2.0, outliers=True).fit(X)
        np.testing.assert_array_equal(np.sort(numbered.components_indices_), np.arange(4))


def test_so_many_parts_come_back_however_large_the_noise():
    X, _ = make_near_separable("dirichlet", "dense", 0.3, n_samples=40, n_components=5, random_state=0)
    for post in ("hybrid", "largest", "cluster"):
        for noise in (0.3, 0.9):
            model = LPSeparableNMF(5, noise=noise, post=post).fit(X)
            assert len(np.unique(model.components_indices_)) == 5
        with pytest.warns(UserWarning, match="noise=5 is as large as every row"):
            assert LPSeparableNMF(5, noise=5.0, post=post).fit(X).n_components_ == 5


def brute_clusters(X, x, noise, r):
    """Algorithm 4 by its lines, one row at a time."""
    n = len(X)
    D = np.array([[np.abs(a - b).sum() for b in X] for a in X])
    x = r * x / x.sum()
    K = best = {k for k in range(n) if x[k] > r / (r + 1)}
    nu = best_nu = max(2 * noise, D[D > 0].min())
    while len(K) < r and nu < D.max():
        S = [{j for j in range(n) if D[i, j] <= nu} for i in range(n)]
        w, K = [sum(x[j] for j in S[i]) for i in range(n)], []
        while max(w) > r / (r + 1) and len(K) < r:
            k = int(np.argmax(w))
            K.append(k)
            w = [w[i] - sum(x[j] for j in S[k] & S[i]) for i in range(n)]
        if len(K) > len(best):
            best, best_nu = K, nu
        nu *= 2
    if len(best) < r:
        S = [{j for j in range(n) if D[i, j] <= best_nu} for i in range(n)]
        w, best = [sum(x[j] for j in S[i]) for i in range(n)], []
        while len(best) < r:
            k = max((i for i in range(n) if i not in best), key=lambda i: w[i])
            best.append(k)
            for i in range(n):
                w[i] -= sum(((D.max() - D[i, j]) / D.max()) ** 0.1 * x[j] for j in S[k] & S[i])
    return sorted(best)


def test_clusters_are_those_of_the_algorithms_lines():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        centres = 4 * rng.random((4, 3))
        X = np.repeat(centres, 5, axis=0) + 0.05 * rng.random((20, 3))
        x = rng.random(20)
        for r in (3, 4, 6):
            assert cluster_lp_weights(X, x, 0.05, r).tolist() == brute_clusters(X, x, 0.05, r)


def test_clusters_count_near_copies_once():
    X = np.vstack([np.eye(4), np.eye(4) + 1e-3, np.full((2, 4), 0.25)])
    x = np.array([0.5] * 8 + [0.0] * 2)
    chosen = cluster_lp_weights(X, x, 0.01)
    assert len(chosen) == 4 and len(np.unique(chosen % 4)) == 4
    assert len(cluster_lp_weights(X, 0.8 * x, 0.01)) == 4  # the sum 3.2, rounded up
    with pytest.raises(ValueError, match="weights must be 10 numbers"):
        cluster_lp_weights(X, x[:5], 0.01)


def test_unit_and_order_of_rows_change_nothing_else():
    X, _ = make_separable(40, 12, 4, noise=0.05, random_state=1)
    plain = LPSeparableNMF(4).fit(X)
    order = np.random.default_rng(0).permutation(40)
    moved = LPSeparableNMF(4).fit(X[order])
    np.testing.assert_array_equal(np.sort(order[moved.components_indices_]), np.sort(plain.components_indices_))
    for unit in (1e-8, 1e8):
        scaled = LPSeparableNMF(4).fit(unit * X)
        np.testing.assert_array_equal(np.sort(scaled.components_indices_), np.sort(plain.components_indices_))
        assert scaled.noise_ == pytest.approx(unit * plain.noise_, rel=1e-5)


def test_stopping_short_is_told_and_the_solution_is_feasible_all_the_same():
    X, _ = make_near_separable("dirichlet", "pointwise", 0.15, random_state=0)
    with pytest.warns(ConvergenceWarning, match="may be above the least by .* after max_iter=5 rounds"):
        short = LPSeparableNMF(10, noise=0.15, max_iter=5).fit(X)
    assert not short.converged_ and violation(short, X, np.full(100, 0.15)) < 1e-7
    best = LPSeparableNMF(10, noise=0.15).fit(X)
    assert short.objective_bound_ <= best.objective_ <= short.objective_


def test_conditioning_is_the_least_distance_from_the_cone_of_the_others():
    assert conical_conditioning(np.eye(3)) == pytest.approx(1.0)
    parts = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.4, 0.1]])
    # The last without a tenth of the third feature is a mixture; the others are further.
    assert conical_conditioning(parts) == pytest.approx(0.1)


def test_bad_input_is_refused_or_told():
    X = np.eye(4)
    with pytest.raises(ValueError, match="all 3 rows of X are zero"):
        LPSeparableNMF().fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="NaN"):
        LPSeparableNMF().fit([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(ValueError, match="model='hottopixx' holds the sum"):
        LPSeparableNMF(model="hottopixx").fit(X)
    with pytest.raises(ValueError, match="no diagonal with the sum 2 rebuilds all rows"):
        LPSeparableNMF(2, noise=0.01, model="hottopixx").fit(X)
    with pytest.raises(ValueError, match="costs must be 4 numbers"):
        LPSeparableNMF(costs=[1.0, 2.0]).fit(X)
    with pytest.raises(ValueError, match=r"costs must be above zero .* least is -1"):
        LPSeparableNMF(costs=[1.0, -1.0, 1.0, 1.0]).fit(X)
    with pytest.warns(UserWarning, match="n_components=6 exceeds the 4 different rows"):
        assert LPSeparableNMF(6).fit(np.vstack([X, X, np.zeros(4)])).n_components_ == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LPSeparableNMF().fit([[1.0, 2.0]]).components_indices_.tolist() == [0]


def test_more_parts_than_the_rows_need_are_said_to_add_nothing():
    rng = np.random.default_rng(0)
    X = rng.dirichlet(np.ones(2), 20) @ rng.random((2, 8))
    with pytest.warns(UserWarning, match="n_components=4 exceeds the 2 rows that rebuild all of X"):
        model = LPSeparableNMF(4).fit(X)
    assert model.n_components_ == 4
    two = X[model.components_indices_[:2]]
    assert np.linalg.matrix_rank(two) == 2


def test_as_many_parts_as_are_needed_are_no_reason_for_a_warning(recwarn):
    for seed in range(3):
        X, _ = make_near_separable("dirichlet", "dense", 0.05, n_samples=30, n_components=4, random_state=seed)
        LPSeparableNMF(4).fit(X)
    assert not recwarn.list
