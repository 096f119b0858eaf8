"""Two-level designs, whole or a fraction, and what a fraction confounds (Appendix B.1 of JMLR 12:627)."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

import numpy as np

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZabcdefghjklmnopqrstuvwxyz"
"""Names of factors; I is the column of ones."""
MOST_RUNS = 2**16
MOST_TRIED = 3000
"""Sets of generators among which the best is looked for; beyond, they are chosen one by one."""


@dataclass(frozen=True)
class Design:
    """Runs at coded levels, one row each, and for a fraction of a factorial what it confounds."""

    matrix: np.ndarray
    """Coded levels, of shape (n_runs, n_factors)."""
    masks: tuple[int, ...] = ()
    """Of which base factors each column is the product, as bits; empty where the design is no two-level factorial."""
    signs: tuple[int, ...] = ()

    @property
    def n_runs(self):
        """Rows of the design."""
        return len(self.matrix)

    @property
    def labels(self):
        """Letters of the factors; I is left to the column of ones."""
        return tuple(LETTERS[: self.matrix.shape[1]])

    @property
    def generators(self):
        """How the factors that are no base factors are made: ``("D=ABC",)``."""
        base = self._base
        return tuple(
            f"{LETTERS[j]}={'-' if self.signs[j] < 0 else ''}{_letters_of(self.masks[j])}"
            for j in range(base, len(self.masks))
        )

    @property
    def word_lengths(self):
        """How many words of each length the defining relation has, from length 0; none for a whole factorial."""
        counts = _word_lengths(self.masks)
        return (0, *counts[1:])

    @property
    def resolution(self):
        """Length of the shortest word of the defining relation; infinite for a whole factorial.

        Main effects are confounded with one another at 2, with interactions of two at 3, of three at 4.
        """
        return next((length for length, count in enumerate(self.word_lengths) if count), math.inf)

    def defining_relation(self):
        """Products of factors that are constant over the runs, as ``("ABCD",)``, the shortest first."""
        if len(self.masks) - self._base > 12:
            raise ValueError("the defining relation has over four thousand words; word_lengths counts them")
        words = []
        for size in range(1, len(self.masks) + 1 if len(self.masks) > self._base else 1):
            for factors in combinations(range(len(self.masks)), size):
                if _product(self.masks, factors) == 0:
                    words.append(self._sign(factors) + "".join(LETTERS[j] for j in factors))
        return tuple(words)

    def aliases(self, order=2):
        """Effects of up to ``order`` factors that the runs cannot tell apart.

        Parameters
        ----------
        order : int, default=2
            Most factors of an effect.

        Returns
        -------
        dict of str to tuple of str
            For each effect, the others that it is confounded with; ``"-AB"`` where the sign is turned. ``"I"`` is the
            mean.
        """
        effects = [f for size in range(order + 1) for f in combinations(range(len(self.masks)), size)]
        alike: dict[int, list[tuple[int, ...]]] = {}
        for factors in effects:
            alike.setdefault(_product(self.masks, factors), []).append(factors)

        def name(factors):
            return "".join(LETTERS[j] for j in factors) or "I"

        found = {}
        for factors in effects:
            group = alike[_product(self.masks, factors)]
            # Two effects differ by the factors that are in one of them alone: those are the word between them.
            found[name(factors)] = tuple(
                self._sign(tuple(set(factors) ^ set(other))) + name(other) for other in group if other != factors
            )
        return {effect: others for effect, others in found.items() if others}

    @property
    def _base(self):
        return max(self.masks, default=0).bit_length()

    def _sign(self, factors):
        return "-" if math.prod(self.signs[j] for j in factors) < 0 else ""


def full_factorial(k, levels=(-1.0, 1.0)):
    """All combinations of the levels of some factors, the last factor changing fastest.

    Parameters
    ----------
    k : int
        Factors.
    levels : sequence of float, default=(-1.0, 1.0)
        Coded levels of every factor.

    Returns
    -------
    Design

    Examples
    --------
    >>> from treatise.search import full_factorial
    >>> full_factorial(2).matrix.tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    levels = tuple(float(level) for level in levels)
    if k < 1 or len(set(levels)) != len(levels) or len(levels) < 2:
        raise ValueError(f"k={k} and levels={levels} make no design; give a factor and two different levels or more")
    if len(levels) ** k > MOST_RUNS:
        raise ValueError(f"{len(levels)} levels of {k} factors are {len(levels) ** k} runs; take a fraction")
    matrix = np.array(list(product(levels, repeat=k)))
    two = levels == (-1.0, 1.0)
    return Design(matrix, tuple(1 << j for j in range(k)) if two else (), (1,) * k if two else ())


