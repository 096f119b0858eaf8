"""A table of positions with their sequences, labelled by any learner of sequences or of single positions."""

import inspect
from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise.sequence.crf.crf import CRF
from treatise.sequence.crf.semi_crf import SemiCRF
from treatise.sequence.features import SequenceVectorizer
from treatise.sequence.hmm.decoder import HMMDecoder
from treatise.sequence.hmm.hmm import HMM
from treatise.sequence.segments import labels_from_segments, segments_from_labels
from treatise.sequence.tagger._position_columns import UNKNOWN, PositionColumns

FEWEST_ERRORS = HMMDecoder(alpha=0, family="linear", constraint="posterior")
"""Of the possible paths, that with the fewest wrong positions in expectation."""
DECODINGS = ("sequence", "positions")


class SequenceTagger(BaseEstimator):
    """Labels the words of sentences, or the positions of any sequences, that come as a table, one row a position.

    Makes of the columns what a learner takes, puts the rows of a sequence together and hands them to it. Use it to
    compare learners on equal terms, and to keep the making of features and the learner in one model file. With
    features of your own use the learner directly.

    Parameters
    ----------
    learner : estimator or None, default=None
        What learns; None is ``CRF()``. See the notes.
    sentence : str, default="sentence"
        Column that tells the sequences apart; rows of one stand together.
    word : str or None, default=None
        Column with the words. None takes the column "form" where there is one, else the first column of text, unless
        it holds single characters only.
    decoding : {"sequence", "positions"} or None, default=None
        How a learner with probabilities of labels is asked: for the most probable labels of a whole sequence, or for
        the most probable label of each position, which errs at fewer positions where the model is right about its own
        doubts and may lack coherence. None takes what is right more often on the training positions. Learners without
        such probabilities, and segments that are chunks, are asked for sequences.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    learner_ : estimator
        The fitted learner.
    columns_ : list of str
        Columns in use.
    word_ : str or None
        The column of words among them.
    decoding_ : str
        How the learner is asked.

    Notes
    -----
    Learners are told apart by what they take:

    - learners of sequences with features, such as :class:`CRF` and :class:`OutputSpaceSearch`: the word, its affixes
      and shape and the words beside it; every other text and its neighbours up to two positions away; numbers, scaled
      to lie between 0 and 1, of the position alone. Where all columns hold numbers, arrays.
    - :class:`SemiCRF`: the same, and segments: chunks where the labels are written ``B-x``, ``I-x``, ``O``, runs of
      equal labels otherwise, those longer than its ``max_segment_length`` cut into pieces.
    - :class:`HMM`: one symbol for each position, made of all its texts; those met once in training share the symbol of
      what they look like, with words of the same ending and shape, and so on to one for all that is unknown. Where all
      columns hold numbers, vectors. Its ``emission`` and ``alphabet`` are set accordingly. Asked for positions, it
      keeps to possible paths (:class:`HMMDecoder`).
    - classifiers of scikit-learn, whose ``fit`` takes ``X``: the features of every position by itself.

    Missing numbers count as the mean of their column.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.sequence import SequenceTagger
    >>> words = pl.DataFrame({"sentence": [0, 0, 1, 1], "form": ["dogs", "bark", "cats", "sleep"]})
    >>> tagger = SequenceTagger().fit(words, ["N", "V", "N", "V"])
    >>> tagger.predict(pl.DataFrame({"sentence": [0, 0], "form": ["cats", "bark"]}))
    array(['N', 'V'], dtype='<U1')
    """

    def __init__(self, learner=None, *, sentence="sentence", word=None, decoding=None):
        self.learner = learner
        self.sentence = sentence
        self.word = word
        self.decoding = decoding

    def fit(self, tokens, y):
        """Learn from labelled positions.

        Parameters
        ----------
        tokens : data frame
            One row for each position.
        y : array-like of shape (n_positions,)
            Labels.

        Returns
        -------
        self : SequenceTagger
        """
        if self.decoding not in (None, *DECODINGS):
            raise ValueError(f"decoding={self.decoding!r} must be 'sequence', 'positions' or None")
        self._learn_columns(tokens)
        y = np.asarray(y)
        if len(y) != len(tokens):
            raise ValueError(f"there are {len(tokens)} rows and {len(y)} labels")
        absent = [t for t, label in enumerate(y.tolist()) if label is None or label != label]
        if absent:
            raise ValueError(f"row {absent[0]} (counted from 0) has no label; every position needs one")
        self.classes_ = np.unique(y)
        self.learner_ = CRF() if self.learner is None else clone(self.learner)
        positions = self._positions(tokens)
        labels = [part.tolist() for part in positions.split(y)]
        if self._sees_positions:
            self._vectorizer = None if positions.only_numbers else SequenceVectorizer().fit(positions.features())
            self.learner_.fit(self._rows(positions), y)
        elif isinstance(self.learner_, HMM):
            self.learner_.fit(self._shown_in_training(positions), labels)
        elif isinstance(self.learner_, SemiCRF):
            self.learner_.fit(_sequences(positions), self._segments(labels))
        else:
            self.learner_.fit(_sequences(positions), labels)
        self.decoding_ = self._chosen_decoding(positions, y)
        return self

    def predict(self, tokens):
        """Labels of positions.

        Parameters
        ----------
        tokens : data frame
            One row for each position, with the columns seen at the fit.

        Returns
        -------
        y : ndarray of shape (n_positions,)
        """
        check_is_fitted(self, "learner_")
        absent = [name for name in (self.sentence, *self.columns_) if name not in tokens.columns]
        if absent:
            raise ValueError(f"the words lack the column {absent[0]!r} that the tagger was fitted with")
        if len(tokens) == 0:
            return self.classes_[:0]
        return self._labels(self._positions(tokens), self.decoding_)

    def _invariants(self):
        yield "whoever learned can predict", hasattr(self.learner_, "predict")
        yield "the way of decoding is a known one", self.decoding_ in DECODINGS
        yield "labels are a list of them", np.ndim(self.classes_) == 1
        named = [*self._number_names, *self._text_names, *([] if self.word_ is None else [self.word_])]
        yield "every column is of words, of texts or of numbers", sorted(named) == sorted(self.columns_)
        for name in ("_lowest", "_span", "_mean"):
            sound = is_array(getattr(self, name), np.float64, len(self._number_names))
            yield f"{name} has a number for each column of numbers", sound
        if self._sees_positions:
            yield "names of features have their columns", isinstance(self._vectorizer, SequenceVectorizer | None)

    def _labels(self, positions, decoding):
        if self._sees_positions:
            return np.asarray(self.learner_.predict(self._rows(positions)))
        if isinstance(self.learner_, HMM):
            decoder = FEWEST_ERRORS if decoding == "positions" else None
            predicted = self.learner_.predict(self._shown(positions), decoder=decoder)
        elif decoding == "positions":
            marginals = self.learner_.predict_marginals(_sequences(positions))
            predicted = [self.learner_.classes_[each.argmax(axis=1)] for each in marginals]
        elif isinstance(self.learner_, SemiCRF):
            written = chunk_labels if self._chunked else labels_from_segments
            predicted = [written(segments) for segments in self.learner_.predict(_sequences(positions))]
        else:
            predicted = self.learner_.predict(_sequences(positions))
        return np.concatenate([np.asarray(labels, self.classes_.dtype) for labels in predicted])

    def _chosen_decoding(self, positions, y):
        probable = isinstance(self.learner_, HMM) or hasattr(self.learner_, "predict_marginals")
        if not probable or (isinstance(self.learner_, SemiCRF) and self._chunked):
            return "sequence"
        if self.decoding is not None:
            return self.decoding
        right = {way: np.mean(self._labels(positions, way) == y) for way in DECODINGS}
        return max(DECODINGS, key=lambda way: right[way])

    def _learn_columns(self, tokens):
        """Which columns hold words, texts and numbers, and the ranges of the numbers."""
        if not hasattr(tokens, "columns"):
            raise ValueError(f"the words come as {type(tokens).__name__}; give a data frame, one row for each position")
        if self.sentence not in tokens.columns:
            raise ValueError(f"the words lack the column {self.sentence!r} that says which of them belong together")
        self.columns_ = [name for name in tokens.columns if name != self.sentence]
        if not self.columns_ or len(tokens) == 0:
            raise ValueError("there is nothing to learn from: give at least one row, and one column of what it shows")
        held = {name: np.asarray(tokens[name]) for name in self.columns_}
        self._number_names = [name for name in self.columns_ if held[name].dtype.kind in "fiub"]
        texts = [name for name in self.columns_ if name not in self._number_names]
        self.word_ = _word_column(texts, held) if self.word is None else self.word
        if self.word_ is not None and self.word_ not in texts:
            raise ValueError(f"word={self.word!r} must name a column of text; there are {texts}")
        variety = {name: len({str(value) for value in held[name]}) for name in texts if name != self.word_}
        self._text_names = sorted(variety, key=lambda name: variety[name])
        numbers = self._numbers(tokens)
        present = ~np.isnan(numbers)
        self._lowest = np.where(present, numbers, np.inf).min(axis=0, initial=np.inf)
        span = np.where(present, numbers, -np.inf).max(axis=0, initial=-np.inf) - self._lowest
        empty = ~present.any(axis=0)
        self._lowest[empty] = 0.0
        self._span = np.where(empty | (span <= 0), 1.0, span)
        self._mean = np.where(present, numbers, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)

    def _positions(self, tokens):
        numbers = np.asarray(tokens[self.sentence])
        ends = [*(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist(), len(numbers)]
        values = self._numbers(tokens)
        values = np.where(np.isnan(values), self._mean, values)
        return PositionColumns(
            None if self.word_ is None else _texts(tokens[self.word_]),
            {name: _texts(tokens[name]) for name in self._text_names},
            np.clip((values - self._lowest) / self._span, 0.0, 1.0),
            self._number_names,
            ends,
        )

    def _numbers(self, tokens):
        columns = np.empty((len(tokens), len(self._number_names)))
        for j, name in enumerate(self._number_names):
            try:
                columns[:, j] = np.asarray(tokens[name], np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"the column {name!r} held numbers at the fit and now holds text") from None
        if np.isinf(columns).any():
            name = self._number_names[int(np.isinf(columns).any(axis=0).argmax())]
            raise ValueError(f"the column {name!r} holds an infinite number")
        return columns

    @property
    def _sees_positions(self):
        return "X" in inspect.signature(self.learner_.fit).parameters

    def _rows(self, positions):
        if self._vectorizer is None:
            return positions.numbers
        return _short_indices(self._vectorizer.transform(positions.features())[0])

    def _shown_in_training(self, positions):
        """What a hidden Markov model observes: vectors, or symbols, which it learns with their alphabet."""
        if positions.only_numbers:
            self.learner_.set_params(emission="gaussian")
            return positions.arrays()
        symbols = positions.symbols()
        alphabet = {symbol for sequence in symbols for symbol in sequence} | {UNKNOWN}
        self.learner_.set_params(emission="discrete", alphabet=np.array(sorted(alphabet)))
        return symbols

    def _shown(self, positions):
        if positions.only_numbers:
            return positions.arrays()
        return positions.symbols(set(self.learner_.symbols_.tolist()))

    def _segments(self, labels):
        self._chunked = are_chunks(labels)
        longest = self.learner_.max_segment_length
        if not self._chunked:
            return [runs(path, longest) for path in labels]
        ways = [chunks(path) for path in labels]
        if longest is not None:
            # A piece of a chunk would read as a chunk of its own.
            most = max(end - start for way in ways for start, end, _ in way)
            self.learner_.set_params(max_segment_length=max(longest, most))
        return ways


def _sequences(positions):
    return positions.arrays() if positions.only_numbers else positions.features()


def _word_column(texts, held):
    if "form" in texts:
        return "form"
    if not texts:
        return None
    return texts[0] if any(value is not None and len(str(value)) > 1 for value in held[texts[0]]) else None


def _texts(column):
    # NaN, by which some frames mean that nothing is there, is not equal to itself.
    return ["" if value is None or value != value else str(value) for value in column]


def _short_indices(rows):
    """The matrix with 32-bit indices where they suffice: some classifiers take no others."""
    if rows.nnz < 2**31:
        rows.indptr, rows.indices = rows.indptr.astype(np.int32), rows.indices.astype(np.int32)
    return rows


OUTSIDE = "O"


def are_chunks(labels):
    """Whether every sequence of labels is of the form B-x, I-x, O, with each I-x after a B-x or I-x.

    Parameters
    ----------
    labels : list of lists of str
        The labels of each sequence.
    """
    seen = {label for path in labels for label in path}
    if not all(isinstance(label, str) and (label == OUTSIDE or label[:2] in ("B-", "I-")) for label in seen):
        return False
    kinds = {label[2:] for label in seen if label != OUTSIDE}
    if not any(label[:2] == "I-" for label in seen) or kinds & {"", OUTSIDE}:
        return False
    return all(
        after[:2] != "I-" or before[2:] == after[2:] for path in labels for before, after in pairwise([OUTSIDE, *path])
    )


def chunks(path):
    """Segments of the chunks of one sequence, and one of label O for each position outside."""
    segments: list[tuple[int, int, str]] = []
    for t, label in enumerate(path):
        if label[:2] == "I-":
            start, _, kind = segments.pop()
            segments.append((start, t + 1, kind))
        else:
            segments.append((t, t + 1, label if label == OUTSIDE else label[2:]))
    return segments


def chunk_labels(segments):
    """Labels B-x, I-x and O of segments."""
    return [
        OUTSIDE if kind == OUTSIDE else f"{'B' if t == start else 'I'}-{kind}"
        for start, end, kind in segments
        for t in range(start, end)
    ]


def runs(path, longest):
    """Runs of equal labels, those of more than ``longest`` positions (if not None) cut into pieces of so many."""
    if longest is None:
        return segments_from_labels(path)
    return [
        (at, min(at + longest, end), label)
        for start, end, label in segments_from_labels(path)
        for at in range(start, end, longest)
    ]
