"""The experiment of the regularisation path."""

from treatise.papers.svm.v05_1391 import RANKS


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1391")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = " ".join(row.quantity for row in evidence.rows)
    assert all(f"gamma {gamma:g}: fewest training errors" in quantities for gamma in RANKS)
    assert "gamma 1: breakpoints of the path" in quantities
    assert evidence.figure is not None