def fractional_factorial(k, p=None, *, generators=None, resolution=None):
    """A two-level design of k factors in 2^(k - p) runs, with as little confounded as that allows.

    Columns are balanced and orthogonal, so that every main effect is estimated from all runs. Use it to find out which
    of many factors matter; not to learn of interactions, for which take a resolution of 5.

    Parameters
    ----------
    k : int
        Factors.
    p : int or None, default=None
        Halvings of the whole factorial; None halves as long as there are k + 1 runs, which a linear model needs.
    generators : sequence of str or None, default=None
        How the last factors are made from the first, as ``["D=ABC", "E=-AB"]``. None takes those of the highest
        resolution and, among these, of the fewest short words.
    resolution : int or None, default=None
        Least resolution: as many runs are taken as it needs.

    Returns
    -------
    Design

    Examples
    --------
    >>> from treatise.search import fractional_factorial
    >>> design = fractional_factorial(4)
    >>> design.n_runs, design.generators, design.resolution
    (8, ('D=ABC',), 4)
    >>> design.aliases(3)["A"], design.aliases(2)["AB"]
    (('BCD',), ('CD',))

    References
    ----------
    .. [1] Paper v12-0627, Appendix B.1, and Jain, 1991.
    """
    if not 1 <= k <= len(LETTERS):
        raise ValueError(f"k={k} factors; give 1 to {len(LETTERS)}")
    if sum(given is not None for given in (p, generators, resolution)) > 1:
        raise ValueError("give one of p, generators and resolution, which settle the same thing")
    fewest = math.ceil(math.log2(k + 1))
    if generators is not None:
        masks, signs = _read_generators(k, generators)
    elif resolution is not None:
        if resolution < 3:
            raise ValueError(f"resolution={resolution} confounds main effects with one another; give 3 or more")
        made = (_best_masks(k, base) for base in range(fewest, k + 1))
        masks = next(masks for masks in made if _resolution(masks) >= resolution)
        signs = (1,) * k
    else:
        if p is not None and not 0 <= p <= k - fewest:
            raise ValueError(
                f"p={p} leaves 2^{k - p} runs; {k} factors need {k + 1} or more, so give 0 to {k - fewest}"
            )
        masks, signs = _best_masks(k, k - p if p is not None else fewest), (1,) * k
    base = max(masks).bit_length()
    if 2**base > MOST_RUNS:
        raise ValueError(f"{2**base} runs are more than {MOST_RUNS}; ask for less resolution")
    whole = np.array(list(product((-1.0, 1.0), repeat=base)))
    columns = [sign * whole[:, _bits(mask)].prod(axis=1) for mask, sign in zip(masks, signs)]
    return Design(np.column_stack(columns), tuple(masks), tuple(signs))


def central_composite(k, *, alpha="rotatable", centers=1):
    """A design for second-order models: a two-level factorial, two points on every axis, and the centre.

    Parameters
    ----------
    k : int
        Factors; from five on the factorial is a fraction of resolution 5.
    alpha : {"rotatable", "faced", "spherical"} or float, default="rotatable"
        Distance of the points on the axes: the fourth root of the runs of the factorial, which makes the variance of a
        prediction depend on the distance alone; 1; the square root of k; or a number.
    centers : int, default=1
        Runs at the centre.

    Returns
    -------
    Design

    Examples
    --------
    >>> from treatise.search import central_composite
    >>> design = central_composite(2)
    >>> design.n_runs, design.matrix[4:8].round(2).tolist()
    (9, [[-1.41, 0.0], [1.41, 0.0], [0.0, -1.41], [0.0, 1.41]])
    """
    cube = (full_factorial(k) if k < 5 else fractional_factorial(k, resolution=5)).matrix
    named = {"rotatable": len(cube) ** 0.25, "faced": 1.0, "spherical": k**0.5}
    if isinstance(alpha, str) and alpha not in named:
        raise ValueError(f"alpha={alpha!r} is not known; choose {', '.join(map(repr, named))} or a number")
    distance = named[alpha] if isinstance(alpha, str) else float(alpha)
    if not distance > 0 or centers < 0:
        raise ValueError(f"alpha={alpha} must be above 0 and centers={centers} not below")
    return Design(np.vstack([cube, axial_points(k, distance), np.zeros((centers, k))]))


