"""The contract that every public estimator with X keeps: scikit-learn's own checks, and the house's."""

import io
import pickle
from importlib import import_module

import joblib
import numpy as np
import pytest
from contract_examples import PARAMETERS, SET_ASIDE, TABLE_ESTIMATORS, example_of, output_of, public_estimators
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from treatise.catalog import FAMILIES, load_catalogue
from treatise.io import load_model, save_model

INSTANCES = [example_of(cls) for cls in TABLE_ESTIMATORS.values()]
by_estimator = pytest.mark.parametrize("estimator", INSTANCES, ids=lambda e: type(e).__name__)


@parametrize_with_checks(INSTANCES, expected_failed_checks=lambda e: SET_ASIDE.get(type(e).__name__, {}))
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    """A small non-negative table with named columns, so that every estimator accepts it."""
    X, y = make_classification(120, 8, n_informative=5, random_state=0)
    return np.abs(X), y


@pytest.fixture(scope="module")
def fitted_once(table):
    """An estimator fitted to the table, each once for all tests that only look at it."""
    found = {}

    def fitted(estimator):
        if id(estimator) not in found:
            found[id(estimator)] = clone(estimator).fit(*table)
        return found[id(estimator)]

    return fitted


@by_estimator
def test_same_seed_same_bits_and_fitted_twice_equals_fitted_once(estimator, table, fitted_once):
    X, y = table
    once = output_of(fitted_once(estimator), X)
    again = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(once, output_of(again, X))
    np.testing.assert_array_equal(once, output_of(again.fit(X, y), X))


@by_estimator
def test_fit_leaves_global_random_state_and_the_data_alone(estimator, table):
    X, y = (a.copy() for a in table)
    before = pickle.dumps(np.random.get_state())  # noqa: NPY002
    clone(estimator).fit(X, y)
    assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002
    np.testing.assert_array_equal(X, table[0])
    np.testing.assert_array_equal(y, table[1])


@by_estimator
def test_sparse_equals_dense(estimator, table):
    X, y = table
    X = np.where(np.median(X, axis=0) < X, np.round(X, 1), 0.0)
    if not get_tags(estimator).input_tags.sparse:
        pytest.skip("takes dense input only, and says so in its tags")
    dense = output_of(clone(estimator).fit(X, y), X)
    for layout in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array):
        thin = output_of(clone(estimator).fit(layout(X), y), layout(X))
        np.testing.assert_allclose(thin, dense, rtol=1e-6, atol=1e-8, err_msg=layout.__name__)


@by_estimator
def test_float32_gives_nearly_the_same(estimator, table, fitted_once):
    X, y = table
    # Single precision carries 7 digits; iterative fits lose a few more.
    wide = output_of(fitted_once(estimator), X)
    narrow = output_of(clone(estimator).fit(X.astype(np.float32), y), X.astype(np.float32))
    if is_classifier(estimator) and not hasattr(estimator, "transform"):
        assert np.mean(wide == narrow) > 0.97
    else:
        assert narrow.shape == wide.shape
        np.testing.assert_allclose(narrow, wide, rtol=1e-2, atol=1e-2)


@by_estimator
def test_feature_names_and_set_output(estimator, table):
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = pandas.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    fitted = clone(estimator).fit(frame, y)
    assert list(fitted.feature_names_in_) == list(frame.columns)
    if hasattr(fitted, "transform"):
        out = clone(estimator).set_output(transform="pandas").fit(frame, y).transform(frame)
        assert list(out.columns) == list(fitted.get_feature_names_out())
        np.testing.assert_allclose(np.asarray(out), output_of(fitted, frame))


@by_estimator
def test_joblib_and_skops_round_trips(estimator, table, fitted_once, tmp_path):
    X, _ = table
    fitted = fitted_once(estimator)
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    np.testing.assert_array_equal(output_of(joblib.load(buffer), X), output_of(fitted, X))
    save_model(fitted, tmp_path / "model.skops")
    np.testing.assert_array_equal(output_of(load_model(tmp_path / "model.skops").model, X), output_of(fitted, X))


@by_estimator
def test_works_in_a_pipeline_and_a_grid_search(estimator, table):
    X, y = table
    pipeline = make_pipeline(FunctionTransformer(), clone(estimator))
    name = pipeline.steps[-1][0]
    parameter = sorted(estimator.get_params(deep=False))[0]
    grid = {f"{name}__{parameter}": [estimator.get_params()[parameter]]}
    scoring = None if hasattr(estimator, "score") else (lambda *_: 0.0)
    search = GridSearchCV(pipeline, grid, cv=2, scoring=scoring, error_score="raise").fit(X, y)
    learns_a_graph = not (hasattr(estimator, "transform") or hasattr(estimator, "predict"))
    assert len(output_of(search.best_estimator_, X)) == (X.shape[1] if learns_a_graph else len(X))


def test_every_public_estimator_is_in_the_catalogue():
    listed = {entry.path for paper in load_catalogue() for entry in paper.estimators}
    in_families = {path for path in public_estimators() if path.split(".")[1] in FAMILIES}
    assert in_families - listed == set()


def test_every_catalogue_row_imports():
    for paper in load_catalogue():
        for entry in paper.estimators:
            module, _, name = entry.path.rpartition(".")
            assert hasattr(import_module(module), name), f"{paper.id}: {entry.path}"


def test_every_example_of_the_checks_is_of_a_public_estimator():
    assert set(PARAMETERS) <= {cls.__name__ for cls in TABLE_ESTIMATORS.values()}
