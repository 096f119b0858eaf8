"""The experiment of the fast correlation-based filter."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from treatise.papers.selection.v05_1205 import RoundedGaussianNB, experiment

FILES = ("keel/splice.dat", "features/arcene.mat", "features/dorothea_valid.data.gz", "features/dorothea_valid.labels")


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in FILES:
        real_data(name)
    evidence = quick("v05-1205")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["Splice: number of features of FCBF(0)"] == 22
    assert here["Splice: number of features of FCBF(log)"] == 9
    assert here["Arcene: number of features of FCBF(0)"] == 39
    assert here["Arcene: number of features of FCBF(log)"] == 24
    assert here["Corral-46: features of FCBF(0)"] == "A0 A1 B0 B1"
    assert any("Dorothea" in quantity for quantity in here)
    assert evidence.figure is not None


def test_without_data_corral_remains(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 5
    assert len(evidence.rows) == 6 and not any(row.failed for row in evidence.rows)


def test_rounded_naive_bayes_is_the_gaussian_one_where_rounding_is_fine():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 3)) * [1, 2, 5] + y[:, np.newaxis]
    ours, plain = RoundedGaussianNB().fit(X, y), GaussianNB().fit(X, y)
    # The gaps are thousandths of the deviations: only rows on the border may differ.
    assert np.mean(ours.predict(X) == plain.predict(X)) > 0.995
    np.testing.assert_allclose(ours.means_, plain.theta_, atol=0.01)


def test_rounded_naive_bayes_gives_deviations_a_floor():
    X = np.array([[0.0], [0.0], [0.0], [6.0], [6.0], [6.0]])
    found = RoundedGaussianNB().fit(X, np.array([0, 0, 0, 1, 1, 1]))
    assert found.precision_ == pytest.approx([6.0])
    np.testing.assert_allclose(found.deviations_, 1.0)
    assert found.predict(np.array([[1.0], [5.0]])).tolist() == [0, 1]
