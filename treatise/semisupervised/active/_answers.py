"""What an oracle has said of pairs of items: each unordered pair once, with its votes."""

from typing import Any

import numpy as np

from treatise._core.invariants import Invariants, is_array, is_count, within


class AnswerBook:
    """Answers about unordered pairs of items.

    A pair of items a < b is kept as the number a n + b, sorted, with its votes for and all its votes.

    Parameters
    ----------
    n_items : int
        Items are 0 to n_items - 1.
    ordered : bool
        Whether an answer is about the order, so that that of (b, a) is the opposite of that of (a, b).
    """

    def __init__(self, n_items: int, ordered: bool) -> None:
        self.n_items, self.ordered = n_items, ordered
        self.keys = np.empty(0, dtype=np.int64)
        self.votes: np.ndarray = np.empty(0)
        self.cast: np.ndarray = np.empty(0)

    def _invariants(self) -> Invariants:
        n, known = self.n_items, len(self.keys)
        yield "there are two items or more", is_count(n, 2) and isinstance(self.ordered, bool)
        yield "pairs are of two of the items", are_pair_numbers(self.keys, n)
        yield "pairs stand in order, each once", bool(np.all(np.diff(self.keys) > 0))
        yield "pairs have votes", is_array(self.votes, np.float64, known) and is_array(self.cast, np.float64, known)
        yield "votes for are some of the votes cast", bool(np.all((self.votes >= 0) & (self.votes <= self.cast)))

    def __len__(self) -> int:
        return len(self.keys)

    def keys_of(self, pairs: np.ndarray) -> np.ndarray:
        """Number of each unordered pair."""
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        return low * self.n_items + high

    def pairs_of(self, keys: np.ndarray) -> np.ndarray:
        """The pairs, the lower item first."""
        return np.column_stack([keys // self.n_items, keys % self.n_items])

    def read(self, pairs: Any, answers: Any) -> tuple[np.ndarray, np.ndarray]:
        """Pairs and answers as whole numbers and as 0, 1 or NaN for no answer; what they cannot be is refused."""
        pairs = np.asarray(pairs)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or (pairs.size and pairs.dtype.kind not in "iu"):
            raise ValueError(f"pairs must be two item numbers in each row, got {pairs.dtype} of shape {pairs.shape}")
        pairs = pairs.astype(np.int64)
        if pairs.size and not (pairs.min() >= 0 and pairs.max() < self.n_items):
            raise ValueError(f"pairs name items from {pairs.min()} to {pairs.max()}; there are 0 to {self.n_items - 1}")
        if np.any(pairs[:, 0] == pairs[:, 1]):
            raise ValueError(f"item {pairs[pairs[:, 0] == pairs[:, 1]][0, 0]} is paired with itself")
        told = np.ravel(answers).tolist()
        words = [answer for answer in told if isinstance(answer, str)]
        if words:
            raise ValueError(f"an answer is {words[0]!r}; answers are 1 (yes), 0 (no) or None")
        said = np.array([np.nan if answer is None else answer for answer in told], dtype=np.float64)
        if len(said) != len(pairs):
            raise ValueError(
                f"there are {len(said)} answers to {len(pairs)} pairs; give one for each, None for no answer"
            )
        if not np.all((said == 0) | (said == 1) | np.isnan(said)):
            odd = said[~((said == 0) | (said == 1) | np.isnan(said))][0]
            raise ValueError(f"an answer is {odd:g}; answers are 1 (yes), 0 (no) or None")
        return pairs, said

    def add(self, pairs: np.ndarray, answers: np.ndarray) -> None:
        """Count answers of 0 and 1."""
        turned = self.ordered & (pairs[:, 0] > pairs[:, 1])
        keys = self.keys_of(pairs)
        turns = np.where(turned, 1.0 - answers, answers)
        merged, place = np.unique(np.concatenate([self.keys, keys]), return_inverse=True)
        votes = np.bincount(place, np.concatenate([self.votes, turns]), len(merged))
        cast = np.bincount(place, np.concatenate([self.cast, np.ones(len(keys))]), len(merged))
        self.keys, self.votes, self.cast = merged, votes, cast

    def knows(self, keys: np.ndarray) -> np.ndarray:
        """Whether each pair has an answer."""
        at = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        return self.keys[at] == keys if len(self.keys) else np.zeros(len(keys), dtype=bool)

    def leanings(self, keys: np.ndarray) -> np.ndarray:
        """Of known pairs: 1 where most votes are yes, -1 where most are no, 0 where they are even."""
        at = np.searchsorted(self.keys, keys)
        return np.sign(2.0 * self.votes[at] - self.cast[at])

    @property
    def contradictions(self) -> np.ndarray:
        """Pairs that were answered both ways."""
        return self.pairs_of(self.keys[(self.votes > 0) & (self.votes < self.cast)])


def are_pair_numbers(keys: Any, n_items: int) -> bool:
    """Whether values are numbers of pairs as a book of answers gives them, the lower item first."""
    if not is_array(keys, np.int64, None) or not within(keys, 0, n_items**2):
        return False
    return bool(np.all(keys // n_items < keys % n_items))


class OneByOne:
    """An oracle from a function of a single pair.

    Parameters
    ----------
    answer : callable
        Of two item numbers, gives 1 or True for yes, 0 or False for no, None for no answer.

    Examples
    --------
    >>> from treatise.semisupervised import OneByOne
    >>> lower = OneByOne(lambda u, v: u < v)
    >>> lower([[0, 1], [2, 1]])
    [True, False]
    """

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __call__(self, pairs: Any) -> list:
        """Answers to pairs, one after the other."""
        return [self.answer(int(u), int(v)) for u, v in pairs]
