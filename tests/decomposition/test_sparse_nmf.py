"""Non-negative factorisation with sparseness constraints."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from treatise.decomposition import SparseNMF
from treatise.decomposition.sparse_nmf._factorise import starting_factors
from treatise.decomposition.sparse_nmf._rules import ProjectedGradientRule, ProjectedRowRule
from treatise.optimize import hoyer_sparseness, l1_of_unit_vector, project_sparseness

CASES = [(None, None), (0.6, None), (None, 0.6), (0.6, 0.5)]
by_case = pytest.mark.parametrize("component_sparseness, code_sparseness", CASES)
by_solver = pytest.mark.parametrize("solver", ["mu", "cd"])


@pytest.fixture(scope="module")
def digits():
    return load_digits().data / 16.0


def fitted(X, n_components, *, max_iter=40, **parameters):
    """A model from a random start that runs all its iterations."""
    parameters = {"init": "random", "tol": 0.0, "random_state": 0, **parameters}
    return SparseNMF(n_components, max_iter=max_iter, **parameters).fit(X)


def relative_error(model, X):
    return model.reconstruction_err_ / np.linalg.norm(X)


@by_case
@by_solver
def test_error_never_rises(digits, component_sparseness, code_sparseness, solver):
    model = fitted(
        digits[:400], 8, solver=solver, component_sparseness=component_sparseness, code_sparseness=code_sparseness
    )
    history = model.objective_history_
    assert len(history) == model.n_iter_ + 1 == 41
    assert np.all(np.diff(history) <= 1e-9 * history[:-1])
    assert history[-1] < 0.5 * history[0]
    assert history[-1] == pytest.approx(model.reconstruction_err_**2, rel=1e-9)


@by_case
@by_solver
def test_factors_have_exactly_the_sparseness_asked_for(digits, component_sparseness, code_sparseness, solver):
    parameters = {"component_sparseness": component_sparseness, "code_sparseness": code_sparseness}
    model = SparseNMF(8, solver=solver, init="random", max_iter=25, tol=0, random_state=1, **parameters)
    codes = model.fit_transform(digits[:400])
    assert codes.min() >= 0 and model.components_.min() >= 0
    # The paper's unit L2 norm of each row of H, times the square root of the number of samples.
    np.testing.assert_allclose(np.linalg.norm(codes, axis=0), np.sqrt(400), rtol=1e-12)
    np.testing.assert_allclose(model.component_sparseness_, hoyer_sparseness(model.components_, axis=1))
    np.testing.assert_allclose(model.code_sparseness_, hoyer_sparseness(codes, axis=0))
    if component_sparseness is not None:
        assert np.abs(model.component_sparseness_ - component_sparseness).max() < 1e-8
    if code_sparseness is not None:
        assert np.abs(model.code_sparseness_ - code_sparseness).max() < 1e-8
    np.testing.assert_allclose(np.linalg.norm(digits[:400] - codes @ model.components_), model.reconstruction_err_)


def test_without_constraints_the_iterates_are_those_of_lee_and_seung(digits):
    X, rng = digits[:200], np.random.default_rng(0)
    codes, components = rng.random((200, 6)) + 0.1, rng.random((6, 64)) + 0.1
    ours = SparseNMF(6, init="custom", max_iter=26, tol=0).fit(X, codes=codes, components=components)
    W, H, errors = components.T.copy(), codes.T.copy(), []
    for _ in range(26):
        W *= (X.T @ H.T) / np.maximum(W @ (H @ H.T), 1e-300)
        H *= (W.T @ X.T) / np.maximum(W.T @ W @ H, 1e-300)
        errors.append(np.sum((X.T - W @ H) ** 2))
    np.testing.assert_allclose(ours.objective_history_[1:26], errors[:25], rtol=1e-9)
    directions = [factor / np.linalg.norm(factor, axis=1, keepdims=True) for factor in (ours.components_, W.T)]
    np.testing.assert_allclose(*directions, atol=1e-9)


def test_without_constraints_equals_scikit_learn_after_as_many_steps(digits):
    X, rng = digits[:200], np.random.default_rng(1)
    codes, components = rng.random((200, 6)) + 0.1, rng.random((6, 64)) + 0.1
    ours = SparseNMF(6, init="custom", max_iter=41, tol=0).fit(X, codes=codes, components=components)
    # Theirs improves the samples' factor first: on the transposed data that is our order.
    theirs = NMF(6, solver="mu", init="custom", max_iter=40, tol=0)
    theirs.fit_transform(X.T.copy(), W=components.T.copy(), H=codes.T.copy())
    assert np.sqrt(ours.objective_history_[40]) == pytest.approx(theirs.reconstruction_err_, rel=1e-6)


@pytest.mark.parametrize("ahead", [1.0, 4.0, 50.0])
def test_gradient_step_is_the_projected_step_of_the_paper_at_the_first_rate_that_lowers_the_error(ahead):
    rng = np.random.default_rng(2)
    X, B, H = rng.random((30, 12)), rng.random((4, 12)), rng.random((4, 30))
    B = project_sparseness(B, 0.5)
    gram, cross = H @ H.T, H @ X
    rule = ProjectedGradientRule(12, 0.5)
    first_rate = ahead / np.linalg.eigvalsh(gram)[-1]
    if ahead > 1:
        rule._rate = first_rate
    stepped = rule.step(B, gram, cross)
    gradient = H @ (H.T @ B - X)
    rates = [first_rate * 0.5**k for k in range(20)]
    trials = [project_sparseness(B - rate * gradient, 0.5) for rate in rates]
    errors = [np.linalg.norm(X - H.T @ trial) for trial in trials]
    first = next(i for i, error in enumerate(errors) if error <= np.linalg.norm(X - H.T @ B))
    np.testing.assert_allclose(stepped, trials[first], atol=1e-12)


def test_gradient_rule_for_codes_keeps_unit_norms():
    rng = np.random.default_rng(3)
    X, B = rng.random((30, 12)), rng.random((4, 12))
    rule = ProjectedGradientRule(30, 0.5, unit_norm=True)
    H = rule.project(rng.random((4, 30)))
    for _ in range(5):
        before = np.linalg.norm(X - H.T @ B)
        H = rule.step(H, B @ B.T, B @ X.T)
        np.testing.assert_allclose(np.linalg.norm(H, axis=1), 1.0, rtol=1e-12)
        assert np.linalg.norm(X - H.T @ B) <= before


def test_row_rule_leaves_no_better_row_of_that_sparseness():
    rng = np.random.default_rng(4)
    X, H = rng.random((20, 3)), rng.random((2, 20))
    B = project_sparseness(rng.random((2, 3)), 0.4)
    stepped = ProjectedRowRule(3, 0.4, sweeps=1).step(B.copy(), H @ H.T, H @ X)
    # Every non-negative direction of this sparseness in three dimensions, and the best length along each.
    l1, angles = l1_of_unit_vector(3, 0.4), np.linspace(0, 2 * np.pi, 20_000)
    across = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    units = l1 / 3 + np.sqrt(1 - l1**2 / 3) * np.stack([np.cos(angles), np.sin(angles)], 1) @ across
    units = units[units.min(axis=1) >= 0]
    rest = X - np.outer(H[0], stepped[0])
    lengths = np.maximum(units @ (rest.T @ H[1]) / (H[1] @ H[1]), 0)
    best = min(np.linalg.norm(rest - np.outer(H[1], length * unit)) for length, unit in zip(lengths, units))
    found = np.linalg.norm(X - H.T @ stepped)
    # The walk is a little coarser than the exact minimiser, and never better.
    assert found <= best + 1e-12 and found == pytest.approx(best, rel=1e-6)


def test_planted_disjoint_parts_are_recovered():
    rng = np.random.default_rng(5)
    parts = np.kron(np.eye(5), np.ones((1, 6)))
    X = rng.gamma(0.5, size=(300, 5)) @ parts
    wished = float(hoyer_sparseness(parts[0]))
    model = fitted(X, 5, solver="cd", max_iter=200, component_sparseness=wished)
    match = (model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)) @ parts.T / np.sqrt(6)
    np.testing.assert_allclose(np.sort(match.max(axis=0)), 1.0, atol=1e-6)
    assert relative_error(model, X) < 1e-6


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_default_start_loses_no_planted_part(solver):
    rng = np.random.default_rng(5)
    parts = np.kron(np.eye(5), np.ones((1, 6)))
    X = rng.gamma(0.5, size=(100, 5)) @ parts
    wished = float(hoyer_sparseness(parts[0]))
    for seed in range(3):
        model = SparseNMF(5, component_sparseness=wished, solver=solver, random_state=seed).fit(X)
        match = (model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)) @ parts.T / np.sqrt(6)
        assert match.max(axis=0).min() > 0.99


def test_plain_factorisation_of_digits_reaches_the_usual_error(digits):
    errors = [relative_error(fitted(digits, 16, max_iter=300, random_state=seed), digits) for seed in (0, 1)]
    assert all(0.26 < error < 0.28 for error in errors)


def test_sparse_parts_of_digits_fit_as_well_and_are_mostly_zero(digits):
    model = fitted(digits, 16, max_iter=300, component_sparseness=0.8)
    assert 0.255 < relative_error(model, digits) < 0.275
    assert np.mean(model.components_ == 0) > 0.7


def test_sparse_codes_of_digits_cost_much_of_the_fit(digits):
    # Each component may serve few samples, so that it becomes a prototype.
    assert 0.55 < relative_error(fitted(digits, 16, max_iter=150, code_sparseness=0.8), digits) < 0.64


@pytest.mark.parametrize("parameters", [{}, {"component_sparseness": 0.7}])
def test_coordinate_descent_is_ahead_after_as_many_iterations(digits, parameters):
    gradient, coordinate = (fitted(digits, 12, solver=solver, **parameters) for solver in ("mu", "cd"))
    assert coordinate.reconstruction_err_ < gradient.reconstruction_err_


@by_solver
def test_ends_of_the_range_are_constant_components_and_single_features(digits, solver):
    flat = fitted(digits, 4, solver=solver, component_sparseness=0.0)
    assert np.ptp(flat.components_, axis=1).max() <= 1e-12 * flat.components_.max()
    single = fitted(digits, 4, solver=solver, component_sparseness=1.0)
    np.testing.assert_array_equal((single.components_ > 0).sum(axis=1), 1)


@by_solver
def test_sparse_data_give_the_same_factors_as_dense(digits, solver):
    X = np.where(digits[:150] > 0.5, digits[:150], 0.0)
    for case in CASES:
        parameters = {"component_sparseness": case[0], "code_sparseness": case[1], "max_iter": 15, "solver": solver}
        dense, thin = fitted(X, 5, **parameters), fitted(sparse.csc_array(X), 5, **parameters)
        np.testing.assert_allclose(thin.components_, dense.components_, rtol=1e-6, atol=1e-9)
        assert thin.reconstruction_err_ == pytest.approx(dense.reconstruction_err_, rel=1e-6)


def test_sparse_data_are_never_filled_in():
    X = sparse.random_array((20_000, 10_000), density=1e-5, format="csr", rng=np.random.default_rng(0))
    tracemalloc.start()
    fitted(X, 3, max_iter=3, component_sparseness=0.9, code_sparseness=0.8, solver="cd")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Filled in, the data alone would take 1.6 GB.
    assert peak < 50e6


@by_solver
def test_codes_of_fit_transform_transform_and_least_squares_agree(digits, solver):
    model = SparseNMF(10, component_sparseness=0.7, solver=solver, max_iter=30, tol=0)
    codes = model.fit_transform(digits[:300])
    np.testing.assert_allclose(model.transform(digits[:300]), codes, atol=1e-8)
    new = model.transform(digits[300:320])
    expected = [nnls(model.components_.T, x)[0] for x in digits[300:320]]
    np.testing.assert_allclose(new, expected, atol=1e-8)
    np.testing.assert_allclose(model.inverse_transform(new), new @ model.components_)


@by_solver
def test_codes_of_a_new_batch_have_the_wished_sparseness_over_that_batch(digits, solver):
    model = fitted(digits[:300], 8, code_sparseness=0.6, max_iter=60, solver=solver)
    batch = digits[300:500]
    codes = model.transform(batch)
    np.testing.assert_allclose(hoyer_sparseness(codes, axis=0), 0.6, atol=1e-8)
    free = np.array([nnls(model.components_.T, x)[0] for x in batch])
    cut = project_sparseness(free, 0.6, axis=0)
    errors = [np.linalg.norm(batch - c @ model.components_) for c in (free, codes, cut)]
    assert errors[0] < errors[1] < errors[2]


def test_unit_of_the_data_scales_the_components_and_nothing_else(digits):
    for init in ("random", "nndsvda", "nndsvd"):
        one, thousand = (
            SparseNMF(6, component_sparseness=0.5, init=init, solver="cd", max_iter=15, tol=0, random_state=0)
            for _ in range(2)
        )
        codes, scaled = one.fit_transform(digits[:200]), thousand.fit_transform(1000 * digits[:200])
        np.testing.assert_allclose(scaled, codes, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(thousand.components_, 1000 * one.components_, rtol=1e-6, atol=1e-6)


def test_start_from_singular_vectors_contains_the_best_rank_one_fit(digits):
    X = digits[:100]
    left, values, right = np.linalg.svd(X, full_matrices=False)
    model = SparseNMF(1, init="nndsvd", solver="cd", max_iter=1, tol=0).fit(X)
    best = np.linalg.norm(X - values[0] * np.outer(left[:, 0], right[0]))
    assert np.sqrt(model.objective_history_[0]) == pytest.approx(best, rel=1e-6)


def test_start_from_singular_vectors_keeps_the_larger_part_of_each_pair(digits):
    left, values, right = np.linalg.svd(digits[:100], full_matrices=False)
    codes, components = starting_factors(digits[:100], 4, "nndsvd", 0)
    for j in range(4):
        parts = [np.outer(np.maximum(sign * left[:, j], 0), np.maximum(sign * right[j], 0)) for sign in (1, -1)]
        larger = values[j] * max(parts, key=np.linalg.norm)
        # The randomised decomposition is good to a few digits in the later vectors.
        np.testing.assert_allclose(np.outer(codes[j], components[j]), larger, atol=1e-4 * larger.max())
        assert np.linalg.norm(codes[j]) == pytest.approx(np.linalg.norm(components[j]))


def test_starts_from_singular_vectors_differ_only_in_what_fills_the_zeros(digits):
    zeros, mean, small = (starting_factors(digits, 16, init, 0) for init in ("nndsvd", "nndsvda", "nndsvdar"))
    for with_zeros, with_mean, with_small in zip(zeros, mean, small):
        empty = with_zeros == 0
        assert 0.2 < empty.mean() < 0.8 and with_zeros.min() == 0
        np.testing.assert_array_equal(with_mean[~empty], with_zeros[~empty])
        np.testing.assert_array_equal(with_small[~empty], with_zeros[~empty])
        assert np.ptp(with_mean[empty]) == 0 and with_mean.min() > 0
        assert 0 < with_small[empty].mean() < 0.02 * with_mean[empty].mean()
    random = starting_factors(digits, 16, "random", 0)
    assert np.linalg.norm(digits - zeros[0].T @ zeros[1]) < 0.8 * np.linalg.norm(digits - random[0].T @ random[1])


@by_solver
@by_case
def test_empty_features_samples_and_data_are_tolerated(component_sparseness, code_sparseness, solver):
    parameters = {"component_sparseness": component_sparseness, "code_sparseness": code_sparseness, "solver": solver}
    X = np.random.default_rng(6).random((20, 9))
    X[:, 3], X[5] = 0.0, 0.0
    for data in (X, np.zeros((6, 4))):
        for init in ("random", "nndsvda"):
            model = SparseNMF(3, init=init, max_iter=20, tol=0, random_state=0, **parameters)
            codes = model.fit_transform(data)
            assert np.isfinite(codes).all() and np.isfinite(model.components_).all()


def test_more_components_than_features_start_at_random(digits):
    model = SparseNMF(70, max_iter=5, tol=0, random_state=0).fit(digits[:100])
    assert model.components_.shape == (70, 64)
    with pytest.raises(ValueError, match=r"at most min\(n_samples, n_features\)=64 components, not n_components=70"):
        SparseNMF(70, init="nndsvda").fit(digits[:100])


def test_own_start_is_used_and_left_alone(digits):
    X, rng = digits[:50], np.random.default_rng(7)
    codes, components = rng.random((50, 3)), rng.random((3, 64))
    kept = codes.copy(), components.copy()
    model = SparseNMF(3, init="custom", max_iter=1, tol=0).fit(X, codes=codes, components=components)
    assert model.objective_history_[0] == pytest.approx(np.sum((X - codes @ components) ** 2))
    np.testing.assert_array_equal(codes, kept[0])
    np.testing.assert_array_equal(components, kept[1])


def test_stopping_early_is_silent_and_stopping_too_early_warns(digits):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SparseNMF(6, solver="cd", tol=1e-3).fit(digits[:200])
        SparseNMF(6, max_iter=3, tol=0).fit(digits[:200])
    assert model.n_iter_ < 1000
    with pytest.warns(ConvergenceWarning, match="still falls after max_iter=10 iterations"):
        SparseNMF(6, max_iter=10, tol=1e-8).fit(digits[:200])


def test_multiplicative_steps_from_a_start_with_zeros_are_warned_about(digits):
    with pytest.warns(UserWarning, match="zeros, which solver='mu' cannot leave"):
        SparseNMF(4, init="nndsvd", max_iter=2, tol=0).fit(digits[:50])


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"component_sparseness": 1.2}, "component_sparseness"),
        ({"code_sparseness": -0.1}, "code_sparseness"),
        ({"n_components": 0}, "n_components"),
        ({"solver": "lars"}, "solver"),
        ({"init": "custom"}, r"needs codes, an array of shape \(30, 2\)"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        SparseNMF(**{"n_components": 2, **parameters}).fit(np.ones((30, 4)))


def test_bad_data_are_refused(digits):
    with pytest.raises(ValueError, match="Negative values"):
        SparseNMF(2).fit([[1.0, -1.0], [0.0, 2.0]])
    with pytest.raises(ValueError, match=r"component_sparseness=0\.5 has no meaning over 1 feature"):
        SparseNMF(1, component_sparseness=0.5).fit(np.ones((4, 1)))
    model = fitted(digits[:60], 3, code_sparseness=0.5, max_iter=5)
    with pytest.raises(ValueError, match=r"code_sparseness=0\.5 has no meaning over 1 sample"):
        model.transform(digits[:1])
    with pytest.raises(ValueError, match="X has 5 columns; codes have n_components=3"):
        model.inverse_transform(np.ones((2, 5)))
    with pytest.raises(ValueError, match=r"components has the shape \(2, 64\); it must be \(3, 64\)"):
        SparseNMF(3, init="custom").fit(digits[:9], codes=np.ones((9, 3)), components=np.ones((2, 64)))
