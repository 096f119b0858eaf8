"""Features of sequences: names and values to sparse columns, words to features, templates over columns."""

import re
from collections.abc import Mapping
from numbers import Real

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted


class SequenceVectorizer(BaseEstimator):
    """Turns sequences of features with names into the rows of one sparse matrix.

    A position is a dictionary, or a list (tuple, set) of names. In a dictionary a number or a truth value belongs to
    its key; a string makes the feature ``key:string``; a list of strings makes one such feature each; a dictionary
    inside is taken with its key as a prefix. These are the conventions of CRFsuite, whose input fits without change.
    One pass over all names; about half a microsecond each.

    Attributes
    ----------
    vocabulary_ : dict
        From names to columns.

    Examples
    --------
    >>> from treatise.sequence import SequenceVectorizer
    >>> rows, lengths = SequenceVectorizer().fit_transform([[{"word": "a", "long": 0.5}, ["word:a", "last"]]])
    >>> rows.toarray()
    array([[1. , 0.5, 0. ],
           [1. , 0. , 1. ]])
    >>> lengths
    array([2])
    """

    def fit(self, sequences, y=None):
        """Collect the names.

        Parameters
        ----------
        sequences : list of sequences of dict, or of lists of str
            The sequences.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(sequences)
        return self

    def fit_transform(self, sequences, y=None):
        """Collect the names and make the matrix; see :meth:`transform`."""
        self.vocabulary_ = {}
        return self._rows(sequences, growing=True)

    def transform(self, sequences):
        """The matrix; names that were not there at the fit are left out.

        Parameters
        ----------
        sequences : list of sequences of dict, or of lists of str
            The sequences.

        Returns
        -------
        rows : csr_array of shape (positions, features)
            The positions of all sequences, one after another.
        lengths : ndarray of shape (n,)
            Lengths of the sequences.
        """
        check_is_fitted(self, "vocabulary_")
        return self._rows(sequences, growing=False)

    def _rows(self, sequences, growing):
        vocabulary = self.vocabulary_
        indices: list[int] = []
        data: list[float] = []
        ends, lengths = [0], []
        for s, sequence in enumerate(sequences):
            for t, position in enumerate(sequence):
                try:
                    for name, value in named_values(position):
                        column = vocabulary.setdefault(name, len(vocabulary)) if growing else vocabulary.get(name, -1)
                        if column >= 0:
                            indices.append(column)
                            data.append(value)
                except TypeError as error:
                    raise ValueError(f"position {t} of sequence {s} (counted from 0): {error}") from None
                ends.append(len(indices))
            lengths.append(len(sequence))
        values = np.array(data, np.float64)
        if not np.isfinite(values).all():
            raise ValueError("a feature's value is NaN or infinite")
        shape = (len(ends) - 1, len(vocabulary))
        rows = csr_array((values, np.array(indices, np.int32), np.array(ends, np.int64)), shape=shape)
        return rows, np.array(lengths, np.int64)

    def _invariants(self):
        columns = list(self.vocabulary_.values())
        yield "names stand for columns in their order", columns == list(range(len(columns)))

    def get_feature_names_out(self, input_features=None):
        """Names of the columns."""
        check_is_fitted(self, "vocabulary_")
        return np.array(list(self.vocabulary_), object)

    # Tens of thousands of names are stored as one text: model files wrap every string of a list in a record.
    def __getstate__(self):
        state = super().__getstate__().copy()
        if "vocabulary_" in state:
            text = "".join(state["vocabulary_"]).encode("utf-8", "surrogatepass")
            lengths = [len(name.encode("utf-8", "surrogatepass")) for name in state.pop("vocabulary_")]
            state["_names"], state["_name_lengths"] = np.frombuffer(text, np.uint8), np.array(lengths, np.int64)
        return state

    def __setstate__(self, state):
        state = dict(state)
        if "_names" in state:
            text = np.asarray(state.pop("_names"), np.uint8).tobytes()
            ends = np.cumsum(np.asarray(state.pop("_name_lengths"), np.int64)).tolist()
            names = (text[low:high].decode("utf-8", "surrogatepass") for low, high in zip([0, *ends], ends))
            state["vocabulary_"] = {name: i for i, name in enumerate(names)}
        super().__setstate__(state)


def named_values(position):
    """Names and values of one position's features, in the order given."""
    if isinstance(position, Mapping):
        pairs = []
        for key, value in position.items():
            if type(value) is str:
                pairs.append((f"{key}:{value}", 1.0))
            elif isinstance(value, (Real, np.bool_)):
                pairs.append((key, float(value)))
            elif isinstance(value, Mapping):
                pairs.extend((f"{key}:{name}", inner) for name, inner in named_values(value))
            elif isinstance(value, (list, tuple, set, frozenset)):
                pairs.extend((f"{key}:{name}", 1.0) for name in value)
            else:
                raise TypeError(f"feature {key!r} is a {type(value).__name__}; it must be a number or a string")
        return pairs
    if isinstance(position, (list, tuple, set, frozenset)):
        for name in position:
            if not isinstance(name, str):
                raise TypeError(f"the list of features holds {name!r}; names of features are strings")
        return [(name, 1.0) for name in position]
    raise TypeError(
        f"its features are a {type(position).__name__}; every position needs a dictionary or a list of strings"
    )


