"""Sets for feature selection: two of DNA, and two of the NIPS 2003 challenge."""

import gzip

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from treatise.datasets._home import locate


def load_splice() -> tuple[np.ndarray, np.ndarray]:
    """Splice junctions in DNA: the letters at 60 positions, and the kind of junction.

    Returns
    -------
    X : ndarray of str, of shape (3190, 60)
        Letters A, C, G, T, and a few for doubtful bases.
    y : ndarray of str, of shape (3190,)
        EI, IE or N.
    """
    lines = locate("keel/splice.dat").read_text(encoding="ascii").splitlines()
    cells = np.array([[cell.strip() for cell in line.split(",")] for line in lines if line and line[0] != "@"])
    return cells[:, :-1], cells[:, -1]


def load_promoters() -> tuple[np.ndarray, np.ndarray]:
    """Promoters of E. coli: the bases at 57 positions of DNA, and whether they are a promoter.

    Returns
    -------
    X : ndarray of str, of shape (106, 57)
        Letters a, c, g, t.
    y : ndarray of str, of shape (106,)
        "+" for a promoter (53 of them), "-" else.
    """
    lines = locate("sequences/promoters.data").read_text(encoding="ascii").split("\n")
    cells = [line.split(",") for line in lines if line.strip()]
    return np.array([list(bases.strip()) for _, _, bases in cells]), np.array([label for label, _, _ in cells])


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
    with gzip.open(locate("features/dorothea_valid.data.gz"), "rt", encoding="ascii") as stream:
        rows = [np.array(line.split(), dtype=np.int64) - 1 for line in stream]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    columns = np.concatenate(rows)
    X = sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(rows), 100_000))
    return X, np.loadtxt(locate("features/dorothea_valid.labels"), dtype=int)
