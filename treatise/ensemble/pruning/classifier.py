"""A decision tree grown on a part of the rows and pruned on the rest (Kääriäinen, Malinen & Elomaa, JMLR 5:1107)."""

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ProbabilityClassifier
from treatise._core.invariants import Invariants, is_array, within
from treatise.ensemble.pruning.bounds import log_prunings, occam_bound, rademacher_bound, rademacher_penalty
from treatise.ensemble.pruning.counted_tree import CountedTree
from treatise.ensemble.pruning.reduced_error import reduced_error_pruning


class PrunedTreeClassifier(ProbabilityClassifier, BaseEstimator):
    """Decision tree pruned on rows kept aside, with a bound on its error that holds at a stated confidence.

    Use it for a small tree that can be read, fast and without a parameter to tune, and for a guarantee on its error
    from the same rows. With few rows a tree that is pruned by cross-validation uses them better, and with less than
    some thousand pruning rows the bound says nothing; where only accuracy counts, forests and boosting are better.

    Costs one fit of the tree; pruning is linear in rows and nodes, and with "krep" takes the square of the mistakes
    that may be added.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, ExtraTreeClassifier or None, default=None
        What is grown; None is ``DecisionTreeClassifier(min_samples_leaf=2)``.
    method : {"rep", "krep"}, default="rep"
        "rep" takes the pruning with the fewest mistakes on the pruning rows, "krep" the best of those that add few to
        the growing rows: larger, with a better bound.
    prune_fraction : float, default=0.25
        Share of the rows that are kept aside for pruning. The paper takes a third, which makes the bound better and
        small tables worse.
    c : float, default=1.1
        For "krep": a pruning may have c times the mistakes of the grown tree on the growing rows.
    delta : float, default=0.01
        Chance that the bound fails.
    random_state : int, RandomState or None, default=0
        Divides the rows, seeds the tree and draws the signs of the penalty.

    Attributes
    ----------
    error_bound_ : float
        Bound on the error on new rows of the same source, which holds with probability 1 - delta: the better of the two
        below, each at half of delta. Above 1 it says nothing.
    rademacher_bound_, occam_bound_ : float
        The two by themselves, at delta.
    rademacher_penalty_ : float
        The penalty in the first.
    pruning_error_ : float
        Share of the pruning rows that are wrong.
    tree_ : DecisionTreeClassifier
        The pruned tree, whose classes are positions in ``classes_``; ``sklearn.tree.plot_tree`` draws it.
    n_nodes_, n_nodes_grown_ : int
        Nodes after pruning and before.
    classes_ : ndarray of shape (n_classes,)
        The classes.

    Examples
    --------
    >>> from treatise.datasets import make_led
    >>> from treatise.ensemble import PrunedTreeClassifier
    >>> model = PrunedTreeClassifier().fit(*make_led(20_000, random_state=0))
    >>> X, y = make_led(10_000, random_state=1)
    >>> bool(1 - model.score(X, y) < model.error_bound_ < 0.6)
    True

    References
    ----------
    .. [1] Paper v05-1107, Section 5.
    """

    _parameter_constraints: dict = {
        "estimator": [BaseDecisionTree, None],
        "method": [StrOptions({"rep", "krep"})],
        "prune_fraction": [Interval(Real, 0, 1, closed="neither")],
        "c": [Interval(Real, 1, None, closed="left")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, *, method="rep", prune_fraction=0.25, c=1.1, delta=0.01, random_state=0):
        self.estimator = estimator
        self.method = method
        self.prune_fraction = prune_fraction
        self.c = c
        self.delta = delta
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Grow a tree on a part of the rows and prune it on the rest.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; missing values where the tree takes them.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : PrunedTreeClassifier
        """
        X, y = validate_data(self, X, y, ensure_min_samples=3, **self._reading())
        codes = self._code_labels(y)
        generator = check_random_state(self.random_state)
        order = generator.permutation(len(codes))
        n_prune = min(max(round(self.prune_fraction * len(codes)), 1), len(codes) - 2)
        prune, grow = order[:n_prune], order[n_prune:]
        tree = self._unfitted()
        if "random_state" in tree.get_params(deep=False) and tree.random_state is None:
            tree.set_params(random_state=int(generator.randint(2**31 - 1)))
        tree.fit(X[grow], codes[grow])
        k = int(self.c * CountedTree.of(tree).unpruned_errors()) if self.method == "krep" else None
        pruning = reduced_error_pruning(tree, X[prune], codes[prune], k=k)
        self.tree_, self.n_nodes_, self.n_nodes_grown_ = pruning.tree, pruning.n_nodes, int(tree.tree_.node_count)
        self.pruning_error_ = pruning.pruning_errors / n_prune
        self._bound(tree, X[prune], codes[prune], k, generator)
        self._count_leaves(X[grow], codes[grow])
        return self

    def _bound(self, tree, X, codes, k, generator):
        n, error = len(codes), self.pruning_error_
        log_count = log_prunings(tree)
        self.rademacher_penalty_ = rademacher_penalty(tree, X, codes, k=k, random_state=generator)
        self.rademacher_bound_ = rademacher_bound(error, self.rademacher_penalty_, n, self.delta)
        self.occam_bound_ = occam_bound(error, log_count, n, self.delta)
        self.error_bound_ = min(
            rademacher_bound(error, self.rademacher_penalty_, n, self.delta / 2),
            occam_bound(error, log_count, n, self.delta / 2),
        )

    def _count_leaves(self, X, codes):
        """Growing rows of each class at the leaves; only these name the class of a leaf, or no bound would hold."""
        n_classes = len(self.classes_)
        leaves = self.tree_.apply(X)
        counts = np.bincount(leaves * n_classes + codes, minlength=self.n_nodes_ * n_classes)
        self._leaf_counts = counts.reshape(-1, n_classes)

    def _joint_log_proba(self, X):
        """Counts of the leaf and one more of each class, so that no class is impossible."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._reading())
        leaves = self.tree_.apply(X)
        joint = np.log(self._leaf_counts[leaves] + 1.0)
        # The class of a tree that was grown with weights need not be that of most rows.
        labels = self.tree_.classes_[np.argmax(self.tree_.tree_.value[leaves, 0, :], axis=1)]
        rows = np.arange(len(joint))
        joint[rows, labels] = np.maximum(joint[rows, labels], joint.max(axis=1) + 1e-9)
        return joint

    def _unfitted(self):
        return DecisionTreeClassifier(min_samples_leaf=2) if self.estimator is None else clone(self.estimator)

    def _reading(self):
        nan = get_tags(self._unfitted()).input_tags.allow_nan
        return {
            "accept_sparse": "csr",
            "dtype": np.float32,
            "ensure_all_finite": "allow-nan" if nan else True,
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._unfitted()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def _invariants(self) -> Invariants:
        nodes = self.tree_.tree_.node_count
        yield "the tree is of the columns", self.tree_.n_features_in_ == self.n_features_in_
        yield "leaves have counts", is_array(self._leaf_counts, np.int64, nodes, len(self.classes_))
        yield "counts are not negative", within(self._leaf_counts, 0, 2**62)
        known = self.tree_.classes_
        yield (
            "its classes are among the classes",
            within(known, 0, len(self.classes_)) and is_array(known, np.int64, None),
        )
