"""The experiment of the decoders between Viterbi and posterior decoding."""

from treatise.papers._reproduce import run

CB513 = "CB513, 416 chains in 10 folds: "


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("sequences/CB513_HHblits.csv.gz")
    evidence = quick("v15-0001")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["Log-average messages, scaled: path"] == "1 1 1 1 1"
    assert here["constrained PMAP: the path is possible"] is True
    assert here["Simulated proteins: errors of Viterbi less those of PMAP, %"] > 5
    assert here[CB513 + "errors of Viterbi less those of PMAP, %"] > 10
    assert here[CB513 + "impossible paths of PMAP, %"] > 60
    assert all(row.gap for row in evidence.rows if row.verdict == "not reached")
    assert len(evidence.skipped) == 1 and evidence.figure is not None


def test_without_data_the_examples_and_the_simulation_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = run("v15-0001", full=False)
    assert len(evidence.skipped) == 2 and evidence.figure is None
    assert len(evidence.rows) > 30 and not any(row.failed for row in evidence.rows)
