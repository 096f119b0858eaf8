"""The experiment of feature discovery in non-metric pairwise data."""

from treatise.papers.metric.v05_0801 import experiment


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("text/20news_w1000.mat")
    evidence = quick("v05-0801")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    rows = {row.quantity: row for row in evidence.rows}
    assert rows["toy, difference of both: last direction, parity are told apart"].here is True
    digits = "digits 0 and 7 (8 x 8): the last direction is closest to the weight of the stroke"
    words = "words of sci.space and soc.religion.christian: the last direction is that of specificity"
    assert rows[digits].here is rows[words].here is True
    assert evidence.figure is not None


def test_without_data_toy_perception_and_small_digits_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 3 and not any(row.failed for row in evidence.rows)
    assert any("8 x 8" in row.quantity for row in evidence.rows)
