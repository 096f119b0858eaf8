"""Model files from a stranger: nothing in them runs, and no index leads outside its table."""

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
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import treatise
from treatise._core.errors import TreatiseError
from treatise.io import load_model, save_model


def forged(path, schema=None, about=None, *, model=None, compression=zipfile.ZIP_STORED, extra=()):
    """A model file with its schema or its note on the version changed by hand."""
    data = skops.io.dumps(model or DummyRegressor())
    if schema is None:
        schema = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("schema.json"))
    good = {"treatise": treatise.__version__, "format": 3, "metadata": {}}
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
        ("treatise.io.models.files.os", "system"),
        ("treatise.io.models.files", "Path"),
        ("treatise.io.models.files", "save_model"),
        ("treatise.io.models.files", "ModelFile"),
        ("treatise.__main__", "main"),
        ("treatise.cli.__main__", "main"),
        ("treatise.evil_module", "Evil"),
        ("treatise...evil_module", "Evil"),
        ("treatise.io/../../evil_module", "Evil"),
        ("treatise", "import_module"),
        ("treatise_evil", "Evil"),
        ("treatise.io.models.files", "BaseEstimator"),
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
        ({"treatise": f"{major}.{minor + 1}.0", "format": 3, "metadata": {}}, False),
        ({"treatise": f"{major + 1}.0", "format": 3, "metadata": {}}, False),
        ({"treatise": treatise.__version__, "format": 4, "metadata": {}}, False),
        ({"treatise": f"{major}.{minor}.99", "format": 3, "metadata": {}}, True),
        ({"treatise": f"{major}.{max(minor - 1, 0)}.0", "format": 3, "metadata": {}}, True),
    ]:
        with pytest.raises(TreatiseError) as error:
            load_model(forged(tmp_path / "new.skops", unknown, about))
        assert ("upgrade Treatise" in str(error.value)) is not admitted
        if admitted:
            assert load_model(forged(tmp_path / "ours.skops", None, about)).version == about["treatise"]


def test_a_file_of_another_layout_is_told_with_the_version_that_wrote_it(tmp_path):
    for layout in (2, 1, 0, -1):
        about = {"treatise": "0.0.7", "format": layout, "metadata": {}}
        with pytest.raises(TreatiseError) as error:
            load_model(forged(tmp_path / "old.skops", None, about))
        now = f"this is {treatise.__version__} (format 3); fit the model again"
        assert str(error.value).endswith(f"the model was saved by Treatise 0.0.7 (format {layout}) and {now}")


def test_a_class_that_has_moved_is_told_with_the_version_that_wrote_the_file(tmp_path):
    moved = node("ObjectNode", "treatise.online.old_place", "Model")
    about = {"treatise": "0.1.0", "format": 3, "metadata": {}}
    with pytest.raises(TreatiseError, match=r"saved by Treatise 0\.1\.0 .*old_place\.Model; fit the model again$"):
        load_model(forged(tmp_path / "moved.skops", moved, about))


