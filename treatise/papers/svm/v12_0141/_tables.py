"""The two-class tables on which Steinwart, Hush & Scovel compare machines with and without offset."""

import numpy as np

from treatise.datasets import load_svmguide3, load_table

_KEEL: dict[str, tuple[str, str | int]] = {
    "sonar": ("sonar", "R"),
    "heart": ("heart", 2),
    "liver": ("bupa", 2),
    "ionosphere": ("ionosphere", "g"),
    "australian": ("australian", 1),
    "breast": ("wisconsin", 4),
    "diabetes": ("pima", "tested_positive"),
}
_LIBSVM = {"german": ("german.numer",), "splice": ("splice.gz",), "svmguide1": ("svmguide1", "svmguide1.t")}
_NAMES = (*_KEEL, "german", "svmguide3", "splice", "svmguide1")


def load_offset_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of JMLR 12:141, Table 1, its features scaled to [-1, 1] as there.

    Parameters
    ----------
    name : {"sonar", "heart", "liver", "ionosphere", "australian", "breast", "diabetes", "german", "svmguide3", \
            "splice", "svmguide1"}
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
        X, labels = load_table(f"keel/{file}.dat").arrays()
        y = np.where(labels == positive, 1, -1)
    elif name == "svmguide3":
        X, y = load_svmguide3()
    elif name in _LIBSVM:
        parts = [load_table(f"libsvm/{file}").arrays() for file in _LIBSVM[name]]
        X = np.concatenate([rows if isinstance(rows, np.ndarray) else rows.toarray() for rows, _ in parts])
        y = np.where(np.concatenate([labels for _, labels in parts]) > 0, 1, -1)
    else:
        raise ValueError(f"name={name!r} is unknown; it may be {', '.join(_NAMES)}")
    low, high = X.min(axis=0), X.max(axis=0)
    return np.where(high > low, 2.0 * (X - low) / np.where(high > low, high - low, 1.0) - 1.0, 0.0), y
