"""The experiment of ensembles of machines."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v15-0141")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = " ".join(row.quantity for row in evidence.rows)
    assert "moons: accuracy lost to one machine on all rows" in quantities
    assert len(evidence.skipped) > 1 or "covtype: accuracy of a linear machine" in quantities
    assert evidence.figure is not None
