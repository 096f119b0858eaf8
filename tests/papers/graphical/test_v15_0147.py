"""The experiment of v15-0147 runs in its quick form."""


def test_junction_trees_find_more_weak_edges_at_equal_edges(quick):
    evidence = quick("v15-0147")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    rows = {row.quantity: row for row in evidence.rows}
    assert rows["variables that decide 36"].verdict == "reached"
    assert rows["chain, 300 rows: gain in weak edges of JgL over gL at equal edges"].here > 0.03
    assert rows["cycle, 300 rows: gain in weak edges of JgL over gL at equal edges"].here > 0.08
    assert rows["cycle, 300 rows: edit distance that JgL saves over gL at equal edges"].here > 0
    assert evidence.figure is not None
