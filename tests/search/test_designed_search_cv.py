"""DesignedSearchCV beside GridSearchCV, on the parts that both promise."""

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from treatise.io import load_model, save_model
from treatise.search import DesignedSearchCV, plot_effects, plot_search_path

TREE = DecisionTreeClassifier(random_state=0)
FACTORS = {
    "max_depth": (1, 8, "int"),
    "min_samples_leaf": (1, 40, "log", "int"),
    "ccp_alpha": (1e-5, 0.1, "log"),
    "criterion": ["gini", "entropy"],
}
X, Y = load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def fitted():
    return DesignedSearchCV(TREE, FACTORS, cv=3).fit(X, Y)


def test_a_search_over_numbers_can_be_saved(tmp_path):
    """Scikit-learn masks the columns of its table of results."""
    search = DesignedSearchCV(Ridge(), {"alpha": (0.01, 100.0, "log")}, cv=3).fit(X, Y)
    assert isinstance(search.cv_results_["param_alpha"], np.ma.MaskedArray)
    save_model(search, tmp_path / "search.skops")
    loaded = load_model(tmp_path / "search.skops").model
    np.testing.assert_array_equal(loaded.predict(X), search.predict(X))
    np.testing.assert_array_equal(loaded.cv_results_["param_alpha"], search.cv_results_["param_alpha"])


def test_every_score_is_that_of_cross_validation(fitted):
    results = fitted.cv_results_
    assert fitted.n_runs_ == len(results["params"]) == len(results["stage"])
    for place in (0, 3, fitted.n_runs_ - 1):
        model = clone(TREE).set_params(**results["params"][place])
        scores = cross_val_score(model, X, Y, cv=3)
        np.testing.assert_allclose(scores, [results[f"split{i}_test_score"][place] for i in range(3)])
    assert fitted.best_score_ == max(results["mean_test_score"])
    assert fitted.best_from_ == results["stage"][fitted.best_index_]
    assert list(results["stage"][:9]) == ["default", *["screening"] * 8]


def test_first_setting_is_the_estimators_own_and_nothing_worse_is_returned(fitted):
    first = fitted.cv_results_["params"][0]
    assert first == {name: TREE.get_params()[name] for name in FACTORS}
    assert fitted.best_score_ >= fitted.cv_results_["mean_test_score"][0]


def test_it_stands_where_grid_search_stands(fitted):
    grid = GridSearchCV(TREE, {"max_depth": [1, 3]}, cv=3, return_train_score=True).fit(X, Y)
    ours = DesignedSearchCV(TREE, {"max_depth": (1, 3, "int")}, cv=3, return_train_score=True).fit(X, Y)
    # Columns of parameters and of numbers are named alike; ours has the stage beside them.
    assert set(ours.cv_results_) - {"stage"} == set(grid.cv_results_)
    for name in (
        "best_estimator_",
        "best_params_",
        "best_score_",
        "best_index_",
        "n_splits_",
        "refit_time_",
        "scorer_",
    ):
        assert hasattr(ours, name) == hasattr(grid, name)
    np.testing.assert_array_equal(ours.predict(X), ours.best_estimator_.predict(X))
    assert ours.score(X, Y) == ours.best_estimator_.score(X, Y)
    np.testing.assert_array_equal(ours.classes_, grid.classes_)


def test_parallel_equals_serial(fitted):
    with joblib.parallel_config(backend="threading"):  # as processes, which take seconds to start
        parallel = DesignedSearchCV(TREE, FACTORS, cv=3, n_jobs=2).fit(X, Y)
    assert parallel.cv_results_["params"] == fitted.cv_results_["params"]
    np.testing.assert_array_equal(parallel.cv_results_["mean_test_score"], fitted.cv_results_["mean_test_score"])
    assert parallel.best_params_ == fitted.best_params_


def test_settings_of_the_paper_take_as_many_runs_as_its_formula():
    search = DesignedSearchCV(
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": (0.01, 100.0, "log"), "svc__gamma": (1e-4, 1.0, "log"), "svc__tol": (1e-4, 1e-3, "log")},
        cv=3, design="minimal", second_order=False, start="none",
    ).fit(X, Y)  # fmt: skip
    stages = list(search.cv_results_["stage"])
    assert search.n_runs_ == 1 + 4 + stages.count("ascent") and len(search.path_) == stages.count("ascent")


def test_the_parameter_that_matters_is_found():
    rng = np.random.default_rng(0)
    A, w = rng.normal(size=(60, 40)), np.zeros(40)
    w[:3] = 2.0
    y = A @ w + rng.normal(size=60)
    factors = {"alpha": (1e-3, 1e5, "log"), "tol": (1e-6, 1e-4, "log"), "max_iter": (1000, 4000, "int")}
    search = DesignedSearchCV(Ridge(solver="cholesky"), factors, cv=3).fit(A, y)
    assert search.relevant_factors_ == ["alpha"]
    assert search.best_params_["tol"] in {run.setting["tol"] for run in search.search_.runs}
    plot_effects(search)
    plot_search_path(search)


