"""The experiment on robustness of kernel classifiers."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1007")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = [row.quantity for row in evidence.rows]
    assert sum("Theorem 8" in quantity for quantity in quantities) == 5
    assert sum("Theorem 12" in quantity for quantity in quantities) == 6
    assert evidence.figure is not None
