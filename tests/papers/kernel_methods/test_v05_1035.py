"""The experiment of rational kernels."""

import numpy as np
import pytest

from treatise.papers.kernel_methods.v05_1035._utterances import make_heard_utterances


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1035")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    # Of edit distances by dynamic programming, to seven digits.
    assert here["smallest eigenvalue of exp(-edit distance), strings of 3 letters (Figure 4a)"] == 0.2296498
    assert here["smallest eigenvalue of exp(-edit distance), strings of 5 letters (Figure 4a)"] == 0.0195842
    assert here["smallest eigenvalue of exp(-edit distance), strings of 6 letters (Figure 4a)"] == -0.0244754
    assert evidence.figure is not None and "HMIHY" in evidence.skipped[0]


def test_lattices_hold_distributions_around_the_best_words():
    data = make_heard_utterances(40, random_state=0)
    again = make_heard_utterances(40, random_state=0)
    assert data.spoken == again.spoken and data.one_best == again.one_best
    assert len(data.lattices) == len(data.y) == 40
    assert 0.5 < data.word_accuracy < 0.95
    for lattice, best in zip(data.lattices, data.one_best):
        assert lattice.total_weight() == pytest.approx(1)
        # The best words have the largest posterior at each of the three-way choices.
        assert lattice.weight_of(best) >= (1 / 3) ** len(best) - 1e-12
    assert set(np.unique(data.y)) <= set(range(6))
