"""Tables of categories and numbers on which averages over Bayesian networks were compared (JMLR 5:1177, Table 6)."""

import numpy as np

from treatise.datasets import load_table

# Name in the paper, and the file of the KEEL repository.
_FILES = {
    "haberman": "keel/haberman.dat",
    "hayes-roth": "keel/hayes-roth.dat",
    "liver-disorders": "keel/bupa.dat",
    "pima": "keel/pima.dat",
    "cmc": "keel/contraceptive.dat",
    "wine": "keel/wine.dat",
    "credit-screening": "keel/crx.dat",
    "pendigits": "keel/penbased.dat",
    "letter": "keel/letter.dat",
    "mushroom": "keel/mushroom.dat",
    "breast-cancer": "keel/wdbc.dat",
    "spambase": "keel/spambase.dat",
}


def load_averaging_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of JMLR 5:1177, Table 6, from the KEEL repository, which has left out rows with missing cells.

    Parameters
    ----------
    name : str
        One of "haberman", "hayes-roth", "liver-disorders", "pima", "cmc", "wine", "credit-screening", "pendigits",
        "letter", "mushroom", "breast-cancer" and "spambase".

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Numbers, or objects where a column holds words.
    y : ndarray of str of shape (n_samples,)
        The class.
    """
    if name not in _FILES:
        raise ValueError(f"{name!r} is no table of this paper; there are {', '.join(_FILES)}")
    X, y = load_table(_FILES[name]).arrays()
    return X.astype(object) if X.dtype.kind == "U" else X, y.astype(str)
