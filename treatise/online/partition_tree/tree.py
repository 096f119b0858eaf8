"""Online partition trees for very many classes (Choromanska, 2014, Chapter 4)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier, check_classes, codes_among
from treatise._core.figures import axes_for
from treatise._core.invariants import is_array, is_count, within
from treatise._core.row_arrays import rows_of
from treatise.online._passes import passes_over
from treatise.online._row_loops import Stream
from treatise.online._stream_input import is_first_call, read_rows
from treatise.online.partition_tree._loops import NODES, PAIRS, Tree, grow, leaves_of, rehash

_FIRST_NODES = 64
_FIRST_PLACES = 1 << 10
_DEEPEST = 62
_OF_NODES = (
    "children", "depth", "turns", "margins", "visits", "label", "label_visits", "weights", "squares", "sums", "offsets",
)  # fmt: skip


class PartitionTreeClassifier(Classifier, BaseEstimator):
    r"""Tree of linear regressors that grows online and tells one of k classes in about log k steps.

    Every node learns to send whole classes to one side, as many examples left as right: it sends an example right
    when the mean margin of its class there exceeds the mean of all, and takes a step of the absolute loss towards
    that side. Its regressor sees examples less the mean of those that came by: on raw ones it would follow their
    common part, and send nearly all of many classes one way. Leaves answer with their most frequent class.

    Use it for streams with hundreds to millions of classes, where one score per class is too slow or too large. With
    few classes one-vs-rest is more accurate: a tree cannot take back a wrong turn. Learning and predicting an example
    cost O(depth * non-zeros); memory is O(nodes * features + classes * depth).

    Parameters
    ----------
    max_nodes : int or None, default=None
        Most nodes; None is 4 for each class.
    max_depth : int or None, default=None
        Deepest leaf; None is 4 + 2 log2 of the number of classes.
    learning_rate : float, default=3.0
        How far the first step of a node moves its score, on average; later ones shrink with the root of the summed
        squares of each feature there.
    min_visits : int, default=50
        Examples that a node must have seen before it may split. The thesis splits at once (1), when a node first sends
        an example against all earlier ones: twice the nodes, most of them for the mistakes of the first examples.
    n_passes : int or "auto", default="auto"
        Passes of ``fit`` over the rows. "auto" takes as many as make some 50 000 rounds, from 1 to 10: in one the nodes
        see too little of a short table, and from more than ten they learn its noise. The thesis goes once.
    split : {"learned", "random"}, default="learned"
        "random" cuts the classes in two at random beforehand, again and again, and lets examples follow what the
        regressors make of these cuts: the standard to beat.
    shuffle : bool, default=True
        Take the rows in random order in each pass of ``fit``. Classes that come one after the other teach the upper
        nodes little.
    random_state : int, RandomState instance or None, default=None
        Of the order and the random splits.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_nodes_, depth_ : int
        Nodes made, and depth of the deepest.
    n_seen_ : int
        Examples learnt from, each pass counted.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.datasets import make_hypercube_gaussians
    >>> from treatise.online import PartitionTreeClassifier
    >>> X, y = make_hypercube_gaussians(64, 100, random_state=0)
    >>> tree = PartitionTreeClassifier(n_passes=3, random_state=0).fit(X, y)
    >>> tree.score(X, y) > 0.9, tree.depth_ <= 12
    (True, True)

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Algorithm 6.
       It prints targets 0 and 1 for scores in [-1, 1]; -1 and 1 are meant.
    """

    _parameter_constraints: dict = {
        "max_nodes": [Interval(Integral, 1, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, _DEEPEST, closed="both"), None],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "min_visits": [Interval(Integral, 1, None, closed="left")],
        "n_passes": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "split": [StrOptions({"learned", "random"})],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        max_nodes=None,
        *,
        max_depth=None,
        learning_rate=3.0,
        min_visits=50,
        n_passes="auto",
        split="learned",
        shuffle=True,
        random_state=None,
    ):
        self.max_nodes = max_nodes
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.min_visits = min_visits
        self.n_passes = n_passes
        self.split = split
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
        """
        X, y = read_rows(self, X, y, reset=True)
        rng = check_random_state(self.random_state)
        self._begin(np.unique(y), rng)
        for _ in range(passes_over(X.shape[0], self.n_passes, most_passes=10)):
            order = rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0])
            self._learn(X, y, order)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn from further rows, once each, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like or None, default=None
            All classes that will ever come; needed in the first call.

        Returns
        -------
        self : object
        """
        first = is_first_call(self, classes)
        X, y = read_rows(self, X, y, reset=first)
        if first:
            self._begin(unique_labels(classes), check_random_state(self.random_state))
        self._learn(X, y, np.arange(X.shape[0]))
        return self

    def apply(self, X):
        """Number of the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        leaves = np.empty(X.shape[0], dtype=np.int64)
        leaves_of(_stream(X, leaves, np.arange(X.shape[0])), self._tree, leaves)
        return leaves

    def predict(self, X):
        """The most frequent class of the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        leaves = self.apply(X)
        return self.classes_[self._tree.label[leaves]]

    def predict_topk(self, X, k=5):
        """The k most frequent classes of each row's leaf, filled up from the nodes above it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        k : int, default=5
            Classes wanted, up to all of them.

        Returns
        -------
        labels : ndarray of shape (n_samples, k)
            The most frequent first.
        """
        if not 1 <= k <= len(self.classes_):
            raise ValueError(f"k={k} classes wanted; there are {len(self.classes_)}")
        leaves, where = np.unique(self.apply(X), return_inverse=True)
        ranked = self._ranked_labels()
        parents = self._parents()
        answers = np.array([self._nearest_labels(leaf, k, ranked, parents) for leaf in leaves])
        return self.classes_[answers[where]]

    def plot_balance(self, ax=None):
        """Draw at each node the share of its examples that go right, over the depth.

        A point is a node that has split, the larger the more examples it has seen. Points near one half make a tree
        of about log2 of the number of classes levels, the dashed line; points near 0 or 1 are splits that part little.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        check_is_fitted(self)
        ax = axes_for(ax)
        depth, balance, visits = self._balances()
        ax.scatter(depth, balance, s=2.0 + 300.0 * visits / max(1, visits.sum()), alpha=0.5)
        ax.axhline(0.5, color="0.7", linewidth=0.8)
        ax.axvline(np.log2(len(self.classes_)), color="0.5", linestyle="--", linewidth=1.0)
        ax.set(xlabel="depth of the node", ylabel="share that goes right", ylim=(-0.03, 1.03))
        return ax

    def _balances(self):
        """Of the nodes that have split: depth, share of what their children saw that went right, and how much."""
        tree = self._tree
        inner = np.flatnonzero(tree.children[: self.n_nodes_, 0] >= 0)
        left, right = tree.visits[tree.children[inner]].T
        return tree.depth[inner], right / np.maximum(1, left + right), left + right

    @property
    def _tree(self):
        return Tree(**self._arrays)

    def _invariants(self):
        tree, n_classes = self._tree, len(self.classes_)
        room, width = len(tree.depth), self.n_features_in_ + 1
        whole = (tree.depth, tree.turns, tree.visits, tree.label, tree.label_visits)
        yield "nodes have a whole number of each kind", all(is_array(values, np.int64, room) for values in whole)
        yield (
            "nodes have a margin and an offset",
            all(is_array(values, np.float64, room) for values in (tree.margins, tree.offsets)),
        )
        yield (
            "nodes have a weight for each feature and a constant",
            all(is_array(values, np.float64, room, width) for values in (tree.weights, tree.squares, tree.sums)),
        )
        yield "nodes have two children", is_array(tree.children, np.int64, room, 2)
        yield (
            "nodes and pairs are counted",
            is_array(tree.counters, np.int64, 2) and is_array(tree.sizes, np.float64, 1),
        )
        made = int(tree.counters[NODES])
        yield "nodes are as many as are counted", 1 <= made <= room
        inner = np.flatnonzero((tree.children >= 0).any(axis=1))
        below = tree.children[inner]
        yield "children come after their node", (below > inner[:, np.newaxis]).all() and within(below, 1, made)
        yield "children are one step deeper", (tree.depth[below] == tree.depth[inner, np.newaxis] + 1).all()
        yield "no node is too deep", is_count(self._deepest, 1) and self._deepest <= _DEEPEST
        yield "depths lie within the tree", tree.depth[0] == 0 and within(tree.depth, 0, self._deepest + 1)
        yield "nodes have a limit", is_count(self._most_nodes, 1)
        yield "rows seen are counted", is_count(self.n_seen_)
        yield "labels are classes", within(tree.label, 0, n_classes)
        yield "cuts are of the classes", is_array(self._codes, np.int64, None) and len(self._codes) in (0, n_classes)
        places = len(tree.keys)
        yield (
            "places are a power of two",
            is_array(tree.keys, np.int64, None) and places > 1 and not places & places - 1,
        )
        yield "places hold pairs of node and class", within(tree.keys, -1, made * n_classes)
        yield "pairs are as many as are counted", np.count_nonzero(tree.keys >= 0) == tree.counters[PAIRS] < places
        yield "pairs have margins", is_array(tree.class_margins, np.float64, places)
        yield "pairs have visits", is_array(tree.class_visits, np.int64, places)

    @property
    def n_nodes_(self):
        """Nodes made."""
        return int(self._tree.counters[NODES])

    @property
    def depth_(self):
        """Depth of the deepest node."""
        return int(self._tree.depth[: self.n_nodes_].max())

    def _begin(self, classes, rng):
        check_classes(classes)
        n_classes = len(classes)
        levels = int(np.ceil(np.log2(n_classes)))
        self._most_nodes = self.max_nodes or max(3, 4 * n_classes)
        self._deepest = self.max_depth or min(_DEEPEST, 4 + 2 * levels)
        self._codes = np.empty(0, dtype=np.int64)
        if self.split == "random":
            # The first bits of consecutive numbers, read from the lowest, cut them in halves of equal size.
            self._codes = rng.permutation(n_classes)
            self._deepest = min(self._deepest, levels)
            self._most_nodes = self.max_nodes or 2 ** (levels + 1)
        # Kept as a plain dictionary of arrays, which model files may hold.
        self._arrays = _empty_tree(self.n_features_in_ + 1, min(_FIRST_NODES, self._most_nodes))._asdict()
        self.n_seen_ = 0
        self.classes_ = classes

    def _learn(self, X, y, order):
        stream, turn = _stream(X, codes_among(y, self.classes_), order), 0
        while turn < len(order):
            turn = grow(
                stream, turn, self._tree, self._codes, len(self.classes_), float(self.learning_rate),
                self.min_visits, self._most_nodes, self._deepest,
            )  # fmt: skip
            if turn < len(order):
                self._arrays = _with_room(self._tree, self._most_nodes, self._deepest)._asdict()
        self.n_seen_ += len(order)

    def _parents(self):
        parents = np.full(self.n_nodes_, -1)
        for node, (left, right) in enumerate(self._tree.children[: self.n_nodes_]):
            if left >= 0:
                parents[[left, right]] = node
        return parents

    def _ranked_labels(self):
        """Of every node, the classes that came by, the most frequent first."""
        met = self._tree.keys >= 0
        nodes, labels = np.divmod(self._tree.keys[met], len(self.classes_))
        order = np.lexsort((labels, -self._tree.class_visits[met], nodes))
        nodes, labels = nodes[order], labels[order]
        return np.split(labels, np.searchsorted(nodes, np.arange(1, self.n_nodes_)))

    def _nearest_labels(self, node, k, ranked, parents):
        found = {int(self._tree.label[node]): None}
        while node >= 0 and len(found) < k:
            found.update(dict.fromkeys(ranked[node].tolist()))
            node = parents[node]
        found.update(dict.fromkeys(range(len(self.classes_))) if len(found) < k else {})
        return list(found)[:k]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _stream(X, labels, order):
    return Stream(*rows_of(X), order, labels)


