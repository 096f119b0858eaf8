"""The letters of the paper as two classes."""

import numpy as np

from treatise.papers.theory.v05_1089 import letter_halves


def test_letters_fall_into_two_halves(real_data):
    real_data("keel/letter.dat")
    X, y = letter_halves()
    assert X.shape == (20_000, 16)
    # The counts of N, O, P, ... Z that the data set's documentation gives.
    assert y.sum() == 783 + 753 + 803 + 783 + 758 + 748 + 796 + 813 + 764 + 752 + 787 + 786 + 734
    assert set(np.unique(X)) <= set(range(16))
