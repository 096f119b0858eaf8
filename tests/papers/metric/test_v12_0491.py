"""The experiment of partial order embedding."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v12-0491")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    verdicts = {row.quantity: row.verdict for row in evidence.rows}
    for name in ("made-up", "digit"):
        assert verdicts[f"{name} taxonomy: all kernels together beat the best one"] == "reached"
        assert verdicts[f"{name} taxonomy: noise kernels get less than 5 % of the weight"] == "reached"
    assert verdicts["errors in comparisons: each step of processing leaves fewer"] == "reached"
    assert len(evidence.figure.axes) == 3 and len(evidence.skipped) == 1
