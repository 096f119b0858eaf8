"""The experiment of AdaHedge and FlipFlop."""


def test_the_quick_form_reaches_all_that_the_paper_states(quick):
    evidence = quick("v15-1281")
    assert [row.quantity for row in evidence.rows if row.failed or row.gap] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["experiment 3: loss of each expert"] == "508, 492"
    assert here["experiment 2: strategies whose regret grows no more after round 500"] == "FTL, FlipFlop, NormalHedge"
    assert here["experiment 1: smallest regret at the end"] == "Variation MW"
    assert len(evidence.figure.axes) == 8
