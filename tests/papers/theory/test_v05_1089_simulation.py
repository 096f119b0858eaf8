"""The simulator, against closed forms for Gaussian least squares, brute force and the paper's identities."""

from functools import partial

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier

from treatise.datasets import make_bengio_grandvalet
from treatise.papers.theory.v05_1089.simulation import plot_cv_variance, simulate_cv_variance
from treatise.theory import cv_variance

LINE = LinearRegression(fit_intercept=False)
OUTLIERS = partial(make_bengio_grandvalet, outliers=True)


class PlainLeastSquares(LinearRegression):
    """Another type, so that the simulator fits every fold rather than downdating."""


def least_squares_moments(n_train, d):
    """Exact mean, variance and within-fold covariance of squared test errors of Gaussian least squares.

    Given the training set an error is N(0, 1 + q), q = |coefficient error|^2 with covariance the inverse of a
    Wishart matrix W on n_train degrees of freedom: E q = tr E W^-1 and E q^2 = E (tr W^-1)^2 + 2 E tr W^-2.
    """
    c = (n_train - d) * (n_train - d - 1) * (n_train - d - 3)
    first = d / (n_train - d - 1)
    second = ((n_train - d - 2) * d**2 + 2 * d + 2 * ((n_train - d - 2) * d + d**2 + d)) / c
    mu = 1 + first
    return mu, 3 * (1 + 2 * first + second) - mu**2, second - first**2


@pytest.fixture(scope="module")
def at_60():
    return simulate_cv_variance(make_bengio_grandvalet, LINE, 60, n_repetitions=6000, random_state=0)


@pytest.fixture(scope="module")
def at_120():
    return simulate_cv_variance(make_bengio_grandvalet, LINE, 120, n_repetitions=6000, random_state=1)


