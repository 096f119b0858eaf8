"""Data in the likeness of the terascale paper's (JMLR 15:1111), whose own are private or terabytes large."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state, murmurhash3_32

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate

_DEGREE, _BITS = 20, 20


def make_zipf_ads(
    n_samples: int = 20_000, n_active: int = 40, n_features: int = 1 << 20, random_state: int | None = None
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Categorical features with frequencies of Zipf's law, clicks of a sparse logistic rule.

    Parameters
    ----------
    n_samples, n_active, n_features : int
        Examples, features that are 1 in each, and columns.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : csr_matrix of shape (n_samples, n_features)
        Counts of the features, 1 for most.
    y : ndarray of shape (n_samples,)
        1 for a click, -1 for none: about one in three.

    Examples
    --------
    >>> from treatise.datasets import make_zipf_ads
    >>> X, y = make_zipf_ads(1000, 20, 5000, random_state=0)
    >>> X.shape, bool(0.2 < (y == 1).mean() < 0.5)
    ((1000, 5000), True)
    """
    random = check_random_state(random_state)
    # Field by field: a frequent value, or a rare one, of a category of its own.
    ranks = np.minimum(random.zipf(1.3, (n_samples, n_active)), n_features // n_active) - 1
    columns = ranks + np.arange(n_active) * (n_features // n_active)
    pointers = np.arange(0, n_samples * n_active + 1, n_active)
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), pointers), shape=(n_samples, n_features))
    truth = random.normal(size=n_features) * (random.uniform(size=n_features) < 0.5)
    score = X @ truth
    score = 2.0 * (score - score.mean()) / max(score.std(), 1e-12) - 1.0
    return X, np.where(score + random.logistic(size=n_samples) > 0, 1, -1)


def load_acceptor_sites() -> tuple[sparse.csr_matrix, np.ndarray]:
    """Acceptor splice sites of C. elegans with explicit weighted-degree features.

    Every substring of up to 20 letters is a feature together with its place, hashed to 2**20 columns and weighted as
    in the weighted degree kernel; rows have unit length.

    Returns
    -------
    X : csr_matrix of shape (2200, 2**20)
        The features.
    y : ndarray of shape (2200,)
        1 for a site, -1 for a decoy.
    """
    labels, sequences = [], []
    for record in locate("sequences/C_elegans_acc_seq.fa").read_text(encoding="ascii").split(">")[1:]:
        head, *lines = record.splitlines()
        labels.append(int(head.rpartition("label=")[2]))
        sequences.append("".join(lines))
    if len({len(sequence) for sequence in sequences}) != 1:
        raise TreatiseError("the sequences of acceptor sites differ in length; get the file again")
    letters = np.frombuffer("".join(sequences).encode(), np.uint8).reshape(len(sequences), -1)
    codes = np.searchsorted(np.frombuffer(b"ACGT", np.uint8), letters).astype(np.int64) % 4
    n, length = codes.shape
    places, values = [], []
    word = np.zeros((n, length), np.int64)
    for k in range(1, _DEGREE + 1):
        word = word[:, : length - k + 1] * 4 + codes[:, k - 1 :]
        key = (word * length + np.arange(length - k + 1)) * _DEGREE + k
        # Both halves of the key go through the hash.
        low, high = (key & 0x7FFFFFFF).astype(np.int32), (key >> 31).astype(np.int32)
        mixed = murmurhash3_32(low.ravel(), 0) ^ murmurhash3_32(high.ravel(), k)
        places.append((mixed & ((1 << _BITS) - 1)).reshape(n, -1))
        weight = 2.0 * (_DEGREE - k + 1) / (_DEGREE * (_DEGREE + 1))
        values.append(np.full(places[-1].shape, np.sqrt(weight)))
    columns, data = np.hstack(places), np.hstack(values)
    data /= np.sqrt(np.sum(data**2, axis=1, keepdims=True))
    pointers = np.arange(0, columns.size + 1, columns.shape[1])
    return sparse.csr_matrix((data.ravel(), columns.ravel(), pointers), shape=(n, 1 << _BITS)), np.array(labels)
