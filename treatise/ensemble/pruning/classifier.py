"""A decision tree pruned on rows that it was not grown on (Kääriäinen, Malinen & Elomaa, JMLR 5:1107)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ProbabilityClassifier
from treatise._core.invariants import Invariants, is_array, within
from treatise.ensemble.pruning.bounds import log_prunings, occam_bound, rademacher_bound, rademacher_penalty
from treatise.ensemble.pruning.counted_tree import CountedTree, grown_in_any_unit
from treatise.ensemble.pruning.reduced_error import reduced_error_pruning
from treatise.ensemble.pruning.weakest_links import NestedPrunings


class PrunedTreeClassifier(ProbabilityClassifier, BaseEstimator):
    """Decision tree that is pruned by rows it has not seen, with a bound on its error if a part of them is kept aside.

    By default the rows are divided a few times into those to grow on and those to prune on, the latter say what a leaf
    must be worth, and a tree of all rows is pruned at that price: what cost-complexity pruning by cross-validation
    gives, at a tenth of its cost or less. "rep" and "krep" are the paper's: one division, and the pruning of the grown
    tree with the fewest mistakes on the rows kept aside. From those rows comes a bound on its error on new ones.

    Use it for a small tree that can be read, fast and without a parameter to tune; with "rep" or "krep" for a guarantee
    on its error. These lose accuracy where rows are few for the classes or the leaves: a part is missing from the tree,
    and leaves that no row kept aside falls in go. With less than some thousand pruning rows the bound says nothing.
    Where only accuracy counts, forests and boosting are better.

    Costs one fit of the tree with "rep" and "krep", and by default about three. Pruning is linear in rows, and in nodes
    nearly so; with "krep" it takes the square of the mistakes that may be added.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, ExtraTreeClassifier or None, default=None
        What is grown; None is ``DecisionTreeClassifier(min_samples_leaf=2)``.
    method : {"price", "rep", "krep"}, default="price"
        "price" prunes a tree of all rows at the price of a leaf that has the fewest mistakes over ``n_divisions``
        divisions; "rep" takes the pruning with the fewest mistakes on the pruning rows, and "krep" the best of those
        that add few to the growing rows: larger, with a better bound.
    prune_fraction : float, default=1/3
        Share of the rows that are kept aside for pruning, the paper's.
    n_divisions : int, default=3
        For "price": how often the rows are divided.
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
        below, each at half of delta. From 1 on it says nothing, as with "price", which keeps no row aside.
    rademacher_bound_, occam_bound_ : float
        The two by themselves, at delta, with "rep" and "krep".
    rademacher_penalty_ : float
        The penalty in the first.
    price_ : float
        With "price": what a leaf more must take from the impurity, as a share of the rows.
    pruning_error_ : float
        Share of the pruning rows that are wrong, over all divisions.
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
    >>> model = PrunedTreeClassifier(method="rep").fit(*make_led(20_000, random_state=0))
    >>> X, y = make_led(10_000, random_state=1)
    >>> bool(1 - model.score(X, y) < model.error_bound_ < 0.6)
    True

    References
    ----------
    .. [1] Paper v05-1107, Section 5, for "rep" and "krep".
    .. [2] Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, Section 3.4, for "price".
    """

    _parameter_constraints: dict = {
        "estimator": [BaseDecisionTree, None],
        "method": [StrOptions({"price", "rep", "krep"})],
        "prune_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_divisions": [Interval(Integral, 1, None, closed="left")],
        "c": [Interval(Real, 1, None, closed="left")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, estimator=None, *, method="price", prune_fraction=1 / 3, n_divisions=3, c=1.1, delta=0.01, random_state=0
    ):
        self.estimator = estimator
        self.method = method
        self.prune_fraction = prune_fraction
        self.n_divisions = n_divisions
        self.c = c
        self.delta = delta
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Grow a tree and prune it by rows that it was not grown on.

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
        if self.method == "price":
            self._prune_at_price(X, codes, generator)
        else:
            self._prune_kept_aside(X, codes, generator)
        return self

    def _prune_at_price(self, X, codes, generator):
        """Prune a tree of all rows at the price that did best on rows which trees of the others have not seen."""
        tree = grown_in_any_unit(self._seeded(generator), X, codes)
        prunings = NestedPrunings.of(tree)
        prices, between = prunings.levels()
        mistakes, judged = np.zeros(len(prices), dtype=np.int64), 0
        for _ in range(self.n_divisions):
            prune, grow = self._divide(len(codes), generator)
            part = grown_in_any_unit(clone(tree), X[grow], codes[grow])
            mistakes += NestedPrunings.of(part, X[prune], codes[prune]).mistakes_at(between)
            judged += len(prune)
        # The highest price, for the smallest tree, among those with the fewest mistakes.
        best = len(prices) - 1 - int(np.argmin(mistakes[::-1]))
        self.price_, self.pruning_error_ = float(prices[best]), float(mistakes[best] / judged)
        self._keep(prunings.cut(tree, self.price_), tree, X, codes)
        self.error_bound_ = 1.0

    def _prune_kept_aside(self, X, codes, generator):
        """Prune a tree of a part of the rows on the others."""
        prune, grow = self._divide(len(codes), generator)
        tree = grown_in_any_unit(self._seeded(generator), X[grow], codes[grow])
        k = int(self.c * CountedTree.of(tree).unpruned_errors()) if self.method == "krep" else None
        pruning = reduced_error_pruning(tree, X[prune], codes[prune], k=k)
        self.pruning_error_ = pruning.pruning_errors / len(prune)
        # Only growing rows name the class of a leaf, or no bound would hold.
        self._keep(pruning.tree, tree, X[grow], codes[grow])
        self._bound(tree, X[prune], codes[prune], k, generator)

    def _divide(self, n_samples, generator):
        """Rows to prune on and rows to grow on."""
        order = generator.permutation(n_samples)
        n_prune = min(max(round(self.prune_fraction * n_samples), 1), n_samples - 2)
        return order[:n_prune], order[n_prune:]

    def _seeded(self, generator):
        """A tree to be grown, the same at every call of this fit."""
        tree = self._unfitted()
        if "random_state" in tree.get_params(deep=False) and tree.random_state is None:
            tree.set_params(random_state=int(generator.randint(2**31 - 1)))
        return tree

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

    def _keep(self, pruned, grown, X, codes):
        """The tree, with the rows of each class at its leaves."""
        self.tree_ = pruned
        self.n_nodes_, self.n_nodes_grown_ = int(pruned.tree_.node_count), int(grown.tree_.node_count)
        n_classes = len(self.classes_)
        counts = np.bincount(pruned.apply(X) * n_classes + codes, minlength=self.n_nodes_ * n_classes)
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
