"""Random intersection trees (Shah & Meinshausen, JMLR 15:629)."""

import warnings
from itertools import chain
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from treatise._core.classifier import check_classes, classes_and_codes
from treatise._core.invariants import is_array, within
from treatise.selection.intersection_trees._growing import Rule, Sides, grow
from treatise.selection.intersection_trees._literals import Literals
from treatise.selection.intersection_trees._loops import mark_items
from treatise.statistics.min_hash import random_ranks


class RandomIntersectionTrees(TransformerMixin, BaseEstimator):
    """Find sets of yes/no features, of any size, that occur together in one class and rarely in the others.

    A tree begins with the active features of a random row of the class, and each of its branches meets them with those
    of further random rows: what is common to the class stays, all else falls away. A branch ends when its set has
    become too prevalent in the other classes. Sets that many trees end with are patterns of the class; none of their
    parts need tell anything alone.

    Use it for interactions of high order among many sparse features (words, items, mutations, thresholds crossed), to
    read, or as new columns for a linear model: ``transform`` has one for each pattern. Do not use it where features are
    active in most rows (sets then shrink slowly and trees grow large), nor where single features tell all.

    Costs p / 64 words and a few words of each column for one intersection, 5 million a second at 100 features; for
    sparse rows their entries alone, so that time hardly depends on p. Memory is that of the data and of the patterns.

    Parameters
    ----------
    n_trees : int, default=300
        Trees for each class.
    branching : float, default=3.0
        Children of a node; a fraction is the mean of the two nearest whole numbers. A pattern whose prevalence in its
        class exceeds ``1 / branching`` keeps a tree growing until ``max_nodes``.
    theta0 : float, default=0.05
        Prevalence in the other classes above which a branch ends. 0 asks for patterns that never occur there.
    theta1 : float, default=0.0
        Prevalence in the class that a pattern needs to be kept.
    max_depth : int or None, default=None
        Most intersections on the way to a set. None leaves it to ``theta0``; with ``theta0=1`` it is needed, and gives
        the basic algorithm.
    max_nodes : int, default=2000
        Most sets in a tree; when there is no room for more, those without children are final.
    prevalence : {"exact", "minhash"}, default="exact"
        How the prevalence in the other classes is found while trees grow: by counting, or estimated by min-wise hashes,
        which does not depend on the number of rows.
    n_hashes : int, default=200
        Hashes of each feature, for "minhash".
    min_trees : int, default=2
        Trees that must end with a set for it to be a pattern.
    max_size : int or None, default=None
        Most features in a pattern.
    max_patterns : int or None, default=200
        Most patterns of each class; those found by most trees are kept.
    positive_class : label or None, default=None
        The class whose patterns are sought; None takes each in turn.
    n_cuts : int or None, default=3
        Columns of more than two values are cut at so many quantiles, and being above and being below each are features.
        None refuses such columns.
    random_state : int, RandomState instance or None, default=None
        Source of the rows drawn.

    Attributes
    ----------
    patterns_ : list of tuple of int
        Numbers of the literals of each pattern, found by most trees first, class by class. For yes/no columns a literal
        has the number of its column; ``literal_names_`` tells all.
    literal_names_ : ndarray of str
        What can be active in a row, in words.
    literal_columns_, literal_cuts_, literal_above_, literal_plain_ : ndarray of shape (n_literals,)
        The same in numbers: column, cut, whether it is above the cut that counts, and whether the column has zeros and
        ones as it came.
    counts_ : ndarray of int
        Trees that ended with each pattern.
    prevalence1_, prevalence0_ : ndarray of float
        Share of the rows of its class that have each pattern, and of the others; counted, whatever ``prevalence``.
    pattern_classes_ : ndarray
        Class of each pattern.
    n_intersections_ : int
        Intersections made.
    n_full_trees_ : int
        Trees that ``max_nodes`` cut short.
    classes_ : ndarray
        The classes seen.

    See Also
    --------
    InteractionRuleClassifier : Classifies by the patterns.
    intersection_tree_parameters : Trees needed for a pattern of given prevalence.

    Examples
    --------
    Neither of two features tells anything of an exclusive or, alone; both together do.

    >>> import numpy as np
    >>> from treatise.selection import RandomIntersectionTrees
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 100))
    >>> y = (X[:, 0] == X[:, 1]).astype(int)
    >>> trees = RandomIntersectionTrees(300, branching=2, theta0=0.0, positive_class=1, random_state=0).fit(X, y)
    >>> trees.patterns_[0], trees.prevalence1_[0].round(1), trees.prevalence0_[0]
    ((0, 1), np.float64(0.5), np.float64(0.0))

    References
    ----------
    .. [1] Paper v15-0629, Algorithms 1 and 2, the latter grown recursively (end of Section 4).
    """

    _parameter_constraints: dict = {
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "branching": [Interval(Real, 1, None, closed="left")],
        "theta0": [Interval(Real, 0, 1, closed="both")],
        "theta1": [Interval(Real, 0, 1, closed="both")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
        "prevalence": [StrOptions({"exact", "minhash"})],
        "n_hashes": [Interval(Integral, 1, None, closed="left")],
        "min_trees": [Interval(Integral, 1, None, closed="left")],
        "max_size": [Interval(Integral, 1, None, closed="left"), None],
        "max_patterns": [Interval(Integral, 1, None, closed="left"), None],
        "positive_class": "no_validation",
        "n_cuts": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_trees=300, *, branching=3.0, theta0=0.05, theta1=0.0, max_depth=None, max_nodes=2000,
        prevalence="exact", n_hashes=200, min_trees=2, max_size=None, max_patterns=200, positive_class=None, n_cuts=3,
        random_state=None,
    ):  # fmt: skip
        self.n_trees = n_trees
        self.branching = branching
        self.theta0 = theta0
        self.theta1 = theta1
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.prevalence = prevalence
        self.n_hashes = n_hashes
        self.min_trees = min_trees
        self.max_size = max_size
        self.max_patterns = max_patterns
        self.positive_class = positive_class
        self.n_cuts = n_cuts
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Grow the trees and count their patterns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Zeros and ones, or numbers to be cut.
        y : array-like of shape (n_samples,)
            Class of each row.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype="numeric")
        self.classes_, codes = classes_and_codes(y)
        check_classes(self.classes_, who="a pattern of one class that is rare in the others")
        if self.theta0 == 1.0 and self.max_depth is None:
            raise ValueError("theta0=1 ends no branch: set max_depth, or theta0 below 1")
        literals = Literals.of(X, self.n_cuts)
        self.literal_columns_, self.literal_cuts_ = literals.columns, literals.cuts
        self.literal_above_, self.literal_plain_ = literals.above, literals.plain
        rows, starts = self._literals.rows(X)
        random = check_random_state(self.random_state)
        self.n_intersections_ = self.n_full_trees_ = 0
        found = [self._patterns_of(codes == code, rows, starts, random) for code in self._wanted()]
        members, counts, inside, outside = (list(chain.from_iterable(part)) for part in zip(*found))
        self.patterns_ = [tuple(map(int, one)) for one in members]
        self.counts_ = np.array(counts, dtype=np.int64)
        self.prevalence1_, self.prevalence0_ = np.array(inside, dtype=float), np.array(outside, dtype=float)
        self.pattern_classes_ = np.repeat(self.classes_[self._wanted()], [len(part[0]) for part in found])
        if not self.patterns_:
            warnings.warn(
                f"RandomIntersectionTrees found no pattern in {self.min_trees} trees of {self.n_trees}: raise theta0 "
                f"({self.theta0}) or n_trees, or lower theta1 ({self.theta1})", UserWarning, stacklevel=3,
            )  # fmt: skip
        return self

    @property
    def _literals(self):
        return Literals(self.literal_columns_, self.literal_cuts_, self.literal_above_, self.literal_plain_)

    def _wanted(self):
        """Numbers of the classes whose patterns are sought."""
        if self.positive_class is None:
            return np.arange(len(self.classes_))
        wanted = np.flatnonzero(self.classes_ == self.positive_class)
        if not len(wanted):
            raise ValueError(
                f"positive_class={self.positive_class!r} is none of the classes {self.classes_.tolist()} of y"
            )
        return wanted

    def _patterns_of(self, in_class, rows, starts, random):
        """Patterns of one class, their counts and prevalences, those found by most trees first."""
        sides = self._sides(in_class, rows, starts, random)
        depth = -1 if self.max_depth is None else self.max_depth
        size = len(self._literals) if self.max_size is None else self.max_size
        book = grow(
            sides, Rule(float(self.theta0), float(self.branching), depth, size), self.n_trees, self.max_nodes, random
        )
        n_patterns = int(book.totals[0])
        self.n_intersections_ += int(book.totals[1])
        self.n_full_trees_ += int(book.totals[2])
        members, at, counts = book.members, book.starts[: n_patterns + 1], book.counts[:n_patterns]
        # The empty set is no pattern. Of equal counts the shorter pattern comes first, then that of lower numbers.
        usable = np.flatnonzero((counts >= self.min_trees) & (np.diff(at) > 0))
        sets = [members[at[i] : at[i + 1]] for i in usable]
        order = sorted(range(len(usable)), key=lambda i: (-counts[usable[i]], len(sets[i]), sets[i].tolist()))
        kept = [], [], [], []
        for i in order:
            one = _common(*sides.inside, sets[i], sides.n_inside) / sides.n_inside
            none = _common(*sides.outside, sets[i], sides.n_outside) / sides.n_outside
            if one >= self.theta1 and (self.prevalence == "minhash" or none <= self.theta0 + 1e-12):
                for part, value in zip(kept, (sets[i], int(counts[usable[i]]), one, none)):
                    part.append(value)
            if len(kept[0]) == self.max_patterns:
                break
        return kept

    def _sides(self, in_class, rows, starts, random):
        """The rows of each literal, apart for the class and the others."""
        inside, outside = _part(rows, starts, in_class), _part(rows, starts, ~in_class)
        n_inside, n_outside = int(in_class.sum()), int((~in_class).sum())
        by_row = sparse.csc_array(
            (np.ones(len(inside[0]), dtype=bool), *inside), shape=(n_inside, len(self._literals))
        ).tocsr()
        ranks = np.empty((n_outside, 0), dtype=np.int32)
        if self.prevalence == "minhash":
            ranks = random_ranks(self.n_hashes, n_outside, random)
        literals, begins = by_row.indices.astype(np.int64), by_row.indptr.astype(np.int64)
        return Sides(n_inside, inside, n_outside, outside, literals, begins, ranks)

    def transform(self, X):
        """Which patterns each row has.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        present : ndarray of uint8, of shape (n_samples, n_patterns)
            1 where the row has all literals of the pattern.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csc", dtype="numeric", reset=False)
        n = X.shape[0]
        used = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *map(np.array, self.patterns_)]))
        used = used.astype(np.int64)
        planes = np.zeros((len(used), (n + 63) // 64), dtype=np.uint64)
        mark_items(*self._literals.rows(X, used), np.arange(len(used)), planes)
        present = np.empty((n, len(self.patterns_)), dtype=np.uint8)
        for i, pattern in enumerate(self.patterns_):
            common = np.bitwise_and.reduce(planes[np.searchsorted(used, pattern)], axis=0)
            present[:, i] = np.unpackbits(common.view(np.uint8), count=n, bitorder="little")
        return present

    @property
    def literal_names_(self):
        """What can be active in a row, in words."""
        check_is_fitted(self)
        return self._literals.names(_check_feature_names_in(self))

    def get_feature_names_out(self, input_features=None):
        """The patterns in words; of several cuts of a column the tightest each way.

        Parameters
        ----------
        input_features : sequence of str or None, default=None
            Names of the columns; None takes those that ``fit`` saw.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        names = self._literals.names(_check_feature_names_in(self, input_features))
        said = [" & ".join(names[self._literals.tightest(pattern)]) for pattern in self.patterns_]
        return np.array(said, dtype=object)

    def _invariants(self):
        n = len(self.patterns_)
        columns = self.literal_columns_
        yield (
            "literals are about columns",
            is_array(columns, np.int64, None) and within(columns, 0, self.n_features_in_),
        )
        yield "literals have cuts", is_array(self.literal_cuts_, np.float64, len(columns))
        yield (
            "literals have sides",
            is_array(self.literal_above_, np.bool_, len(columns))
            and is_array(self.literal_plain_, np.bool_, len(columns)),
        )
        yield (
            "patterns are sets of literals",
            all(isinstance(one, tuple) and one and within(one, 0, len(columns)) for one in self.patterns_),
        )
        yield "patterns are counted", is_array(self.counts_, np.int64, n)
        yield (
            "patterns have prevalences",
            is_array(self.prevalence1_, np.float64, n) and is_array(self.prevalence0_, np.float64, n),
        )
        yield "patterns have classes", len(self.pattern_classes_) == n

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _part(rows, starts, chosen):
    """The chosen rows of each literal, numbered anew, and where each literal's begin."""
    kept = chosen[rows]
    number = np.cumsum(chosen, dtype=np.int32) - 1
    before = np.concatenate(([0], np.cumsum(kept)))
    return number[rows[kept]], before[starts]


def _common(rows, starts, literals, n_rows):
    """Number of rows that have all of some literals."""
    times = np.zeros(n_rows, dtype=np.int64)
    for literal in literals:
        times[rows[starts[literal] : starts[literal + 1]]] += 1
    return int(np.count_nonzero(times == len(literals)))
