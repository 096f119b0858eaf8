"""What is understood of a table before anything runs."""

import datetime
import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.catalog import Cost
from treatise.compare import understand
from treatise.compare.inputs import Input
from treatise.io import Table


def table(columns, **more):
    return Table("things", pl.DataFrame(columns), True, (), **more)


def numbers(n=60, seed=0):
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize(
    ("target", "task"),
    [
        (["a", "b"] * 30, "binary"),
        (["a", "b", "c"] * 20, "multiclass"),
        ([True, False] * 30, "binary"),
        ([0, 1] * 30, "binary"),
        ([1.0, 2.0, 3.0] * 20, "multiclass"),
        (list(range(60)), "regression"),
        (list(numbers()), "regression"),
    ],
)
def test_task_follows_from_the_target(target, task):
    assert understand(table({"x": numbers(), "y": target}), "y").task == task


def test_whole_numbers_as_classes_are_mentioned_and_can_be_overridden():
    data = table({"x": numbers(), "y": [1, 2, 3, 4, 5, 6] * 10})
    problem = understand(data, "y")
    assert problem.task == "multiclass"
    assert any("--task regression" in note for note in problem.notes)
    assert understand(data, "y", "regression").task == "regression"


def test_the_target_can_be_numbered_from_either_end():
    data = table({"y": ["a", "b"] * 30, "x": numbers()})
    assert understand(data, 0).target == understand(data, "-2").target == "y"


