"""Protein structures: helices divided, chains counted once, the published model a model."""

from treatise.datasets import load_cb513


def test_chains_of_several_domains_stand_once(real_data):
    real_data("sequences/CB513_HHblits.csv.gz")
    data = load_cb513()
    assert len(data.residues) == len(set(data.residues)) == 432
    assert sum(map(len, data.residues)) == 106_423
    for residues, structures, classes in zip(data.residues, data.structures, data.classes):
        assert len(residues) == len(structures) == len(classes)
        assert set(structures) <= set("HEC") and set(classes) <= set("HGIEBTSC")
