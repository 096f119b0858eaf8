"""The ORL faces: ten grey photographs of each of forty people."""

import numpy as np
from scipy.io import loadmat

from treatise.datasets._home import locate


def load_orl_faces() -> tuple[np.ndarray, np.ndarray]:
    """The ORL (AT&T Laboratories Cambridge) face images, cut and scaled down to 32 x 32 pixels.

    Returns
    -------
    X : ndarray of shape (400, 1024)
        Grey levels from 0 (black) to 1; ``X.reshape(-1, 32, 32)`` are the upright pictures.
    y : ndarray of int, of shape (400,)
        Number of the person, 0 to 39.
    """
    content = loadmat(locate("images/ORL.mat"))
    # The file runs down the columns of a picture first.
    pictures = content["X"].reshape(-1, 32, 32).transpose(0, 2, 1)
    return pictures.reshape(len(pictures), -1) / 255.0, content["Y"].ravel().astype(int) - 1