@pytest.mark.parametrize(
    ("columns", "target", "task", "sentence"),
    [
        ({"x": numbers(), "y": ["a"] * 60}, "y", None, "one value only"),
        ({"x": numbers(), "y": [None] * 60}, "y", None, "no value at all"),
        ({"x": numbers(), "y": [f"v{i}" for i in range(60)]}, "y", None, "no set of classes"),
        ({"x": numbers(), "y": ["a", "b"] * 30}, "y", "regression", "needs numbers"),
        ({"x": numbers(), "y": ["a", "b", "c"] * 20}, "y", "binary", "has 3 values"),
        ({"x": [1.0] * 60, "y": ["a", "b"] * 30}, "y", None, "no column is left"),
        ({"x": numbers(), "y": ["a", "b"] * 30}, "z", None, "no column 'z'"),
        ({"x": numbers(), "y": ["a", "b"] * 30}, None, None, "--target"),
        ({"x": numbers(), "y": ["a", "b"] * 30}, "y", "ranking", "choose one of"),
        ({"x": numbers(), "y": [float("inf"), *numbers(59)]}, "y", None, "infinite"),
        ({"x": numbers(), "y": [datetime.date(2020, 1, 1 + i % 28) for i in range(60)]}, "y", None, "dates"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(columns, target, task, sentence):
    with pytest.raises(TreatiseError, match=sentence) as caught:
        understand(table(columns), target, task)
    assert "\n" not in str(caught.value)


def test_columns_without_information_are_left_out_with_a_reason():
    n = 60
    data = table(
        {
            "constant": [3] * n,
            "empty": pl.Series([None] * n, dtype=pl.String),
            "patient_id": np.random.default_rng(1).permutation(10_000)[:n],
            "row": np.arange(n) + 5,
            "name": [f"person {i}" for i in range(n)],
            "seen": [datetime.date(1990, 1, 1)] * n,
            "born": [datetime.date(1990, 1, 1) + datetime.timedelta(days=37 * i) for i in range(n)],
            "measured": 0.1 * np.arange(n),
            "remark": [f"she liked the {'soup' if i % 2 else 'cake'} number {i} very much" for i in range(n)],
            "age": numbers(),
            "town": ["Bern", "Chur", "Genf"] * 20,
            "y": ["a", "b"] * 30,
        }
    )
    problem = understand(data, "y")
    assert problem.X.columns == ["born", "remark", "age", "town"]
    reasons = dict(problem.dropped)
    assert "constant" in reasons["constant"]
    assert "empty" in reasons["empty"]
    assert all("identifier" in reasons[name] for name in ("patient_id", "row", "name"))
    assert "constant" in reasons["seen"]
    assert "grows by the same step" in reasons["measured"]


def test_integers_that_happen_to_differ_are_kept():
    weights = np.random.default_rng(0).permutation(10_000)[:60]
    problem = understand(table({"weight": weights, "y": ["a", "b"] * 30}), "y")
    assert problem.X.columns == ["weight"]


def test_rows_without_a_target_are_left_out_with_a_note():
    data = table({"x": numbers(), "y": [None, float("nan"), *numbers(58)]})
    problem = understand(data, "y")
    assert problem.n_rows == 58
    assert any("2 rows without a value" in note for note in problem.notes)


def test_a_column_that_repeats_the_target_is_pointed_out():
    labels = ["a", "b"] * 30
    problem = understand(table({"x": numbers(), "copy": labels, "y": labels}), "y")
    assert any("'copy' repeats the target" in note for note in problem.notes)


def test_copies_of_a_row_share_a_group_and_natural_repeats_do_not():
    x = np.concatenate([numbers(50), numbers(50)[:10]])
    problem = understand(table({"x": x, "y": ["a", "b"] * 30}), "y")
    assert np.array_equal(problem.groups[50:], problem.groups[:10])
    assert len(np.unique(problem.groups)) == 50
    assert any("10 rows (16.7%) repeat another" in note for note in problem.notes)
    crossed = understand(
        table({"sex": ["m", "f"] * 30, "class": ["1", "2", "3"] * 20, "y": ["a"] * 30 + ["b"] * 30}), "y"
    )
    assert crossed.groups is None
    assert any("6 different ones" in note for note in crossed.notes)


def test_sparse_rows_are_grouped_like_dense_ones():
    matrix = sparse.random(40, 30, 0.3, format="csr", random_state=0)
    doubled = sparse.vstack([matrix, matrix[:5]]).tocsr()
    data = Table("thin", pl.DataFrame({"label": [0, 1, 0, 1, 1] * 9}), False, (), matrix=doubled)
    problem = understand(data)
    assert problem.target == "label"
    assert problem.sparse
    assert np.array_equal(problem.groups[40:], problem.groups[:5])
    assert len(np.unique(problem.groups)) == 40


def test_labels_keep_their_kind():
    assert understand(table({"x": numbers(), "y": [3, 7] * 30}), "y").y.dtype.kind == "i"
    assert understand(table({"x": numbers(), "y": ["3", "b"] * 30}), "y").y.dtype.kind == "U"


def test_the_name_of_a_model_stays_one_argument_in_code():
    model = 'my "best" $(rm -rf).skops'
    use = understand(table({"x": numbers(), "y": [3, 7] * 30}), "y").usage(model)
    literal = re.search(r"load_model\((.*)\)", use.python).group(1)
    assert json.loads(literal) == model
    assert use.shell == """treatise predict 'my "best" $(rm -rf).skops' new.csv -o out.csv"""


def test_an_input_comes_back_as_it_was_laid_out(tmp_path):
    dense = understand(table({"x": numbers(), "town": ["Bern", None, "Chur"] * 20, "y": [3, 7] * 30}), "y")
    matrix = sparse.random(40, 30, 0.3, format="csr", random_state=0)
    thin = understand(Table("thin", pl.DataFrame({"label": [0, 1] * 20}), False, (), matrix=matrix))
    for name, given in (("dense", dense), ("thin", thin)):
        (tmp_path / name).mkdir()
        given.save(tmp_path / name)
        again = Input.load(tmp_path / name)
        assert again.identity() == given.identity() and again.describe() == given.describe()
        np.testing.assert_array_equal(again.y, given.y)


def test_a_fit_is_said_to_need_no_less_memory_than_its_rows():
    problem = understand(table({"x": numbers(), "z": numbers(seed=1), "y": ["a", "b"] * 30}), "y")
    rows, columns = problem.rows_in_memory, problem.size.columns
    for candidate in problem.candidates():
        law = candidate.compare.bytes.at(rows, columns, 2)
        assert problem.bytes_of(candidate, rows) == max(law, 8.0 * rows * columns), candidate.entry.name
    forgetful = replace(candidate, compare=replace(candidate.compare, bytes=Cost(1.0)))
    assert problem.bytes_of(forgetful, rows) == 8.0 * rows * columns
