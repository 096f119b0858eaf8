"""The experiment of the error analysis of q-norm soft margins."""


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1143")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    rows = {row.quantity: row for row in evidence.rows}
    assert rows["q = 1: change of the machine by one label of 201 (Section 4)"].verdict == "reached"
    conjecture = [row for quantity, row in rows.items() if "Conjecture 13" in quantity]
    assert len(conjecture) == 3 and all(-1.2 < float(row.here) < -0.7 for row in conjecture)
    assert sum("(41)" in quantity for quantity in rows) == 4
    assert evidence.figure is not None and not evidence.skipped
