"""The experiment of knowledge-based kernel approximation."""

import numpy as np

from treatise.papers.kernel_methods.v05_1127 import product_data


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1127")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    verdicts = {row.quantity: row.verdict for row in evidence.rows}
    assert verdicts["sinc: support points without knowledge"] == "reached"
    around = "product of sincs, values all around the bump: mean error with knowledge"
    assert verdicts[around] == "reached"
    assert sum("hyperboloid" in quantity for quantity in verdicts) == 6
    assert evidence.figure is not None and "lymph nodes" in evidence.skipped[0]


def test_points_of_the_product_leave_the_bump_out():
    for seed in (None, 0):
        X, y = product_data(seed)
        assert X.shape == (213, 2)
        inside = (np.abs(X) < [1.4303, 1.0]).all(axis=1)
        assert inside.sum() == 3 and y[inside].tolist() == [1, 0, -1]
