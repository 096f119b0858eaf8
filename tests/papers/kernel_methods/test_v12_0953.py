"""The experiment of l_p-norm multiple kernel learning."""

from treatise.papers.kernel_methods.v12_0953 import ABSENT


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    real_data("images/t10k-images-idx3-ubyte.gz")
    evidence = quick("v12-0953")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    quantities = {row.quantity for row in evidence.rows}
    assert "50 rows, 98% irrelevant: the best norm is 1" in quantities
    assert "50 rows, 0% irrelevant: the best norm is inf" in quantities
    assert evidence.skipped == [ABSENT]
    assert "400 digits, 50 kernels, p = 2, interleaved: relative duality gap" in quantities
    assert evidence.figure is not None
