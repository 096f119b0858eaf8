"""Topics of documents from anchor words, which belong to one topic alone (section 6.2 of v15-1011)."""

import warnings
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from treatise._core.invariants import are_distinct, finite, is_array
from treatise.decomposition._products import data_by
from treatise.decomposition.separable_nmf._choice import choose_rows
from treatise.decomposition.separable_nmf._rounding import leading_directions
from treatise.decomposition.separable_nmf.estimator import SeparableNMF
from treatise.optimize import nonnegative_least_squares
from treatise.statistics.topics import heaviest_words


class AnchorTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Topics of a collection of documents, each named by a word that belongs to it alone, and groups of documents.

    Words are the candidates: the columns of X whose mixtures give all other columns, found by
    :class:`SeparableNMF` on the transposed, weighted counts. There is no random start, so that two runs agree, and
    every topic carries its anchor word as a name.

    Use it on collections of hundreds to tens of thousands of texts that differ in subject. Do not use it for texts of a
    few words, nor where a model of how documents arise is wanted (scikit-learn's ``LatentDirichletAllocation``).

    Costs a truncated singular value decomposition of the sparse counts; they are never filled in. Beside X it holds
    arrays of n_topics numbers for each word and document.

    Parameters
    ----------
    n_topics : int, default=10
        Number of topics.
    weighting : {"tf-idf", "paper"} or None, default="tf-idf"
        Multiply counts by the inverse document frequency and bring documents to one size. ``"tf-idf"`` does both as
        scikit-learn's ``TfidfTransformer`` (smoothed frequencies, sum of squares one); ``"paper"`` takes
        log(n_documents / n_documents_with_the_word) and a sum of one, under which short documents count for more, as
        does a rare word in them. None takes X as it is, as for weights from a larger collection.
    low_rank : bool, default=True
        Read a document's share in a topic off the low-rank approximation of the data, which knows words that go along
        with the anchor; else off the anchor word's own weight, which most documents lack.
    method : {"er-spa", "er-xray", "spa", "xray"}, default="er-spa"
        How the anchors are found; see :class:`SeparableNMF`.

    Attributes
    ----------
    anchor_words_ : ndarray of int of shape (n_topics,)
        Columns that are the anchors.
    components_ : ndarray of shape (n_topics, n_words)
        Weight of each word in each topic; an anchor has weight one in its own topic and none in others.
    doc_topic_ : ndarray of shape (n_documents, n_topics)
        Share of each topic in each training document; values below zero are those of the low-rank approximation.
    labels_ : ndarray of int of shape (n_documents,)
        The topic of which each training document has most.
    reading_ : ndarray of shape (n_words, n_topics)
        What turns weighted counts into shares.
    inverse_frequencies_ : ndarray of shape (n_words,)
        Weight of each word, unless ``weighting=None``.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, where X has names of columns.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from treatise.decomposition import AnchorTopics
    >>> texts = ["the cat and the dog", "a dog, a cat", "my cat sleeps"]
    >>> texts += ["stocks and bonds", "bonds fell", "sell stocks"]
    >>> words = CountVectorizer(stop_words="english")
    >>> model = AnchorTopics(2).fit(words.fit_transform(texts))
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> [names[0] for names in model.top_words(1, words.get_feature_names_out())]
    ['cat', 'bonds']

    References
    ----------
    .. [1] Paper v15-1011, section 6.2.
    """

    _parameter_constraints = {
        "n_topics": [Interval(Integral, 1, None, closed="left")],
        "weighting": [StrOptions({"tf-idf", "paper"}), None],
        "low_rank": ["boolean"],
        "method": SeparableNMF._parameter_constraints["method"],
    }

    def __init__(self, n_topics=10, *, weighting="tf-idf", low_rank=True, method="er-spa"):
        self.n_topics = n_topics
        self.weighting = weighting
        self.low_rank = low_rank
        self.method = method

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the anchor words and the topics.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of words, not negative; any other weights with ``weighting=None``.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = self._checked(X, reset=True)
        if self.weighting is not None:
            self.inverse_frequencies_ = self._inverse_frequencies(X)
        X = self._weighted(X)
        if not (X.data if sparse.issparse(X) else X).any():
            raise ValueError(f"no word of the {X.shape[0]} documents has a weight: there are no topics to find")
        words = X.T.tocsr() if sparse.issparse(X) else np.ascontiguousarray(X.T)
        self.anchor_words_ = choose_rows(words, self.n_topics, self.method).rows
        if len(self.anchor_words_) < self.n_topics:
            warnings.warn(
                f"n_topics={self.n_topics} exceeds the {len(self.anchor_words_)} topics that X allows: all words are "
                "combinations of these anchors",
                UserWarning,
                stacklevel=3,
            )
        anchors = words[self.anchor_words_]
        anchors = anchors.toarray() if sparse.issparse(anchors) else anchors
        self.components_ = nonnegative_least_squares(anchors @ anchors.T, data_by(anchors, words))
        # The anchors' own columns of X, or those of its projection on the leading directions.
        if self.low_rank:
            directions = leading_directions(X, len(self.anchor_words_))
            self.reading_ = directions @ directions[self.anchor_words_].T
        else:
            self.reading_ = np.zeros((X.shape[1], len(self.anchor_words_)))
            self.reading_[self.anchor_words_, np.arange(len(self.anchor_words_))] = 1.0
        self.doc_topic_ = np.asarray(X @ self.reading_)
        self.labels_ = np.argmax(self.doc_topic_, axis=1)
        return self

    def transform(self, X):
        """Share of each topic in documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of the same words.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
        """
        check_is_fitted(self)
        return np.asarray(self._weighted(self._checked(X, reset=False)) @ self.reading_)

    def fit_predict(self, X, y=None):
        """Find the topics and give the topic of each document.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of words.
        y : None
            Ignored.

        Returns
        -------
        ndarray of int of shape (n_documents,)
        """
        return self.fit(X).labels_

    def predict(self, X):
        """The topic of which each document has most.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of the same words.

        Returns
        -------
        ndarray of int of shape (n_documents,)
        """
        return np.argmax(self.transform(X), axis=1)

    def top_words(self, n_words=5, names=None):
        """The words of most weight in each topic, the anchor first.

        Parameters
        ----------
        n_words : int, default=5
            Words of each topic, the anchor among them.
        names : sequence of str or None, default=None
            Names of the columns; None takes those that X had, or their numbers.

        Returns
        -------
        list of lists
        """
        check_is_fitted(self)
        weights = self.components_.copy()
        weights[np.arange(len(weights)), self.anchor_words_] = np.inf
        return heaviest_words(self, weights, n_words, names)

    def _invariants(self):
        shape = (self.n_features_in_, len(self.anchor_words_))
        yield "topics have a weight for each word", is_array(self.components_, np.floating, *shape[::-1])
        yield "every word has a share in each topic", is_array(self.reading_, np.floating, *shape)
        yield "both are finite", finite(self.components_) and finite(self.reading_)
        yield "anchors are different words", are_distinct(self.anchor_words_, self.n_features_in_)
        if self.weighting is not None:
            known = self.inverse_frequencies_
            yield "every word has a frequency", is_array(known, np.floating, self.n_features_in_) and finite(known)

    @property
    def _n_features_out(self):
        return len(self.anchor_words_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _checked(self, X, *, reset):
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_non_negative(X, "AnchorTopics (input X)")
        return X

    def _inverse_frequencies(self, X):
        documents = np.bincount(X.nonzero()[1], minlength=X.shape[1])
        if self.weighting == "paper":
            return np.log(X.shape[0] / np.maximum(documents, 1))
        return 1.0 + np.log((1 + X.shape[0]) / (1 + documents))

    def _weighted(self, X):
        if self.weighting is None:
            return X
        X = X.multiply(self.inverse_frequencies_).tocsr() if sparse.issparse(X) else X * self.inverse_frequencies_
        return normalize(X, norm="l1" if self.weighting == "paper" else "l2", copy=False)
