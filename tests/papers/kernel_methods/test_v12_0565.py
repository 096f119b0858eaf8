"""The experiment of kernels in groups."""

from treatise.papers.kernel_methods.v12_0565 import ABSENT, TABLES


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("keel/sonar.dat")
    evidence = quick("v12-0565")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = {row.quantity for row in evidence.rows}
    assert "digits from four quarters: accuracy of groups, q = inf" in quantities
    assert evidence.skipped == [ABSENT]
    for name in TABLES:
        assert f"{name}: most rounds of block coordinate ascent, q = 2" in quantities
    assert evidence.figure is not None
