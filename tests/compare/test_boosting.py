"""Gradient boosting of other libraries: joins where installed, saves as plain data, refuses forged trees."""

import json
from importlib.resources import files
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from treatise._core.errors import TreatiseError
from treatise.catalog import load_entries
from treatise.compare import boosting
from treatise.compare.candidates import all_candidates
from treatise.io import load_model, save_model

LIBRARIES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}
each_library = pytest.mark.parametrize("library", LIBRARIES)


def made(library, kind, **params):
    pytest.importorskip(library, reason=f"{library} is not installed (the extra 'boosting')")
    return getattr(boosting, f"{LIBRARIES[library]}{kind}")(n_estimators=20, random_state=0, **params)


def test_they_take_part_exactly_where_they_are_installed():
    entries = load_entries(files("treatise.compare") / "baselines.toml")
    of_tables = [entry for entry in entries if "survival" not in entry.compare.tasks]
    assert {entry.requires for entry in of_tables} - {""} == set(LIBRARIES)
    for task in ("binary", "multiclass", "regression"):
        there = {c.entry.requires for c in all_candidates(task) if c.paper is None} - {""}
        assert there == {library for library in LIBRARIES if find_spec(library)}


def test_a_library_that_appears_brings_its_baseline(monkeypatch):
    monkeypatch.setattr("treatise.compare.candidates.find_spec", lambda name: name == "xgboost")
    (found,) = [c for c in all_candidates("regression") if c.entry.requires]
    assert found.key == "xgboost/XGBoostRegressor" and found.describe().summary == "A baseline of XGBoost."


@pytest.mark.skipif(find_spec("lightgbm") is not None, reason="lightgbm is installed")
def test_without_the_library_it_is_said_how_to_get_it():
    with pytest.raises(TreatiseError, match=r"pip install treatise\[boosting\]"):
        boosting.LightGBMClassifier().fit(np.eye(4), [0, 1, 0, 1])


@each_library
@pytest.mark.parametrize("data", [load_iris, load_breast_cancer])
def test_classes_are_learnt_saved_and_predicted_alike(library, data, tmp_path):
    X, y = data(return_X_y=True)
    y = np.array(["one", "two", "three"])[y]
    model = made(library, "Classifier").fit(X, y, sample_weight=np.linspace(0.5, 2, len(y)))
    assert model.score(X, y) > 0.9
    shares = model.predict_proba(X)
    assert shares.shape == (len(y), len(np.unique(y)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-5)
    save_model(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").model.predict_proba(X), shares)
    assert clone(model).get_params() == model.get_params()


@each_library
def test_amounts_are_learnt_from_sparse_rows_too_and_the_same_twice(library):
    X, y = load_diabetes(return_X_y=True)
    model = made(library, "Regressor").fit(X, y)
    np.testing.assert_array_equal(made(library, "Regressor").fit(X, y).predict(X), model.predict(X))
    assert model.score(X, y) > 0.4
    assert made(library, "Regressor").fit(sparse.csr_matrix(X), y).score(sparse.csr_matrix(X), y) > 0.4


def _forged(library, text):
    """The text with an index that points outside."""
    if library == "lightgbm":
        before, _, after = text.partition("split_feature=")
        return f"{before}split_feature=99{after[after.index(' ') :]}"
    model = json.loads(text)
    if library == "xgboost":
        model["learner"]["gradient_booster"]["model"]["trees"][0]["left_children"][0] = 10**6
    else:
        model["oblivious_trees"][0]["splits"][0]["float_feature_index"] = 10**6
    return json.dumps(model)


@each_library
def test_a_tree_that_points_outside_is_refused_before_the_library_sees_it(library):
    X, y = load_breast_cancer(return_X_y=True)
    model = made(library, "Classifier").fit(X, y)
    for text in (_forged(library, model.text_), "rubbish", model.text_[: len(model.text_) // 2]):
        forged = made(library, "Classifier")
        forged.__setstate__({**model.__getstate__(), "text_": text})
        with pytest.raises(TreatiseError, match="damaged or forged"):
            forged.predict(X)


@each_library
def test_trees_of_more_classes_than_have_a_name_are_refused(library):
    X, y = load_iris(return_X_y=True)
    model = made(library, "Classifier").fit(X, y)
    model.classes_ = model.classes_[:-1]
    with pytest.raises(TreatiseError, match="3 classes apart, and 2 have a name; the file is damaged or forged"):
        model.predict(X)


# What the libraries write, small enough to read: the checks need no library.
LIGHTGBM = """tree
version=v4
num_class=1
max_feature_idx=1

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
threshold=0.5 1.5
left_child=1 -1
right_child=-3 -2
leaf_value=0.1 0.2 0.3

end of trees
"""


def test_a_sound_text_passes_and_each_wrong_index_does_not():
    boosting._check_lightgbm(LIGHTGBM, 2)
    wrongs = [
        ("split_feature=0 1", "split_feature=0 2"), ("left_child=1 -1", "left_child=0 -1"),
        ("left_child=1 -1", "left_child=5 -1"), ("right_child=-3 -2", "right_child=-4 -2"),
        ("leaf_value=0.1 0.2 0.3", "leaf_value=0.1 0.2"), ("num_cat=0", "num_cat=1"),
        ("threshold=0.5 1.5", "threshold=0.5"), ("max_feature_idx=1", "max_feature_idx=7"),
    ]  # fmt: skip
    for right, wrong in wrongs:
        with pytest.raises(TreatiseError, match="damaged or forged"):
            boosting._check_lightgbm(LIGHTGBM.replace(right, wrong), 2)
    tree = {
        "split_indices": [0, 0, 0], "left_children": [1, -1, -1], "right_children": [2, -1, -1],
        "split_conditions": [0.5, 0.1, 0.2], "default_left": [0, 0, 0], "categories": [],
        "tree_param": {"num_nodes": "3"},
    }  # fmt: skip

    def text(tree, owner=0):
        model = {"trees": [tree], "tree_info": [owner], "iteration_indptr": [0, 1]}
        params = {"num_feature": "1", "num_class": "0"}
        return json.dumps({"learner": {"gradient_booster": {"model": model}, "learner_model_param": params}})

    boosting._check_xgboost(text(tree), 1)
    forged = [
        {"split_indices": [1, 0, 0]}, {"left_children": [0, -1, -1]}, {"right_children": [3, -1, -1]},
        {"right_children": [-1, -1, -1]}, {"default_left": [0]}, {"categories": [1]},
    ]  # fmt: skip
    for change in forged:
        with pytest.raises(TreatiseError, match="damaged or forged"):
            boosting._check_xgboost(text(tree | change), 1)
    with pytest.raises(TreatiseError, match="damaged or forged"):
        boosting._check_xgboost(text(tree, owner=1), 1)
