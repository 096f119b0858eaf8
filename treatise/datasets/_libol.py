"""The two-class sets on which LIBOL compares its learners, and the sparse one of its examples."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from treatise.datasets._home import locate
from treatise.io import read_table


def load_svmguide3() -> tuple[np.ndarray, np.ndarray]:
    """A vehicle application: 1 243 rows, 21 features, a quarter of them positive, in the order of LIBOL's file.

    The paper states 36 features; the file that comes with its program has 21.

    Returns
    -------
    X : ndarray of shape (1243, 21)
    y : ndarray of shape (1243,)
        -1 or 1.
    """
    table = loadmat(locate("libsvm/svmguide3.mat"))["data"]
    return np.ascontiguousarray(table[:, 1:], dtype=np.float64), table[:, 0].astype(np.int64)


def load_ijcnn1() -> tuple[np.ndarray, np.ndarray]:
    """The IJCNN 2001 challenge: 141 691 rows, 22 features, a tenth of them positive; training rows before test rows.

    Returns
    -------
    X : ndarray of shape (141691, 22)
    y : ndarray of shape (141691,)
        -1 or 1.
    """
    parts = [read_table(locate(f"libsvm/ijcnn1.{part}.bz2"), format="libsvm") for part in ("trn", "tst")]
    X = sparse.vstack([part.matrix for part in parts]).toarray()
    return X, np.concatenate([part.frame["label"].to_numpy() for part in parts])


def load_w1a() -> tuple[sparse.csr_matrix, np.ndarray]:
    """Web pages by 300 words that occur or not: 2 477 rows, 3 % of them positive.

    Returns
    -------
    X : csr_matrix of shape (2477, 300)
    y : ndarray of shape (2477,)
        -1 or 1.
    """
    table = read_table(locate("libsvm/w1a"), format="libsvm")
    return table.matrix, table.frame["label"].to_numpy()
