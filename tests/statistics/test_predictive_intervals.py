"""Predictive intervals: one way to ask for them, and judgements that the true law wins."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import BayesianRidge, Ridge

from treatise.bayes import DPMixtureRegressor, EnrichedDPClassifier, EnrichedDPRegressor
from treatise.bayes import HeteroscedasticAdditiveRegressor as Heteroscedastic
from treatise.linear import GroupARDRegressor
from treatise.statistics import coverage_bounds, gives_intervals, interval_scores, predictive_intervals


def test_the_score_is_the_width_and_a_fine_for_what_lies_outside():
    # By hand at level 0.8, where a unit outside costs ten: 4 wide; 0.5 below; 2 above.
    scores = interval_scores([0.0, -2.5, 4.0], [[-2.0, 2.0]] * 3, level=0.8)
    np.testing.assert_allclose(scores, [4.0, 4.0 + 10 * 0.5, 4.0 + 10 * 2.0])


def test_no_other_interval_scores_better_than_the_true_quantiles():
    y, level = stats.gamma(2.0).ppf((np.arange(200_000) + 0.5) / 200_000), 0.9

    def mean_score(low, high):
        return interval_scores(y, np.tile([low, high], (len(y), 1)), level=level).mean()

    low, high = stats.gamma(2.0).ppf([0.05, 0.95])
    best = mean_score(low, high)
    for other in [(low - 0.1, high), (low + 0.1, high), (low, high - 0.3), (low, high + 0.3)]:
        assert mean_score(*other) > best + 1e-3


def test_bounds_of_independent_rows_are_wilsons():
    for hits, n in [(90, 100), (0, 20), (20, 20), (437, 500)]:
        inside = np.arange(n) < hits
        expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
        np.testing.assert_allclose(coverage_bounds(inside), expected, atol=1e-12)


def test_bounds_hold_where_the_rows_of_a_unit_fall_together():
    rng, held = np.random.default_rng(0), {True: 0, False: 0}
    for _ in range(400):
        # Ten rows a unit, and units in which nearly all or few rows are covered: 0.9 on the whole.
        shares = rng.beta(1.8, 0.2, size=60)
        units, inside = np.repeat(np.arange(60), 10), rng.random(600) < np.repeat(shares, 10)
        for told in held:
            low, high = coverage_bounds(inside, units if told else None)
            held[told] += low <= 0.9 <= high
    # 95 % promised; the standard error of 400 trials is 1.1 %.
    assert held[True] >= 0.92 * 400
    assert held[False] <= 0.75 * 400


def test_one_unit_tells_nothing():
    assert coverage_bounds([True, True, False], [7, 7, 7]) == (0.0, 1.0)


@pytest.fixture(scope="module")
def line():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    # Each half has noise of the same size, so that no test hangs on how a draw fell out.
    noise = rng.normal(size=(2, 200))
    noise /= noise.std(axis=1, keepdims=True)
    return X, 3 * X[:, 0] + 0.5 * noise.ravel()


@pytest.mark.parametrize(
    "model",
    [
        GroupARDRegressor(),
        Heteroscedastic(),
        BayesianRidge(),
        EnrichedDPRegressor(burn_in=300, n_samples=600, random_state=0),
        DPMixtureRegressor(burn_in=300, n_samples=600, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_way_to_tell_uncertainty_covers_rows_of_a_known_law(model, line):
    X, y = line
    assert gives_intervals(model)
    low, high = predictive_intervals(model.fit(X[:200], y[:200]), X[200:], level=0.8).T
    # 160 of 200 are expected, with a standard error of 6.
    assert 0.71 <= np.mean((low <= y[200:]) & (y[200:] <= high)) <= 0.89
    if isinstance(model, GroupARDRegressor | BayesianRidge):
        # Their law is the true one: intervals are 2 * 1.2816 * 0.5 wide, and a little more where the mean is unsure.
        assert np.median(high - low) == pytest.approx(1.2816, rel=0.04)


def test_only_regressors_with_uncertainty_give_intervals():
    for model in (Ridge(), DummyRegressor(), EnrichedDPClassifier()):
        assert not gives_intervals(model)
    with pytest.raises(ValueError, match="Ridge gives no predictive intervals; take a regressor with predict_interval"):
        predictive_intervals(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), [[0.0]])


@pytest.mark.parametrize("level", [0.0, 1.0, 1.5])
def test_a_level_is_a_probability(level):
    with pytest.raises(ValueError, match="choose a probability between 0 and 1"):
        interval_scores([0.0], [[0.0, 1.0]], level=level)
