"""What experts say about items, as weighted preferences between pairs (Volkovs & Zemel, JMLR 15:1135, Section 3.2)."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from treatise.ranking.aggregation._preference_loops import sum_pairs, sum_preferences

KINDS = ("binary", "rank_difference", "normalized", "log", "ratings")
"""How a pair of ranks becomes a preference; "ratings" takes larger values for better ones."""


def preference_counts(rankings, kind="rank_difference"):
    """Strength with which each expert prefers each item to each other.

    The matrices of Sections 2.1 and 3.2 of the paper: one where an expert ranks both items and puts the first before
    the second ("binary"), the difference of the ranks ("rank_difference"), that difference over the expert's largest
    rank ("normalized"), the difference of the logarithms over the logarithm of the largest rank ("log"), or the
    difference of ratings ("ratings"). Costs O(n_experts * n_items^2) in time and memory; the estimators do without.

    Parameters
    ----------
    rankings : array-like or sparse matrix of shape (n_items, n_experts)
        Ranks, 1 is best, 0 or NaN is missing; or ratings, larger is better, NaN (in a sparse matrix: what is not
        stored) is missing.
    kind : {"binary", "rank_difference", "normalized", "log", "ratings"}, default="rank_difference"
        What a pair of ranks counts.

    Returns
    -------
    counts : ndarray of shape (n_experts, n_items, n_items)
        ``counts[k, i, j]`` is what expert k gives i over j.

    References
    ----------
    .. [1] Paper v15-1135, Sections 2.1 and 3.2. In its log formula the printed maximum is over one item; it is meant
       over all.

    Examples
    --------
    >>> from treatise.ranking import preference_counts
    >>> preference_counts([[1], [2], [3]])[0]
    array([[0., 1., 2.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    instance = Preferences.of(rankings, kind)
    counts = np.zeros((instance.n_experts, instance.n_items, instance.n_items))
    for expert in range(instance.n_experts):
        first, last = instance.starts[expert : expert + 2]
        sum_preferences(
            np.array([0, last - first]), instance.items[first:last], instance.values[first:last], instance.binary,
            np.ones(1), counts[expert],
        )  # fmt: skip
    return counts


@dataclass(frozen=True)
class Preferences:
    """One instance: some items, and what each expert says about those that it ranks.

    Expert k has the seats ``starts[k]:starts[k + 1]``, one for each item that it ranks.

    Attributes
    ----------
    n_items, n_experts : int
        Their numbers.
    starts : ndarray of int64 of shape (n_experts + 1,)
        Where the seats of each expert begin.
    items : ndarray of int64 of shape (n_seats,)
        The item of each seat.
    values : ndarray of shape (n_seats,)
        Its transformed rank: smaller is better, and a preference is a difference. Zeros where counts were given.
    binary : bool
        Whether a preference is one whatever the difference.
    wins, losses : ndarray of shape (n_seats,)
        Sums of the expert's preferences for the item and against it.
    totals : ndarray of shape (n_experts,)
        Sum of all preferences of each expert (the paper's T).
    counts : ndarray of shape (n_experts, n_items, n_items) or None
        The preferences, where they were given as such.
    """

    n_items: int
    n_experts: int
    starts: np.ndarray
    items: np.ndarray
    values: np.ndarray
    binary: bool
    wins: np.ndarray
    losses: np.ndarray
    totals: np.ndarray
    counts: np.ndarray | None = None

    @classmethod
    def of(cls, rankings, kind):
        """Preferences from ranks or ratings, or from counts of three dimensions."""
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is no way to count preferences; the ways are {', '.join(KINDS)}")
        if not sparse.issparse(rankings) and np.ndim(rankings) == 3:
            return cls._of_counts(np.asarray(rankings, np.float64))
        starts, items, given = _seats(rankings, ratings=kind == "ratings")
        values = _transformed(given, starts, kind)
        wins, losses, totals = np.zeros(len(values)), np.zeros(len(values)), np.zeros(len(starts) - 1)
        binary = kind == "binary"
        sum_pairs(starts, values, binary, wins, losses, totals)
        return cls(_n_items(rankings), len(starts) - 1, starts, items, values, binary, wins, losses, totals)

    @classmethod
    def _of_counts(cls, counts):
        n_experts, n_items, other = counts.shape
        if n_items != other:
            raise ValueError(f"counts must be of shape (n_experts, n_items, n_items), got {counts.shape}")
        if not np.all(np.isfinite(counts) & (counts >= 0)):
            raise ValueError("counts must be finite and not negative")
        counts = counts * ~np.eye(n_items, dtype=bool)
        wins, losses = counts.sum(axis=2), counts.sum(axis=1)
        starts = np.arange(0, n_experts * n_items + 1, n_items)
        items = np.tile(np.arange(n_items), n_experts)
        return cls(
            n_items, n_experts, starts, items, np.zeros(len(items)), False, wins.ravel(), losses.ravel(),
            wins.sum(axis=1), counts,
        )  # fmt: skip

    @property
    def net(self):
        """What every item won less what it lost, an expert a column: sparse, of shape (n_items, n_experts)."""
        columns = (self.wins - self.losses, self.items, self.starts)
        return sparse.csc_array(columns, shape=(self.n_items, self.n_experts))

    @property
    def missing(self):
        """Whether each expert leaves each item out: boolean, of shape (n_items, n_experts)."""
        absent = np.ones((self.n_items, self.n_experts), bool)
        absent[self.items, np.repeat(np.arange(self.n_experts), np.diff(self.starts))] = False
        return absent


def instances_of(rankings, kind, *, n_experts=None):
    """Preferences of every instance, and whether a single one was given instead of a list.

    All have as many experts as the first, or ``n_experts``.
    """
    single = sparse.issparse(rankings) or not isinstance(rankings, (list, tuple))
    if not single:
        # A list of rows is one matrix, a list of matrices several.
        single = bool(len(rankings)) and all(not sparse.issparse(part) and np.ndim(part) < 2 for part in rankings)
    parts = [rankings] if single else list(rankings)
    if not parts:
        raise ValueError("there is no instance; give at least one matrix of items and experts")
    found = []
    for number, part in enumerate(parts):
        try:
            found.append(Preferences.of(part, kind))
        except ValueError as error:
            raise error if single else ValueError(f"instance {number}: {error}") from None
    wanted = found[0].n_experts if n_experts is None else n_experts
    for number, instance in enumerate(found):
        if instance.n_experts != wanted:
            raise ValueError(
                f"instance {number} has {instance.n_experts} experts where {wanted} are expected; all instances must "
                "have the same experts, in the same columns"
            )
    return found, single


def check_preferences(instances):
    """Refuse instances of which none holds a preference."""
    if not any(instance.wins.any() for instance in instances):
        raise ValueError("no expert prefers any item to another; there must be at least one pair of different ranks")


def labels_of(labels, instances, single):
    """Relevance of the items of every instance, checked."""
    if labels is None:
        raise ValueError("labels are missing: give the relevance of the items of each instance, zero or more")
    parts = [labels] if single else list(labels)
    if len(parts) != len(instances):
        raise ValueError(f"there are labels of {len(parts)} instances for {len(instances)} instances")
    checked = []
    for number, (part, instance) in enumerate(zip(parts, instances)):
        levels = np.asarray(part, np.float64)
        if levels.shape != (instance.n_items,):
            raise ValueError(f"instance {number} has {instance.n_items} items and labels of the shape {levels.shape}")
        if not np.all(np.isfinite(levels) & (levels >= 0)):
            raise ValueError(f"labels of instance {number} must be finite and zero or more")
        checked.append(levels)
    if all(np.ptp(levels) == 0 for levels in checked if len(levels)):
        raise ValueError("no instance has items of different labels; there is nothing to learn from")
    return checked


def _n_items(rankings):
    return rankings.shape[0] if hasattr(rankings, "shape") else len(rankings)


def _seats(rankings, ratings):
    """Starts, items and given values of all experts' seats."""
    if sparse.issparse(rankings):
        matrix = sparse.csc_array(rankings, dtype=np.float64)
        matrix.sum_duplicates()
        given, items, starts = matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
        present = ~np.isnan(given) if ratings else ~(np.isnan(given) | (given == 0))
        if not present.all():
            starts = np.append(0, np.cumsum(present))[starts]
            given, items = given[present], items[present]
    else:
        dense = np.asarray(rankings, np.float64)
        if dense.ndim != 2 or not dense.size:
            raise ValueError(f"rankings must be a matrix of items and experts, got the shape {dense.shape}")
        present = ~np.isnan(dense) if ratings else ~(np.isnan(dense) | (dense == 0))
        items = np.nonzero(present.T)[1]
        starts = np.append(0, np.cumsum(present.sum(axis=0)))
        given = dense.T[present.T]
    if not np.isfinite(given).all():
        raise ValueError("rankings must be finite")
    if not ratings and np.any(given < 0):
        raise ValueError(f"ranks must be positive, 0 for a missing one; one is {given.min():g}")
    return starts, items, given


def _transformed(given, starts, kind):
    """Values of which a preference is the difference; smaller is better."""
    if kind == "ratings":
        return -given
    if kind in ("binary", "rank_difference"):
        return given
    if kind == "log" and np.any(given < 1):
        raise ValueError(f"logarithms need ranks from 1 on; one is {given.min():g}")
    filled = np.diff(starts) > 0
    largest = np.zeros(len(filled))
    largest[filled] = np.maximum.reduceat(given, starts[:-1][filled]) if len(given) else 0.0
    of_seat = np.repeat(largest, np.diff(starts))
    if kind == "normalized":
        return given / of_seat
    # An expert that ranked one item, first, prefers nothing: its logarithms are zero.
    return np.log(given) / np.where(of_seat > 1, np.log(np.maximum(of_seat, 1.0)), 1.0)
