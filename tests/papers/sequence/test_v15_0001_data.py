"""The published model of proteins and its states."""

import numpy as np

from treatise.papers.sequence.v15_0001._protein_hmm import published_protein_hmm, six_structure_states


def test_helices_are_divided_by_length_and_ends():
    states = six_structure_states("HHHHHHHCEEHHHHHHHHHHHCHHHHHHHH")
    assert "".join(map(str, states)) == "1111111" + "3" + "22" + "44445556666" + "3" + "44446666"
    assert six_structure_states("C").tolist() == [3] and six_structure_states("H").tolist() == [1]


def test_the_published_model_has_rows_that_sum_to_one_and_its_printed_zeros():
    start, transitions, emissions = published_protein_hmm()
    for table in (start, transitions, emissions):
        np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-12)
    assert np.count_nonzero(transitions) == 19 and emissions.shape == (6, 20)
