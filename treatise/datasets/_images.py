"""Images: faces, handwritten digits, and words of handwritten letters."""

import gzip
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from scipy.io import loadmat

from treatise._core.errors import DataNotFoundError
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


def load_frey_faces() -> np.ndarray:
    """Frames of a video of one face, 28 x 20 pixels.

    Returns
    -------
    X : ndarray of shape (1965, 560)
        Grey levels from 0 (black) to 1; ``X.reshape(-1, 28, 20)`` are the upright pictures, in the order of time.
    """
    return np.ascontiguousarray(loadmat(locate("images/frey_rawface.mat"))["ff"].T) / 255.0


def load_moffett() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A scene of 50 x 50 pixels over Moffett Field seen in 184 bands of light: water, soil and plants.

    Returns
    -------
    X : ndarray of shape (2500, 184)
        Reflectance of each pixel, from 0 to 1; ``X.reshape(50, 50, -1)`` is the scene.
    spectra : ndarray of shape (3, 184)
        The three materials' spectra, as experts gave them.
    shares : ndarray of shape (2500, 3)
        Share of each material in each pixel.
    """
    content = loadmat(locate("images/moffett.mat"))
    # The file runs down the columns of the scene first.
    scene = content["Y"].T.reshape(50, 50, -1).transpose(1, 0, 2)
    return scene.reshape(2500, -1), content["GT"].astype(float), content["S_GT"].reshape(2500, 3)


def load_mnist_test() -> tuple[np.ndarray, np.ndarray]:
    """The test images of MNIST, handwritten digits of 28 x 28 pixels.

    Returns
    -------
    X : ndarray of shape (10000, 784)
        Grey levels from 0 to 1.
    y : ndarray of shape (10000,)
        The digits.
    """
    with gzip.open(locate("images/t10k-images-idx3-ubyte.gz")) as stream:
        pixels = np.frombuffer(stream.read(), dtype=np.uint8, offset=16)
    labels = np.frombuffer(locate("images/t10k-labels-idx1-ubyte").read_bytes(), dtype=np.uint8, offset=8)
    return pixels.reshape(-1, 784) / 255.0, labels.astype(int)


def load_usps() -> tuple[np.ndarray, np.ndarray]:
    """The digits of USPS, scanned from envelopes, 16 x 16 pixels: 7291 for training and then 2007 for test.

    Returns
    -------
    X : ndarray of shape (9298, 256)
        Ink from 0 to 1.
    y : ndarray of shape (9298,)
        The digits.
    """
    path = locate("images/usps.h5")
    try:
        h5py = import_module("h5py")
    except ImportError:
        raise DataNotFoundError(
            f"{path.name} is an HDF5 file, and the package h5py is absent: pip install h5py"
        ) from None
    with h5py.File(path) as file:
        parts = [(file[part]["data"][:], file[part]["target"][:]) for part in ("train", "test")]
    X, y = (np.concatenate(columns) for columns in zip(*parts))
    return X.astype(float), y.astype(int)


@dataclass(frozen=True)
class HandwrittenWords:
    """Words as images of their letters.

    Parameters
    ----------
    images : list of ndarray of shape (length, 128)
        Pixels 0 or 1 of each letter, an image of 16 by 8, column by column as in the file.
    letters : list of lists of str
        The letters, lower case.
    """

    images: list[np.ndarray]
    letters: list[list[str]]


def load_handwritten_words() -> tuple[HandwrittenWords, HandwrittenWords]:
    """Words written by some 150 people (Kassel, 1995; Taskar et al., 2004), without their first letters.

    Returns
    -------
    training, test : HandwrittenWords
        One of ten folds (626 words), and the other nine (6 251).
    """
    content = loadmat(locate("sequences/ocr_taskar.mat"))
    parts = []
    for part in ("train", "test"):
        # The last of 129 numbers is a constant.
        images = [np.asarray(word, np.float64).T[:, :128] for word in content[f"patterns_{part}"].ravel()]
        codes = [np.asarray(word, np.int64).ravel() for word in content[f"labels_{part}"].ravel()]
        parts.append(HandwrittenWords(images, [[chr(ord("a") + int(c)) for c in word] for word in codes]))
    return parts[0], parts[1]
