"""Classifiers without offset, alone and over a grid."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import minmax_scale

from treatise.kernels import Gaussian, Kernel, Linear
from treatise.svm import BiasFreeSVC, BiasFreeSVCGrid, steinwart_grid

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(200, noise=0.25, random_state=0)
    return X, np.where(y == 1, "up", "down")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return minmax_scale(X, (-1, 1)), np.array(["setosa", "versicolor", "virginica"])[y]


def objective(K, y, upper, beta):
    return 0.5 * beta @ K @ beta + upper @ np.maximum(0.0, 1.0 - y * (K @ beta))


def test_the_objective_is_within_the_tolerance_of_the_least(moons):
    X, y = moons
    K, signs = Gaussian(2.0)(X), np.where(y == "up", 1.0, -1.0)
    loose, tight = (BiasFreeSVC(5.0, gamma=2.0, tol=t, stopping="gap").fit(X, y) for t in (1e-2, 1e-9))
    values = []
    for machine in (loose, tight):
        beta = np.zeros(len(y))
        beta[machine.support_] = machine.dual_coef_[0]
        values.append(objective(K, signs, np.full(len(y), 5.0), beta))
    assert values[1] <= values[0] <= values[1] + 1e-2 * 5.0 * len(y)
    assert tight.objective_[0] == pytest.approx(values[1], rel=1e-7)
    assert loose.gap_[0] <= 1e-2 * 5.0 * len(y) and loose.n_iter_[0] < tight.n_iter_[0]


def test_lam_is_the_cost_in_the_terms_of_the_paper(moons):
    X, y = moons
    by_lam = BiasFreeSVC(lam=1e-3, gamma=2.0).fit(X, y)
    by_cost = BiasFreeSVC(C=1.0 / (2e-3 * len(y)), gamma=2.0).fit(X, y)
    np.testing.assert_array_equal(by_lam.dual_coef_, by_cost.dual_coef_)


def test_lam_counts_a_row_of_weight_two_as_two_rows(moons):
    X, y = moons
    options = {"lam": 1e-3, "gamma": 2.0, "tol": 1e-11, "stopping": "gap"}
    weights = np.where(np.arange(len(y)) < 50, 2, 1)
    weighted = BiasFreeSVC(**options).fit(X, y, sample_weight=weights)
    repeated = BiasFreeSVC(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    # Half the squared distance of the two is at most the gap, 1e-11 / (2 lam).
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=2e-4)


def test_several_classes_are_one_against_the_rest(iris):
    X, y = iris
    machine = BiasFreeSVC(10.0, gamma=0.5, tol=1e-10, stopping="gap").fit(X, y)
    scores = machine.decision_function(X)
    assert scores.shape == (150, 3) and machine.dual_coef_.shape == (3, len(machine.support_))
    for column, label in enumerate(machine.classes_):
        single = BiasFreeSVC(10.0, gamma=0.5, tol=1e-10, stopping="gap").fit(X, y == label)
        # Both machines are within a gap of 1.5e-7, half their squared distance.
        np.testing.assert_allclose(scores[:, column], single.decision_function(X), atol=2e-3)
    assert np.mean(machine.predict(X) == y) > 0.95


def test_weights_of_classes_are_weights_of_rows(iris):
    X, y = iris
    options = {"gamma": 0.5, "tol": 1e-11, "stopping": "gap"}
    by_class = BiasFreeSVC(class_weight={"virginica": 3.0}, **options).fit(X, y)
    by_row = BiasFreeSVC(**options).fit(X, y, sample_weight=np.where(y == "virginica", 3.0, 1.0))
    plain = BiasFreeSVC(**options).fit(X, y)
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X), atol=1e-4)
    assert np.abs(by_class.decision_function(X) - plain.decision_function(X)).max() > 0.01


@pytest.mark.parametrize("options", [{"wss": "1d"}, {"wss": 32}, {"init": "kernel_rule"}, {"cache_bytes": 5000}])
def test_the_way_there_does_not_change_the_machine(moons, options):
    X, y = moons
    plain = BiasFreeSVC(5.0, gamma=2.0, tol=1e-10, stopping="gap").fit(X, y)
    other = BiasFreeSVC(5.0, gamma=2.0, tol=1e-10, stopping="gap", **options).fit(X, y)
    np.testing.assert_allclose(other.decision_function(X), plain.decision_function(X), atol=1e-3)


def test_precomputed_sparse_and_kernel_objects_agree(moons):
    X, y = moons
    gram, thin = Gaussian(2.0)(X), sparse.csr_matrix(X)
    options = {"tol": 1e-11, "stopping": "gap"}
    wanted = BiasFreeSVC(gamma=2.0, **options).fit(X, y).decision_function(X[:20])
    found = [
        BiasFreeSVC(kernel="precomputed", **options).fit(gram, y).decision_function(gram[:20]),
        BiasFreeSVC(gamma=2.0, **options).fit(thin, y).decision_function(thin[:20]),
        BiasFreeSVC(kernel=Gaussian(2.0), **options).fit(X, y).decision_function(X[:20]),
    ]
    for scores in found:
        # Half the squared distance of two machines is at most the gap, 2e-9.
        np.testing.assert_allclose(scores, wanted, atol=1.3e-4)


class LengthKernel(Kernel):
    """A kernel of words: how near their lengths are."""

    structured = True

    def prepare(self, X):
        return np.array([len(word) for word in X], float)

    def block(self, A, B):
        return np.exp(-np.square(A[:, np.newaxis] - B))


def test_objects_that_are_no_rows_are_taken():
    words = ["a", "be", "it", "horse", "zebra", "badger"]
    machine = BiasFreeSVC(10.0, kernel=LengthKernel()).fit(words, [0, 0, 0, 1, 1, 1])
    assert machine.predict(["on", "tiger"]).tolist() == [0, 1]


@pytest.mark.parametrize("options", [{"kernel": "linear"}, {"kernel": Linear()}, {"kernel": "poly", "coef0": 0.0}])
def test_kernels_without_a_constant_are_warned_of(moons, options):
    with pytest.warns(UserWarning, match="passes through the origin"):
        BiasFreeSVC(**options).fit(*moons)


def test_a_polynomial_with_a_constant_is_not_warned_of(moons):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BiasFreeSVC(kernel="poly").fit(*moons)


def test_too_few_steps_are_warned_of(moons):
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps"):
        machine = BiasFreeSVC(gamma=2.0, max_iter=3).fit(*moons)
    assert machine.n_iter_.tolist() == [3]


def test_one_class_is_refused(moons):
    X, y = moons
    with pytest.raises(ValueError, match="one class only, 'up'"):
        BiasFreeSVC().fit(X, np.full(len(y), "up"))
    with pytest.raises(ValueError, match=r"only \['up'\]"):
        BiasFreeSVC().fit(X, y, sample_weight=(y == "up").astype(float))


def test_constant_columns_and_more_features_than_rows():
    generator = np.random.default_rng(0)
    X = np.column_stack([generator.normal(size=(20, 50)), np.ones(20)])
    y = (X[:, 0] > 0).astype(int)
    assert BiasFreeSVC(100.0).fit(X, y).score(X, y) == 1.0
    same = BiasFreeSVC().fit(np.ones((4, 2)), [0, 0, 0, 1])
    assert same.predict(np.ones((1, 2))).tolist() == [0]


def test_the_papers_grid():
    lams, gammas = steinwart_grid(1000, 5)
    assert len(lams) == len(gammas) == 10
    np.testing.assert_allclose([lams[0], lams[-1]], [1.0, 1e-5])
    np.testing.assert_allclose(np.sqrt([gammas[0], gammas[-1]]), [0.1, 2.0 * 1000**0.2])
    np.testing.assert_allclose(lams[1:] / lams[:-1], lams[1] / lams[0])
    with pytest.raises(ValueError, match="n_features=0 must be at least 1"):
        steinwart_grid(10, 0)


@pytest.mark.parametrize("cache_bytes", [1 << 30, 40_000])
def test_the_grid_finds_what_single_machines_find(moons, cache_bytes):
    X, y = moons
    Cs, gammas = [0.1, 1.0, 30.0], [0.3, 3.0]
    options = {"tol": 1e-9, "stopping": "gap"}
    ours = BiasFreeSVCGrid(Cs=Cs, gammas=gammas, cv=FOLDS, cache_bytes=cache_bytes, **options).fit(X, y)
    single = GridSearchCV(BiasFreeSVC(**options), {"gamma": gammas, "C": Cs}, cv=FOLDS).fit(X, y)
    by_point = {(p["C"], p["gamma"]): at for at, p in enumerate(single.cv_results_["params"])}
    order = [by_point[p["C"], p["gamma"]] for p in ours.cv_results_["params"]]
    for name in ("split0_test_score", "split2_test_score", "mean_test_score", "std_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], single.cv_results_[name][order], atol=1e-12)
    assert ours.best_score_ == pytest.approx(single.best_score_)
    assert ours.best_score_ == ours.cv_results_["mean_test_score"].max()
    np.testing.assert_array_equal(ours.predict(X), BiasFreeSVC(**ours.best_params_, **options).fit(X, y).predict(X))


def test_the_grid_takes_several_classes_weights_and_threads(iris):
    X, y = iris
    weights = np.where(y == "virginica", 2.0, 1.0)
    options = {"lams": [1e-1, 1e-3], "gammas": [0.1, 1.0], "cv": FOLDS, "tol": 1e-9, "stopping": "gap"}
    plain = BiasFreeSVCGrid(class_weight={"virginica": 2.0}, **options).fit(X, y)
    threads = BiasFreeSVCGrid(class_weight={"virginica": 2.0}, n_jobs=2, **options).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(plain.cv_results_["mean_test_score"], threads.cv_results_["mean_test_score"])
    # By rows, lam divides by the sum of the weights: 2/3 of the cost, where class weights leave n as it is.
    by_row = BiasFreeSVCGrid(**{**options, "lams": [0.75e-1, 0.75e-3]}).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(plain.cv_results_["mean_test_score"], by_row.cv_results_["mean_test_score"])
    assert plain.best_score_ > 0.9 and plain.decision_function(X).shape == (150, 3)


def test_warm_starts_save_steps_and_change_no_score():
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X, (-1, 1))[::2]
    found = {w: BiasFreeSVCGrid(size=5, cv=FOLDS, warm=w, tol=1e-4).fit(X, y[::2]) for w in ("W0", "W2", "W3", "W4")}
    steps = {w: search.cv_results_["mean_n_iter"].sum() for w, search in found.items()}
    assert steps["W4"] < steps["W3"] < steps["W0"] and steps["W2"] < steps["W0"]
    for search in found.values():
        # Within the tolerance a row at the border may fall either way: one of 95 in a fold.
        np.testing.assert_allclose(
            search.cv_results_["mean_test_score"], found["W0"].cv_results_["mean_test_score"], atol=1.1 / 95
        )


def test_the_heat_map_marks_the_choice(moons):
    search = BiasFreeSVCGrid(size=3, cv=3).fit(*moons)
    axes = search.plot()
    assert axes.images[0].get_array().shape == (3, 3)
    (x,), (y,) = axes.lines[0].get_data()
    assert 3 * y + x == search.best_index_
    assert search.plot(ax=axes) is axes


def test_grids_that_make_no_sense_are_refused(moons):
    for options, message in [
        ({"lams": [1.0], "Cs": [1.0]}, "give one of them"),
        ({"gammas": [0.0, 1.0]}, "gammas=.* positive"),
        ({"lams": []}, "lams=.* positive"),
    ]:
        with pytest.raises(ValueError, match=message):
            BiasFreeSVCGrid(**options).fit(*moons)


def test_columns_far_from_the_origin_are_searched_as_near_ones():
    """Squared distances of rows at a hundred million were rounding, and every width as good as chance."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    searches = [BiasFreeSVCGrid(gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=3).fit(X + far, y) for far in (0.0, 1e8)]
    near, far = (search.cv_results_["mean_test_score"] for search in searches)
    np.testing.assert_allclose(far, near)
    np.testing.assert_array_equal(searches[1].predict(X + 1e8), searches[0].predict(X))
