"""Tables on which Meyer, Bonnabel & Sepulchre learn distances and kernels, or their nearest kin."""

import numpy as np
from scipy.io import loadmat

from treatise.datasets._home import locate


def load_pen_digits(digits: tuple[int, ...] = (3, 8, 9)) -> tuple[np.ndarray, np.ndarray]:
    """Some of the pen-written digits: eight points of the stroke each.

    Parameters
    ----------
    digits : tuple of int, default=(3, 8, 9)
        Digits wanted; the default is those of the kernel learning papers.

    Returns
    -------
    X : ndarray of shape (n_samples, 16)
    y : ndarray of shape (n_samples,)

    References
    ----------
    .. [1] Meyer, Bonnabel & Sepulchre, JMLR 12:593-625, 2011, Section 10.2.
    """
    table = np.loadtxt(locate("keel/penbased.dat"), delimiter=",")
    table = table[np.isin(table[:, -1], digits)]
    return table[:, :-1], table[:, -1].astype(int)


def load_prostate_expression() -> tuple[np.ndarray, np.ndarray]:
    """Expression of 5966 genes in 102 prostate samples, 50 normal (1) and 52 tumour (2).

    Returns
    -------
    X : ndarray of shape (102, 5966)
    y : ndarray of shape (102,)
    """
    stored = loadmat(locate("genes/Prostate-GE.mat"))
    return stored["X"].astype(float), stored["Y"].ravel().astype(int)
