"""The experiment of averaged SGD."""


def test_the_quick_form_keeps_every_bound_and_shows_the_faster_rate(quick):
    evidence = quick("v15-0595")
    assert [row.quantity for row in evidence.rows if row.failed or row.gap] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["N = 10000, 30 streams: mean excess of the average (Corollary 2)"] < 0.03
    assert any("Section 5" in quantity and value > 5.0 for quantity, value in here.items() if isinstance(value, float))
    assert evidence.figure is not None