@pytest.mark.parametrize(
    "about",
    [
        "not json",
        "[]",
        '{"treatise": "0.1.0", "format": 3}',
        '{"treatise": 1, "format": 3, "metadata": {}}',
        '{"treatise": "x.y", "format": 3, "metadata": {}}',
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


def numbered(number, *held):
    """A list by its number in the file; where the number was met before, it is the list that had it."""
    return node("ListNode", "builtins", "list", content=list(held), __id__=number)


def test_lists_that_hold_each_other_over_and_over_are_refused(tmp_path):
    """A few lines of schema, each list holding the one before it twice: a walk over all would take 2 ** 60 steps."""
    nested = numbered(1)
    for number in range(2, 62):
        nested = numbered(number, nested, numbered(number - 1))
    with pytest.raises(TreatiseError, match="hold each other over and over"):
        load_model(forged(tmp_path / "nested.skops", nested))
    # The same, the shared parts told in another order than they are spelt out in.
    spelt = numbered(
        100, *(numbered(number, numbered(number - 1), numbered(number - 1)) for number in range(61, 1, -1))
    )
    with pytest.raises(TreatiseError, match="hold each other over and over"):
        load_model(forged(tmp_path / "nested.skops", spelt))
    with pytest.raises(TreatiseError, match="holds itself"):
        load_model(forged(tmp_path / "circle.skops", numbered(1, numbered(2, numbered(1)))))


def test_what_a_model_holds_twice_is_loaded_once(tmp_path):
    step = StandardScaler()
    save_model(make_pipeline(step, step, step), tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops").model
    assert loaded[0] is loaded[1] is loaded[2]


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
    from treatise.io.models.types import _is_own
    from treatise.selection import FCBF

    assert _is_own(f"{FCBF.__module__}.{FCBF.__name__}")
    assert not _is_own("treatise.selection.FCBF")  # the name of the class is where it is defined
    assert not _is_own("treatise._core.errors.TreatiseError")
    assert not _is_own("treatise.io.tables.table.Table")


def test_worlds_and_logs_whose_numbers_lead_compiled_loops_are_no_models(tmp_path, monkeypatch):
    """A world that begins in a state that is not there would walk through foreign memory."""
    from treatise.io.models import types
    from treatise.rl import FiniteMDP

    world = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    world.start = np.append(np.zeros(10**6), 1.0)
    with monkeypatch.context() as forger:
        forger.setattr(types, "refused_types", lambda data: [])
        save_model(world, tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="no model file may hold"):
        load_model(tmp_path / "model.skops")


def test_sparse_matrices_that_point_outside_are_refused(tmp_path):
    X = sparse.random(60, 20, density=0.2, format="csr", random_state=0)
    fitted = SVC().fit(X, np.arange(60) % 2)
    fitted.support_vectors_.indices[0] = 10**6
    save_model(fitted, tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside its table"):
        load_model(tmp_path / "model.skops")


@pytest.mark.parametrize(
    ("kernel", "layout"), [("rbf", np.asarray), ("rbf", sparse.csr_matrix), ("precomputed", np.asarray)]
)
def test_support_vectors_without_their_coefficients_are_refused(tmp_path, kernel, layout):
    X, y = load_iris(return_X_y=True)
    X = X @ X.T if kernel == "precomputed" else X
    for change in (
        lambda machine: setattr(machine, "_dual_coef_", machine._dual_coef_[:, :-1]),
        lambda machine: setattr(machine, "_n_support", machine._n_support * 2),
        lambda machine: setattr(machine, "_intercept_", machine._intercept_[:1]),
        lambda machine: setattr(machine, "support_", machine.support_ + 10**6),
        lambda machine: setattr(machine, "n_features_in_", 3),
    ):
        fitted = SVC(kernel=kernel).fit(layout(X), y)
        save_model(fitted, tmp_path / "model.skops")
        load_model(tmp_path / "model.skops")
        change(fitted)
        save_model(fitted, tmp_path / "model.skops")
        with pytest.raises(TreatiseError, match="points outside"):
            load_model(tmp_path / "model.skops")


def forged_centres(change):
    """A bisection of the iris flowers, changed by hand."""
    fitted = BisectingKMeans(3, random_state=0).fit(load_iris().data)
    change(fitted)
    return fitted


@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model, "cluster_centers_", model.cluster_centers_[:, :2]),
        lambda model: setattr(model._bisecting_tree.left, "center", model._bisecting_tree.left.center[:2]),
        lambda model: setattr(model._bisecting_tree, "left", model._bisecting_tree.right),
        lambda model: setattr(model._bisecting_tree, "right", None),
        lambda model: setattr(model, "n_features_in_", 40),
    ],
)
def test_centres_of_another_width_and_branches_met_twice_are_refused(tmp_path, change):
    whole = forged_centres(lambda model: None)
    save_model(whole, tmp_path / "model.skops")
    X = load_iris().data
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").model.predict(X), whole.predict(X))
    save_model(forged_centres(change), tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside"):
        load_model(tmp_path / "model.skops")


def test_centres_of_k_means_are_as_wide_as_its_data(tmp_path):
    fitted = KMeans(3, n_init=1).fit(load_iris().data)
    fitted.cluster_centers_ = fitted.cluster_centers_[:, :2]
    save_model(fitted, tmp_path / "model.skops")
    with pytest.raises(TreatiseError, match="points outside"):
        load_model(tmp_path / "model.skops")
