"""The experiment of probability product kernels."""

import numpy as np

from treatise.papers.kernel_methods.v05_0819 import experiment, word_counts


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in ("text/PCMAC.mat", "sequences/splice.txt"):
        real_data(name)
    evidence = quick("v05-0819")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    rows = {row.quantity: row for row in evidence.rows}
    assert rows["PCMAC, 622 documents: the Bhattacharyya kernel errs least"].verdict == "reached"
    assert rows["exons and introns: error of the hidden Markov kernel, T = 9"].verdict == "reached"
    assert any("switching series" in quantity for quantity in rows)
    assert evidence.figure is not None and len(evidence.skipped) == 1 and "WebKB" in evidence.skipped[0]


def test_without_data_the_series_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 3
    assert {row.place for row in evidence.rows} == {"Section 8.3"}


def test_words_are_counted_with_overlaps():
    counts = word_counts(["AAAC"], 2)
    assert counts[0, 0] == 2 and counts[0, 1] == 1 and counts.sum() == 3
    assert np.count_nonzero(counts) == 2
