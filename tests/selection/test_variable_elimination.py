"""Randomized elimination: its schedule against brute force, its search against an oracle, and the selector."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.special import comb
from scipy.stats import hypergeom
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treatise.datasets import make_m_of_n
from treatise.selection import (
    RandomizedVariableElimination,
    elimination_schedule,
    plot_elimination,
    success_probability,
)
from treatise.selection.variable_elimination._search import KnownNumber, SearchedNumber, eliminate


def updates(n):
    """Weight updates of the paper's perceptron."""
    return 1_897_000.0 * (n + 1)


def least_cost(n, r, cost):
    """Every sequence of batches, by recursion."""
    if n == r:
        return 0.0
    chances = {k: comb(n - r, k, exact=True) / comb(n, k, exact=True) for k in range(1, n - r + 1)}
    return min(cost(n - k) / chance + least_cost(n - k, r, cost) for k, chance in chances.items())


# The schedule.


def test_schedule_of_the_papers_example_has_the_cards_numbers():
    best = elimination_schedule(100, 10, cost=updates)
    one = elimination_schedule(100, 10, cost=updates, batch_size=1)
    assert best.steps[:11] == [9, 8, 8, 7, 6, 6, 5, 5, 4, 4, 3] and len(best.steps) == 27
    assert best.expected_cost == pytest.approx(5.512124e9, rel=1e-6)
    assert one.expected_cost == pytest.approx(1.214698e10, rel=1e-6)
    assert best.expected_fits == pytest.approx(90.45, abs=0.005)
    assert one.expected_fits == pytest.approx(141.83, abs=0.005)


def test_cost_stays_within_a_factor_of_one_fit_unless_features_go_singly():
    for n, factor, singly in ((200, 27.84, 112), (400, 27.09, 211), (1000, 26.46, 511)):
        best = elimination_schedule(n, 10, cost=updates)
        one = elimination_schedule(n, 10, cost=updates, batch_size=1)
        assert best.expected_cost / updates(n) == pytest.approx(factor, abs=0.005)
        assert one.expected_cost / updates(n) == pytest.approx(singly, abs=0.5)
        ratio = elimination_schedule(n, 10, cost=updates, batch_size="ratio")
        assert best.expected_cost <= ratio.expected_cost < 1.2 * best.expected_cost


@pytest.mark.parametrize("cost", [lambda n: n, lambda n: n**2.0, lambda n: np.log(n + 1.0)])
def test_schedule_is_the_cheapest_of_all_sequences(cost):
    for n in range(2, 13):
        for r in range(1, n + 1):
            found = elimination_schedule(n, r, cost=lambda left: np.maximum(cost(left), 1e-9))
            assert found.expected_cost == pytest.approx(least_cost(n, r, cost), rel=1e-12)
            assert sum(found.steps) == n - r


def test_ties_go_to_the_smaller_batch():
    found = elimination_schedule(4, 2)
    assert found.expected_costs[3] == pytest.approx(6.0) and found.expected_costs[4] == pytest.approx(12.0)
    assert found.batch_sizes[3:].tolist() == [1, 1]


def test_success_is_hypergeometric():
    for n, r, k in ((10, 3, 4), (500, 10, 45), (10_000, 10, 950), (10_000, 4000, 3), (10_000, 37, 37), (7, 3, 4)):
        exact = comb(n - r, k, exact=True) / comb(n, k, exact=True)
        assert success_probability(n, r, k) == pytest.approx(exact, rel=1e-12)
        assert success_probability(n, r, k) == pytest.approx(hypergeom.pmf(0, n, r, k), rel=1e-8)
    assert success_probability(7, 3, 5) == 0.0 and success_probability(7, 0, 7) == 1.0
    with pytest.raises(ValueError, match="k=8"):
        success_probability(7, 3, 8)


def test_costs_that_make_no_sense_are_refused():
    for cost in (lambda n: -n, lambda n: 10.0 - n, lambda n: n[1:], lambda n: n * np.nan):
        with pytest.raises(ValueError, match="cost"):
            elimination_schedule(10, 2, cost=cost)
    with pytest.raises(ValueError, match="n_relevant=11"):
        elimination_schedule(10, 11)


