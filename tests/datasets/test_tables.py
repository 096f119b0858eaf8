"""The bundled tables against scikit-learn's own."""

import numpy as np
import pytest
from sklearn import datasets

from treatise._core.errors import TreatiseError
from treatise.datasets import BUNDLED, load_table
from treatise.datasets._home import known_files

LOADERS = {
    "breast_cancer": datasets.load_breast_cancer,
    "diabetes": lambda: datasets.load_diabetes(scaled=False),
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}


def test_every_bundled_table_is_compared_here():
    assert set(BUNDLED) == set(LOADERS)


@pytest.mark.parametrize("name", BUNDLED)
def test_values_are_those_of_scikit_learn(name):
    table, data = load_table(name), LOADERS[name]()
    assert table.name == name
    assert table.target == table.frame.columns[-1]
    features = table.frame.drop(table.target)
    np.testing.assert_array_equal(features.to_numpy(), data.data)
    assert all(column.isidentifier() for column in features.columns)
    outcome = table.frame[table.target].to_numpy()
    if name == "diabetes":
        np.testing.assert_array_equal(outcome, data.target)
    else:
        # Equal labels where scikit-learn's numbers are equal, and nowhere else.
        pairs = set(zip(outcome, data.target))
        assert len(pairs) == len(data.target_names)


@pytest.mark.parametrize(
    ("name", "target", "first", "last"),
    [
        ("breast_cancer", "diagnosis", "malignant", "benign"),
        ("digits", "digit", "0", "8"),
        ("iris", "species", "setosa", "virginica"),
        ("wine", "cultivar", "barolo", "barbera"),
        ("diabetes", "progression", 151.0, 57.0),
    ],
)
def test_targets_carry_their_names(name, target, first, last):
    table = load_table(name)
    assert table.target == target
    assert (table.frame[target][0], table.frame[target][-1]) == (first, last)


def test_anything_else_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris").write_text("0,1\n2,3\n")
    assert load_table("iris").n_rows == 150
    assert load_table("./iris").n_rows == 2
    assert load_table(tmp_path / "iris", header=True).frame.columns == ["0", "1"]


def test_an_absent_file_is_told_with_the_bundled_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TreatiseError, match="breast-cancer: no such file; tables that need no file: breast_cancer"):
        load_table("breast-cancer")
    with pytest.raises(TreatiseError, match=r"no such file$"):
        load_table(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    ("name", "target", "shape"),
    [("keel/sonar.dat", "column_60", (208, 61)), ("libsvm/svmguide1", "0", (3089, 5))],
)
def test_a_table_of_the_data_home_knows_its_target(real_data, name, target, shape):
    real_data(name)
    table = load_table(name)
    assert table.target == target and table.frame.shape == shape
    X, y = table.arrays()
    assert X.shape == (shape[0], shape[1] - 1) and X.dtype == np.float64 and len(y) == shape[0]


def test_every_known_table_tells_a_target_that_it_has(real_data):
    told = [name for name, known in known_files().items() if "target" in known]
    assert len(told) > 20
    for name in ("keel/letter.dat", "libsvm/covtype_sample.csv.gz"):
        assert name in told
        real_data(name)
        table = load_table(name)
        assert table.target in table.frame.columns


def test_arrays_are_numbers_text_or_objects(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,x,no\n?,z,yes\n")
    table = load_table(tmp_path / "t.csv")
    with pytest.raises(TreatiseError, match="t does not say which column is to be predicted"):
        table.arrays()
    X, y = table.arrays("y")
    assert X.dtype == object and X[0].tolist() == [1.0, "x"] and y.tolist() == ["no", "yes"]
    X, y = table.arrays(0)
    assert X.dtype.kind == "U" and y[0] == 1.0 and np.isnan(y[1])
