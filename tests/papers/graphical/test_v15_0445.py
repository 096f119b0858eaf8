"""The experiment of v15-0445 runs in its quick form."""


def test_node_penalties_win_at_equal_edges_and_the_minimum_is_that_of_an_interior_point(quick):
    evidence = quick("v15-0445")
    rows = {row.quantity: row for row in evidence.rows}
    # Clocks on a busy machine tell little.
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert rows["PNJGL, distance from an interior point's matrices, 10 variables"].verdict == "reached"
    for edges in (500, 1000):
        assert rows[f"n=25, {edges} edges: PNJGL finds no fewer true edges than FGL"].here
        assert rows[f"n=25, {edges} edges: the error of PNJGL is no larger than that of GL"].here
    assert rows["n=25, 500 edges: CNJGL finds no fewer true edges than GGL"].here
    assert rows["n=25, penalties of Figure 16: share of draws in which both are among the four best"].here >= 0.8
    assert rows["n=25, penalties of Figure 16: all perturbed nodes score above mean + 5.5 sd"].gap
    # What is not zero in V is special: ordinary nodes hardly ever are.
    assert rows["n=25, penalties of Figure 16: ordinary nodes among them, per draw"].here <= 0.5
    assert rows["n=200: its hubs are the co-hubs and the perturbed nodes"].here is True
    assert evidence.figure is not None
