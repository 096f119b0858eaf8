"""The experiment of sparse linear identifiable models."""

import numpy as np

from treatise.papers._evidence import Row
from treatise.papers.bayesnet import v12_0863
from treatise.papers.bayesnet.v12_0863 import experiment, structure_counts


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("graphical/cyto_full_data.csv")
    evidence = quick("v12-0863")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["d=5, N=200, 10 networks: right order among ten candidates, %"] >= 80
    assert here["d=5, N=500: both kinds told, %"] >= 80
    assert here["Hidden cause with another tail: chains of ten that find Figure 3(b), with an edge"] == 10
    assert here["Cells, textbook's order: reversed links"] == 0
    assert here["Cells, textbook's order: true positives"] >= 9
    assert evidence.figure is not None and len(evidence.figure.axes) >= 4


def test_structure_counts_cover_every_pair_once():
    arcs = ((0, 1), (1, 2), (0, 3))
    found = np.zeros((4, 4), dtype=bool)
    found[0, 1] = found[2, 1] = found[2, 3] = True
    counts = structure_counts(found, arcs)
    assert counts == {"structural errors": 3, "true positives": 1, "true negatives": 2, "reversed links": 1}
    exact = np.zeros((4, 4), dtype=bool)
    exact[tuple(np.array(arcs).T)] = True
    assert structure_counts(exact, arcs)["structural errors"] == 0


def test_without_data_the_other_rows_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    kept = Row.ours("kept", 1)
    monkeypatch.setattr(v12_0863, "order_rows", lambda size: [kept])
    monkeypatch.setattr(v12_0863, "kind_rows", lambda size: ([kept], None))
    monkeypatch.setattr(v12_0863, "confounder_rows", lambda size: [kept])
    monkeypatch.setattr(v12_0863, "_figure", lambda model: None)
    evidence = experiment()
    assert evidence.rows == [kept] * 3
    assert [sentence.split(" is absent")[0] for sentence in evidence.skipped] == [
        "graphical/cyto_full_data.csv", "timeseries/faithful.csv",
    ]  # fmt: skip
