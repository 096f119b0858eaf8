"""The two-class tables on which Steinwart, Hush & Scovel compare machines with and without offset."""

import gzip

import numpy as np
from sklearn.datasets import load_svmlight_file

from treatise.datasets._home import locate
from treatise.datasets._libol import load_svmguide3

_KEEL = {
    "sonar": ("sonar", "R"),
    "heart": ("heart", "2"),
    "liver": ("bupa", "2"),
    "ionosphere": ("ionosphere", "g"),
    "breast": ("wisconsin", "4"),
    "diabetes": ("pima", "tested_positive"),
}
_NAMES = (*_KEEL, "german", "svmguide3", "splice", "svmguide1")


def load_offset_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of JMLR 12:141, Table 1, its features scaled to [-1, 1] as there.

    Parameters
    ----------
    name : {"sonar", "heart", "liver", "ionosphere", "breast", "diabetes", "german", "svmguide3", "splice", "svmguide1"}
        Which. "svmguide3" has 1 243 of the 1 284 rows, as the file at hand does.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features; training and test rows of tables that come in two parts together.
    y : ndarray of shape (n_samples,)
        -1 or 1.

    References
    ----------
    .. [1] Steinwart, Hush & Scovel, JMLR 12:141-202, 2011, Table 1.
    """
    if name in _KEEL:
        file, positive = _KEEL[name]
        table = np.char.strip(np.loadtxt(locate(f"keel/{file}.dat"), delimiter=",", dtype=str))
        X, y = table[:, :-1].astype(float), np.where(table[:, -1] == positive, 1, -1)
    elif name == "svmguide1":
        parts = [
            np.loadtxt(locate(f"libsvm/{part}"), delimiter=",", skiprows=1) for part in ("svmguide1", "svmguide1.t")
        ]
        table = np.concatenate(parts)
        X, y = table[:, 1:], np.where(table[:, 0] > 0, 1, -1)
    elif name == "svmguide3":
        X, y = load_svmguide3()
    elif name in _NAMES:
        path = locate({"german": "libsvm/german.numer", "splice": "libsvm/splice.gz"}[name])
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            sparse, labels = load_svmlight_file(lines)
        X, y = sparse.toarray(), np.where(labels > 0, 1, -1)
    else:
        raise ValueError(f"name={name!r} is unknown; it may be {', '.join(_NAMES)}")
    low, high = X.min(axis=0), X.max(axis=0)
    return np.where(high > low, 2.0 * (X - low) / np.where(high > low, high - low, 1.0) - 1.0, 0.0), y
