"""The experiment of cumulative distribution networks."""

from treatise.papers.graphical.v12_0301 import experiment


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for mode in ("HeadToHead", "LargeTeam"):
        real_data(f"ranking/Halo2-{mode}.objml.gz")
    evidence = quick("v12-0301")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["simulated duels: pairs in wrong order, cumulative network (Figure 18)"] < 0.35
    assert any("Halo 2 duels" in quantity for quantity in here)
    assert any("Halo 2 large teams" in quantity for quantity in here)
    assert evidence.figure is not None


def test_without_data_the_examples_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    monkeypatch.setattr("treatise.papers.graphical.v12_0301._simulated_rows", list)
    evidence = experiment()
    assert len(evidence.skipped) == 2 and len(evidence.rows) == 6
