"""Probabilities that one amino acid stands where another stood, from a matrix of scores."""

import numpy as np

from treatise.kernels.strings.encoded import PROTEIN

_BLOSUM62 = """
A  4
C  0  9
D -2 -3  6
E -1 -4  2  5
F -2 -2 -3 -3  6
G  0 -3 -1 -2 -3  6
H -2 -3 -1  0 -1 -2  8
I -1 -1 -3 -3  0 -4 -3  4
K -1 -3 -1  1 -3 -2 -1 -3  5
L -1 -1 -4 -3  0 -4 -3  2 -2  4
M -1 -1 -3 -2  0 -3 -2  1 -1  2  5
N -2 -3  1  0 -3  0  1 -3  0 -3 -2  6
P -1 -3 -1 -1 -4 -2 -2 -3 -1 -3 -2 -2  7
Q -1 -3  0  2 -3 -2  0 -3  1 -2  0  0 -1  5
R -1 -3 -2  0 -3 -2  0 -3  2 -2 -1  0 -2  1  5
S  1 -1  0  0 -2  0 -1 -2  0 -2 -1  1 -1  0 -1  4
T  0 -1 -1 -1 -2 -2 -2 -1 -1 -1 -1  0 -1 -1 -1  1  5
V  0 -1 -3 -2 -1 -3 -3  3 -2  1  1 -3 -2 -2 -3 -2  0  4
W -3 -2 -4 -3  1 -2 -2 -3 -3 -2 -1 -4 -4 -2 -3 -3 -2 -3 11
Y -2 -2 -3 -2  3 -3  2 -1 -2 -1 -1 -2 -3 -1 -2 -2 -2 -1  2  7
"""
"""Scores in half bits (Henikoff & Henikoff 1992), the lower half, in the order of the alphabet."""

_FREQUENCIES = {
    "A": 0.07805, "C": 0.01925, "D": 0.05364, "E": 0.06295, "F": 0.03856, "G": 0.07377, "H": 0.02199,
    "I": 0.05142, "K": 0.05744, "L": 0.09019, "M": 0.02243, "N": 0.04487, "P": 0.05203, "Q": 0.04264,
    "R": 0.05129, "S": 0.07120, "T": 0.05841, "V": 0.06441, "W": 0.01330, "Y": 0.03216,
}  # fmt: skip
"""How often the amino acids occur in proteins (Robinson & Robinson 1991)."""


def substitution_probabilities(scores="blosum62", background=None):
    """Probability of each amino acid given the one that it replaces, ``P[a, b] = P(a | b)``.

    A score in half bits is ``2 log2(P(a | b) / q(a))`` with the background frequency ``q``; solved for ``P`` and made
    to sum to one over ``a``, since published scores are rounded.

    Parameters
    ----------
    scores : "blosum62" or array-like of shape (n, n), default="blosum62"
        Scores in half bits; for "blosum62" letters are in the order ACDEFGHIKLMNPQRSTVWY.
    background : array-like of shape (n,) or None, default=None
        Frequencies of the letters; None is those of amino acids in proteins (Robinson & Robinson 1991).

    Returns
    -------
    P : ndarray of shape (n, n)
        Columns sum to one.

    Examples
    --------
    >>> from treatise.kernels import substitution_probabilities
    >>> P = substitution_probabilities()
    >>> i, l, w = ("ACDEFGHIKLMNPQRSTVWY".index(letter) for letter in "ILW")
    >>> print(f"{P[l, i]:.3f} {P[w, i]:.3f} {P[w, w]:.3f}")
    0.187 0.005 0.556

    References
    ----------
    .. [1] Paper v05-1435, Section 2.3.
    """
    if isinstance(scores, str):
        if scores != "blosum62":
            raise ValueError(f"scores={scores!r} is unknown; give 'blosum62' or a square array of scores in half bits")
        rows = [line.split()[1:] for line in _BLOSUM62.split("\n") if line]
        lower = np.zeros((20, 20))
        for i, row in enumerate(rows):
            lower[i, : i + 1] = [float(score) for score in row]
        scores = lower + np.tril(lower, -1).T
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or not np.isfinite(scores).all():
        raise ValueError(f"scores have shape {scores.shape}; a square array of finite numbers is expected")
    if background is None:
        if len(scores) != len(PROTEIN):
            raise ValueError(
                f"background=None gives the frequencies of 20 amino acids, but there are {len(scores)} letters"
            )
        background = [_FREQUENCIES[letter] for letter in PROTEIN]
    q = np.asarray(background, np.float64)
    if q.shape != (len(scores),) or not (q > 0).all():
        raise ValueError(f"background must hold {len(scores)} positive frequencies, got shape {q.shape}")
    P = q[:, np.newaxis] * 2.0 ** (scores / 2.0)
    return P / P.sum(axis=0)
