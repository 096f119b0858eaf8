"""The experiment of structure learning with constraints."""

import numpy as np

from treatise.papers.bayesnet.v12_0663 import experiment, needed_scores

FILES = ("keel/wisconsin.dat", "keel/letter.dat", "keel/wdbc.dat", "bn/asia.bif.gz", "bn/insurance.bif.gz")


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in FILES:
        real_data(name)
    evidence = quick("v12-0663")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    found = {row.quantity: row for row in evidence.rows}
    assert found["Breast, BIC: most parents of a set that was kept"].verdict == "reached"
    for prior in ("BIC", "BDeu, prior of 0.1", "BDeu, prior of 1", "BDeu, prior of 10"):
        assert found[f"Breast, {prior}: gap of branch and bound, %"].here == 0.0
    assert found["wdbc: best forest found and proved"].here is True
    assert found["ASIA, 1000 rows, at most 3 parents: gap, %"].here == 0.0
    assert evidence.figure is not None and len(evidence.figure.axes) == 2


def test_without_data_random_networks_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 7 and evidence.figure is None
    assert len(evidence.rows) == 3 and not any(row.failed for row in evidence.rows)


def test_scores_that_smaller_tables_do_not_settle_are_counted():
    # Column 1 repeats column 0. Given either, nothing is left to explain of the other, and of column 2 neither tells
    # more than its entropy allows: no pair of parents is open. Sets of no parent or one are, 3 for each column.
    first, other = np.repeat([0, 1], 50), np.tile([0, 1], 50)
    codes = np.column_stack([first, first, other])
    assert needed_scores(codes, 2) == 9
    # A column that is 1 once in 100 rows tells less than 6 nats of any other, not worth the 7 of a second parent.
    rare = np.arange(100) == 0
    assert needed_scores(np.column_stack([first, rare, other]), 2) == 9
    # An exclusive or shows in no smaller table: every set may be the one.
    assert needed_scores(np.column_stack([first, other, first ^ other]), 2) == 12