# The search, with a learner that errs if and only if a relevant feature is missing.


def searched(plan, n, r, seed, **options):
    rng = np.random.RandomState(seed)
    relevant = rng.permutation(n) < r
    options = {"tolerance": 0.0, "from_best": False, "redraw": True, **options}
    found = eliminate(lambda kept: float(relevant[kept].sum() < r), n, plan, rng, **options)
    return found, relevant


def test_fits_are_as_many_as_expected():
    schedule = elimination_schedule(100, 10)
    found = [searched(KnownNumber(schedule), 100, 10, seed) for seed in range(600)]
    fits = [len(each.trace.sizes) for each, _ in found]
    # The card's 3 %, five standard errors of 600 runs.
    assert np.mean(fits) == pytest.approx(schedule.expected_fits, rel=0.03)
    assert all((each.kept == np.flatnonzero(relevant)).all() for each, relevant in found)


def test_without_redrawing_fewer_fits_find_the_same():
    schedule = elimination_schedule(100, 10)
    found = [searched(KnownNumber(schedule), 100, 10, seed, redraw=False) for seed in range(200)]
    assert np.mean([len(each.trace.sizes) for each, _ in found]) < 0.93 * schedule.expected_fits
    assert all((each.kept == np.flatnonzero(relevant)).all() and each.end == "done" for each, relevant in found)


@pytest.mark.parametrize("most", [5, 20, 60])
def test_an_unknown_number_is_found_whatever_the_largest_guess(most):
    for seed in range(40):
        found, relevant = searched(SearchedNumber(elimination_schedule, 1, most, 3.0, 0.3), 60, 8, seed, redraw=False)
        np.testing.assert_array_equal(found.kept, np.flatnonzero(relevant))
        # The last fits are those of each feature that is left, none of which can go.
        assert not any(found.trace.accepted[-8:]) and found.end == "done"


def test_every_feature_relevant_and_none():
    for r, most in ((12, 12), (0, 12), (1, 3)):
        found, relevant = searched(SearchedNumber(elimination_schedule, 1, most, 3.0, 0.3), 12, r, 0, redraw=False)
        assert len(found.kept) == max(r, 1) and relevant[found.kept].sum() == r


def test_an_elimination_that_was_told_too_small_a_number_gives_up():
    for redraw in (False, True):
        found, _ = searched(KnownNumber(elimination_schedule(40, 2)), 40, 6, 0, redraw=redraw)
        assert found.end == "stuck" and len(found.kept) >= 6


# The selector.


@pytest.fixture(scope="module")
def bits():
    X, y, relevant = make_m_of_n(600, 40, m=3, n=5, random_state=3)
    return X, y, relevant


def test_relevant_bits_are_found_whether_their_number_is_known_or_not(bits):
    X, y, relevant = bits
    for options in ({"n_relevant": 5}, {}, {"redraw": True}, {"batch_size": "ratio"}, {"batch_size": 1}):
        model = RandomizedVariableElimination(LogisticRegression(C=100), random_state=0, **options).fit(X, y)
        np.testing.assert_array_equal(model.get_support(indices=True), relevant)
        assert model.converged_ and model.n_features_ == 5 and model.n_fits_ == len(model.history_["score"])
        assert model.total_cost_ == model.history_["n_features"].sum()
        assert model.score_ == model.history_["score"][model.history_["accepted"]][-1]
        assert model.transform(X).shape == (600, 5) and model.estimator_.coef_.shape == (1, 5)


def test_seven_of_ten_with_a_learner_that_is_nearly_exact():
    fits, exact = [], []
    for seed in range(4):
        X, y, relevant = make_m_of_n(2000, 100, random_state=seed)
        held_out = PredefinedSplit(np.repeat([-1, 0], 1000))
        model = RandomizedVariableElimination(
            LogisticRegression(C=100), n_relevant=10, tolerance=0.005, cv=held_out, redraw=True, random_state=seed
        ).fit(X, y)
        fits.append(model.n_fits_)
        exact.append(model.get_support(indices=True).tolist() == relevant.tolist())
    assert sum(exact) >= 3 and 70 < np.mean(fits) < 110


