"""The experiment of Markov networks from decision trees."""

from treatise.papers.graphical.v15_0501 import ABSENT, experiment


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for part in ("train", "valid", "test"):
        real_data(f"density/nltcs.{part}.data.gz")
    evidence = quick("v15-0501")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert {"NLTCS: test NPLL of DTSL", "NLTCS: test NPLL of L1"} <= set(here)
    assert here["NLTCS: test NCMLL of DTSL above that of L1"] > 0
    assert here["NLTCS: test NPLL of Chow-Liu"] < here["NLTCS: test NPLL of L1"] - 0.02
    assert evidence.figure is not None and evidence.skipped == [ABSENT]


def test_without_data_the_experiment_says_what_is_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert evidence.rows == [] and "nltcs" in evidence.skipped[1]
