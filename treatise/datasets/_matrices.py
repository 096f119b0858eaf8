"""Tables with many more columns than rows: gene expression, mass spectra, properties of molecules; and one of LIBOL."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from treatise.datasets._home import locate
from treatise.io import read_table
from treatise.io.source import read_bytes


def load_prostate_expression() -> tuple[np.ndarray, np.ndarray]:
    """Expression of 5966 genes in 102 prostate samples, 50 normal (1) and 52 tumour (2).

    Returns
    -------
    X : ndarray of shape (102, 5966)
    y : ndarray of shape (102,)
    """
    stored = loadmat(locate("genes/Prostate-GE.mat"))
    return stored["X"].astype(float), stored["Y"].ravel().astype(int)


def load_colon_expression() -> tuple[np.ndarray, np.ndarray]:
    """Expression of 2 000 genes in 62 colon samples, 40 of tumours (-1) and 22 normal (1).

    Returns
    -------
    X : ndarray of shape (62, 2000)
    y : ndarray of shape (62,)
    """
    stored = loadmat(locate("genes/colon.mat"))
    return stored["X"].astype(float), stored["y"].ravel().astype(int)


def load_arcene() -> tuple[np.ndarray, np.ndarray]:
    """Arcene, the training part: mass spectra of 44 cancer patients and 56 healthy people, with false probes.

    The file holds the training part and then the validation part, 100 rows each.

    Returns
    -------
    X : ndarray of uint16, of shape (100, 10000)
        Intensities.
    y : ndarray of shape (100,)
        1 for cancer, -1 else.
    """
    content = loadmat(locate("features/arcene.mat"))
    return content["X"][:100], content["Y"].ravel()[:100].astype(int)


def load_dorothea_validation() -> tuple[sparse.csr_array, np.ndarray]:
    """Dorothea, the validation part: 100 000 binary properties of 350 molecules, half of them false probes.

    Returns
    -------
    X : CSR array of shape (350, 100000)
        Zeros and ones.
    y : ndarray of shape (350,)
        1 for a molecule that binds to thrombin (34 of them), -1 else.
    """
    lines = read_bytes(locate("features/dorothea_valid.data.gz")).splitlines()
    rows = [np.array(line.split(), dtype=np.int64) - 1 for line in lines]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    columns = np.concatenate(rows)
    X = sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(rows), 100_000))
    labels = read_table(locate("features/dorothea_valid.labels"), header=False).frame
    return X, labels.to_series().to_numpy()


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
