"""The experiment of kernels in groups."""

from treatise.papers.v12_0565 import TABLES, experiment


def test_the_quick_form_reaches_what_it_should():
    evidence = experiment()
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = {row.quantity for row in evidence.rows}
    assert "digits from four quarters: accuracy of groups, q = inf" in quantities
    for name in TABLES:
        assert evidence.skipped or f"{name}: most rounds of block coordinate ascent, q = 2" in quantities
    assert evidence.figure is not None
