"""MINLIP against quadratic programs over all comparable pairs, written out."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from treatise.kernels import Additive, Gaussian, Linear, Polynomial
from treatise.ranking import MinlipOrdinal, MinlipRanker, MinlipSurvival
from treatise.statistics import isotonic_regression_on_tree


def structured(event, time):
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def censored_lives(n, p, seed, *, decimals=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    life = np.exp(X @ rng.normal(size=p) / np.sqrt(p) + 0.5 * rng.gumbel(size=n))
    seen = rng.exponential(2.0, size=n)
    time = np.minimum(life, seen)
    return X, np.round(time, decimals) + 0.1 if decimals is not None else time, life <= seen


def least_by_program(X, first, second, gaps, cost):
    """Equation 16 with a row for every pair: (w, objective) of a general solver."""
    (n, p), m = X.shape, len(gaps)
    pick = sparse.csc_array(
        (np.r_[np.ones(m), -np.ones(m)], (np.r_[np.arange(m), np.arange(m)], np.r_[second, first])), shape=(m, n)
    )
    identity = sparse.eye_array(n)
    curvature = sparse.block_diag([sparse.eye_array(p), sparse.csc_array((2 * n, 2 * n))], format="csc")
    rows = sparse.hstack([sparse.csc_array(pick @ X), pick, -pick])
    bounds = sparse.hstack([sparse.csc_array((2 * n, p)), sparse.block_diag([identity, identity])])
    left = -sparse.vstack([rows, bounds], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    answer = clarabel.DefaultSolver(
        curvature,
        np.r_[np.zeros(p), np.full(2 * n, cost)],
        left,
        -np.r_[gaps, np.zeros(2 * n)],
        [clarabel.NonnegativeConeT(m + 2 * n)],
        settings,
    ).solve()
    return np.asarray(answer.x)[:p], answer.obj_val


def all_pairs(time, event):
    first, second = np.nonzero((time[:, None] < time) & event[:, None])
    return first, second, time[second] - time[first]


def neighbouring_pairs(time, event):
    """Pairs of neighbouring distinct times, the earlier an event."""
    _distinct, place = np.unique(time, return_inverse=True)
    first, second = np.nonzero((place[:, None] + 1 == place) & event[:, None])
    return first, second, time[second] - time[first]


@pytest.mark.parametrize("decimals", [None, 1], ids=["distinct", "tied"])
@pytest.mark.parametrize(("pairs", "listed"), [("nearest", all_pairs), ("next", neighbouring_pairs)])
@pytest.mark.parametrize("cost", [0.01, 1.0])
def test_network_of_comparisons_equals_the_program_over_listed_pairs(pairs, listed, cost, decimals):
    X, time, event = censored_lives(60, 3, seed=1, decimals=decimals)
    w, objective = least_by_program(X, *listed(time, event), cost)
    machine = MinlipSurvival(cost, unit=1.0, pairs=pairs).fit(X, structured(event, time))
    assert machine.objective_ == pytest.approx(objective, rel=1e-6)
    np.testing.assert_allclose(machine.coef_, w, atol=1e-5 * np.abs(w).max())
    assert machine.converged_ and machine.duality_gap_ < 1e-8


def test_left_and_right_censoring_together_equal_the_program_over_comparable_pairs():
    rng = np.random.default_rng(2)
    X, time, event = censored_lives(50, 3, seed=2)
    left = ~event & (rng.random(50) < 0.5)
    lower = np.where(left, 0.0, time)
    upper = np.where(event | left, time, np.inf)
    first, second = np.nonzero(upper[:, None] < lower)
    w, objective = least_by_program(X, first, second, lower[second] - upper[first], 0.3)
    machine = MinlipSurvival(0.3, unit=1.0).fit(X, np.column_stack([lower, upper]))
    assert machine.objective_ == pytest.approx(objective, rel=1e-6)
    np.testing.assert_allclose(machine.coef_, w, atol=1e-5)


def test_an_interval_is_a_lower_and_an_upper_bound_each_with_its_error():
    X, time, _ = censored_lives(40, 2, seed=3)
    lower, upper = time * 0.8, time * 1.1
    exact = np.arange(40) % 2 == 0
    lower[exact] = upper[exact] = time[exact]
    both = np.flatnonzero(~exact)
    bounds = np.column_stack([lower, upper])
    apart = np.r_[np.where(exact[:, None], bounds, np.c_[lower, np.full(40, np.inf)]), np.c_[np.zeros(20), upper[both]]]
    one = MinlipSurvival(0.2, unit=1.0).fit(X, bounds)
    two = MinlipSurvival(0.2, unit=1.0).fit(np.r_[X, X[both]], apart)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)
    assert np.abs(one.coef_).max() > 0.1


def test_hard_example_by_hand():
    X, y = np.array([[0, 0], [1, 0], [1, 2], [3, 1]]), [0, 1, 2, 4]
    hard = MinlipRanker(np.inf).fit(X, y)
    np.testing.assert_allclose(hard.coef_, [1.25, 0.5], atol=1e-7)
    assert hard.objective_ == pytest.approx(0.90625)
    assert MinlipRanker(np.inf, penalty="l1").fit(X, y).objective_ == pytest.approx(1.75)
    assert MinlipRanker(np.inf).fit([[0.0], [1.0], [3.0]], [0, 1, 2]).coef_ == pytest.approx([1.0])
    # Costly errors are none, so the soft form reaches the hard one.
    np.testing.assert_allclose(MinlipRanker(100.0, unit=1.0).fit(X, y).coef_, [1.25, 0.5], atol=1e-5)


def test_hard_form_says_that_an_order_cannot_be_met():
    with pytest.raises(ValueError, match="no utility has the order"):
        MinlipRanker(np.inf).fit([[0.0], [1.0], [0.5]], [0, 1, 2])
    with pytest.raises(ValueError, match="no utility has the order"):
        MinlipRanker(np.inf, penalty="l1").fit([[0.0], [1.0], [0.5]], [0, 1, 2])


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.3), Additive(Polynomial(2)), Polynomial(2, coef0=0.5)])
def test_kernel_form_equals_the_dual_program_of_the_paper(kernel):
    X, time, event = censored_lives(40, 3, seed=4)
    first, second, gaps = neighbouring_pairs(time, event)
    D = np.zeros((len(gaps), 40))
    D[np.arange(len(gaps)), second], D[np.arange(len(gaps)), first] = 1.0, -1.0
    K, cost, m = kernel(X), 0.4, len(gaps)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    left = sparse.csc_array(np.vstack([-np.eye(m), D.T, -D.T]))
    right = np.r_[np.zeros(m), np.full(80, cost)]
    cones = [clarabel.NonnegativeConeT(m + 80)]
    curvature = sparse.csc_array(np.triu(D @ K @ D.T))
    dual = np.asarray(clarabel.DefaultSolver(curvature, -gaps, left, right, cones, settings).solve().x)
    utility = K @ (D.T @ dual)
    fitted = MinlipSurvival(cost, unit=1.0, pairs="next", kernel=kernel).fit(X, structured(event, time)).predict(X)
    centred = fitted - fitted.mean()
    # A utility is known up to a constant; the linear form counts from the mean row.
    np.testing.assert_allclose(centred, utility - utility.mean(), atol=1e-5 * np.ptp(utility))


def test_precomputed_kernel_and_more_columns_than_rows_give_the_same_utility():
    X, time, event = censored_lives(30, 60, seed=5)
    y = structured(event, time)
    wide = MinlipSurvival().fit(X, y)
    gram = MinlipSurvival(kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_allclose(wide.predict(X[:9]), gram.predict(X[:9] @ X.T), atol=1e-6)


def test_alternating_directions_with_tree_isotonic_regression_reach_the_same_value():
    """The equivalent form: least absolute deviations with a free offset that never falls along the comparisons."""
    X, time, event = censored_lives(80, 2, seed=6)
    cost, rho = 0.5, 0.2
    order = np.argsort(time)
    parents = np.full(80, -1)
    last = -1
    for i in order:
        parents[i] = last
        last = i if event[i] else last
    ridge = np.linalg.inv(np.eye(2) / rho + X.T @ X) @ X.T
    w, offset, r, u = np.zeros(2), np.zeros(80), np.zeros(80), np.zeros(80)
    for _ in range(6000):
        w = ridge @ (time + offset + r - u)
        v = X @ w - time - offset + u
        r = np.sign(v) * np.maximum(np.abs(v) - cost / rho, 0)
        offset = isotonic_regression_on_tree(X @ w - time - r + u, parents)
        u += X @ w - time - offset - r
    value = w @ w / 2 + cost * np.abs(X @ w - time - offset).sum()
    machine = MinlipSurvival(cost, unit=1.0).fit(X, structured(event, time))
    assert machine.objective_ == pytest.approx(value, rel=1e-6)


def test_absolute_weights_are_few_and_optimal():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 12))
    y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=40)
    sparse_machine = MinlipRanker(0.1, penalty="l1").fit(X, y)
    assert set(np.flatnonzero(sparse_machine.coef_)) >= {0, 1}
    assert np.sum(sparse_machine.coef_ != 0) < 12
    assert sparse_machine.duality_gap_ < 1e-9
    dense = MinlipRanker(0.1).fit(X, y)
    # Its own objective at the other machine's weights, with the best errors, is no better.
    order = np.argsort(y)
    moved = X[order] @ dense.coef_ - y[order]
    best = isotonic_errors(moved)
    at_dense = np.abs(dense.coef_).sum() + sparse_machine.cost_ * best
    assert sparse_machine.objective_ <= at_dense


def isotonic_errors(values):
    """Least sum of absolute changes that make values never fall: a linear program."""
    from scipy.optimize import linprog

    n = len(values)
    fall = -np.eye(n - 1, n, 1) + np.eye(n - 1, n)
    answer = linprog(np.ones(2 * n), A_ub=np.hstack([fall, -fall]), b_ub=-fall @ values, method="highs")
    return answer.fun


def test_outcomes_may_be_shifted_and_scaled_rows_permuted_and_repeated():
    X, time, event = censored_lives(60, 3, seed=8, decimals=1)
    coef = MinlipSurvival().fit(X, structured(event, time)).coef_
    near = {"atol": 1e-6 * np.abs(coef).max()}
    np.testing.assert_allclose(MinlipSurvival().fit(X, structured(event, time + 9)).coef_, coef, **near)
    np.testing.assert_allclose(MinlipSurvival().fit(X, structured(event, 7 * time)).coef_ / 7, coef, **near)
    np.testing.assert_allclose(MinlipSurvival().fit(X + 1e4, structured(event, time)).coef_, coef, **near)
    mixed = np.random.default_rng(0).permutation(60)
    np.testing.assert_allclose(MinlipSurvival().fit(X[mixed], structured(event, time)[mixed]).coef_, coef, **near)
    weights = np.arange(60) % 3
    weighted = MinlipSurvival().fit(X, structured(event, time), sample_weight=weights)
    copies = np.repeat(np.arange(60), weights)
    repeated = MinlipSurvival().fit(X[copies], structured(event, time)[copies])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, **near)
    np.testing.assert_allclose(
        weighted.predict_survival_function(X[:5]), repeated.predict_survival_function(X[:5]), atol=1e-4
    )


def test_steps_run_out_with_a_warning():
    X, time, event = censored_lives(60, 3, seed=9)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        machine = MinlipSurvival(max_iter=3).fit(X, structured(event, time))
    assert not machine.converged_


def test_two_ordered_classes_are_a_support_vector_machine():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(60, 3))
    y = (X @ [1.0, -1.0, 0.5] + rng.normal(size=60) > 0).astype(int)
    for kernel, gamma in (("linear", 1.0), ("rbf", 0.4)):
        svc = SVC(C=0.6, kernel=kernel, gamma=gamma, tol=1e-9).fit(X, y)
        ours = MinlipOrdinal(0.3, unit=1.0, kernel=kernel, gamma=gamma, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), svc.decision_function(X) / 2, atol=1e-5)


@pytest.mark.parametrize("margin", ["lipschitz", "unit"])
def test_thresholds_and_utility_are_the_least_of_equation_11(margin):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(45, 2))
    levels = np.digitize(X @ [1.0, 0.7] + 0.5 * rng.normal(size=45), [-0.8, 0.2, 1.0])
    values = np.array([0.0, 1.0, 4.0, 4.5])
    machine = MinlipOrdinal(0.7, unit=1.0, margin=margin, level_values=values).fit(X, levels)

    middle = (values[1:] + values[:-1]) / 2

    def objective(w, v):
        u = X @ w
        total = w @ w / 2
        for i, k in enumerate(levels):
            if k > 0:
                wanted = values[k] - middle[k - 1] if margin == "lipschitz" else 1.0
                total += 0.7 * max(0.0, wanted - (u[i] - v[k - 1]))
            if k < 3:
                wanted = middle[k] - values[k] if margin == "lipschitz" else 1.0
                total += 0.7 * max(0.0, wanted - (v[k] - u[i]))
        return total

    here = objective(machine.coef_, machine.thresholds_)
    assert here == pytest.approx(machine.objective_, rel=1e-7)
    assert np.all(np.diff(machine.thresholds_) >= -1e-9)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(30):
            v = np.sort(machine.thresholds_ + size * rng.normal(size=3))
            assert objective(machine.coef_ + size * rng.normal(size=2), v) >= here * (1 - 1e-9)
    predicted = machine.levels_[np.searchsorted(machine.thresholds_, machine.utility(X))]
    np.testing.assert_array_equal(machine.predict(X), predicted)
    np.testing.assert_array_equal(machine.classes_[machine.decision_function(X).argmax(axis=1)], predicted)


def test_levels_come_from_an_ordered_category_or_a_parameter():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(12)
    X = rng.normal(size=(80, 1))
    names = np.array(["poor", "fair", "good"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    ordered = pandas.Series(pandas.Categorical(names, ["poor", "fair", "good"], ordered=True))
    by_category = MinlipOrdinal(10.0).fit(X, ordered)
    by_parameter = MinlipOrdinal(10.0, levels=["poor", "fair", "good"]).fit(X, names)
    assert by_category.levels_.tolist() == by_parameter.levels_.tolist() == ["poor", "fair", "good"]
    assert by_category.score(X, names) == by_parameter.score(X, names) > 0.95
    with pytest.warns(UserWarning, match="order of the classes is taken to be"):
        assert MinlipOrdinal(10.0).fit(X, names).score(X, names) < 0.8
    upside_down = MinlipOrdinal(10.0, levels=["good", "poor"]).fit(X[names != "fair"], names[names != "fair"])
    assert upside_down.score(X[names != "fair"], names[names != "fair"]) > 0.95


def test_effects_of_columns_sum_to_the_utility():
    X, time, event = censored_lives(50, 3, seed=13)
    for kernel in ("linear", Additive(Gaussian(0.5))):
        machine = MinlipSurvival(kernel=kernel).fit(X, structured(event, time))
        effects = machine.additive_effects(X)
        assert effects.shape == (50, 3)
        np.testing.assert_allclose(effects.sum(axis=1), machine.predict(X), atol=1e-9)
        moved = X.copy()
        moved[:, 1] += 1.0
        np.testing.assert_allclose(machine.additive_effects(moved)[:, [0, 2]], effects[:, [0, 2]])
    assert not hasattr(MinlipSurvival(kernel="rbf"), "additive_effects")


def test_survival_curves_are_monotone_regressions_of_what_is_known():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    machine = MinlipSurvival().fit(X, [1.0, 3.0, 2.0, 4.0, 6.0])
    # Two groups without censoring: the curves are the groups' own, as the second outlives the first at every time.
    np.testing.assert_allclose(machine.times_, [1, 2, 3, 4, 6])
    np.testing.assert_allclose(machine.predict_survival_function([[0.0]]), [[0.5, 0.5, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(
        machine.predict_survival_function([[1.0]], [0.5, 1.5, 2.5, 5.0, 9.0]), [[1.0, 1.0, 2 / 3, 1 / 3, 0.0]]
    )


def test_survival_curves_make_up_for_censoring():
    """One group alone: the curve is Kaplan and Meier's, not the share among those of known fate."""
    from treatise.statistics import kaplan_meier

    rng = np.random.default_rng(14)
    life, seen = rng.exponential(1.0, 4000), rng.exponential(0.7, 4000)
    y = structured(life <= seen, np.minimum(life, seen))
    machine = MinlipSurvival().fit(np.zeros((4000, 1)), y)
    times = [0.2, 0.5, 1.0]
    np.testing.assert_allclose(
        machine.predict_survival_function([[0.0]], times)[0], kaplan_meier(y, times)[1], atol=0.01
    )


