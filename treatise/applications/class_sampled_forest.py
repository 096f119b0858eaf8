"""A forest whose trees see a share of each class (Oentaryo et al., JMLR 15:99, Section 6.2)."""

from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, _fit_context
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier, shown
from treatise._core.invariants import Invariants, all_alike
from treatise._core.progress import progress
from treatise.applications._path_loops import add_path_contributions

RAREST, FALL = 0.9, 0.2
"""The paper's forests draw 90 % of the rare class and about 41 % of one 40 times as frequent: 0.9 * 40^-0.2 = 0.43."""


class ClassSampledForest(Classifier, BaseEstimator):
    """Random forest whose trees are grown on a share of each class, larger for rare ones.

    Every tree draws rows of each class with replacement, as many as a share of the class. Use it where one class is
    rare, to rank rows by its risk: trees that see it oftener split for its sake, and the frequent class costs less
    time. Its probabilities are of the drawn shares, not of the table: calibrate them if they are to be read as such.
    Where classes are about as frequent it is a random forest. Cost: that of a random forest on the rows drawn,
    O(trees * n sqrt(p) log n).

    Parameters
    ----------
    sample_share : dict of class to float, "auto" or "balanced", default="auto"
        Rows drawn for a tree, as a share of the rows of the class. "auto" draws 90 % of the rarest class and
        0.9 (n_rarest / n_class)^0.2 of another, about what the paper found by trying; "balanced" draws as many of every
        class as the rarest has.
    n_estimators : int, default=250
        Trees.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Features looked at in a split, as a random forest of scikit-learn takes them.
    min_samples_leaf : int, default=1
        Fewest rows drawn in a leaf. The paper's forests have 3 to 5.
    max_depth : int or None, default=None
        Greatest depth.
    n_jobs : int or None, default=None
        Trees at a time, in threads.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    shares_ : ndarray of shape (n_classes,)
        Share drawn of each class.
    estimators_ : list of DecisionTreeClassifier
        The trees.
    oob_probabilities_ : ndarray of shape (n_samples, n_classes)
        Mean probabilities of the trees that did not draw a row; NaN for a row that all have drawn.
    oob_score_ : float
        Share of rows that these call right.
    feature_importances_ : ndarray of shape (n_features,)
        Mean decrease of impurity, which sums to one.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from treatise.applications import ClassSampledForest
    >>> X, y = make_classification(600, weights=[0.95], random_state=0)
    >>> ClassSampledForest(n_estimators=50, random_state=0).fit(X, y).shares_.round(2)
    array([0.51, 0.9 ])

    References
    ----------
    .. [1] Paper v15-0099, Section 6.2 and Table 22. Its "number of terminal nodes" of 3 to 5 is taken for R's
       ``nodesize``, the fewest rows of a leaf, as its column is named.
    """

    _parameter_constraints: dict = {
        "sample_share": [dict, StrOptions({"auto", "balanced"})],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}), None,
        ],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }  # fmt: skip

    def __init__(
        self, sample_share="auto", *, n_estimators=250, max_features="sqrt", min_samples_leaf=1, max_depth=None,
        n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.sample_share = sample_share
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float32)
        codes = self._code_labels(y)
        rows = [np.flatnonzero(codes == c) for c in range(len(self.classes_))]
        self.shares_ = self._shares(np.array([len(own) for own in rows]))
        draws = [max(1, round(share * len(own))) for share, own in zip(self.shares_, rows)]
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        with progress("trees", self.n_estimators) as advance:
            grown = Parallel(self.n_jobs, prefer="threads", return_as="generator")(
                delayed(self._tree)(X, codes, rows, draws, seed) for seed in seeds
            )
            self.estimators_, totals, votes = [], np.zeros((len(X), len(rows))), np.zeros(len(X))
            for tree, left_out in grown:
                self.estimators_.append(tree)
                totals[left_out] += tree.predict_proba(X[left_out]) if len(left_out) else 0.0
                votes[left_out] += 1
                advance(1)
        judged = votes > 0
        self.oob_probabilities_ = np.full(totals.shape, np.nan)
        self.oob_probabilities_[judged] = totals[judged] / votes[judged, np.newaxis]
        right = np.argmax(self.oob_probabilities_[judged], axis=1) == codes[judged]
        self.oob_score_ = float(np.mean(right)) if judged.any() else float("nan")
        return self

    def _shares(self, counts):
        if self.sample_share == "auto":
            return RAREST * (counts.min() / counts) ** FALL
        if self.sample_share == "balanced":
            return counts.min() / counts
        strange = [label for label in self.sample_share if label not in self.classes_]
        missing = [label for label in self.classes_.tolist() if label not in self.sample_share]
        if strange or missing:
            word = f"names {strange[0]!r}, which is no class" if strange else f"lacks the class {missing[0]!r}"
            raise ValueError(f"sample_share {word}; the classes are {shown(self.classes_)}")
        shares = np.array([float(self.sample_share[label]) for label in self.classes_.tolist()])
        if not (np.isfinite(shares).all() and (shares > 0).all()):
            raise ValueError(f"shares of classes must be above zero; got {self.sample_share}")
        return shares

    def _tree(self, X, codes, rows, draws, seed):
        rng = np.random.RandomState(seed)
        drawn = np.concatenate([own[rng.randint(0, len(own), count)] for own, count in zip(rows, draws)])
        tree = DecisionTreeClassifier(
            max_features=self.max_features, min_samples_leaf=self.min_samples_leaf, max_depth=self.max_depth,
            random_state=rng.randint(2**31 - 1),
        )  # fmt: skip
        return tree.fit(X[drawn], codes[drawn], check_input=False), np.setdiff1d(np.arange(len(codes)), drawn)

    @property
    def feature_importances_(self):
        """Mean decrease of impurity of each feature; they sum to one."""
        check_is_fitted(self, "estimators_")
        return np.mean([tree.feature_importances_ for tree in self.estimators_], axis=0)

    def predict_proba(self, X):
        """Mean of the trees' probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "estimators_")
        X = validate_data(self, X, dtype=np.float32, reset=False)
        parts = Parallel(self.n_jobs, prefer="threads")(delayed(tree.predict_proba)(X) for tree in self.estimators_)
        return np.sum(parts, axis=0) / len(parts)

    def predict(self, X):
        """The class of the highest mean probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        likely = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[likely]

    def contributions(self, X, label):
        """What each feature adds to the probability of a class, along the paths that a row takes through the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        label : object
            A class.

        Returns
        -------
        contributions : ndarray of shape (n_samples, n_features)
            They sum, with the mean probability at the roots, to the probability. Of features that say the same, those
            that trees happened to ask have the credit.
        base : float
            The mean probability at the roots.
        """
        check_is_fitted(self, "estimators_")
        if label not in self.classes_:
            raise ValueError(f"{label!r} is no class; the classes are {shown(self.classes_)}")
        X = validate_data(self, X, dtype=np.float32, reset=False)
        place = int(np.flatnonzero(self.classes_ == label)[0])
        found, base = np.zeros(X.shape), 0.0
        for model in self.estimators_:
            tree = model.tree_
            probability = np.ascontiguousarray(tree.value[:, 0, place] / tree.value[:, 0].sum(axis=1))
            base += float(probability[0])
            add_path_contributions(
                tree.children_left, tree.children_right, tree.feature, tree.threshold, probability, X, found
            )
        return found / len(self.estimators_), base / len(self.estimators_)

    def _invariants(self) -> Invariants:
        trees = self.estimators_
        yield "its parts are decision trees", len(trees) > 0 and all_alike(trees, DecisionTreeClassifier)
        own = self.n_features_in_, len(self.classes_)
        theirs = ((tree.n_features_in_, len(tree.classes_)) for tree in trees)
        yield "trees know the features and classes of the forest", all(pair == own for pair in theirs)
