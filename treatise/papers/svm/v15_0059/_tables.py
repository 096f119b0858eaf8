"""The tables of LIBSVM's collection on which SVMs with extreme points are compared."""

import numpy as np
from scipy import sparse

from treatise.datasets import load_table

_FILES = {
    ("ijcnn1", "train"): ("libsvm/ijcnn1.trn.bz2", 22),
    ("ijcnn1", "test"): ("libsvm/ijcnn1.tst.bz2", 22),
    ("adult", "train"): ("libsvm/a9a", 123),
    ("adult", "test"): ("libsvm/a9a.t", 123),
    ("w8a", "train"): ("libsvm/w8a.gz", 300),
}


def load_extreme_point_table(name: str, part: str = "train") -> tuple[np.ndarray | sparse.csr_matrix, np.ndarray]:
    """A table of JMLR 15:59, Section 5.1, as LIBSVM's collection has it.

    Parameters
    ----------
    name : {"ijcnn1", "adult", "w8a"}
        Which; D5, D6 and D9 of the paper.
    part : {"train", "test"}, default="train"
        Which part; "w8a" has the first alone.

    Returns
    -------
    X : ndarray of shape (49990, 22), or csr_matrix of shape (32560, 123) or (49749, 300)
        Features, dense for "ijcnn1"; test parts have 91 701 and 16 281 rows. The paper counts 32 561 training rows of
        "adult"; the file has one less.
    y : ndarray of shape (n_samples,)
        -1 or 1.

    References
    ----------
    .. [1] Nandan, Khargonekar & Talathi, JMLR 15:59-98, 2014, Section 5.1.
    """
    if (name, part) not in _FILES:
        known = ", ".join(f"{table} {half}" for table, half in _FILES)
        raise ValueError(f"there is no part {part!r} of {name!r}; there are {known}")
    file, width = _FILES[name, part]
    table, labels = load_table(file).arrays()
    X = sparse.csr_matrix(table)
    X.resize(X.shape[0], width)
    y = np.where(labels > 0, 1, -1)
    return (X.toarray() if name == "ijcnn1" else X), y
