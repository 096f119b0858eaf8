"""Every paper's experiment in its quick form: no row fails, its figure draws, and what it leaves out it names."""

import io

import pytest

from treatise.papers import available


@pytest.mark.parametrize("paper", available())
def test_a_quick_experiment_fails_in_no_row_draws_and_says_what_it_leaves_out(paper, quick):
    evidence = quick(paper)
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert evidence.rows or evidence.skipped, "without rows, Evidence.skipped must say what is absent"
    assert [part for part in evidence.skipped if len(part.split()) < 3] == []
    if evidence.figure is not None:
        drawn = io.BytesIO()
        evidence.figure.savefig(drawn, format="png", dpi=40)
        assert drawn.getvalue().startswith(b"\x89PNG")