def test_an_exclusive_or_survives():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 15))
    y = (X[:, 4] > 0) ^ (X[:, 11] > 0)
    tree = DecisionTreeClassifier(max_depth=8, random_state=0)
    model = RandomizedVariableElimination(tree, tolerance=0.0, cost=2.0, random_state=0).fit(X, y)
    assert {4, 11} <= set(model.get_support(indices=True))


def test_same_seed_same_path_and_a_limit_is_kept(bits):
    X, y, _ = bits
    first, second = (RandomizedVariableElimination(random_state=5).fit(X, y) for _ in range(2))
    for key, values in first.history_.items():
        np.testing.assert_array_equal(values, second.history_[key])
    with pytest.warns(ConvergenceWarning, match="max_fits=7"):
        short = RandomizedVariableElimination(random_state=5, max_fits=7).fit(X, y)
    assert short.n_fits_ == 7 and not short.converged_
    np.testing.assert_array_equal(short.history_["n_features"], first.history_["n_features"][:7])


def test_the_reference_bounds_the_drift_and_the_best_can_be_kept():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    best = RandomizedVariableElimination(tolerance=0.01, random_state=0).fit(X, y)
    assert best.score_ >= best.history_["score"][best.history_["accepted"]].max() - 0.01 - 1e-9
    drifting = RandomizedVariableElimination(tolerance=0.01, reference="previous", random_state=0).fit(X, y)
    steps = drifting.history_["score"][drifting.history_["accepted"]]
    assert np.diff(steps).min() >= -0.01 - 1e-9 and drifting.n_features_ <= best.n_features_
    top = RandomizedVariableElimination(tolerance=0.01, reference="previous", keep_best=True, random_state=0).fit(X, y)
    assert top.score_ == steps.max() and top.n_features_ >= drifting.n_features_


def test_all_features_wanted_are_fitted_once(bits):
    X, y, _ = bits
    model = RandomizedVariableElimination(n_relevant=40).fit(X, y)
    assert model.n_fits_ == 1 and model.support_.all() and model.converged_
    single = RandomizedVariableElimination().fit(X[:, :1], y)
    assert single.n_fits_ == 1 and single.support_.tolist() == [True]


def test_numbers_that_do_not_fit_and_too_few_relevant_are_told(bits):
    X, y, _ = bits
    for options, words in (
        ({"n_relevant": 41}, "n_relevant=41 exceeds the 40 features"),
        ({"max_relevant": 41}, "max_relevant=41"),
        ({"min_relevant": 5, "max_relevant": 4}, "min_relevant=5 exceeds max_relevant=4"),
        ({"min_relevant": 41}, "min_relevant=41"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"cost": lambda n: 1 / (n + 1)}, "cost"),
    ):
        with pytest.raises(ValueError, match=words):
            RandomizedVariableElimination(**options).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="not n_relevant=2"):
        model = RandomizedVariableElimination(LogisticRegression(C=100), n_relevant=2, random_state=0).fit(X, y)
    assert not model.converged_ and model.n_features_ >= 5


def test_numbers_gaps_sparse_tables_and_pipelines(bits):
    X, y, _ = bits
    dense = RandomizedVariableElimination(random_state=0).fit(X, y)
    thin = RandomizedVariableElimination(random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.support_, thin.support_)
    pipeline = make_pipeline(StandardScaler(), RandomizedVariableElimination(random_state=0), LogisticRegression())
    assert pipeline.fit(X, y).score(X, y) > 0.95
    rows, numbers, coefficients = make_regression(200, 20, n_informative=3, coef=True, noise=1.0, random_state=0)
    found = RandomizedVariableElimination(random_state=0).fit(rows, numbers)
    np.testing.assert_array_equal(found.support_, coefficients != 0)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.02, np.nan, X)
    trees = HistGradientBoostingClassifier(max_iter=20, random_state=0)
    model = RandomizedVariableElimination(trees, random_state=0, tolerance=0.03, cv=2).fit(holes[:, :12], y)
    assert model.n_features_ < 12
    with pytest.raises(ValueError, match="NaN"):
        RandomizedVariableElimination().fit(holes, y)