def axial_points(k, distance=1.0):
    """Two points on each of k axes."""
    return np.kron(np.eye(k), [[-distance], [distance]]) + 0.0  # no minus zero


def _bits(mask):
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


def _letters_of(mask):
    return "".join(LETTERS[j] for j in _bits(mask))


def _product(masks, factors):
    found = 0
    for j in factors:
        found ^= masks[j]
    return found


def _word_lengths(masks):
    """Number of sets of columns of each size whose product is constant, by counting sets over their products."""
    if not masks:
        return [1]
    counts = np.zeros((len(masks) + 1, 1 << max(masks).bit_length()), dtype=object)
    counts[0, 0] = 1
    places = np.arange(counts.shape[1])
    for mask in masks:
        counts[1:] = counts[1:] + counts[:-1, places ^ mask]
    return counts[:, 0].tolist()


def _resolution(masks):
    return next((length for length, count in enumerate(_word_lengths(masks)) if length and count), math.inf)


@lru_cache(maxsize=256)
def _best_masks(k, base):
    """Columns of k factors on some base factors: the fewest short words; of equal ones the longest products."""
    own = tuple(1 << j for j in range(base))
    offers = sorted((m for m in range(1, 1 << base) if m.bit_count() > 1), key=lambda m: (-m.bit_count(), m))
    missing = k - base
    if math.comb(len(offers), missing) <= MOST_TRIED:
        chosen = min(combinations(offers, missing), key=lambda extra: _word_lengths(own + extra)[1:])
        return own + chosen
    if k <= 1 << (base - 1):
        offers = [m for m in offers if m.bit_count() % 2]  # odd products alone: no word of three, resolution 4
    masks = own
    for _ in range(missing):
        masks = masks + (min((m for m in offers if m not in masks), key=lambda m: _short_words(masks, m)),)
    return masks


def _short_words(masks, mask):
    """Words of three and four factors that a further column would bring."""
    pairs: dict[int, int] = {}
    for a, b in combinations(masks, 2):
        pairs[a ^ b] = pairs.get(a ^ b, 0) + 1
    return pairs.get(mask, 0), sum(pairs.get(mask ^ c, 0) for c in masks)


def _read_generators(k, generators):
    masks = {j: 1 << j for j in range(k - len(generators))}
    signs = [1] * k
    base = len(masks)
    if base < 1:
        raise ValueError(f"{len(generators)} generators leave no base factor among {k}")
    for text in generators:
        read = re.fullmatch(r"\s*([A-Za-z])\s*=\s*([+-]?)\s*([A-Za-z]+)\s*", text)
        if read is None or read[1] not in LETTERS[:k] or any(letter not in LETTERS[:base] for letter in read[3]):
            raise ValueError(
                f"{text!r} is no generator; write a factor of {LETTERS[base:k]} as a product of {LETTERS[:base]}, "
                "as in 'D=ABC' or 'D=-ABC'"
            )
        factor, mask = LETTERS.index(read[1]), 0
        for letter in read[3]:
            mask ^= 1 << LETTERS.index(letter)
        if factor in masks or mask == 0:
            raise ValueError(f"{text!r} makes a factor twice, or a constant one")
        masks[factor], signs[factor] = mask, -1 if read[2] == "-" else 1
    ordered = tuple(masks[j] for j in range(k))
    if len(set(ordered)) < k:
        raise ValueError(f"generators {list(generators)} make two factors equal; give each a product of its own")
    return ordered, tuple(signs)