def word_features(words, *, window=1, affix=3):
    """Features of the words of a sentence that serve tagging and the finding of names in most languages.

    For every word: the word itself in lower case, its shape (``Xxx9``), prefixes and suffixes, whether it is first or
    last, and the lower-case words around it.

    Parameters
    ----------
    words : list of str
        The sentence.
    window : int, default=1
        How many words to each side.
    affix : int, default=3
        Longest prefix and suffix.

    Returns
    -------
    features : list of dict
        One for each word, as :class:`CRF` takes them.

    Examples
    --------
    >>> from treatise.sequence import word_features
    >>> word_features(["Ann", "sings"], affix=2)[1]
    {'bias': 1.0, 'word': 'sings', 'shape': 'x', 'prefix1': 's', 'suffix1': 's', 'prefix2': 'si', \
'suffix2': 'gs', 'last': 1.0, 'word-1': 'ann'}
    """
    lower = [word.lower() for word in words]
    features = []
    for t, word in enumerate(words):
        own: dict = {"bias": 1.0, "word": lower[t], "shape": _shape(word)}
        for length in range(1, min(affix, len(word)) + 1):
            own[f"prefix{length}"] = lower[t][:length]
            own[f"suffix{length}"] = lower[t][-length:]
        if t == 0:
            own["first"] = 1.0
        if t == len(words) - 1:
            own["last"] = 1.0
        for step in range(1, window + 1):
            if t >= step:
                own[f"word-{step}"] = lower[t - step]
            if t + step < len(words):
                own[f"word+{step}"] = lower[t + step]
        features.append(own)
    return features


def _shape(word):
    """Kinds of characters, a run of one kind written once."""
    shape = []
    for character in word:
        kind = "X" if character.isupper() else "x" if character.isalpha() else "9" if character.isdigit() else character
        if not shape or shape[-1] != kind:
            shape.append(kind)
    return "".join(shape)


class FeatureTemplates:
    """Feature templates over columns, in the form that CRF++ and its followers read.

    A line such as ``U05:%x[-1,0]/%x[0,1]`` makes, at every position, a feature of the first column one position back
    and the second column here. Beyond the ends the value is ``_B-1``, ``_B+1`` and so on. Lines that begin with ``B``
    ask for features of label pairs, which :class:`CRF` always has; they, empty lines and comments (#) are passed over.

    Parameters
    ----------
    text : str
        The lines.

    Examples
    --------
    >>> from treatise.sequence import FeatureTemplates
    >>> templates = FeatureTemplates("U0:%x[0,0]\\nU1:%x[-1,0]/%x[0,1]")
    >>> templates.apply([("the", "DT"), ("cat", "NN")])
    [['U0:the', 'U1:_B-1/DT'], ['U0:cat', 'U1:the/NN']]
    """

    _CELL = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")

    def __init__(self, text):
        self.text = text
        self._templates = []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            if not line or line.startswith(("#", "B")):
                continue
            if not line.startswith("U"):
                raise ValueError(f"line {number} of the templates, {line!r}, begins with neither U nor B")
            pieces = self._CELL.split(line)
            if "%" in "".join(pieces[::3]):
                raise ValueError(f"line {number} of the templates, {line!r}, has a cell that is not %x[row,column]")
            cells = [(int(row), int(column)) for row, column in zip(pieces[1::3], pieces[2::3])]
            self._templates.append((pieces[::3], cells))

    def apply(self, rows):
        """Features of every position of one sequence.

        Parameters
        ----------
        rows : list of sequences of str
            The columns of each position.

        Returns
        -------
        features : list of lists of str
        """
        features = []
        for t in range(len(rows)):
            names = []
            for pieces, cells in self._templates:
                name = pieces[0]
                for piece, (row, column) in zip(pieces[1:], cells):
                    name += self._value(rows, t + row, column) + piece
                names.append(name)
            features.append(names)
        return features

    @staticmethod
    def _value(rows, t, column):
        if t < 0:
            return f"_B{t}"
        if t >= len(rows):
            return f"_B+{t - len(rows) + 1}"
        if column >= len(rows[t]):
            raise ValueError(f"a template asks for column {column} and position {t} has {len(rows[t])} columns")
        return rows[t][column]
