"""Outcomes known in part: bounds, concordance, curves, Brier scores and trees of ordered values."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import isotonic_regression
from sklearn.metrics import roc_auc_score

from treatise.statistics import (
    brier_curve,
    concordance_index,
    integrated_brier_score,
    isotonic_regression_on_tree,
    kaplan_meier,
    survival_bounds,
)


def tied_lives(n, seed):
    rng = np.random.default_rng(seed)
    y = np.empty(n, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = rng.random(n) < 0.6, np.round(rng.exponential(5, n), 1) + 0.1
    return y, np.round(rng.normal(size=n), 1)


def test_bounds_of_all_forms_agree():
    flags = np.array([(2.0, True), (3.0, False)], dtype=[("days", float), ("relapse", bool)])
    columns = np.array([[2.0, 2.0], [3.0, np.inf]])
    for form in (flags, columns):
        lower, upper = survival_bounds(form)
        assert lower.tolist() == [2.0, 3.0] and upper.tolist() == [2.0, np.inf]
    assert survival_bounds([[0.0, 4.0]])[0].tolist() == [-np.inf]  # censored on the left
    assert survival_bounds([0.0, 4.0])[0].tolist() == [0.0, 4.0]


def test_bounds_refuse_what_is_no_time():
    with pytest.raises(ValueError, match="missing in sample 1"):
        survival_bounds([1.0, np.nan])
    with pytest.raises(ValueError, match="and none is boolean"):
        survival_bounds(np.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)]))
    with pytest.raises(ValueError, match="infinity as a time"):
        survival_bounds([1.0, np.inf])
    with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
        survival_bounds([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("ties", ["half", "strict"])
def test_concordance_counts_every_comparable_pair(ties):
    rng = np.random.default_rng(0)
    lower = np.round(rng.exponential(3, 80), 1)
    kind = rng.integers(0, 4, 80)  # event, right, left, interval
    upper = np.choose(kind, [lower, np.full(80, np.inf), lower + 0.1, lower + 1])
    lower = np.where(kind == 2, 0.0, lower)
    utility = np.round(rng.normal(size=80), 1)
    good = total = 0.0
    for i in range(80):
        for j in range(80):
            if upper[i] < lower[j] or (upper[i] == lower[j] < upper[j] and lower[j] > 0):
                total += 1
                good += 1.0 if utility[i] < utility[j] else (0.5 if ties == "half" and utility[i] == utility[j] else 0)
    index = concordance_index(np.column_stack([lower, upper]), utility, ties=ties)
    assert index == pytest.approx(good / total, rel=1e-14)


def test_concordance_of_two_outcomes_is_the_area_under_the_roc_curve():
    y, utility = tied_lives(50, 1)
    assert concordance_index(y["event"].astype(float), utility) == pytest.approx(roc_auc_score(y["event"], utility))


def test_concordance_equals_the_peer_with_ties_everywhere():
    metrics = pytest.importorskip("sksurv.metrics")
    y, utility = tied_lives(200, 2)
    theirs = metrics.concordance_index_censored(y["event"], y["time"], -utility)[0]
    assert concordance_index(y, utility) == pytest.approx(theirs, rel=1e-12)


def test_concordance_without_a_comparable_pair_is_refused():
    with pytest.raises(ValueError, match="no two samples are comparable"):
        concordance_index([[1.0, np.inf], [2.0, np.inf]], [0.0, 1.0])
    with pytest.raises(ValueError, match="NaN, first in sample 1"):
        concordance_index([1.0, 2.0], [0.0, np.nan])


def test_kaplan_meier_by_hand_with_weights_as_copies():
    y = [[1, 1], [2, np.inf], [2, 2], [3, np.inf], [4, 4]]
    times, curve = kaplan_meier(y)
    # At 2 four are at risk, the censored one among them; at 4 one.
    np.testing.assert_allclose(times, [1, 2, 4])
    np.testing.assert_allclose(curve, [4 / 5, 4 / 5 * 3 / 4, 0])
    np.testing.assert_allclose(kaplan_meier(y, [0.5, 2.0, 3.9])[1], [1.0, 0.6, 0.6])
    weights = [2, 1, 3, 1, 2]
    np.testing.assert_allclose(kaplan_meier(y, weights=weights)[1], kaplan_meier(np.repeat(y, weights, axis=0))[1])
    # The censoring: the event at 2 leaves before the censored one.
    np.testing.assert_allclose(kaplan_meier(y, [2, 3], reverse=True)[1], [2 / 3, 1 / 3])


def test_brier_score_without_censoring_is_the_mean_squared_error_and_equals_the_peer_with_it():
    metrics = pytest.importorskip("sksurv.metrics")
    rng = np.random.default_rng(3)
    time, times = rng.exponential(4, 150), np.array([1.0, 2.0, 5.0])
    survival = rng.random((150, 3))
    plain = np.mean(((time[:, None] > times) - survival) ** 2, axis=0)
    np.testing.assert_allclose(brier_curve(time, survival, times), plain)
    y = np.empty(150, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = rng.random(150) < 0.6, time
    np.testing.assert_allclose(brier_curve(y, survival, times), metrics.brier_score(y, y, survival, times)[1])
    theirs = metrics.integrated_brier_score(y, y, survival, times)
    assert integrated_brier_score(y, survival, times) == pytest.approx(theirs, rel=1e-12)
    with pytest.raises(ValueError, match="must increase"):
        integrated_brier_score(y, survival, [1.0, 1.0, 2.0])


def test_tree_isotonic_regression_is_the_nearest_ordered_point():
    rng = np.random.default_rng(4)
    for n in (1, 2, 9, 14):
        parents = np.r_[-1, [rng.integers(-1, i) for i in range(1, n)]].astype(int)
        shuffle = rng.permutation(n)
        back = np.argsort(shuffle)
        parents = np.where(parents[shuffle] >= 0, back[parents[shuffle]], -1)
        values, weights = rng.normal(size=n), rng.uniform(0.5, 2.0, n)
        child = np.flatnonzero(parents >= 0)
        fitted = isotonic_regression_on_tree(values, parents, weights=weights)
        assert np.all(fitted[child] >= fitted[parents[child]] - 1e-12)
        exact = minimize(
            lambda f, values=values, weights=weights: weights @ (f - values) ** 2,
            np.zeros(n),
            jac=lambda f, values=values, weights=weights: 2 * weights * (f - values),
            constraints=[{"type": "ineq", "fun": lambda f, c=child, p=parents: f[c] - f[p[c]]}] if len(child) else [],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(fitted, exact.x, atol=1e-6)


def test_tree_isotonic_regression_on_a_chain_is_the_usual_one():
    values = np.random.default_rng(5).normal(size=400)
    weights = np.random.default_rng(6).uniform(0.1, 1, 400)
    fitted = isotonic_regression_on_tree(values, np.arange(400) - 1, weights=weights)
    np.testing.assert_allclose(fitted, isotonic_regression(values, sample_weight=weights), atol=1e-12)


def test_tree_isotonic_regression_refuses_cycles_and_foreign_parents():
    with pytest.raises(ValueError, match="cycle"):
        isotonic_regression_on_tree([1.0, 2.0, 3.0], [1, 0, -1])
    with pytest.raises(ValueError, match="below 2; found -1 to 5"):
        isotonic_regression_on_tree([1.0, 2.0], [-1, 5])
