"""What theory says of a table: contradictions, planes, rows that teach, a bound."""

import numpy as np
import polars as pl
from scipy.stats import binomtest

from treatise.compare.explaining.rows import Rows
from treatise.compare.explaining.theory import contradictions, separated_by_plane, theory_lines
from treatise.compare.inputs import FoldPredictions


def table(columns, y, classes=(0, 1), **more):
    frame = pl.DataFrame(columns)
    return Rows(frame, np.asarray(y), "binary", np.array(classes), tuple(frame.columns), **more)


def parts_of(predicted, actual, k=2):
    numbers = np.arange(len(actual))
    return [
        FoldPredictions(numbers[fold::k], np.asarray(actual)[fold::k], np.asarray(predicted)[fold::k], None)
        for fold in range(k)
    ]


def lines(rows, methods, seconds=10.0):
    return theory_lines(rows, "a", "Chosen", {key: parts_of(said, rows.y) for key, said in methods.items()}, seconds)


def test_rows_that_contradict_each_other_bound_what_can_be_right():
    rows = table({"x": [1.0, 1.0, 1.0, 2.0, None, None], "c": ["a", "a", "a", "a", "b", "b"]}, [0, 1, 0, 1, 0, 1])
    assert contradictions(rows) == (5, 4 / 6)  # two of three, the single one, one of two
    first = lines(rows, {"a": [0, 1, 0, 1, 0, 1]})[0]
    assert first.startswith("5 rows are equal") and "66.67%" in first
    assert not any("plane" in line for line in lines(rows, {"a": [0, 1, 0, 1, 0, 1]}))


def test_a_plane_is_found_where_there_is_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    positive = X @ [1.0, -2.0] > 0.3
    assert separated_by_plane(X, positive, 10.0) is True
    turned = positive ^ (np.arange(60) == int(np.argmax(X @ [1.0, -2.0])))
    assert separated_by_plane(X, turned, 10.0) is False
    rows = table({"x": 1e6 * X[:, 0], "z": X[:, 1] + 5}, positive.astype(int))
    said = lines(rows, {"a": rows.y})
    assert said[0].startswith("No two rows") and said[1].startswith("A plane separates the two classes")
    assert lines(table({"x": X[:, 0], "z": X[:, 1]}, turned.astype(int)), {"a": turned})[1].startswith("No plane")
    three = table({"x": X[:, 0]}, np.digitize(X[:, 0], [-0.5, 0.5]), classes=(0, 1, 2))
    assert "A plane separates 2 of the 3 classes" in lines(three, {"a": three.y})[1]
    wide = table({f"x{j}": rng.normal(size=8) for j in range(9)}, [0, 1] * 4)
    assert "9 encoded columns for 8 rows" in lines(wide, {"a": wide.y})[1]


def test_rows_tell_the_chosen_method_from_those_that_predict_anything_else():
    rows = table({"x": np.arange(6.0)}, [0, 0, 0, 1, 1, 1])
    methods = {"a": [0, 0, 0, 1, 1, 1], "same": [0, 0, 0, 1, 1, 1], "b": [1, 0, 0, 1, 1, 1], "c": [1, 0, 0, 1, 1, 0]}
    (line,) = [line for line in lines(rows, methods) if "tell" in line]
    assert line == "1 held-out row (0) tell Chosen from the 2 other methods that predict anything else."
    assert not any("tell" in line for line in lines(rows, {"a": methods["a"], "same": methods["same"]}))


def test_the_bound_is_that_of_the_binomial_in_each_fold_at_a_share_of_the_level():
    rng = np.random.default_rng(1)
    rows = table({"x": rng.normal(size=200)}, rng.integers(0, 2, 200))
    said = np.where(rng.random(200) < 0.8, rows.y, 1 - rows.y)
    last = lines(rows, {"a": said})[-1]
    right = [int(np.sum(part.predicted == part.actual)) for part in parts_of(said, rows.y)]
    wanted = np.mean([
        binomtest(r, 100).proportion_ci(1 - 2 * 0.025, "exact").low for r in right
    ])  # fmt: skip
    assert f"at least {wanted:.2%} of new rows" in last and f"it got {sum(right) / 200:.2%}" in last


def test_nothing_is_said_where_nothing_is_known():
    amounts = Rows(pl.DataFrame({"x": [1.0, 2.0]}), np.array([0.5, 1.5]), "regression", np.array([]), ("x",))
    assert theory_lines(amounts, "a", "Chosen", {}, 1.0) == ()
    assert theory_lines(None, "a", "Chosen", {}, 1.0) == ()
    part = table({"x": [1.0, 2.0]}, [0, 1], numbers=np.array([3, 9]))
    assert theory_lines(part, "a", "Chosen", {}, 1.0) == ()
    many = table({"town": [f"town {i}" for i in range(80)]}, [0, 1] * 40)
    assert not any("plane" in line for line in lines(many, {"a": many.y}))
