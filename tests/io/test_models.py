"""Model files: everything that must be saved comes back equal, and nothing is written half."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_regression
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, LabelEncoder, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treatise
from treatise._core.errors import TreatiseError
from treatise.io import load_model, save_model


@pytest.fixture
def through_file(tmp_path):
    def save_and_load(model, **options):
        path = tmp_path / "model.skops"
        save_model(model, path, **options)
        return load_model(path)

    return save_and_load


CLASSIFIERS = [
    LogisticRegression(max_iter=1000),
    RandomForestClassifier(5, random_state=0),
    ExtraTreesClassifier(5, random_state=0),
    GradientBoostingClassifier(n_estimators=3),
    HistGradientBoostingClassifier(max_iter=5),
    SVC(),
    SVC(kernel="linear"),
    LinearSVC(),
    DummyClassifier(),
    KNeighborsClassifier(),
    KNeighborsClassifier(algorithm="brute"),
    KNeighborsClassifier(algorithm="ball_tree", p=1),
    GaussianNB(),
    DecisionTreeClassifier(),
    CalibratedClassifierCV(LinearSVC()),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(MinMaxScaler(), FunctionTransformer(), SVC()),
]
REGRESSORS = [
    Ridge(),
    LinearRegression(),
    RandomForestRegressor(5, random_state=0),
    HistGradientBoostingRegressor(max_iter=5),
    SVR(),
    DummyRegressor(),
    KNeighborsRegressor(),
    DecisionTreeRegressor(),
]


@pytest.mark.parametrize("text_labels", [False, True])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers_predict_the_same_after_a_file(through_file, model, text_labels):
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y] if text_labels else y
    fitted = model.fit(X, y)
    loaded = through_file(fitted).model
    assert type(loaded) is type(fitted)
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors_predict_the_same_after_a_file(through_file, model):
    X, y = make_regression(80, 6, random_state=0)
    fitted = model.fit(X, y)
    np.testing.assert_array_equal(through_file(fitted).model.predict(X), fitted.predict(X))


def test_a_table_with_words_and_gaps_passes_through_a_saved_pipeline(through_file):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, np.nan, 3, 4], "kind": ["a", "b", None, "a"], "n": [1, 2, 3, 4]})
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["size", "n"]),
            ("words", make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["kind"]),
        ],
        remainder="passthrough",
    )
    fitted = make_pipeline(columns, LogisticRegression()).fit(frame, ["x", "y", "x", "y"])
    loaded = through_file(fitted).model
    np.testing.assert_array_equal(loaded.predict_proba(frame), fitted.predict_proba(frame))
    np.testing.assert_array_equal(loaded[0].get_feature_names_out(), fitted[0].get_feature_names_out())


def test_histogram_trees_with_categories_and_label_encoders_come_back(through_file):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, 200), rng.normal(size=200)])
    fitted = HistGradientBoostingClassifier(max_iter=5, categorical_features=[0]).fit(X, X[:, 0] % 2)
    assert any(tree.nodes["is_categorical"].any() for trees in fitted._predictors for tree in trees)
    np.testing.assert_array_equal(through_file(fitted).model.predict_proba(X), fitted.predict_proba(X))
    encoder = LabelEncoder().fit(["b", "a", "c"])
    np.testing.assert_array_equal(through_file(encoder).model.transform(["c", "a"]), [2, 0])


def test_sparse_models_come_back(through_file):
    X = sparse.random(60, 20, density=0.2, format="csr", random_state=0)
    fitted = SVC().fit(X, np.arange(60) % 2)
    np.testing.assert_array_equal(through_file(fitted).model.predict(X), fitted.predict(X))


def test_metadata_and_version_travel_along(through_file):
    metadata = {"target": "spécies", "classes": ["a", "b"], "score": 0.5, "nested": {"none": None}}
    loaded = through_file(DummyRegressor(), metadata=metadata)
    assert loaded.metadata == metadata
    assert loaded.version == treatise.__version__
    assert through_file(DummyRegressor()).metadata == {}


def test_a_file_is_replaced_whole_or_left_alone(tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    save_model(DummyRegressor(constant=1), path)
    before = path.read_bytes()
    with pytest.raises(TreatiseError, match="cannot be written as JSON"):
        save_model(DummyRegressor(constant=2), path, metadata={"array": np.ones(2)})
    with monkeypatch.context() as patched, pytest.raises(TreatiseError, match=r"cannot be written \(disk full\)"):
        patched.setattr("os.fsync", _disk_full)
        save_model(DummyRegressor(constant=2), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(TreatiseError, match="cannot be written"):
        save_model(DummyRegressor(), tmp_path / "absent" / "model.skops")


def _disk_full(_):
    raise OSError(28, "disk full")


class Homemade(ClassifierMixin, BaseEstimator):
    """An estimator that no installed library has."""


def homemade_function(X):
    return X


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (Homemade(), "Homemade"),
        (FunctionTransformer(homemade_function), "homemade_function"),
        (FunctionTransformer(lambda X: X), "<lambda>"),
        (make_pipeline(FunctionTransformer(np.linalg.norm), Ridge()), "norm"),
        (LogisticRegression().fit, "LogisticRegression.fit"),
    ],
    ids=["class", "function", "lambda", "library function", "method"],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, model, named):
    with pytest.raises(TreatiseError, match=named):
        save_model(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())
