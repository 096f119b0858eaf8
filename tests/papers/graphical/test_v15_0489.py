"""The experiment of v15-0489 runs in its quick form."""


def test_the_path_is_faster_than_published_and_exact(quick):
    evidence = quick("v15-0489")
    quantities = {row.quantity: row for row in evidence.rows}
    # Clocks on a busy machine tell little; exactness does not depend on them.
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert quantities["relative distance from the optimum of one linear program per column (HiGHS)"].here < 1e-6
    assert evidence.figure is not None