def test_pandas_goes_through_to_the_estimator():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    search = DesignedSearchCV(TREE, {"max_depth": (1, 6, "int")}, cv=3).fit(frame, pandas.Series(Y))
    assert list(search.best_estimator_.feature_names_in_) == list(frame.columns)
    assert list(search.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(search.predict(frame), search.best_estimator_.predict(frame))


def test_several_scores_need_a_word_on_which_to_climb():
    scoring = {"accuracy": "accuracy", "loss": "neg_log_loss"}
    search = DesignedSearchCV(TREE, {"max_depth": (1, 6, "int")}, cv=3, scoring=scoring, refit="loss").fit(X, Y)
    assert search.best_score_ == max(search.cv_results_["mean_test_loss"])
    assert "mean_test_accuracy" in search.cv_results_ and search.multimetric_
    with pytest.raises(ValueError, match="which of several scores"):
        DesignedSearchCV(TREE, {"max_depth": (1, 6, "int")}, cv=3, scoring=scoring, refit=False).fit(X, Y)


def test_without_refit_there_is_no_estimator_to_predict_with():
    search = DesignedSearchCV(TREE, {"max_depth": (1, 6, "int")}, cv=3, refit=False).fit(X, Y)
    assert search.best_params_ and not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError):
        search.predict(X)
    with pytest.raises(NotFittedError):
        DesignedSearchCV(TREE, {"max_depth": (1, 6, "int")}).predict(X)


def test_groups_and_weights_reach_splitter_and_estimator():
    weights = np.ones(len(Y))
    search = DesignedSearchCV(TREE, {"max_depth": (1, 6, "int")}, cv=StratifiedKFold(3)).fit(
        X, Y, sample_weight=weights
    )
    assert search.n_splits_ == 3


class FussyTree(DecisionTreeClassifier):
    """A tree that refuses to grow deep."""

    def fit(self, X, y):
        if self.max_depth and self.max_depth > 6:
            raise ValueError("too deep")
        return super().fit(X, y)


def test_settings_that_fail_are_passed_by():
    factors = {"max_depth": (1, 8, "int"), "min_samples_leaf": (1, 20, "int")}
    search = DesignedSearchCV(FussyTree(random_state=0), factors, cv=3, spread=1.0)
    with pytest.warns(FitFailedWarning):
        search.fit(X, Y)
    failed = ~np.isfinite(search.cv_results_["mean_test_score"])
    assert failed.sum() >= 2 and np.isfinite(search.best_score_) and (search.best_params_["max_depth"] or 0) <= 6


def test_runs_are_limited():
    search = DesignedSearchCV(TREE, FACTORS, cv=3, max_runs=6).fit(X, Y)
    assert search.n_runs_ == 6 and search.screening_ is None and search.relevant_factors_ == []


@pytest.mark.parametrize(
    "change, words",
    [
        ({"factors": {"depth": (1, 3)}}, "has no parameter 'depth'"),
        ({"factors": {"max_depth": (3, 3)}}, "not below"),
        ({"factors": {}}, "not empty"),
        ({"design": 2}, "design"),
        ({"patience": 0}, "patience"),
        ({"f_in": 1.0}, "f_in"),
    ],
)
def test_bad_parameters_are_named(change, words):
    with pytest.raises(ValueError, match=words):
        DesignedSearchCV(TREE, **{"factors": {"max_depth": (1, 3, "int")}, **change}).fit(X, Y)


def test_defaults_do_not_lose_to_the_estimator_as_it_comes():
    A, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(C=0.01))
    factors = {"svc__C": (1e-3, 1e3, "log"), "svc__gamma": (1e-4, 1.0, "log"), "svc__shrinking": [True, False]}
    search = DesignedSearchCV(model, factors, cv=3).fit(A, y)
    assert search.best_score_ > search.cv_results_["mean_test_score"][0] + 0.02
    assert set(search.relevant_factors_) <= {"svc__C", "svc__gamma"}


def test_arrays_are_lists_of_choices_and_a_single_choice_sets_a_parameter():
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    depths = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 5, 25]}
    lists = DesignedSearchCV(tree, depths, cv=3).fit(X, y)
    arrays = DesignedSearchCV(tree, {name: np.array(values) for name, values in depths.items()}, cv=3).fit(X, y)
    assert arrays.best_params_ == lists.best_params_ and type(arrays.best_params_["min_samples_leaf"]) is int
    one = DesignedSearchCV(tree, {**depths, "criterion": ["entropy"]}, cv=3).fit(X, y)
    assert set(one.cv_results_["param_criterion"]) == {"entropy"} and one.best_estimator_.criterion == "entropy"
    assert one.best_params_["criterion"] == "entropy" and "criterion" not in one.relevant_factors_
    with pytest.raises(ValueError, match="leaves nothing to search for"):
        DesignedSearchCV(tree, {"criterion": ["entropy"]}, cv=3).fit(X, y)
    with pytest.raises(ValueError, match="no parameter 'criteria'"):
        DesignedSearchCV(tree, {**depths, "criteria": ["entropy"]}, cv=3).fit(X, y)
