"""Model files: everything that must be saved comes back equal; nothing that must not run, runs."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import joblib
import numpy as np
import pytest
import skops.io
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


def test_sparse_matrices_that_point_outside_are_refused(tmp_path):
    X = sparse.random(60, 20, density=0.2, format="csr", random_state=0)
    fitted = SVC().fit(X, np.arange(60) % 2)
    fitted.support_vectors_.indices[0] = 10**6
    save_model(fitted, tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside its table"):
        load_model(tmp_path / "model.skops")


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


def forged(path, schema=None, about=None, *, model=None, compression=zipfile.ZIP_STORED, extra=()):
    """A model file with its schema or its note on the version changed by hand."""
    data = skops.io.dumps(model or DummyRegressor())
    if schema is None:
        schema = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("schema.json"))
    good = {"treatise": treatise.__version__, "format": 1, "metadata": {}}
    with zipfile.ZipFile(path, "w", compression=compression) as archive:
        archive.writestr("schema.json", json.dumps(schema))
        archive.writestr("treatise.json", about if isinstance(about, str) else json.dumps(about or good))
        for name, content in extra:
            archive.writestr(name, content)
    return path


def node(loader, module, name, **content):
    return {"__loader__": loader, "__module__": module, "__class__": name, "protocol": 2, **content}


def words(*texts):
    cells = [node("JsonNode", "builtins", "str", content=json.dumps(text), is_json=True) for text in texts]
    return node("TupleNode", "builtins", "tuple", content=cells)


def attacks(marker):
    """Schemas that would create ``marker`` if anything in them were called or imported."""
    command = words(f"touch {marker}")
    source = words(f"open({str(marker)!r}, 'w')")
    yield "os.system", node("ConstructorFromReduceNode", "os", "system", content=command)
    yield "posix.system", node("ConstructorFromReduceNode", "posix", "system", content=command)
    yield "builtins.eval", node("ConstructorFromReduceNode", "builtins", "eval", content=source)
    yield "builtins.exec", node("ListNode", "builtins", "exec", content=source["content"])
    yield "subprocess.Popen", node("ConstructorFromReduceNode", "subprocess", "Popen", content=command)
    yield "__main__.Evil", node("ObjectNode", "__main__", "Evil")
    yield "evil_module.Evil", node("ObjectNode", "evil_module", "Evil")
    yield "evil_module.run", node("FunctionNode", "evil_module", "run")
    yield "operator.attrgetter", node("OperatorFuncNode", "operator", "attrgetter", attrs=words("__class__"))
    # Names that only look like ours: what a module of ours imports, what starts a command, what writes files.
    for module, name in [
        ("treatise.io.models.os", "system"),
        ("treatise.io.models", "Path"),
        ("treatise.io.models", "save_model"),
        ("treatise.io.models", "ModelFile"),
        ("treatise.__main__", "main"),
        ("treatise.cli.__main__", "main"),
        ("treatise.evil_module", "Evil"),
        ("treatise...evil_module", "Evil"),
        ("treatise.io/../../evil_module", "Evil"),
        ("treatise", "import_module"),
        ("treatise_evil", "Evil"),
        ("treatise.io.models", "BaseEstimator"),
    ]:
        yield f"{module}.{name}", node("ConstructorFromReduceNode", module, name, content=words(str(marker)))


def test_a_file_that_names_anything_else_is_refused_and_runs_nothing(tmp_path, monkeypatch):
    marker = tmp_path / "ran"
    (tmp_path / "evil_module.py").write_text(f"open({str(marker)!r}, 'w')\nEvil = run = print\n")
    (tmp_path / "treatise_evil.py").write_text(f"open({str(marker)!r}, 'w')\nEvil = print\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, schema in attacks(marker):
        path = forged(tmp_path / "evil.skops", schema)
        with pytest.raises(TreatiseError) as error:
            load_model(path)
        assert "no model file may" in str(error.value), name
        assert name in str(error.value)
        assert not marker.exists(), name


def test_a_function_inside_a_trusted_estimator_is_refused(tmp_path):
    marker = tmp_path / "ran"
    inner = json.loads(json.dumps(skops_schema(FunctionTransformer())))
    inner["content"]["content"]["func"] = node("FunctionNode", "os", "system")
    with pytest.raises(TreatiseError, match=r"os\.system"):
        load_model(forged(tmp_path / "evil.skops", inner))
    assert not marker.exists()


def skops_schema(model):
    return json.loads(zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))).read("schema.json"))


class Touch:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_pickles_are_refused_and_run_nothing(tmp_path, protocol):
    marker = tmp_path / "ran"
    path = tmp_path / "model.skops"
    path.write_bytes(pickle.dumps(Touch(marker), protocol=protocol))
    with pytest.raises(TreatiseError, match="this is a pickle" if protocol else "this is no model file"):
        load_model(path)
    joblib.dump(Touch(marker), path, compress=True)
    with pytest.raises(TreatiseError, match="this is no model file"):
        load_model(path)
    assert not marker.exists()


def test_the_version_is_looked_at_before_anything_else(tmp_path):
    """A newer file is told as such although its types are unknown here."""
    unknown = node("LoaderOfTheFuture", "treatise.future", "Model")
    major, minor = (int(part) for part in treatise.__version__.split(".")[:2])
    for about, admitted in [
        ({"treatise": f"{major}.{minor + 1}.0", "format": 1, "metadata": {}}, False),
        ({"treatise": f"{major + 1}.0", "format": 1, "metadata": {}}, False),
        ({"treatise": treatise.__version__, "format": 2, "metadata": {}}, False),
        ({"treatise": f"{major}.{minor}.99", "format": 1, "metadata": {}}, True),
        ({"treatise": f"{major}.{max(minor - 1, 0)}.0", "format": 1, "metadata": {}}, True),
    ]:
        with pytest.raises(TreatiseError) as error:
            load_model(forged(tmp_path / "new.skops", unknown, about))
        assert ("upgrade Treatise" in str(error.value)) is not admitted
        if admitted:
            assert load_model(forged(tmp_path / "ours.skops", None, about)).version == about["treatise"]


@pytest.mark.parametrize(
    "about",
    [
        "not json",
        "[]",
        '{"treatise": "0.1.0", "format": 1}',
        '{"treatise": 1, "format": 1, "metadata": {}}',
        '{"treatise": "x.y", "format": 1, "metadata": {}}',
        '{"treatise": "0.1.0", "format": true, "metadata": {}}',
        "[" * 100_000,
    ],
)
def test_a_broken_note_on_the_version_is_refused(tmp_path, about):
    with pytest.raises(TreatiseError, match="damaged"):
        load_model(forged(tmp_path / "model.skops", None, about))


def test_files_that_are_no_model_are_refused(tmp_path):
    path = tmp_path / "model.skops"
    for content, said in [
        (b"", "the file is empty"),
        (b"a,b\n1,2\n", "this is no model file"),
        (b"PK\x03\x04 not really", "cut short or damaged"),
        (skops.io.dumps(Ridge()), "this archive is no model file"),
    ]:
        path.write_bytes(content)
        with pytest.raises(TreatiseError, match=said):
            load_model(path)
    with pytest.raises(TreatiseError, match=r"no such file; did you mean model\.skops"):
        load_model(tmp_path / "modl.skops")
    with pytest.raises(TreatiseError, match="this is a folder"):
        load_model(tmp_path)


def test_a_file_that_would_unfold_is_refused(tmp_path):
    path = forged(tmp_path / "bomb.skops", compression=zipfile.ZIP_DEFLATED, extra=[("0.npy", bytes(10**7))])
    with pytest.raises(TreatiseError, match="compressed inside"):
        load_model(path)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", bytes(80 << 20))
    with pytest.raises(TreatiseError, match="would unfold to 80 MiB"):
        load_model(forged(path, extra=[("0.npz", inner.getvalue())]))


def test_damaged_model_files_load_equal_or_are_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    fitted = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2)).fit(X, y)
    path = tmp_path / "model.skops"
    save_model(fitted, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for length in [*rng.integers(0, len(whole), 20), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(TreatiseError):
            load_model(path)
    refused = 0
    for _ in range(60):
        data = bytearray(whole)
        data[rng.integers(len(data))] = rng.integers(256)
        path.write_bytes(data)
        try:
            loaded = load_model(path).model
        except TreatiseError:
            refused += 1
        else:
            # The archive's check sums leave only bytes that mean nothing.
            np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    assert refused > 30


def rewired_tree(**changes):
    """A fitted decision tree whose node table was changed."""
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    state = model.tree_.__getstate__()
    for field, (at, value) in changes.items():
        state["nodes"][field][at] = value
    model.tree_.__setstate__(state)
    return model


@pytest.mark.parametrize(
    "change",
    [
        {"left_child": (0, 10**6)},
        {"right_child": (0, -7)},
        {"left_child": (0, 0)},
        {"feature": (0, 4)},
        {"feature": (0, -1)},
    ],
    ids=str,
)
def test_decision_trees_that_point_outside_are_refused(tmp_path, change):
    save_model(rewired_tree(), tmp_path / "model.skops")
    load_model(tmp_path / "model.skops")
    save_model(rewired_tree(**change), tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside its table"):
        load_model(tmp_path / "model.skops")


def test_trees_that_expect_more_columns_than_their_forest_are_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    for model in (RandomForestClassifier(3), GradientBoostingClassifier(n_estimators=2), DecisionTreeClassifier()):
        fitted = model.fit(X, y)
        fitted.n_features_in_ = 2
        save_model(fitted, tmp_path / "model.skops")
        with pytest.raises(TreatiseError, match="points outside"):
            load_model(tmp_path / "model.skops")


@pytest.mark.parametrize(("field", "value"), [("left", 10**6), ("right", 0), ("feature_idx", 4), ("is_categorical", 1)])
def test_histogram_trees_that_point_outside_are_refused(tmp_path, field, value):
    X, y = load_iris(return_X_y=True)
    fitted = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    fitted._predictors[1][2].nodes[field][0] = value
    save_model(fitted, tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside"):
        load_model(tmp_path / "model.skops")


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
@pytest.mark.parametrize(
    ("part", "change"),
    [
        (1, lambda order: order.__setitem__(3, 10**6)),
        (2, lambda nodes: nodes["idx_end"].__setitem__(-1, 10**6)),
        (2, lambda nodes: nodes["is_leaf"].__setitem__(-1, 0)),
    ],
)
def test_neighbour_trees_that_point_outside_are_refused(tmp_path, algorithm, part, change):
    X, y = load_iris(return_X_y=True)
    fitted = KNeighborsClassifier(algorithm=algorithm).fit(X, y)
    state = fitted._tree.__getstate__()
    change(state[part])
    fitted._tree.__setstate__(state)
    save_model(fitted, tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside"):
        load_model(tmp_path / "model.skops")


def test_estimators_of_the_library_are_admitted_and_its_other_classes_are_not():
    from treatise.io._model_types import _is_own
    from treatise.selection import FCBF

    assert _is_own(f"{FCBF.__module__}.{FCBF.__name__}")
    assert not _is_own("treatise.selection.FCBF")  # the name of the class is where it is defined
    assert not _is_own("treatise._core.errors.TreatiseError")
    assert not _is_own("treatise.io._table.Table")
