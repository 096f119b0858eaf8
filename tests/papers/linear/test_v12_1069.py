"""The experiment of differentially private empirical risk minimisation."""

import numpy as np

from treatise.papers.linear.v12_1069 import experiment
from treatise.papers.linear.v12_1069._adult import load_adult


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in ("libsvm/a9a", "libsvm/a9a.t"):
        real_data(name)
    evidence = quick("v12-1069")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert sum(row.place == "Table 1" for row in evidence.rows) == 18
    # The paper's best cell: 0.2046.
    assert 0.19 < here["Adult: error, Huber objective, Λ = 10^-2.5"] < 0.22
    assert evidence.figure is not None
    assert len(evidence.skipped) == 1 and "KDD Cup 99" in evidence.skipped[0]


def test_without_data_privacy_and_sensitivity_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 2
    assert len(evidence.rows) == 4 and not any(row.failed for row in evidence.rows)
    assert any("Theorem 6" in row.quantity for row in evidence.rows)


def test_adult_has_the_shape_of_the_paper(real_data):
    for name in ("libsvm/a9a", "libsvm/a9a.t"):
        real_data(name)
    X, y = load_adult()
    # The paper counts 45 220 complete records and 105 columns; a quarter earns more.
    assert X.shape == (45_221, 105) and round(float(np.mean(y == 1)), 2) == 0.25
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1.0)
    # Eight indicators of one size in each row; ranks of bins between 0 and that size.
    categories, ranks = X[:, :99], X[:, 99:]
    assert np.all(np.diff(categories.indptr) == 8)
    assert ranks.min() == 0 and np.all(ranks.max(axis=1).toarray() <= categories.max(axis=1).toarray())
