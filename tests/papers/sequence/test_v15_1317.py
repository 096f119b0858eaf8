"""The experiment of output-space search."""

from treatise.papers.sequence.v15_1317 import experiment


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("sequences/ocr_taskar.mat")
    evidence = quick("v15-1317")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    start = here["HW-Small: recurrent classifier, % of letters right"]
    for method in ("LDS-Greedy", "FB-Greedy"):
        # The published gains are 17 and 15; a tenth of the passes and an eighth of the test words may cost some.
        assert here[f"HW-Small: {method}, % of letters right"] > start + 10
    assert len(evidence.skipped) == 1 and "NETtalk" in evidence.skipped[0] and evidence.figure is not None


def test_without_data_the_words_of_digits_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 2 and len(evidence.rows) == 3
    assert evidence.rows[1].here > evidence.rows[0].here
