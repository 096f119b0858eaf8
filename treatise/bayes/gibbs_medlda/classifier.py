"""Topics that tell classes or labels apart (Algorithms 1 and 3 of v15-1073)."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from treatise._core.classifier import ScoreClassifier, signs_of
from treatise.bayes.gibbs_medlda._base import GibbsMedLDA
from treatise.bayes.gibbs_medlda._losses import HingeLoss


class GibbsMedLDAClassifier(ScoreClassifier, GibbsMedLDA):
    """Topic model of labelled documents whose topics are learned to separate the labels.

    Latent Dirichlet allocation explains the words of each document by topics, and a support vector machine classifies
    it by its mean topic; both are learned at once, by Gibbs sampling, so that topics are sought that tell the classes
    apart. Two classes have one machine. More classes, and several labels at once, have a machine each, which share the
    topics (multi-task, section 5.2); the paper's alternative, topics of its own for each class, is scikit-learn's
    ``OneVsRestClassifier`` around this one, which takes many times longer.

    Use it for labelled texts, or other counts, where readable topics are wanted along with a classifier, and for texts
    with several labels. Do not use it for classification alone: a linear classifier on weighted words is better and
    far quicker. Nor is it for probabilities of the classes.

    A sweep costs n_tokens n_topics plus, for each class, n_topics^3: six million tokens a second at 50 topics on one
    core. Memory is 8 bytes a token, and 12 bytes for each pair of word and topic.

    Parameters
    ----------
    margin : float, default=64.0
        The score that each label should reach on its side, the paper's l; shares of topics are small, so that scores
        of one would leave the words alone in charge. From 25 to 600 it matters little.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; of a matrix of labels the numbers of its columns.
    coef_ : ndarray of shape (1 or n_classes, n_topics)
        Weight of each topic in the score of each class; of two classes in that of the second.
    losses_ : ndarray of shape (n_burn + n_samples,)
        Mean hinge loss in training after each sweep, in units of the margin.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import GibbsMedLDAClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> subject = np.array([[4, 4, 1, 1, 2, 2], [1, 1, 4, 4, 2, 2]]) / 14
    >>> X = np.array([rng.multinomial(40, subject[label]) for label in y])
    >>> model = GibbsMedLDAClassifier(4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True

    References
    ----------
    .. [1] Paper v15-1073, Algorithms 1 and 3, equations 10 to 13 and 22 to 24.
    """

    _parameter_constraints: dict = {
        **GibbsMedLDA._parameter_constraints,
        "margin": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, n_topics=None, *, C=1.0, margin=64.0, alpha=1.0, beta=0.01, prior_var=1.0, n_burn=30, n_samples=20,
        n_infer_burn=20, n_infer_samples=20, tokens_per_row=None, verbose=None, random_state=None,
    ):  # fmt: skip
        self.n_topics = n_topics
        self.C = C
        self.margin = margin
        self.alpha = alpha
        self.beta = beta
        self.prior_var = prior_var
        self.n_burn = n_burn
        self.n_samples = n_samples
        self.n_infer_burn = n_infer_burn
        self.n_infer_samples = n_infer_samples
        self.tokens_per_row = tokens_per_row
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn topics and classifier together.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of words; documents without one teach nothing.
        y : array-like of shape (n_documents,) or (n_documents, n_labels)
            Classes, or a matrix of 0 and 1 with a column for each label.

        Returns
        -------
        self
        """
        labels = sparse.issparse(y) or type_of_target(y).startswith("multilabel")
        y = y.toarray() if sparse.issparse(y) else y
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, multi_output=labels)
        self.multilabel_ = bool(labels)
        signs = self._signs_of_labels(y) if labels else self._signs_of_classes(y)
        return self._fit_topics(X, signs.shape[1], lambda told: HingeLoss(signs[told], self.C, self.margin))

    def _signs_of_classes(self, y):
        codes = self._code_labels(y)
        return np.column_stack(signs_of(codes, len(self.classes_)))

    def _signs_of_labels(self, y):
        if y.shape[1] < 2:
            raise ValueError("y is a matrix of one label; give its column as one row of classes")
        if not np.isin(y, (0, 1)).all():
            raise ValueError(f"y as a matrix has a column of 0 and 1 for each label; it holds {np.unique(y)[:10]}")
        self.classes_ = np.arange(y.shape[1])
        return np.where(y > 0, 1.0, -1.0)

    def _scores(self, X):
        return self.transform(X) @ self.coef_.T

    def decision_function(self, X):
        """Signed score of the second of two classes, or a score for each of several, or for each label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of the same words.

        Returns
        -------
        scores : ndarray of shape (n_documents,) or (n_documents, n_classes)
            In units of 1; the margin is ``margin``.
        """
        scores = self._scores(X)
        return scores if self.multilabel_ or scores.shape[1] > 1 else scores[:, 0]

    def predict(self, X):
        """The class of the highest score, or of each label whether its score is above zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of the same words.

        Returns
        -------
        labels : ndarray of shape (n_documents,) or (n_documents, n_labels)
        """
        return (self.decision_function(X) > 0).astype(int) if self._labels() else super().predict(X)

    def _labels(self):
        return getattr(self, "multilabel_", False)

    def _invariants(self):
        machines = 1 if len(self.classes_) == 2 and not self.multilabel_ else len(self.classes_)
        yield "there is a score for each class or label, one for two classes", len(self.coef_) == machines
        yield "it is known whether there are labels", isinstance(self.multilabel_, bool)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # Rows of numbers that are no counts of words say little of the classes by their proportions.
        tags.classifier_tags.poor_score = True
        return tags
