"""The experiment of fixed-rank PSD regression."""

from treatise.papers.metric.v12_0593 import ABSENT, experiment


def test_quick_experiment_reaches_what_it_should(real_data, quick):
    for name in ("keel/penbased.dat", "keel/ionosphere.dat", "genes/Prostate-GE.mat"):
        real_data(name)
    evidence = quick("v12-0593")
    assert not [row for row in evidence.rows if row.failed] and evidence.skipped == [ABSENT]
    claims = [row for row in evidence.rows if row.verdict == "reached"]
    assert len(claims) >= 5
    assert len(evidence.figure.axes) == 4


def test_missing_files_leave_the_toy_data_and_the_bundled_tables(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 4
    assert any(row.place == "Figure 3" for row in evidence.rows)
    assert not any(row.failed for row in evidence.rows)
