"""The experiment of following the perturbed leader."""

from treatise.papers.online.v12_0241 import experiment

GAZPROM = ["Gazprom 2009: gain of PROT, Rub, without costs", "Gazprom 2009: gain of PROT, Rub, with costs"]


def test_the_quick_form_reaches_all_but_the_lost_prices(real_data, quick):
    for name in ("djia", "sp500", "nyse_o"):
        real_data(f"portfolio/{name}.csv.gz")
    evidence = quick("v12-0241")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert [row.quantity for row in evidence.rows if row.gap] == GAZPROM
    assert evidence.skipped == []
    assert sum(row.quantity.startswith(("djia", "sp500", "nyse_o")) for row in evidence.rows) == 12
    assert len(evidence.figure.axes) == 3


def test_without_data_the_generated_prices_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 3
    assert any("Hurst index 0.7" in row.quantity for row in evidence.rows)
    assert not any(row.failed for row in evidence.rows)
