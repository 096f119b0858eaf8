"""Protein structures: helices divided, chains counted once, the published model a model."""

import numpy as np

from treatise.datasets import load_cb513, published_protein_hmm, six_structure_states


def test_helices_are_divided_by_length_and_ends():
    states = six_structure_states("HHHHHHHCEEHHHHHHHHHHHCHHHHHHHH")
    assert "".join(map(str, states)) == "1111111" + "3" + "22" + "44445556666" + "3" + "44446666"
    assert six_structure_states("C").tolist() == [3] and six_structure_states("H").tolist() == [1]


def test_chains_of_several_domains_stand_once(real_data):
    real_data("sequences/CB513_HHblits.csv.gz")
    data = load_cb513()
    assert len(data.residues) == len(set(data.residues)) == 432
    assert sum(map(len, data.residues)) == 106_423
    for residues, structures, classes in zip(data.residues, data.structures, data.classes):
        assert len(residues) == len(structures) == len(classes)
        assert set(structures) <= set("HEC") and set(classes) <= set("HGIEBTSC")


def test_the_published_model_has_rows_that_sum_to_one_and_its_printed_zeros():
    start, transitions, emissions = published_protein_hmm()
    for table in (start, transitions, emissions):
        np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-12)
    assert np.count_nonzero(transitions) == 19 and emissions.shape == (6, 20)