def _empty_tree(width, room):
    whole, real = np.zeros((6, room), dtype=np.int64), np.zeros
    return Tree(
        children=np.full((room, 2), -1), depth=whole[0], turns=whole[1], margins=real(room), visits=whole[2],
        label=whole[3], label_visits=whole[4], weights=real((room, width)), squares=real((room, width)),
        sums=real((room, width)), offsets=real(room),
        keys=np.full(_FIRST_PLACES, -1), class_margins=real(_FIRST_PLACES),
        class_visits=np.zeros(_FIRST_PLACES, dtype=np.int64), sizes=real(1), counters=np.array([1, 0]),
    )  # fmt: skip


def _with_room(tree, most_nodes, deepest):
    """The same tree in arrays twice as large, where they are nearly full."""
    if tree.counters[NODES] + 2 > len(tree.depth):
        room = min(2 * len(tree.depth), most_nodes)
        tree = tree._replace(**{name: _extended(getattr(tree, name), room, name == "children") for name in _OF_NODES})
    if 2 * (tree.counters[PAIRS] + deepest + 1) > len(tree.keys):
        places = 2 * len(tree.keys)
        keys, margins, visits = np.full(places, -1), np.zeros(places), np.zeros(places, dtype=np.int64)
        rehash(tree, keys, margins, visits)
        tree = tree._replace(keys=keys, class_margins=margins, class_visits=visits)
    return tree


def _extended(values, room, as_children):
    larger = np.full((room, *values.shape[1:]), -1 if as_children else 0, dtype=values.dtype)
    larger[: len(values)] = values
    return larger
