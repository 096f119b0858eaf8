"""The experiment of averaged SGD."""


def test_the_quick_form_keeps_every_bound_and_shows_the_faster_rate(quick):
    evidence = quick("v15-0595")
    assert [row.quantity for row in evidence.rows if row.failed or row.gap] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["N = 10000, 30 streams: mean excess of the average (Corollary 2)"] < 0.03
    # A local rate of 1/N would give 10, less the square root of 10.
    assert here["excess at N = 10 000 over that at 100 000, beyond the square root of 10 that Corollary 2 gives"] > 2.0
    assert evidence.figure is not None