def test_moments_agree_with_the_closed_forms(at_60, at_120):
    for run in (at_60, at_120):
        exact = least_squares_moments(run.n * 9 // 10, 30)
        for name, value in zip(("mu", "sigma2", "omega"), exact):
            # Four Monte-Carlo standard errors.
            assert getattr(run, name) == pytest.approx(value, abs=4 * run.standard_error[name]), (run.n, name)


def test_moments_agree_with_the_sample_covariance_of_all_errors():
    n, K = 40, 4
    drawn = []

    def sample(n, random_state):
        drawn.append(make_bengio_grandvalet(n, n_features=5, random_state=random_state))
        return drawn[-1]

    run = simulate_cv_variance(sample, LINE, n, n_folds=K, n_repetitions=150, random_state=5)
    errors = np.empty((150, n))
    for row, (X, y) in zip(errors, drawn):
        for k in range(K):
            held = np.arange(n) // 10 == k
            coefficients = np.linalg.lstsq(X[~held], y[~held], rcond=None)[0]
            row[held] = (y[held] - X[held] @ coefficients) ** 2
    centred = errors - errors.mean()
    products = (centred[:, :, None] * centred[:, None, :]).mean(axis=0)
    block = np.arange(n) // 10
    same, own = block[:, None] == block, np.eye(n, dtype=bool)
    correction = run.theta / 150  # the grand mean is itself estimated
    assert run.sigma2 == pytest.approx(products[own].mean() + correction, rel=1e-9)
    assert run.omega == pytest.approx(products[same & ~own].mean() + correction, rel=1e-7)
    assert run.gamma == pytest.approx(products[~same].mean() + correction, rel=1e-7)
    assert run.theta == pytest.approx(errors.mean(axis=1).var(ddof=1), rel=1e-9)


@pytest.mark.parametrize("sample", [make_bengio_grandvalet, OUTLIERS], ids=["no outliers", "outliers"])
def test_v2_expects_the_variance_less_gamma_and_v1_the_papers_combination(sample):
    # Within one simulation both are identities; between two independent ones they are statements on expectations.
    first, second = (simulate_cv_variance(sample, LINE, 60, n_repetitions=4000, random_state=seed) for seed in (10, 11))
    n, m = 60, 6

    def error(*names):
        return 3 * np.sqrt(second.standard_error[names[0]] ** 2 + sum(first.standard_error[n] ** 2 for n in names[1:]))

    assert second.v2 == pytest.approx(first.theta - first.gamma, abs=error("v2", "theta", "gamma"))
    combination = (first.sigma2 - (m - 1) / (n - 1) * first.omega - (n - m) / (n - 1) * first.gamma) / n
    assert second.v1 == pytest.approx(combination, abs=error("v1", "gamma") + 3 * first.standard_error["sigma2"] / n)
    # The bias is no rounding: gamma is far from zero.
    assert first.gamma > 4 * first.standard_error["gamma"]


def test_the_parts_add_up_to_the_variance(at_60):
    assert sum(at_60.contributions) == pytest.approx(at_60.theta, rel=1e-10)
    assert sum(at_60.shares) == pytest.approx(1.0, rel=1e-10)
    assert at_60.theta == pytest.approx(cv_variance(60, 10, at_60.sigma2, at_60.omega, at_60.gamma), rel=1e-10)
    assert at_60.bias["v2"] == pytest.approx(-at_60.gamma, rel=1e-9)


def test_naive_intervals_cover_too_little_and_corrected_ones_more(at_60, at_120):
    for run in (at_60, at_120):
        # A rate over 6000 trials has a standard error below 0.005.
        assert run.coverage["v1"] < 0.92
        assert run.coverage["v2"] < 0.92
        assert abs(run.coverage["corrected"] - 0.95) < abs(run.coverage["v2"] - 0.95) - 0.02
    assert at_60.coverage["v2"] < 0.82


def test_gamma_matters_most_in_small_samples_and_with_outliers(at_60, at_120):
    outliers = simulate_cv_variance(OUTLIERS, LINE, 120, n_repetitions=3000, random_state=2)
    assert at_60.shares[2] > at_60.shares[0] > at_60.shares[1]
    assert at_120.shares[0] > at_120.shares[2] > at_120.shares[1]
    assert outliers.shares[2] > at_120.shares[2]
    assert abs(outliers.shares[1]) < 0.05


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("n", "n_folds"), [(80, 8), (80, 80), (80, 2)])
def test_downdating_equals_fitting_every_fold(intercept, n, n_folds):
    quick, plain = (
        simulate_cv_variance(
            make_bengio_grandvalet, kind(fit_intercept=intercept), n, n_folds=n_folds, n_repetitions=6, random_state=3
        )
        for kind in (LinearRegression, PlainLeastSquares)
    )
    # Two folds train 31 coefficients on 40 examples: normal equations lose some digits there.
    for name in ("mu", "sigma2", "gamma", "theta", "v1", "v2"):
        assert getattr(quick, name) == pytest.approx(getattr(plain, name), rel=1e-6), name


def test_training_sets_that_leave_coefficients_free_are_fitted_as_scikit_learn_does():
    def twice_the_same_column(n, random_state):
        X, y = make_bengio_grandvalet(n, n_features=4, random_state=random_state)
        return np.column_stack([X, X[:, 0]]), y

    def few_examples(n, random_state):
        return make_bengio_grandvalet(n, n_features=25, random_state=random_state)

    for sample in (twice_the_same_column, few_examples):
        quick, plain = (
            simulate_cv_variance(sample, kind(fit_intercept=False), 24, n_folds=4, n_repetitions=10, random_state=4)
            for kind in (LinearRegression, PlainLeastSquares)
        )
        assert quick.theta == plain.theta > 0


def test_results_depend_on_the_seed_and_not_on_the_number_of_processes():
    def run(seed, jobs):
        return simulate_cv_variance(
            make_bengio_grandvalet, LINE, 60, n_repetitions=250, random_state=seed, n_jobs=jobs, show_progress=False
        )

    assert run(0, None) == run(0, 2)
    assert run(0, None) != run(1, None)


def test_leave_one_out_has_no_omega(at_120):
    run = simulate_cv_variance(make_bengio_grandvalet, LINE, 120, n_folds=120, n_repetitions=500, random_state=6)
    assert np.isnan(run.omega)
    assert run.shares[1] == 0.0
    assert sum(run.contributions) == pytest.approx(run.theta, rel=1e-10)
    assert run.v1 == pytest.approx(run.v2)


