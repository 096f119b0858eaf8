"""The theorems on regularised kernel methods."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1363")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert sum("Corollary 13" in row.quantity for row in evidence.rows) >= 10
    here = {row.quantity: row.here for row in evidence.rows}
    assert 5 < here["problems with more than one best offset"] < 60
    assert evidence.figure is not None
