"""Randomized variable elimination (Stracuzzi & Utgoff, JMLR 5:1331)."""

import math
import warnings
from functools import partial
from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import check_classes
from treatise._core.invariants import selecting
from treatise._core.threads import few_rows_in_one_thread
from treatise.selection.variable_elimination._search import KnownNumber, SearchedNumber, eliminate
from treatise.selection.variable_elimination.schedule import elimination_schedule, fit_costs

MOST_CLASSES = 20
"""Numbers of more values than this are amounts, even whole ones."""


class RandomizedVariableElimination(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Drop random batches of features for as long as a learner does no worse without them (RVE).

    Where few of many features matter, a random batch most likely holds none of them, so that one fit is rid of them
    all. The batch sizes are those of the least expected cost for the number of relevant features; where that is not
    known, it is searched for on the way: batches that fail too often are made smaller, and others larger.

    Use it around any learner when few of many features matter, also in combination, as it looks at features together
    (an exclusive or is safe): it takes some hundred subsets where stepwise selection takes thousands. Do not use it
    where most features matter, or where a filter such as :class:`CMIM` serves. It keeps a set that suffices, not the
    best one: of two features that say the same either may go, and another seed may keep others. What it keeps is fitted
    to the folds as well, so judge it on rows that it has not seen. With a hundred or two of rows that costs accuracy
    where most features say a little: of 300 handwritten digits, all 64 pixels are right on 94 % of new rows, and those
    that are kept on 92 %. The share of right rows, by ``scoring="accuracy"``, suits few rows less than the log loss.

    Costs the order of r fits on all p features, for r relevant ones and fits of linear cost or more; p^2 for the batch
    sizes.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner that is fitted to each subset; None is logistic regression for classes and ridge regression for
        amounts, of standardised features. Numbers of more than 20 values are taken for amounts.
    n_relevant : int or None, default=None
        Number of features to keep; None searches for it (the paper's RVErS).
    min_relevant : int, default=1
        Least number to keep, where it is searched for.
    max_relevant : int or None, default=None
        Largest guess of it. More are kept where more matter, at the price of more fits; None is 4 sqrt(p).
    tolerance : float, default=0.002
        Rise of the loss (fall of the score) at which a batch is dropped all the same. With few rows chance alone moves
        a score by more: a larger one, such as 0.01, then keeps fewer features of noise.
    reference : {"best", "previous"}, default="best"
        The loss that a rise is measured from: the least so far, or that of the subset before, as in the paper, from
        where it can drift upwards by the tolerance at every batch.
    cost : float or callable, default=1.0
        How the cost of a fit grows with its features: a power of their number (1 for linear learners, 2 for trees), or
        a function of an array of numbers of features.
    batch_size : "optimal", "ratio" or int, default="optimal"
        Features to drop at a time: at the least expected cost, n / r of n features left, or a fixed number.
    redraw : bool, default=False
        Whether a single feature that was found to matter may be drawn again before another one was dropped, as in the
        paper. Without, the search ends when each feature left was found to matter.
    c1, c2 : float, default=3.0 and 0.3
        Failures in a row that raise the guess of the number of relevant features, in units of those expected, and
        successes that lower it, in units of the guess less those failures.
    keep_best : bool, default=False
        Keep the subset of the least loss on the way, instead of the last.
    cv : int, cross-validation generator or iterable, default=5
        Folds by which a subset is judged, the same for all; one pair of training and test rows is a held-out part.
    scoring : str, callable or None, default=None
        Score of which the loss is the opposite. None is the learner's own; where that is logistic regression by
        default, it is the log loss, which a few rows tell more exactly than the share of them that is right.
    max_fits : int or None, default=None
        Most subsets to try.
    n_jobs : int or None, default=None
        Folds fitted at a time.
    random_state : int, RandomState instance or None, default=None
        Draws the batches.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    n_features_ : int
        Number of features kept.
    score_ : float
        Mean score over the folds with them.
    estimator_ : estimator
        The learner fitted to all rows with them.
    n_fits_ : int
        Subsets tried, the full one among them; each is fitted once a fold.
    total_cost_ : float
        Sum of the cost over them.
    converged_ : bool
        Whether it ended where it should: with ``n_relevant`` features, or, where that is None, when none could be
        dropped alone.
    history_ : dict of ndarray
        For every subset tried: ``n_features`` it has, ``batch_size`` left out for it, ``n_relevant`` as guessed,
        its mean ``score``, and whether it was ``accepted``.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    elimination_schedule : The batch sizes, and what they are expected to cost.
    plot_elimination : Features left over the fits.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.selection import RandomizedVariableElimination
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 60))
    >>> y = X[:, 3] - X[:, 17] + X[:, 42] + rng.normal(size=300)
    >>> selector = RandomizedVariableElimination(tolerance=0.01, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True), selector.n_fits_
    (array([ 3, 17, 42]), 75)

    References
    ----------
    .. [1] Paper v05-1331, Tables 2 and 3.
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit"]), None],
        "n_relevant": [Interval(Integral, 1, None, closed="left"), None],
        "min_relevant": [Interval(Integral, 1, None, closed="left")],
        "max_relevant": [Interval(Integral, 1, None, closed="left"), None],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "reference": [StrOptions({"best", "previous"})],
        "cost": [Interval(Real, 0, None, closed="left"), callable],
        "batch_size": [StrOptions({"optimal", "ratio"}), Interval(Integral, 1, None, closed="left")],
        "redraw": ["boolean"],
        "c1": [Interval(Real, 0, None, closed="neither")],
        "c2": [Interval(Real, 0, None, closed="neither")],
        "keep_best": ["boolean"],
        "cv": ["cv_object"],
        "scoring": [None, StrOptions(set(get_scorer_names())), callable],
        "max_fits": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, estimator=None, *, n_relevant=None, min_relevant=1, max_relevant=None, tolerance=0.002,
        reference="best", cost=1.0, batch_size="optimal", redraw=False, c1=3.0, c2=0.3, keep_best=False, cv=5,
        scoring=None, max_fits=None, n_jobs=None, random_state=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_relevant = n_relevant
        self.min_relevant = min_relevant
        self.max_relevant = max_relevant
        self.tolerance = tolerance
        self.reference = reference
        self.cost = cost
        self.batch_size = batch_size
        self.redraw = redraw
        self.c1 = c1
        self.c2 = c2
        self.keep_best = keep_best
        self.cv = cv
        self.scoring = scoring
        self.max_fits = max_fits
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y):
        """Choose the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features, as the learner takes them.
        y : array-like of shape (n_samples,)
            What the learner is to predict.

        Returns
        -------
        self
        """
        finite = not get_tags(self).input_tags.allow_nan
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=None, ensure_all_finite=finite, multi_output=True)
        learner = clone(self.estimator) if self.estimator is not None else _usual_learner(X, y)
        if is_classifier(learner):
            check_classes(np.unique(y))
        plan = self._plan(X.shape[1])
        usual = self.estimator is None and self.scoring is None and is_classifier(learner)
        scorer = _mean_log_probability if usual else check_scoring(learner, self.scoring)
        splits = list(check_cv(self.cv, y, classifier=is_classifier(learner)).split(X, y))

        def loss_of(features):
            scores = cross_val_score(
                learner, X[:, features], y, scoring=scorer, cv=splits, n_jobs=self.n_jobs, error_score="raise"
            )
            return -float(np.mean(scores))

        found = eliminate(
            loss_of, X.shape[1], plan, check_random_state(self.random_state), tolerance=self.tolerance,
            from_best=self.reference == "best", redraw=self.redraw, max_fits=self.max_fits or math.inf,
        )  # fmt: skip
        self._remember(found)
        self.estimator_ = learner.fit(X[:, self.support_], y)
        self._warn_unless_done(found.end)
        return self

    def _plan(self, p):
        """The batches to come; refuses numbers that do not fit p features."""
        schedule_of = partial(elimination_schedule, cost=self.cost, batch_size=self.batch_size)
        if self.n_relevant is not None:
            if self.n_relevant > p:
                raise ValueError(f"n_relevant={self.n_relevant} exceeds the {p} features of X; choose at most {p}")
            return KnownNumber(schedule_of(p, self.n_relevant))
        most = min(p, math.ceil(4 * math.sqrt(p))) if self.max_relevant is None else self.max_relevant
        if most > p or self.min_relevant > p:
            raise ValueError(
                f"min_relevant={self.min_relevant} and max_relevant={self.max_relevant} must not exceed the {p} "
                "features of X"
            )
        if self.max_relevant is None:
            most = max(most, self.min_relevant)
        if self.min_relevant > most:
            raise ValueError(f"min_relevant={self.min_relevant} exceeds max_relevant={most}; give a range")
        return SearchedNumber(schedule_of, self.min_relevant, most, self.c1, self.c2)

    def _remember(self, found):
        trace = found.trace
        self.history_ = {
            "n_features": np.array(trace.sizes),
            "batch_size": np.array(trace.batches),
            "n_relevant": np.array(trace.guesses),
            "score": -np.array(trace.losses),
            "accepted": np.array(trace.accepted),
        }
        kept = found.best if self.keep_best else found.kept
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[kept] = True
        self.n_features_ = len(kept)
        scores = self.history_["score"][self.history_["accepted"]]
        self.score_ = float(scores.max() if self.keep_best else scores[-1])
        self.n_fits_ = len(trace.sizes)
        self.total_cost_ = float(fit_costs(self.cost, self.n_features_in_)[trace.sizes].sum())
        self.converged_ = found.end == "done"

    def _warn_unless_done(self, end):
        left = f"{self.history_['n_features'][self.history_['accepted']][-1]} features are left"
        if end == "limit":
            message = f"the limit of max_fits={self.max_fits} came first; {left}. Raise it, or give n_relevant"
        elif end == "stuck":
            message = (
                f"{left}, not n_relevant={self.n_relevant}: without any of them the score falls by more than "
                f"tolerance={self.tolerance}. More features seem to matter; raise n_relevant or tolerance"
            )
        else:
            return
        # Two frames up: scikit-learn wraps fit.
        warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _invariants(self):
        yield from selecting(self)

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        inner = get_tags(self.estimator if self.estimator is not None else LogisticRegression())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = inner.input_tags.sparse
        return tags


def _usual_learner(X, y):
    """A linear model of standardised columns for what y holds."""
    counted = np.issubdtype(np.asarray(y).dtype, np.number) and len(np.unique(y)) > MOST_CLASSES
    amounts = counted or type_of_target(y).startswith("continuous")
    return make_pipeline(
        StandardScaler(with_mean=not issparse(X)), Ridge() if amounts else LogisticRegression(max_iter=1000)
    )


def _mean_log_probability(learner, X, y):
    """The log loss with its sign turned; a class that the learner has not seen has the least probability there is."""
    probabilities = np.maximum(learner.predict_proba(X), np.finfo(np.float64).tiny)
    at = np.searchsorted(learner.classes_, y)
    seen = learner.classes_[np.minimum(at, len(learner.classes_) - 1)] == y
    found = np.where(seen, probabilities[np.arange(len(at)), np.where(seen, at, 0)], np.finfo(np.float64).tiny)
    return float(np.mean(np.log(found)))
