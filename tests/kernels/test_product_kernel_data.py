"""Data of the probability product kernels' experiments."""

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.datasets import load_exons_introns, load_newsgroup_pair


def test_introns_begin_with_their_signal(real_data):
    real_data("sequences/splice.txt")
    sequences, y, genes = load_exons_introns()
    assert len(sequences) == 350 and len(np.unique(genes)) == 175 and y.sum() == 175
    assert set("".join(sequences)) == set("ACGT")
    # All but a few introns begin with GT, where a gene's first piece is the side of a donor.
    starts = [sequence[:2] for sequence, intron in zip(sequences, y) if intron]
    assert starts.count("GT") > 150


def test_pairs_of_newsgroups_are_counts(real_data):
    real_data("text/PCMAC.mat")
    X, y = load_newsgroup_pair("PCMAC")
    assert X.shape == (1943, 3289) and np.bincount(y).tolist() == [982, 961]
    assert (X.data >= 1).all() and (X.data % 1 == 0).all()
    with pytest.raises(TreatiseError, match="no pair of newsgroups"):
        load_newsgroup_pair("RECSCI")