def test_paired_differences_of_an_algorithm_with_itself_have_no_variance():
    run = simulate_cv_variance(make_bengio_grandvalet, LINE, 60, rival=LINE, n_repetitions=20, random_state=7)
    assert run.mu == run.theta == run.v2 == 0.0
    assert np.isnan(run.shares).all()
    assert "variance 0" in str(run)


def test_paired_differences_vary_less_than_either_of_two_like_algorithms():
    settings = {"n_repetitions": 150, "random_state": 8}
    alone = simulate_cv_variance(make_bengio_grandvalet, LINE, 60, **settings)
    paired = simulate_cv_variance(make_bengio_grandvalet, LINE, 60, rival=Ridge(1.0, fit_intercept=False), **settings)
    assert paired.theta < 0.5 * alone.theta
    assert paired.mu > 0  # a little shrinkage helps least squares here


def test_the_jackknife_of_a_constant_predictor_expects_the_noise_alone():
    # Squared error of a mean of k draws of N(0, 1): 1 - 1/k on those draws, 1 + 1/k on others. So a term
    # expects K (1 - 1/n) - (K-1) (1 - 1/(n-m)) = 1, where cross-validation expects 1 + 1/(n-m).
    def noise(n, random_state):
        return np.zeros((n, 1)), random_state.standard_normal(n)

    cv, jackknife = (
        simulate_cv_variance(noise, DummyRegressor(), 6, n_folds=3, statistic=kind, n_repetitions=600, random_state=9)
        for kind in ("cv", "jackknife")
    )
    assert cv.mu == pytest.approx(1 + 1 / 4, abs=4 * cv.standard_error["mu"])
    assert jackknife.mu == pytest.approx(1.0, abs=4 * jackknife.standard_error["mu"])
    # Unlike that of cross-validation, its covariance within folds may be negative (proof of Lemma 8).
    assert cv.omega > 0 > jackknife.omega > -jackknife.sigma2


def test_a_population_is_sampled_with_replacement():
    X, y = np.array([[0.0], [10.0]]), np.array(["a", "b"])
    run = simulate_cv_variance((X, y), KNeighborsClassifier(1), 20, n_repetitions=50, random_state=0)
    assert run.mu < 0.01  # both points are nearly always in the training set
    with pytest.raises(ValueError, match="2 rows of X and 3 of y"):
        simulate_cv_variance((X, [0, 1, 0]), KNeighborsClassifier(1), 20, n_repetitions=50)


def test_the_summary_reads_as_sentences(at_60):
    text = str(at_60)
    assert "60 examples in 10 folds, 6000 samples" in text
    assert "coverage" in text
    assert "unbiased" not in text


def test_bars_stack_to_the_variance_and_shares_to_one(at_60, at_120):
    for relative, totals in ((False, [at_60.theta, at_120.theta]), (True, [1.0, 1.0])):
        ax = plot_cv_variance([at_60, at_120], relative=relative, ax=Figure().subplots())
        heights = np.array([[bar.get_height() for bar in container] for container in ax.containers])
        np.testing.assert_allclose(heights.sum(axis=0), totals, rtol=1e-10)
        assert [label.get_text() for label in ax.get_xticklabels()] == ["60", "120"]


def test_bars_are_labelled_by_folds_where_only_those_vary():
    runs = [
        simulate_cv_variance(make_bengio_grandvalet, LINE, 60, n_folds=K, n_repetitions=20, random_state=0)
        for K in (5, 10)
    ]
    ax = plot_cv_variance(runs, ax=Figure().subplots())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["5", "10"]
    assert "folds" in ax.get_xlabel()


def test_a_plot_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        plot_cv_variance([])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 65}, "choose 60 or 70"),
        ({"n_folds": 1}, "n_folds=1"),
        ({"n_repetitions": 1}, "n_repetitions=1"),
        ({"n": 60.0}, "n=60.0"),
        ({"statistic": "bootstrap"}, "one of cv, jackknife"),
        ({"confidence": 2}, "confidence=2"),
        ({"loss": "hinge", "estimator": Ridge()}, "loss='hinge'"),
    ],
)
def test_bad_input_is_named(change, message):
    design = {"generator": make_bengio_grandvalet, "estimator": LINE, "n": 60, "n_repetitions": 5}
    with pytest.raises(ValueError, match=message):
        simulate_cv_variance(**{**design, **change})
