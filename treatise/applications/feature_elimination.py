"""Features left out one by one, judged by a model that is trained without them (Oentaryo et al., JMLR 15:99)."""

from collections.abc import Callable, Iterator
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectorMixin, f_classif
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, check_cv, train_test_split
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import check_classes, classes_and_codes
from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import selecting
from treatise._core.progress import progress


class _Elimination(InheritsDocumentation, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """What the two searches share: how a subset is judged, and what is kept.

    Parameters
    ----------
    estimator : estimator or None, default=None
        What is trained. None takes 100 extremely randomised trees.
    scoring : str, callable or None, default="average_precision"
        How the model is judged on rows that it was not trained on; None is its own score. Average precision is for rows
        of a rare class.
    min_features : int or None, default=None
        Fewest features to go down to. None goes down to one, or to the number that a forest looks at in a split
        (``max_features``), as the paper does.
    validation : float, int, cross-validation generator or iterable, default=0.3
        A share of the rows, drawn by class, that judges; or folds, over which the scores are averaged. Not used where
        ``fit`` is given rows to judge by.
    n_jobs : int or None, default=None
        Fits at a time.
    random_state : int, RandomState instance or None, default=None
        Draws the rows that judge, and seeds the usual trees.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    n_features_ : int
        How many.
    score_ : float
        The score with them on the rows that judged. It was chosen for being high: judge by other rows again.
    full_score_ : float
        The score with all features.
    history_ : dict of ndarray
        ``n_features``, ``score`` and the feature ``removed`` last, from all features (-1 removed) downwards.
    n_fits_ : int
        Models trained to judge subsets.
    estimator_ : estimator
        The model trained with the features kept; on all rows of ``X``.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit"]), None],
        "scoring": [None, StrOptions(set(get_scorer_names())), callable],
        "min_features": [Interval(Integral, 1, None, closed="left"), None],
        "validation": [Interval(Real, 0, 1, closed="neither"), "cv_object"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def fit(self, X, y, X_val=None, y_val=None):
        """Choose the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels.
        X_val, y_val : array-like or None, default=None
            Rows that judge, such as those of a later period; all of X then trains.

        Returns
        -------
        self
        """
        self._validate_params()
        finite = not get_tags(self).input_tags.allow_nan
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=finite)
        rng = check_random_state(self.random_state)
        if self.estimator is None:
            learner = ExtraTreesClassifier(100, random_state=rng.randint(2**31 - 1))
        else:
            learner = clone(self.estimator)
        if is_classifier(learner):
            check_classes(classes_and_codes(y)[0])
        if (X_val is None) != (y_val is None):
            raise ValueError("give both X_val and y_val, or neither")
        if X_val is not None:
            X_val = validate_data(self, X_val, dtype=None, ensure_all_finite=finite, reset=False)
            pairs = [(X, y, X_val, np.asarray(y_val))]
            if len(X_val) != len(pairs[0][3]):
                raise ValueError(f"X_val has {len(X_val)} rows and y_val {len(pairs[0][3])} labels; they must agree")
        else:
            pairs = [(X[train], y[train], X[test], y[test]) for train, test in self._splits(learner, X, y, rng)]
        scorer = check_scoring(learner, self.scoring)
        fewest = self._fewest(learner, X.shape[1])
        self.n_fits_ = 0

        def score_of(subsets: list[np.ndarray]) -> np.ndarray:
            """Mean score of each subset over the pairs of training and judging rows."""
            self.n_fits_ += len(subsets) * len(pairs)
            work = (delayed(_score)(learner, scorer, pair, subset) for subset in subsets for pair in pairs)
            return np.reshape(Parallel(self.n_jobs)(work), (len(subsets), len(pairs))).mean(axis=1)

        steps = list(self._search(learner, pairs, score_of, X.shape[1], fewest))
        sizes, scores, removed = (np.array(column) for column in zip(*[step[:3] for step in steps]))
        kept = steps[self._choose(scores)]
        self.history_ = {"n_features": sizes, "score": scores.astype(float), "removed": removed}
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[kept[3]] = True
        self.n_features_, self.score_, self.full_score_ = int(kept[0]), float(kept[1]), float(scores[0])
        self.estimator_ = clone(learner).fit(X[:, self.support_], y)
        return self

    def _splits(self, learner, X, y, rng):
        if isinstance(self.validation, Real) and not isinstance(self.validation, Integral):
            if not is_classifier(learner):
                train, test = train_test_split(np.arange(len(y)), test_size=self.validation, random_state=rng)
                return [(np.sort(train), np.sort(test))]
            counts = np.bincount(classes_and_codes(y)[1])
            if counts.min() < 2:
                raise ValueError(
                    f"a class has {counts.min()} row, too few to train on and to judge by; it needs two, or give X_val"
                )
            n_test = max(round(self.validation * len(y)), len(counts))
            split = StratifiedShuffleSplit(1, test_size=n_test, random_state=rng)
            return [(np.sort(train), np.sort(test)) for train, test in split.split(X, y)]
        if isinstance(self.validation, Integral) and is_classifier(learner):
            folds = StratifiedKFold(int(self.validation), shuffle=True, random_state=rng)
            return list(folds.split(X, y))
        return list(check_cv(self.validation, y, classifier=is_classifier(learner)).split(X, y))

    def _fewest(self, learner, n_features):
        if self.min_features is not None:
            if self.min_features > n_features:
                raise ValueError(f"min_features={self.min_features} exceeds the {n_features} features of X")
            return self.min_features
        most = getattr(learner, "max_features", None)
        if most is None or not hasattr(learner, "n_estimators"):
            return 1
        if isinstance(most, str):
            return max(1, int(np.sqrt(n_features) if most == "sqrt" else np.log2(n_features)))
        whole = int(most) if isinstance(most, Integral) else max(1, int(most * n_features))
        return min(whole, n_features)

    def _search(self, learner, pairs, score_of: Callable, n_features: int, fewest: int) -> Iterator[tuple]:
        """Sizes, scores, the feature removed and the features left, from all of them down."""
        raise NotImplementedError

    def _choose(self, scores: np.ndarray) -> int:
        """Which step is kept."""
        raise NotImplementedError

    def _invariants(self):
        yield from selecting(self)

    def _get_support_mask(self):
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.estimator is not None and get_tags(self.estimator).input_tags.allow_nan
        return tags


def _score(learner, scorer, pair, features):
    X, y, X_val, y_val = pair
    return float(scorer(clone(learner).fit(X[:, features], y), X_val[:, features], y_val))


class BackwardElimination(_Elimination):
    """Drop features one by one from the least important, and keep the set with the best score on the way.

    Features are ranked once, by the model with all of them, and never again; of equal scores the smaller set wins. So
    its score is never below that of all features, on the rows that judge. Use it with forests on some hundreds of
    features of which many are noise: a fit for each feature, where the greedy search needs a number that grows with the
    square. Not for features that only matter together with one ranked low, nor to learn which of two copies of a
    feature matters. Cost: as many fits as features.

    Parameters
    ----------
    importance : "auto", "anova" or callable, default="auto"
        How features are ranked: by the model's ``feature_importances_``, else by the size of its ``coef_``, else by the
        F value of an analysis of variance; by the latter alone; or by what a function makes of the fitted model.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_features,)
        Features from the least to the most important.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treatise.applications import BackwardElimination
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> few = BackwardElimination(model, importance="anova", random_state=0).fit(X, y)
    >>> few.score_ >= few.full_score_, few.history_["score"].shape
    (True, (30,))

    References
    ----------
    .. [1] Paper v15-0099, Algorithm 1.
    """

    _parameter_constraints: dict = {
        **_Elimination._parameter_constraints,
        "importance": [StrOptions({"auto", "anova"}), callable],
    }

    def __init__(
        self, estimator=None, *, scoring="average_precision", min_features=None, importance="auto", validation=0.3,
        n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.scoring = scoring
        self.min_features = min_features
        self.importance = importance
        self.validation = validation
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _search(self, learner, pairs, score_of, n_features, fewest):
        # Ranked on rows that train; with folds by the mean, so that a subset is one and the same for all.
        found = [np.asarray(self._importances(learner, X, y), dtype=float) for X, y, *_ in pairs]
        weights = np.mean(found, axis=0)
        if weights.shape != (n_features,) or np.isnan(weights).any():
            raise ValueError(f"importances must be {n_features} numbers; got {weights.shape} with NaN or not as many")
        self.ranking_ = np.argsort(weights, kind="stable")  # line 5
        subsets = [np.sort(self.ranking_[i:]) for i in range(n_features - fewest + 1)]
        with progress("elimination", len(subsets)) as advance:
            for i, subset in enumerate(subsets):  # lines 6 to 14
                score = score_of([subset])[0]
                advance(1)
                yield len(subset), score, self.ranking_[i - 1] if i else -1, subset

    def _importances(self, learner, X, y):
        if self.importance != "anova":
            fitted = clone(learner).fit(X, y)
            if callable(self.importance):
                return self.importance(fitted)
            for name in ("feature_importances_", "coef_"):
                if hasattr(fitted, name):
                    found = np.abs(np.asarray(getattr(fitted, name), dtype=float))
                    return found if found.ndim == 1 else np.linalg.norm(found, axis=0)
        # A column without spread has no F value, and tells nothing; one that splits the classes has an infinite one.
        with np.errstate(all="ignore"):
            found = f_classif(np.asarray(X, dtype=float), y)[0]
        return np.nan_to_num(found, nan=0.0, posinf=np.finfo(float).max)

    def _choose(self, scores):
        return int(np.flatnonzero(scores == scores.max())[-1])  # line 10: of equal scores the smaller set


class GreedyElimination(_Elimination):
    """Drop, again and again, the feature without which the score is highest.

    Every feature left is tried at every step, so that features that matter only together stay together. Then the
    smallest set is kept whose score is within ``tolerance`` of the best on the way. Use it for a few dozen features and
    a fast model; it picks the luckiest of many scores at each step, so judge the result by other rows. For hundreds of
    features take :class:`BackwardElimination`. Cost: N (N + 1) / 2 fits for N features, down to one.

    Parameters
    ----------
    tolerance : float, default=0.0
        How far below the best score of all steps the kept set may be.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from treatise.applications import GreedyElimination
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 6))
    >>> y = X[:, 1] + X[:, 4] + 0.5 * rng.normal(size=400) > 1.5
    >>> few = GreedyElimination(GaussianNB(), tolerance=0.03, random_state=0).fit(X, y)
    >>> few.get_support(indices=True), few.n_fits_
    (array([1, 4]), 21)

    References
    ----------
    .. [1] Paper v15-0099, Section 5.3.2; its count leaves out the fit with all features.
    """

    _parameter_constraints: dict = {
        **_Elimination._parameter_constraints,
        "tolerance": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, estimator=None, *, scoring="average_precision", tolerance=0.0, min_features=None, validation=0.3,
        n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.scoring = scoring
        self.tolerance = tolerance
        self.min_features = min_features
        self.validation = validation
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _search(self, learner, pairs, score_of, n_features, fewest):
        left = np.arange(n_features)
        yield n_features, score_of([left])[0], -1, left
        with progress("elimination", n_features - fewest) as advance:
            while len(left) > fewest:
                subsets = [np.delete(left, place) for place in range(len(left))]
                scores = score_of(subsets)
                best = int(np.argmax(scores))
                yield len(left) - 1, scores[best], left[best], subsets[best]
                left = subsets[best]
                advance(1)

    def _choose(self, scores):
        return int(np.flatnonzero(scores >= scores.max() - self.tolerance)[-1])
