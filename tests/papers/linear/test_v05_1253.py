"""The experiment of the minimum error minimax probability machine."""

from treatise.papers.linear.v05_1253 import ABSENT, experiment

TABLES = ("twonorm", "wisconsin", "ionosphere", "pima", "heart", "housevotes")


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in TABLES:
        real_data(f"keel/{name}.dat")
    evidence = quick("v05-1253")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    verdicts = {row.quantity: row.verdict for row in evidence.rows}
    for name in ("twonorm", "breast", "heart"):
        assert verdicts[f"{name}, linear: MEMPM bound, %"] == "reached"
    assert verdicts["pima, linear: beta of the curve at the paper's alpha"] == "reached"
    assert evidence.figure is not None and evidence.skipped == [ABSENT]


def test_without_data_the_synthetic_rows_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 9 and len(evidence.rows) == 5
    assert not any(row.failed for row in evidence.rows)
