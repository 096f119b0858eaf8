"""A table of words with their sentences, labelled by any learner of sequences or of single positions."""

import inspect

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from treatise.sequence.crf import CRF
from treatise.sequence.features import SequenceVectorizer, word_features


class SequenceTagger(BaseEstimator):
    """Labels the words of sentences that come as a table, one row a word.

    Makes features of the words (the word, its affixes and shape, its neighbours) and of every other column, puts the
    rows of a sentence together and hands them to a learner: one of sequences, such as :class:`CRF`, or a classifier of
    scikit-learn that sees every word by itself. Use it to compare such learners on equal features, and to keep the
    making of features and the learner in one model file. With features of your own use the learner directly.

    Parameters
    ----------
    learner : estimator or None, default=None
        What learns; None is ``CRF()``.
    sentence : str, default="sentence"
        Column with the number of the sentence; rows of one sentence stand together.
    word : str, default="form"
        Column with the words.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    learner_ : estimator
        The fitted learner.
    columns_ : list of str
        Columns in use.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.sequence import SequenceTagger
    >>> words = pl.DataFrame({"sentence": [0, 0, 1, 1], "form": ["dogs", "bark", "cats", "sleep"]})
    >>> tagger = SequenceTagger().fit(words, ["N", "V", "N", "V"])
    >>> tagger.predict(pl.DataFrame({"sentence": [0, 0], "form": ["cats", "bark"]}))
    array(['N', 'V'], dtype='<U1')
    """

    def __init__(self, learner=None, *, sentence="sentence", word="form"):
        self.learner = learner
        self.sentence = sentence
        self.word = word

    def fit(self, tokens, y):
        """Learn from labelled words.

        Parameters
        ----------
        tokens : data frame
            One row for each word.
        y : array-like of shape (n_words,)
            Labels.

        Returns
        -------
        self : SequenceTagger
        """
        self.columns_ = [name for name in tokens.columns if name != self.sentence]
        y = np.asarray(y)
        self.classes_ = np.unique(y)
        self.learner_ = CRF() if self.learner is None else clone(self.learner)
        features, ends = self._features(tokens)
        self._by_word = "X" in inspect.signature(self.learner_.fit).parameters
        if self._by_word:
            self._vectorizer = SequenceVectorizer()
            self.learner_.fit(_short_indices(self._vectorizer.fit_transform(features)[0]), y)
        else:
            self.learner_.fit(features, [list(labels) for labels in np.split(y, ends[:-1])])
        return self

    def predict(self, tokens):
        """Labels of words.

        Parameters
        ----------
        tokens : data frame
            One row for each word, with the columns seen at the fit.

        Returns
        -------
        y : ndarray of shape (n_words,)
        """
        check_is_fitted(self, "learner_")
        absent = [name for name in self.columns_ if name not in tokens.columns]
        if absent:
            raise ValueError(f"the words lack the column {absent[0]!r} that the tagger was fitted with")
        features, _ = self._features(tokens)
        if self._by_word:
            return np.asarray(self.learner_.predict(_short_indices(self._vectorizer.transform(features)[0])))
        predicted = self.learner_.predict(features)
        return np.concatenate([np.asarray(labels, self.classes_.dtype) for labels in predicted])

    def _features(self, tokens):
        """Features of each sentence's words, and where sentences end."""
        numbers = np.asarray(tokens[self.sentence])
        ends = np.append(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1, len(numbers))
        columns = {name: [str(value) for value in tokens[name]] for name in self.columns_}
        words = columns.pop(self.word, None)
        features, start = [], 0
        for end in ends.tolist():
            own = word_features(words[start:end]) if words else [{"bias": 1.0} for _ in range(end - start)]
            for name, values in columns.items():
                for t, position in enumerate(own):
                    position[name] = values[start + t]
                    if t:
                        position[f"{name}-1"] = values[start + t - 1]
                    if start + t + 1 < end:
                        position[f"{name}+1"] = values[start + t + 1]
            features.append(own)
            start = end
        return features, ends


def _short_indices(rows):
    """The matrix with 32-bit indices where they suffice: some classifiers take no others."""
    if rows.nnz < 2**31:
        rows.indptr, rows.indices = rows.indptr.astype(np.int32), rows.indices.astype(np.int32)
    return rows
