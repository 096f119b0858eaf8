"""The experiment of approximate extreme points."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v15-0059")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = " ".join(row.quantity for row in evidence.rows)
    assert "Corollary 3" in quantities
    assert any(row.place == "Figure 1" for row in evidence.rows)
    assert len(evidence.skipped) > 1 or "ijcnn1: percent of the rows kept, gamma 0.0625, epsilon 0.01" in quantities
    assert evidence.figure is not None
