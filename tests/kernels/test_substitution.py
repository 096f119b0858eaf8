"""Substitution probabilities from scores."""

import numpy as np
import pytest

from treatise.kernels import substitution_probabilities

PROTEIN = "ACDEFGHIKLMNPQRSTVWY"


def test_probabilities_sum_to_one_and_follow_the_scores():
    P = substitution_probabilities(background=np.full(20, 0.05))
    np.testing.assert_allclose(P.sum(axis=0), 1)
    at = {letter: i for i, letter in enumerate(PROTEIN)}
    # In half bits W-W scores 11, W-Y 2, I-V 3, I-I 4, D-L -4: ratios within a column are powers of two.
    assert P[at["W"], at["W"]] / P[at["Y"], at["W"]] == pytest.approx(2**4.5)
    assert P[at["I"], at["I"]] / P[at["V"], at["I"]] == pytest.approx(2**0.5)
    assert P[at["V"], at["I"]] / P[at["D"], at["I"]] == pytest.approx(2**3)
    assert P[at["L"], at["L"]] / P[at["D"], at["L"]] == pytest.approx(2**4)


def test_blosum62_is_symmetric_and_has_its_known_totals():
    P = substitution_probabilities(background=np.full(20, 1.0))
    scores = np.rint(2 * np.log2(P / P[np.arange(20), np.arange(20)]))
    # Differences to the diagonal give the scores back once a diagonal is known: W-W is 11, C-C 9, H-H 8.
    diagonal = np.array([4, 9, 6, 5, 6, 6, 8, 4, 5, 4, 5, 6, 7, 5, 5, 4, 5, 4, 11, 7])
    scores += diagonal
    np.testing.assert_array_equal(scores, scores.T)
    assert scores.sum() == 2 * np.tril(scores, -1).sum() + 116
    assert scores.min() == -4


def test_default_background_is_that_of_proteins():
    P, flat = substitution_probabilities(), substitution_probabilities(background=np.full(20, 0.05))
    leucine, tryptophan = PROTEIN.index("L"), PROTEIN.index("W")
    assert (P[leucine] > flat[leucine]).all() and (P[tryptophan] < flat[tryptophan]).all()


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="'pam' is unknown"):
        substitution_probabilities("pam")
    with pytest.raises(ValueError, match="square"):
        substitution_probabilities(np.ones((2, 3)))
    with pytest.raises(ValueError, match="there are 2 letters"):
        substitution_probabilities(np.eye(2))
    with pytest.raises(ValueError, match="2 positive frequencies"):
        substitution_probabilities(np.eye(2), background=[1.0, 0.0])
