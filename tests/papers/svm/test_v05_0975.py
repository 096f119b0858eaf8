"""The experiment of pairwise coupling."""

from treatise.papers.svm.v05_0975 import experiment

FILES = ("keel/splice.dat", "keel/segment.dat", "keel/letter.dat")


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in FILES:
        real_data(name)
    evidence = quick("v05-0975")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    verdicts = {row.quantity: row.verdict for row in evidence.rows}
    assert verdicts["letter, 300/500: error %, exponential decoding of decision values"] == "reached"
    assert verdicts["k = 64: row sums are the least accurate"] == "reached"
    assert verdicts["letter, 300/500: Hastie & Tibshirani have the largest squared error"] == "reached"
    assert evidence.skipped == [] and len(evidence.figure.axes) == 4


def test_without_data_the_simulations_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 3
    assert len(evidence.rows) == 19 and not any(row.failed for row in evidence.rows)
