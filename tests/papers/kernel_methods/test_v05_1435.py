"""The experiment of the fast string kernels."""

import numpy as np
from matplotlib.figure import Figure

from treatise.datasets import load_scop_families
from treatise.papers.kernel_methods.v05_1435 import experiment, plot_scores_exceeding

FILES = ("sequences/scop.1.53.1e-25.fasta.gz", "sequences/all_seq_fam_membership.txt.gz")


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in FILES:
        real_data(name)
    evidence = quick("v05-1435")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["two wildcards do better than one"] > 0
    assert here["(5,1)-mismatch: mean ROC-50 of eight families, 700 domains"] > 0.3
    assert evidence.figure is not None


def test_without_data_the_experiment_says_what_is_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert evidence.rows == [] and "scop.1.53" in evidence.skipped[1]


def test_the_families_are_those_of_the_benchmark(real_data):
    for name in FILES:
        real_data(name)
    data = load_scop_families()
    assert len(data.sequences) == len(data.names) == 4352 and len(data.families) == 54
    assert set("".join(data.sequences)) == set("ACDEFGHIKLMNPQRSTVWYX")
    train, y, test, y_test = data.task(data.families.index("2.44.1.2"))
    assert [np.sum(y == 1), np.sum(y == -1), np.sum(y_test == 1), np.sum(y_test == -1)] == [11, 307, 140, 3894]
    assert not set(train) & set(test)


def test_curves_fall_from_all_tasks_to_none():
    ax = Figure().subplots()
    plot_scores_exceeding({"one": np.array([0.2, 0.9]), "other": np.array([0.5, 0.5])}, ax, xlabel="ROC")
    first = ax.get_lines()[0]
    assert first.get_xdata().tolist() == [0, 0.2, 0.9, 1]
    assert first.get_ydata().tolist() == [2, 1, 0, 0]
    assert ax.get_xlabel() == "ROC"
