"""The two-class tables on which Huang et al. try their minimax probability machines."""

import numpy as np

from treatise.datasets import load_table

_TABLES: dict[str, tuple[str, str | int]] = {
    "twonorm": ("twonorm", 1),
    "breast": ("wisconsin", 4),
    "ionosphere": ("ionosphere", "g"),
    "pima": ("pima", "tested_positive"),
    "heart": ("heart", 2),
    "vote": ("housevotes", "republican"),
}


def load_minimax_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of Section 5.2 of JMLR 5:1253, rows with missing values left out.

    Parameters
    ----------
    name : {"twonorm", "breast", "ionosphere", "pima", "heart", "vote"}
        Which; "breast" is the Wisconsin table of nine cell features. Of "vote" the rows without a missing vote are
        there, 232 of 435.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features; votes are 1 for yes and 0 for no.
    y : ndarray of shape (n_samples,)
        1 for the class that the paper calls x: malignant, good, diabetic, diseased, Republican.

    References
    ----------
    .. [1] Huang, Yang, King, Lyu & Chan, JMLR 5:1253-1286, 2004, Section 5.2.
    """
    if name not in _TABLES:
        raise ValueError(f"name={name!r} is unknown; it may be {', '.join(_TABLES)}")
    file, positive = _TABLES[name]
    X, y = load_table(f"keel/{file}.dat").arrays()
    return (X == "y").astype(float) if name == "vote" else X, (y == positive).astype(int)
