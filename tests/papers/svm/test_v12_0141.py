"""The experiment of the machines without offset."""

import numpy as np
import pytest

from treatise.papers.svm.v12_0141 import ABSENT, TABLE_1, Grid, experiment, libsvm_errors, split
from treatise.papers.svm.v12_0141._tables import load_offset_table

FILES = (
    *(f"keel/{name}.dat" for name in ("heart", "bupa", "ionosphere", "wisconsin", "pima")),
    "libsvm/svmguide1", "libsvm/svmguide1.t",
)  # fmt: skip


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in FILES:
        real_data(name)
    evidence = quick("v12-0141")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert evidence.skipped == [ABSENT]
    here = {row.quantity: row.here for row in evidence.rows}
    assert 1.05 <= here["svmguide1, 400 rows: steps of WSS 7 over those of WSS 32"] <= 1.2
    assert here["svmguide1, 400 rows: share of steps that I1-W4 saves"] > 0.6
    assert (
        here["svmguide1, 400 rows: steps over the grid, 1D"]
        > 2 * here["svmguide1, 400 rows: steps over the grid, WSS 7"]
    )
    assert any(quantity.startswith("ionosphere: test error") for quantity in here)
    assert len(evidence.figure.axes) == 4


def test_without_data_the_missing_files_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert evidence.rows == [] and len(evidence.skipped) == 7


@pytest.mark.parametrize(
    ("name", "file", "shape"),
    [
        ("sonar", "keel/sonar.dat", (208, 60)),
        ("heart", "keel/heart.dat", (270, 13)),
        ("liver", "keel/bupa.dat", (345, 6)),
        ("ionosphere", "keel/ionosphere.dat", (351, 33)),
        ("breast", "keel/wisconsin.dat", (683, 9)),
        ("diabetes", "keel/pima.dat", (768, 8)),
        ("german", "libsvm/german.numer", (1000, 24)),
        ("svmguide3", "libsvm/svmguide3.mat", (1243, 21)),
        ("splice", "libsvm/splice.gz", (3175, 60)),
        ("svmguide1", "libsvm/svmguide1.t", (7089, 4)),
    ],
)
def test_tables_are_scaled_and_have_two_classes(real_data, name, file, shape):
    real_data(file)
    X, y = load_offset_table(name)
    assert X.shape == shape and set(np.unique(y)) == {-1, 1}
    assert X.min() == -1.0 and X.max() == 1.0
    assert name in TABLE_1


def test_an_unknown_table_is_refused():
    with pytest.raises(ValueError, match="name='wine' is unknown"):
        load_offset_table("wine")


def test_splits_hold_every_row_once(real_data):
    real_data("keel/heart.dat")
    X, y, new, truth = split("heart", 3)
    assert len(y) == 189 and len(truth) == 81
    both = np.concatenate([np.column_stack([X, y]), np.column_stack([new, truth])])
    table = np.column_stack(load_offset_table("heart"))
    np.testing.assert_array_equal(both[np.lexsort(both.T)], table[np.lexsort(table.T)])


def test_paths_down_and_up_are_counted_at_the_same_points(real_data):
    for name in FILES[-2:]:
        real_data(name)
    grid = Grid("svmguide1", 60)
    up, down = grid.warm("I0", "W0"), grid.warm("I0", "W0", falling=True)
    np.testing.assert_array_equal(up, down)
    np.testing.assert_array_equal(up, grid.cold())


def test_libsvm_runs_the_same_procedure(real_data):
    real_data("keel/heart.dat")
    (error,) = libsvm_errors("heart", 1)
    assert 5.0 < error < 35.0
