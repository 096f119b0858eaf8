"""Tables of categories and numbers on which averages over Bayesian networks were compared (JMLR 5:1177, Table 6)."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate

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
_MONK_STATES = (3, 3, 2, 3, 4, 2)
_MONK_TRAINING = {1: 124, 2: 169, 3: 122}


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
    lines = locate(_FILES[name]).read_text(encoding="ascii").splitlines()
    cells = np.array([[cell.strip() for cell in line.split(",")] for line in lines if line.strip()], dtype=object)
    columns = [_numbers_or_words(column) for column in cells[:, :-1].T]
    return np.column_stack(columns), cells[:, -1].astype(str)


def _numbers_or_words(column: np.ndarray) -> np.ndarray:
    try:
        return column.astype(np.float64)
    except ValueError:
        return column


def make_monks(
    problem: int = 1, *, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The monk's problems: robots of six features, one of three rules to learn, and a random training part.

    The rules: 1, the first two features are equal or the fifth is 1; 2, exactly two features are 1; 3, the fifth is 3
    and the fourth 1, or the fifth is not 4 and the second not 3. The training parts of the collection (124, 169 and
    122 of the 432 robots; one label in twenty of the third is wrong) are drawn anew here.

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        The rule.
    random_state : int, RandomState instance or None, default=None
        Draws the training part and its noise.

    Returns
    -------
    X : ndarray of int of shape (432, 6)
        All robots, the features numbered from 1.
    y : ndarray of int of shape (432,)
        1 where the rule holds, else 0; without noise.
    training : ndarray of int of shape (n_training, 2)
        Rows of the training part, and their labels.
    """
    if problem not in _MONK_TRAINING:
        raise ValueError(f"problem={problem!r} is none of the monk's problems 1, 2 and 3")
    X = np.stack(np.unravel_index(np.arange(432), _MONK_STATES), axis=1) + 1
    first, second, _, fourth, fifth, _ = X.T
    holds = {
        1: (first == second) | (fifth == 1),
        2: (X == 1).sum(axis=1) == 2,
        3: ((fifth == 3) & (fourth == 1)) | ((fifth != 4) & (second != 3)),
    }[problem]
    random = check_random_state(random_state)
    rows = random.choice(432, _MONK_TRAINING[problem], replace=False)
    labels = holds[rows].astype(int)
    if problem == 3:
        wrong = random.choice(len(rows), round(len(rows) / 20), replace=False)
        labels[wrong] = 1 - labels[wrong]
    return X, holds.astype(int), np.column_stack([rows, labels])
