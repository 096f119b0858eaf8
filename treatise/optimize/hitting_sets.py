"""Smallest sets that meet every one of some sets, exactly and by greed; sets are the bits of whole numbers."""

from collections.abc import Iterable, Iterator

import numpy as np


class TooManySetsError(ValueError):
    """There are more smallest sets than were allowed for."""


def minimum_hitting_sets(
    masks: Iterable[int], *, every: bool = False, most: int | None = None, limit: int = 100_000
) -> list[int] | None:
    """Sets of the least size that share an element with each of some sets.

    Exact, by iterative deepening: time grows exponentially with the size at worst, as the problem is NP-hard.
    :func:`greedy_hitting_set` is quick, and at most a logarithm worse.

    Parameters
    ----------
    masks : iterable of int
        The sets to meet: element i is bit i.
    every : bool, default=False
        All sets of the least size instead of one.
    most : int or None, default=None
        Largest size to look for.
    limit : int, default=100_000
        More sets than this are refused with a ``TooManySetsError``.

    Returns
    -------
    list of int or None
        None where no set of at most ``most`` elements meets all of them.

    Examples
    --------
    >>> from treatise.optimize import minimum_hitting_sets
    >>> minimum_hitting_sets([0b011, 0b110, 0b101], every=True)
    [3, 5, 6]
    """
    kept = minimal_masks(masks)
    if not kept:
        return [0]
    if kept[0] == 0:
        raise ValueError("an empty set is met by none; leave it out")
    size = _at_least(kept)
    largest = len(kept) if most is None else min(most, len(kept))
    while size <= largest:
        found: list[int] = []
        for chosen in _hitting(kept, size, 0, 0):
            if len(found) >= limit:
                raise TooManySetsError(f"there are more than {limit} smallest sets, of {size} elements each")
            found.append(chosen)
            if not every:
                break
        if found:
            return sorted(found)
        size += 1
    return None


def greedy_hitting_set(masks: Iterable[int]) -> int:
    """A small set that meets each of some sets: again and again the element that meets most of those left.

    Examples
    --------
    >>> from treatise.optimize import greedy_hitting_set
    >>> bin(greedy_hitting_set([0b011, 0b110, 0b010, 0b100]))
    '0b110'
    """
    left = minimal_masks(masks)
    if left and left[0] == 0:
        raise ValueError("an empty set is met by none; leave it out")
    chosen = 0
    while left:
        width = max(mask.bit_length() for mask in left)
        rows = np.frombuffer(b"".join(mask.to_bytes((width + 7) // 8, "little") for mask in left), dtype=np.uint8)
        counts = np.unpackbits(rows.reshape(len(left), -1), axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
        bit = 1 << int(np.argmax(counts))
        chosen |= bit
        left = [mask for mask in left if not mask & bit]
    return chosen


def minimal_masks(masks: Iterable[int]) -> list[int]:
    """Those that contain no other, the smallest first."""
    kept: list[int] = []
    for mask in sorted(set(masks), key=lambda mask: (mask.bit_count(), mask)):
        if not any(mask & small == small for small in kept):
            kept.append(mask)
    return kept


def _at_least(masks: list[int]) -> int:
    """How many elements a hitting set has at least: one for each of some sets that do not meet."""
    count = union = 0
    for mask in masks:
        if not mask & union:
            count, union = count + 1, union | mask
    return count


def _hitting(masks: list[int], size: int, chosen: int, forbidden: int) -> Iterator[int]:
    """All hitting sets of a size, each once: what an earlier branch took, later ones do without."""
    if not masks:
        if size == 0:
            yield chosen
        return
    if _at_least(masks) > size:
        return
    options = min((mask & ~forbidden for mask in masks), key=int.bit_count)
    while options:
        bit = options & -options
        yield from _hitting([mask for mask in masks if not mask & bit], size - 1, chosen | bit, forbidden)
        forbidden |= bit
        options ^= bit