def test_classes_are_judged_by_their_log_loss_and_whole_amounts_are_amounts(bits):
    X, y, _ = bits
    model = RandomizedVariableElimination(random_state=0).fit(X, y)
    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    loss = cross_val_score(learner, model.transform(X), y, scoring="neg_log_loss", cv=5)
    assert model.score_ == pytest.approx(loss.mean(), rel=1e-9)
    own = RandomizedVariableElimination(LogisticRegression(max_iter=1000), random_state=0).fit(X, y)
    assert own.score_ == pytest.approx(
        cross_val_score(LogisticRegression(max_iter=1000), own.transform(X), y, cv=5).mean()
    )
    # Whole numbers, of which some occur once: folds of classes would not hold them.
    amounts = RandomizedVariableElimination(random_state=0).fit(*load_diabetes(return_X_y=True))
    assert isinstance(amounts.estimator_[-1], Ridge) and 1 <= amounts.n_features_ < 10
    # A class that one fold alone holds has the least probability there, and nothing is infinite.
    rare = np.where(np.arange(len(y)) < 3, 2, y)
    folds = PredefinedSplit(np.repeat([0, 1], [len(y) // 2, len(y) - len(y) // 2]))
    assert np.isfinite(RandomizedVariableElimination(n_relevant=39, cv=folds, random_state=0).fit(X, rare).score_)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_units_of_the_columns_do_not_matter_to_the_usual_learner(bits, form):
    X, y, _ = bits
    units = 10.0 ** np.random.default_rng(0).integers(-6, 7, X.shape[1])
    plain, other = (
        RandomizedVariableElimination(random_state=0).fit(form(table), y) for table in (X.astype(float), X * units)
    )
    np.testing.assert_array_equal(other.support_, plain.support_)


def test_on_few_rows_the_log_loss_keeps_what_new_rows_are_told_by():
    X, y = load_wine(return_X_y=True)
    right = {None: [], "accuracy": []}
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:118], order[118:]
        scaled = StandardScaler().fit(X[train]).transform(X)
        for scoring, found in right.items():
            model = RandomizedVariableElimination(scoring=scoring, random_state=seed).fit(scaled[train], y[train])
            found.append(model.estimator_.score(model.transform(scaled[test]), y[test]))
    assert np.mean(right[None]) > np.mean(right["accuracy"]) + 0.01


def test_the_picture_has_the_features_left_after_each_fit(bits):
    X, y, _ = bits
    model = RandomizedVariableElimination(random_state=0).fit(X, y)
    ax = plot_elimination(model)
    left = ax.get_lines()[0].get_ydata()
    assert left[0] == 40 and left[-1] == model.n_features_ and (np.diff(left) <= 0).all()
    assert len(left) == model.n_fits_
    assert plot_elimination(model, ax=ax) is ax


def test_expected_failures_follow_from_the_chance():
    # A sanity check of the rule that ends a search: the chance of so many failures in a row is below the bound.
    plan = KnownNumber(elimination_schedule(11, 10))
    tries = 0
    while plan.batch(11):
        plan.note(11, 1, False)
        tries += 1
    assert (10 / 11) ** tries < 1e-7 <= (10 / 11) ** (tries - 1)
    assert tries == math.ceil(math.log(1e-7) / math.log(10 / 11))


def test_one_class_is_refused_before_any_fit():
    X = np.random.default_rng(0).normal(size=(20, 4))
    with pytest.raises(ValueError, match="y holds one class only, 0; a classifier needs at least two"):
        RandomizedVariableElimination().fit(X, np.zeros(20, dtype=int))
