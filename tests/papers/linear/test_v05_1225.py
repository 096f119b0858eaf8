"""The experiment of the multi-category large margin losses."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1225")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["pairwise, hinge, 3 classes: consistent"] is False
    assert here["constrained, hinge, 3 classes: consistent"] is True
    assert here["pairwise, hinge, q = (0.45, 0.38, 0.17): scores"] == "1 1 0"
    # The misprint shows: the printed exponent is far off, its inverse is not.
    assert here["link of -u^a / a, u (as printed) (Section 4.4.2): deviation from q"] > 0.1
    assert here["link of -u^a / a, u (mended) (Section 4.4.2): deviation from q"] < 1e-6
    assert evidence.figure is not None
