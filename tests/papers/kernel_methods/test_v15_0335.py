"""The experiment of early stopping."""

import numpy as np
import pytest

from treatise.papers.kernel_methods.v15_0335 import Design


def test_quick_experiment_reaches_what_it_should(quick):
    evidence = quick("v15-0335")
    assert not [row for row in evidence.rows if row.failed]
    by_name = {row.quantity: row for row in evidence.rows}
    assert by_name["MSE^(-3/2) is a straight line in n, R^2 above 0.99"].verdict == "reached"
    assert by_name["The rule errs less than SURE, n = 100"].here > 0
    assert by_name["Mean squared error at the stop, steps of 0.25, n = 300"].here == pytest.approx(0.0197, abs=1e-4)
    assert len(evidence.figure.axes) == 4


def test_expected_errors_are_means_over_draws():
    design, rng = Design.of_size(40), np.random.default_rng(0)
    draws = [design.error(design.f + rng.normal(size=40), 7, 0.25) for _ in range(4000)]
    # Four standard errors of the mean over the draws.
    tolerance = 4 * np.std(draws) / np.sqrt(len(draws))
    assert design.expected_error(np.array([7]), 0.25)[0] == pytest.approx(np.mean(draws), abs=tolerance)
