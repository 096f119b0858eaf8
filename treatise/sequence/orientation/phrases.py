"""Phrases of two languages: how far one moves, which way, and indicators of the words around it (JMLR 12:1)."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils._param_validation import Interval

FAR = 5
"""Words from which a movement is a long one, with five orientations."""


def movement_distances(spans):
    """How far each phrase moves: the place after the phrase translated before it, less its own first place.

    Parameters
    ----------
    spans : sequence of (int, int)
        First and last place in the source of each phrase, in the order of the translation; places count from 0.

    Returns
    -------
    ndarray of int of shape (n_phrases,)
        Zero where the source goes on; negative where words are skipped, positive where the translation goes back.

    Examples
    --------
    >>> from treatise.sequence import movement_distances
    >>> movement_distances([(0, 1), (4, 4), (2, 3)])
    array([ 0, -2,  3])
    """
    spans = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    if (spans[:, 0] > spans[:, 1]).any():
        first, last = spans[np.argmax(spans[:, 0] > spans[:, 1])]
        raise ValueError(f"a phrase goes from place {first} to {last}; the last comes not before the first")
    before = np.concatenate([[-1], spans[:-1, 1]])
    return before + 1 - spans[:, 0]


def orientation_of(distance, n_classes=3):
    """Classes of movements: back, on, forth; with five also far back and far forth.

    Parameters
    ----------
    distance : array-like of int
        What :func:`movement_distances` gives.
    n_classes : {3, 5}, default=3
        Signs alone; or movements of five words and more apart from shorter ones.

    Returns
    -------
    ndarray of int
        From 0 for the most negative to ``n_classes - 1``.

    Examples
    --------
    >>> from treatise.sequence import orientation_of
    >>> orientation_of([-7, -2, 0, 3, 5], 5)
    array([0, 1, 2, 3, 4])
    """
    distance = np.asarray(distance)
    if n_classes == 3:
        return np.sign(distance).astype(np.int64) + 1
    if n_classes == 5:
        return np.digitize(distance, [-FAR + 1, 0, 1, FAR]).astype(np.int64)
    raise ValueError(f"n_classes={n_classes} is not known; choose 3 or 5")


class PhrasePairFeatures(TransformerMixin, BaseEstimator):
    """Indicators of a phrase pair: word sequences at its edges in the source, and inside its translation.

    A pair is ``(source, first, last, target)``: the words of the source sentence, the places of the phrase in it, and
    the words of its translation. Each sequence of words with its place relative to the edge is one indicator, hashed
    into ``n_features`` columns; nothing is learned, so that a stream can be transformed part by part.

    Parameters
    ----------
    window : int, default=3
        Words that are looked at on either side of each edge.
    longest : int, default=2
        Longest sequence of words.
    n_features : int, default=2**18
        Columns.

    Examples
    --------
    >>> from treatise.sequence import PhrasePairFeatures
    >>> pair = (["the", "red", "house"], 1, 1, ["rouge"])
    >>> PhrasePairFeatures(window=1, longest=1).fit_transform([pair]).nnz
    7

    References
    ----------
    .. [1] Paper v12-0001, Table 3. Classes of words are left to the caller, who may give them as words of their own.
    """

    _parameter_constraints: dict = {
        "window": [Interval(Integral, 1, None, closed="left")],
        "longest": [Interval(Integral, 1, None, closed="left")],
        "n_features": [Interval(Integral, 2, 2**31 - 1, closed="both")],
    }

    def __init__(self, window=3, longest=2, n_features=2**18):
        self.window = window
        self.longest = longest
        self.n_features = n_features

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, pairs=None, y=None):
        """Nothing is learned.

        Parameters
        ----------
        pairs : ignored
            There for pipelines.
        y : ignored
            There for pipelines.

        Returns
        -------
        self
        """
        return self

    def transform(self, pairs):
        """Indicators of phrase pairs.

        Parameters
        ----------
        pairs : iterable of (list of str, int, int, list of str)
            Source sentence, first and last place of the phrase, and its translation.

        Returns
        -------
        sparse matrix of shape (n_pairs, n_features)
        """
        hasher = FeatureHasher(self.n_features, input_type="string", alternate_sign=False)
        found = hasher.transform([self._indicators(*pair) for pair in pairs])
        found.data[:] = 1.0
        return found

    def _indicators(self, source, first, last, target):
        if not 0 <= first <= last < len(source):
            raise ValueError(
                f"places {first} to {last} are not all in a sentence of {len(source)} words; they count from 0"
            )
        found = []
        for side, edge in (("l", first), ("r", last)):
            around = range(max(0, edge - self.window), min(len(source), edge + self.window + 1))
            for start in around:
                for stop in range(start + 1, min(start + self.longest, around.stop) + 1):
                    found.append(f"s{side}{start - edge} {' '.join(source[start:stop])}")
        for start in range(len(target)):
            for stop in range(start + 1, min(start + self.longest, len(target)) + 1):
                found.append(f"t {' '.join(target[start:stop])}")
        return found

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags
