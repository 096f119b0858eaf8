"""The experiment of high-order conditional random fields."""

from treatise.papers.sequence.v15_0981 import experiment


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("sequences/ocr_taskar.mat")
    evidence = quick("v15-0981")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["log Z"] == 12.69566
    assert here["Synthetic, order 2: the true order beats order 1"] is True
    assert here["Handwriting: accuracy rises with each order up to 3"] is True
    assert here["Synthetic segments, noise 0.2: order 2 beats order 1, as in the paper's three tasks"] is True
    assert len(evidence.skipped) == 1 and "Cora" in evidence.skipped[0] and evidence.figure is not None


def test_without_data_the_rest_remains(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    monkeypatch.setattr("treatise.papers.sequence.v15_0981.synthetic_rows", lambda curves, full: [])
    evidence = experiment()
    assert len(evidence.skipped) == 2 and "ocr_taskar" in evidence.skipped[1]
    assert any(row.place == "Appendix B" for row in evidence.rows)
