"""The experiment of v15-0445 runs in its quick form."""


def test_node_penalties_win_at_equal_edges_and_the_minimum_is_that_of_an_interior_point(quick):
    evidence = quick("v15-0445")
    rows = {row.quantity: row for row in evidence.rows}
    # Clocks on a busy machine tell little.
    assert [row.quantity for row in evidence.rows if row.failed and not row.quantity.startswith("seconds")] == []
    assert rows["PNJGL, distance from an interior point's matrices, 10 variables"].verdict == "reached"
    assert rows["seconds of PNJGL, 50 variables, against cvx"].verdict == "reached"
    for edges in (500, 1000):
        assert rows[f"n=25, {edges} edges: PNJGL against FGL, true edges gained"].here > 0
        assert rows[f"n=25, {edges} edges: PNJGL against GL, change of the error"].here < 0
    assert rows["n=25, 500 edges: CNJGL against GGL, true edges gained"].here > 0
    assert rows["n=25, penalties of Figure 16: share of draws in which both are among the four best"].here >= 0.8
    assert rows["n=25, penalties of Figure 16: share of perturbed nodes that score above mean + 5.5 sd"].gap
    # What is not zero in V is special: ordinary nodes hardly ever are.
    assert rows["n=25, penalties of Figure 16: ordinary nodes among them, per draw"].here <= 0.5
    assert rows["n=200: its hubs are the co-hubs and the perturbed nodes"].here is True
    assert evidence.figure is not None