def test_curves_never_rise_and_keep_the_order_of_the_utility():
    X, time, event = censored_lives(120, 2, seed=15)
    machine = MinlipSurvival().fit(X, structured(event, time))
    curves = machine.predict_survival_function(X)
    assert np.all(np.diff(curves, axis=1) <= 1e-12)
    assert np.all(np.diff(curves[np.argsort(machine.predict(X))], axis=0) >= -1e-12)
    assert curves.min() >= 0 and curves.max() <= 1


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("pairs", ["nearest", "next"])
def test_scikit_survival_finds_the_same_utility(kernel, pairs):
    peer = pytest.importorskip("sksurv.svm")
    for seed in range(3):
        X, time, event = censored_lives(60, 3, seed=20 + seed)
        y = structured(event, time)
        theirs = peer.MinlipSurvivalAnalysis(alpha=0.5, kernel=kernel, gamma=0.5, pairs=pairs).fit(X, y)
        ours = MinlipSurvival(0.5, unit=1.0, kernel=kernel, gamma=0.5, pairs=pairs).fit(X, y)
        gap = ours.predict(X) + theirs.predict(X)
        assert np.ptp(gap) < 1e-4 * np.ptp(ours.predict(X))


def test_bad_input_is_refused_in_words():
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="no two samples are known to be in order"):
        MinlipSurvival().fit(X, structured(np.zeros(4, bool), np.arange(4.0)))
    with pytest.raises(ValueError, match="y holds one value only, 1: there is no order to learn"):
        MinlipRanker().fit(X, np.ones(4))
    with pytest.raises(ValueError, match="all outcomes are equal, or censored before any other ends"):
        MinlipRanker().fit(X, X[:, 0]).score(X, np.ones(4))
    with pytest.raises(ValueError, match="missing in sample 2"):
        MinlipSurvival().fit(X, structured(np.ones(4, bool), [1, 2, np.nan, 3]))
    with pytest.raises(ValueError, match="lower bound 3 above its upper bound 2"):
        MinlipSurvival().fit(X, [[1, 1], [3, 2], [4, 4], [5, np.inf]])
    with pytest.raises(ValueError, match="penalty='l1' is for kernel='linear'"):
        MinlipRanker(kernel="rbf", penalty="l1").fit(X, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="not among the classes"):
        MinlipOrdinal(levels=[0, 1]).fit(X, [0, 1, 2, 2])
    with pytest.raises(ValueError, match=r"name \[1\] more than once"):
        MinlipOrdinal(levels=[0, 1, 1, 2]).fit(X, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="must increase"):
        MinlipOrdinal(level_values=[0, 2, 1]).fit(X, [0, 1, 2, 2])


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_columns_in_another_unit_change_the_unit_of_the_weights_alone(factor, penalty):
    """With a cost that forgot the columns, small ones had no weight at all, and nothing was said."""
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    grades = np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75]))
    constant = np.column_stack([factor * X, np.full(len(X), 3.0)])
    for machine, outcome in ((MinlipRanker(penalty=penalty), y), (MinlipOrdinal(penalty=penalty), grades)):
        here = machine.fit(X, outcome).predict(X)
        for columns in (factor * X, constant, sparse.csr_array(factor * X)):
            there = clone(machine).fit(columns, outcome).predict(columns)
            np.testing.assert_allclose(there - there.mean(), here - here.mean(), atol=1e-4 * np.ptp(here))


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_outcomes_in_another_unit_change_the_unit_of_the_utility_alone(factor, penalty):
    """A cost with the spread of the outcomes, beside absolute weights, took all weights from small outcomes."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 4))
    life = np.exp(X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=80))
    seen, levels = rng.random(80) < 0.7, np.digitize(life, [0.3, 1.0, 2.0])
    values = factor * np.arange(4.0)
    ranker, survival = MinlipRanker(penalty=penalty), MinlipSurvival(penalty=penalty)
    ordinal = MinlipOrdinal(penalty=penalty)
    for here, there in (
        (ranker.fit(X, life).coef_, clone(ranker).fit(X, factor * life).coef_),
        (survival.fit(X, structured(seen, life)).coef_, clone(survival).fit(X, structured(seen, factor * life)).coef_),
        (ordinal.fit(X, levels).coef_, clone(ordinal).set_params(level_values=values).fit(X, levels).coef_),
    ):
        assert np.abs(here).max() > 0.1
        np.testing.assert_allclose(there / factor, here, atol=1e-6 * np.abs(here).max())


def test_absolute_weights_are_the_least_of_equation_10_at_the_default_cost():
    """Written out as a linear program over the sorted outcomes, in units a million times as small."""
    from scipy.optimize import linprog

    X, y, _ = censored_lives(40, 5, seed=12)
    y = 1e-6 * y
    machine = MinlipRanker(penalty="l1").fit(X, y)
    order = np.argsort(y)
    rows, outcomes, (n, p) = X[order], 1e6 * y[order], X.shape
    rise = np.diff(np.eye(n), axis=0)
    moved = np.hstack([rise @ rows, -rise @ rows, rise, -rise])
    cost = np.concatenate([np.ones(2 * p), np.full(2 * n, machine.cost_)])
    answer = linprog(cost, A_ub=-moved, b_ub=-np.diff(outcomes), method="highs")
    assert machine.objective_ == pytest.approx(1e-6 * answer.fun, rel=1e-7)
    assert np.abs(machine.coef_).sum() > 0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_numbers_whose_squares_overflow_are_refused(kernel):
    """They were divided by zero, or gave a utility without order."""
    X, time, event = censored_lives(30, 2, seed=13)
    for machine, y in (
        (MinlipRanker(kernel=kernel), time),
        (MinlipSurvival(kernel=kernel), structured(event, time)),
        (MinlipOrdinal(kernel=kernel), (time > 1).astype(int)),
    ):
        with pytest.raises(ValueError, match=r"X holds .*, whose square overflows"):
            machine.fit(1e160 * X, y)
    with pytest.raises(ValueError, match=r"y holds .*, whose square overflows"):
        MinlipRanker(kernel=kernel).fit(X, 1e160 * time)
    with pytest.raises(ValueError, match=r"y holds .*, whose square overflows"):
        MinlipSurvival(kernel=kernel).fit(X, structured(event, 1e160 * time))
