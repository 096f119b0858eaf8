"""Reuters-21578: newswire stories as counts of words."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from treatise.datasets._home import locate


def load_reuters_topics() -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """The stories of Reuters-21578 that have one topic, in the division of "ModApte".

    Returns
    -------
    X : CSR array of shape (8293, 18933)
        Counts of words, without their names.
    y : ndarray of shape (8293,)
        The topic, from 1 to 65, the most frequent first.
    train : ndarray of bool, of shape (8293,)
        The 5 946 earlier stories; the other 2 347 are for test.
    """
    content = loadmat(locate("text/Reuters21578.mat"))
    train = np.zeros(content["fea"].shape[0], dtype=bool)
    train[content["trainIdx"].ravel() - 1] = True
    return sparse.csr_array(content["fea"]), content["gnd"].ravel().astype(int), train
