"""The multi-class tables and the simulated pairs on which Wu, Lin & Weng try their couplings."""

import math

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets import load_mnist_test, load_table, load_usps

_NAMES = ("dna", "satimage", "segment", "usps", "mnist", "letter")
# Statlog's code of a base; the letters of doubtful bases are not in it.
_BASES = {"A": (1, 0, 0), "C": (0, 1, 0), "G": (0, 0, 1), "T": (0, 0, 0)}


def load_coupling_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of Section 7 of JMLR 5:975, its features scaled to [-1, 1] (those of "dna" are 0 and 1).

    Parameters
    ----------
    name : {"dna", "satimage", "segment", "usps", "mnist", "letter"}
        Which; "mnist" is the test part. The seventh table, waveform, is made by :func:`make_waveform`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Classes, numbered from 0.

    References
    ----------
    .. [1] Wu, Lin & Weng, JMLR 5:975-1005, 2004, Table 1.
    """
    if name not in _NAMES:
        raise ValueError(f"name={name!r} is unknown; it may be {', '.join(_NAMES)}")
    if name == "dna":
        letters, kinds = load_table("keel/splice.dat").arrays()
        known = np.isin(letters, list(_BASES)).all(axis=1)
        X = np.array([[bit for base in row for bit in _BASES[base]] for row in letters[known]], dtype=float)
        return X, np.unique(kinds[known], return_inverse=True)[1]
    if name == "mnist":
        X, y = load_mnist_test()
    elif name == "usps":
        X, y = load_usps()
    else:
        X, y = load_table(f"keel/{name}.dat").arrays()
    low, high = X.min(axis=0), X.max(axis=0)
    # A constant feature, a corner pixel say, is -1 throughout.
    return 2.0 * (X - low) / np.where(high > low, high - low, 1.0) - 1.0, np.unique(y, return_inverse=True)[1]


def make_noisy_pairs(
    kind: str, n_classes: int, n_samples: int, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Pairwise probabilities of known classes with Gaussian noise, in the paper's three settings; class 0 is right.

    Parameters
    ----------
    kind : {"level", "half", "two"}
        Which classes hold the mass: all of them nearly alike, half of them 95 per cent, or two of them; the
        settings (a), (b) and (c) of the paper. Class 0 has half as much again as its share.
    n_classes : int
        Number k of classes, at least 4.
    n_samples : int
        Number of matrices.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    R : ndarray of shape (n_samples, n_classes, n_classes)
        Probabilities p_i / (p_i + p_j) plus noise of deviation 0.1, truncated at 1e-7 from 0 and 1.
    p : ndarray of shape (n_classes,)
        The true probabilities.

    References
    ----------
    .. [1] Wu, Lin & Weng, JMLR 5:975-1005, 2004, Section 6, equations (33) and (34).

    Examples
    --------
    >>> from treatise.papers.svm.v05_0975._data import make_noisy_pairs
    >>> R, p = make_noisy_pairs("two", 8, 100, random_state=0)
    >>> R.shape, p.round(4).tolist()[:3]
    ((100, 8, 8), [0.7125, 0.2375, 0.0083])
    """
    if n_classes < 4:
        raise ValueError(f"n_classes={n_classes} is too few; the settings need at least 4")
    favoured = {"level": n_classes, "half": math.ceil(n_classes / 2), "two": 2}
    if kind not in favoured:
        raise ValueError(f"kind={kind!r} is unknown; it may be {', '.join(favoured)}")
    count, mass = favoured[kind], 1.0 if kind == "level" else 0.95
    p = np.full(n_classes, 0.0)
    p[0] = 1.5 * mass / count
    p[1:count] = (mass - p[0]) / (count - 1)
    p[count:] = (1.0 - mass) / max(n_classes - count, 1)
    rng = check_random_state(random_state)
    upper = np.triu_indices(n_classes, 1)
    R = np.full((n_samples, n_classes, n_classes), 0.5)
    expected = (p[:, None] / (p[:, None] + p))[upper]
    noisy = np.clip(expected + 0.1 * rng.normal(size=(n_samples, len(expected))), 1e-7, 1.0 - 1e-7)
    R[:, upper[0], upper[1]], R[:, upper[1], upper[0]] = noisy, 1.0 - noisy
    return R, p
