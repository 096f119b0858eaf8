"""The paper's experiment in its quick form."""

from treatise.papers import reproduce


def test_every_statement_of_the_paper_is_reached(real_data, quick):
    real_data("keel/letter.dat")
    evidence = quick("v05-1089")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert evidence.skipped == []
    quantities = " / ".join(row.quantity for row in evidence.rows if row.judged)
    for key in ("θ̂₂", "θ̂₁ falls short", "multiplicities", "γ of the order of σ²", "Letter, trees"):
        assert key in quantities
    assert len(evidence.figure.axes) == 6


def test_without_the_letters_the_other_rows_remain(tmp_path, monkeypatch):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    outcome = reproduce("v05-1089", folder=tmp_path)
    assert not outcome.failed
    assert "keel/letter.dat is absent" in outcome.skipped[0]
    assert not any("Letter" in row.quantity for row in outcome.rows)
    assert (tmp_path / "v05-1089.png").stat().st_size > 10_000
