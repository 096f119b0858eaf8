"""Kernels of strings that count shared short words, exactly or nearly (Leslie & Kuang, JMLR 5:1435)."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy import sparse

from treatise.kernels.base import Kernel
from treatise.kernels.strings._loops import (
    COSTS,
    DIAGONAL,
    FEATURES,
    GAPPY,
    GRAM,
    WEIGHTED_GAPPY,
    Rule,
    Windows,
    walk_trie,
)
from treatise.kernels.strings.encoded import EncodedStrings, common_letters, distinct_windows, encode
from treatise.kernels.strings.substitution import substitution_probabilities

LONGEST = 2**31 - 1
"""Letters of a word that can be counted."""


class _Matching(NamedTuple):
    """How windows of ``width`` letters match features of ``depth`` symbols."""

    width: int
    depth: int
    branches: str
    cost: np.ndarray | None = None
    """Cost of a window's letter (row) at a feature's symbol (column); infinite where they never match."""
    budget: float = 0.0
    kind: int = COSTS
    first: bool = False
    decay: float = 1.0


class StringKernel(Kernel):
    """A kernel of strings: the scalar product of counts of short words, the features, in the strings' windows.

    Subclasses say which windows match which features. All values come from one walk over the trie of the features
    that occur, in time linear in the total length of the strings, plus n^2 for each feature that n strings share.
    """

    structured = True
    _any_symbol = True
    """Whether letters that do not occur leave the values as they are, so that the alphabet need not be known."""

    @abstractmethod
    def _matching(self, letters):
        """The rule of this kernel on an alphabet; raises ValueError where a parameter is wrong."""

    def prepare(self, X):
        """Read strings into codes; symbols outside the alphabet are an error unless ``skip`` names them."""
        strings = encode(X, self.alphabet, self.skip, any_symbol=self._any_symbol)
        self._matching(strings.letters)
        return strings

    def block(self, A, B):
        if A is B:
            return self._walk(A, len(A), GRAM)[0]
        if not self._any_symbol and A.letters != B.letters:
            raise ValueError(
                f"one collection was read with the alphabet {A.letters!r}, the other with {B.letters!r}, and the "
                "values depend on it; name the alphabet instead of alphabet='auto'"
            )
        letters = common_letters(A, B)
        A, B = A.with_letters(letters), B.with_letters(letters)
        offsets = np.concatenate((A.offsets, A.offsets[-1] + B.offsets[1:]))
        both = EncodedStrings(np.concatenate((A.codes, B.codes)), offsets, letters)
        if not len(B):
            return np.zeros((len(A), 0))
        return self._walk(both, len(A), GRAM)[0]

    def diagonal(self, A):
        return self._walk(A, len(A), DIAGONAL)[1]

    def features(self, strings):
        """Explicit features, whose scalar products are the kernel.

        They feed a linear model on many strings where the matrix of all kernel values would be too large.

        Parameters
        ----------
        strings : collection of str
            The strings.

        Returns
        -------
        F : CSR array of shape (n_strings, n_features)
            Value of each feature that occurs at all.
        vocabulary : ndarray of str
            The features, in alphabetical order.
        """
        encoded = self.prepare(strings)
        *_, rows, columns, values, patterns = self._walk(encoded, len(encoded), FEATURES)
        matching = self._matching(encoded.letters)
        symbols = np.array([ord(symbol) for symbol in matching.branches], np.uint32)
        points = symbols[patterns.reshape(-1, matching.depth)]
        words = points.view(f"<U{matching.depth}").ravel()
        order = np.argsort(words)
        place = np.empty(len(words), np.int64)
        place[order] = np.arange(len(words))
        F = sparse.csr_array((values, (rows, place[columns])), shape=(len(encoded), len(words)))
        return F, words[order]

    def _walk(self, strings, n_left, output):
        matching = self._matching(strings.letters)
        windows, pair_ptr, pair_owner, pair_count = distinct_windows(strings, matching.width)
        if n_left == len(strings):
            sides = np.full(len(windows), 3, np.uint8)
        else:
            side = np.where(pair_owner < n_left, 1, 2).astype(np.uint8)
            sides = np.bitwise_or.reduceat(side, pair_ptr[:-1]) if len(windows) else np.empty(0, np.uint8)
        start, choice_ptr, choice_branch, choice_cost = _choices(matching, windows)
        return walk_trie(
            Windows(windows, start, sides, pair_ptr, pair_owner, pair_count, len(strings), n_left),
            Rule(
                matching.kind, matching.depth, len(matching.branches), choice_ptr, choice_branch, choice_cost,
                float(matching.budget), matching.first, matching.decay,
            ),
            output,
        )  # fmt: skip


def _choices(matching, windows):
    """State of each window at the root; of each letter, the symbols it may match alone, cheapest first.

    Every window pays its cheapest match beforehand, and its letters only what they cost above that: a branch is then
    never taken that no feature can complete.
    """
    if matching.cost is None:
        return np.full(len(windows), -1.0), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0)
    cheapest = matching.cost.min(axis=1)
    cheapest[np.isinf(cheapest)] = 0.0
    above = matching.cost - cheapest[:, np.newaxis]
    order = np.argsort(above, axis=1, kind="stable")
    above = np.take_along_axis(above, order, axis=1)
    affordable = above <= matching.budget
    choice_ptr = np.concatenate(([0], np.cumsum(affordable.sum(axis=1))))
    return cheapest[windows].sum(axis=1), choice_ptr, order[affordable], above[affordable]


class SpectrumKernel(StringKernel):
    """Scalar product of the counts of words of ``k`` letters.

    The quickest string kernel, and enough where related strings share exact words, as in texts and logs, or for
    ``k`` of 3 or 4 in proteins. Where letters mutate, use one of the inexact kernels. Its cost is that of sorting the
    windows: about n log n in the total length n.

    Parameters
    ----------
    k : int, default=3
        Length of the words.
    alphabet : str, default="auto"
        "dna", "protein" (both in either case), the letters, or "auto" for whatever symbols occur.
    skip : str, default=""
        Symbols outside the alphabet that no word may hold, such as "X" for an unknown residue.

    Examples
    --------
    >>> from treatise.kernels import SpectrumKernel
    >>> SpectrumKernel(3)(["ACGTACGT", "ACGATCGT"])
    array([[10.,  4.],
           [ 4.,  6.]])
    >>> SpectrumKernel(2).features(["abab", "ba"])[1].tolist()
    ['ab', 'ba']

    References
    ----------
    .. [1] Paper v05-1435, Section 2.1 with m = 0.
    """

    def __init__(self, k=3, *, alphabet="auto", skip=""):
        self.k = k
        self.alphabet = alphabet
        self.skip = skip

    def _matching(self, letters):
        _check_count("k", self.k, 1)
        return _Matching(self.k, self.k, letters, _equal_or(np.inf, letters))


class MismatchKernel(StringKernel):
    """Counts of words of ``k`` letters, where a word of the string counts for all that differ in at most ``m`` places.

    The standard kernel for proteins, with ``k=5, m=1``. Its cost per letter is ``k^(m+1)`` times the alphabet's size
    to the power ``m``: for two mismatches and 20 letters, :class:`WildcardKernel` does nearly the same for far less.

    Parameters
    ----------
    k : int, default=5
        Length of the words.
    m : int, default=1
        Most mismatches, at most ``k``.
    alphabet : str, default="auto"
        "dna", "protein" (both in either case) or the letters. Values depend on it: letters that do not occur make
        features too. "auto" is DNA where the strings hold only A, C, G and T, else protein.
    skip : str, default=""
        Symbols outside the alphabet that no word may hold, such as "X" for an unknown residue.

    Examples
    --------
    >>> from treatise.kernels import MismatchKernel
    >>> MismatchKernel(k=3, m=1)(["ACGTACGT", "ACGATCGT"])[0, 1]
    np.float64(76.0)

    References
    ----------
    .. [1] Paper v05-1435, Section 2.1.
    """

    _any_symbol = False

    def __init__(self, k=5, m=1, *, alphabet="auto", skip=""):
        self.k = k
        self.m = m
        self.alphabet = alphabet
        self.skip = skip

    def _matching(self, letters):
        _check_count("k", self.k, 1)
        _check_count("m", self.m, 0, self.k)
        return _Matching(self.k, self.k, letters, _equal_or(1.0, letters), self.m)


class GappyKernel(StringKernel):
    """Counts of words of ``k`` letters that occur in order, with gaps, within windows of ``g`` letters.

    For strings related by insertions and deletions. Without ``decay`` a window counts once for each word that it
    holds in some way; with it, once for each way, times ``decay`` to the number of letters skipped inside. The cost
    per letter grows like ``g^(g-k+1)``, whatever the alphabet: keep ``g - k`` at 3 or less.

    Parameters
    ----------
    g : int, default=6
        Length of the windows.
    k : int, default=4
        Length of the words, at most ``g``.
    decay : float in (0, 1] or None, default=None
        Weight of a skipped letter (lambda in the paper); None counts windows, not ways.
    first : bool, default=False
        Whether a word must begin at the first letter of the window, so that each occurrence counts in one window
        instead of in all that hold it. Words that begin within the last ``g - 1`` letters of a string do not count.
    alphabet : str, default="auto"
        "dna", "protein" (both in either case), the letters, or "auto" for whatever symbols occur.
    skip : str, default=""
        Symbols outside the alphabet that no window may hold, such as "X" for an unknown residue.

    Examples
    --------
    >>> from treatise.kernels import GappyKernel
    >>> F, words = GappyKernel(g=5, k=3, decay=0.5).features(["ababb"])
    >>> dict(zip(words.tolist(), F.toarray()[0].tolist()))["abb"]
    2.0

    References
    ----------
    .. [1] Paper v05-1435, Sections 2.2 and 3.1.
    """

    def __init__(self, g=6, k=4, *, decay=None, first=False, alphabet="auto", skip=""):
        self.g = g
        self.k = k
        self.decay = decay
        self.first = first
        self.alphabet = alphabet
        self.skip = skip

    def _matching(self, letters):
        _check_count("k", self.k, 1)
        _check_count("g", self.g, self.k)
        if self.decay is None:
            return _Matching(self.g, self.k, letters, kind=GAPPY, first=bool(self.first))
        _check_decay(self.decay)
        return _Matching(self.g, self.k, letters, kind=WEIGHTED_GAPPY, first=bool(self.first), decay=float(self.decay))


class SubstitutionKernel(StringKernel):
    """Counts of words of ``k`` amino acids, where a word counts for all that it probably descends from.

    The word ``a`` of the string counts for the word ``b`` where ``-sum_i log P(a_i | b_i) < sigma``. The kernel knows
    which amino acids replace one another, so that it is the choice for remote relations; for other alphabets it needs
    their substitution probabilities. The cost per letter is ``k`` times the number of words within ``sigma``, which
    grows exponentially: raise ``sigma`` by no more than about 1.5 per letter.

    Parameters
    ----------
    k : int, default=4
        Length of the words.
    sigma : float, default=6.0
        Bound on minus the log probability. A word whose own letters are too mutable for it does not even match
        itself. At 6.0 for ``k=4``, the paper's choice, words differ in about one letter.
    probabilities : "blosum62" or array-like of shape (n_letters, n_letters), default="blosum62"
        ``P[a, b]`` = P(a | b), the probability of letter ``a`` in place of ``b``, in the order of the alphabet; see
        :func:`substitution_probabilities`.
    alphabet : str, default="protein"
        "dna", "protein" (both in either case) or the letters.
    skip : str, default=""
        Symbols outside the alphabet that no word may hold, such as "X" for an unknown residue.

    Examples
    --------
    >>> from treatise.kernels import SubstitutionKernel
    >>> K = SubstitutionKernel(k=2, sigma=4.0)(["WI", "WV", "WD"])  # valine replaces isoleucine, aspartate does not
    >>> K[0, 1] > K[0, 2]
    np.True_

    References
    ----------
    .. [1] Paper v05-1435, Sections 2.3 and 3.2. The paper does not name its matrix; BLOSUM62 is ours.
    """

    _any_symbol = False

    def __init__(self, k=4, sigma=6.0, *, probabilities="blosum62", alphabet="protein", skip=""):
        self.k = k
        self.sigma = sigma
        self.probabilities = probabilities
        self.alphabet = alphabet
        self.skip = skip

    def _matching(self, letters):
        _check_count("k", self.k, 1)
        if not (isinstance(self.sigma, Real) and self.sigma > 0):
            raise ValueError(f"sigma={self.sigma!r} must be a positive number")
        P = self.probabilities
        P = substitution_probabilities(P) if isinstance(P, str) else np.asarray(P, np.float64)
        if P.shape != (len(letters), len(letters)) or not ((P >= 0) & (P <= 1)).all():
            raise ValueError(
                f"probabilities of shape {P.shape} for an alphabet of {len(letters)} letters ({letters}); a square "
                "array of numbers between 0 and 1 is expected, in the order of the letters"
            )
        with np.errstate(divide="ignore"):
            cost = -np.log(P)
        # The inequality is strict: the largest number below sigma is the most that a match may cost.
        return _Matching(self.k, self.k, letters, cost, float(np.nextafter(float(self.sigma), -np.inf)))


class WildcardKernel(StringKernel):
    """Counts of words of ``k`` symbols, up to ``m`` of which are wildcards that match any letter.

    Nearly the mismatch kernel, at a cost that does not depend on the alphabet: ``k^(m+1)`` per letter. With
    ``k=5, m=2`` the best single kernel of the paper. Two words that differ in two places share features under two
    wildcards, as they do under one mismatch.

    Parameters
    ----------
    k : int, default=5
        Length of the words.
    m : int, default=2
        Most wildcards, at most ``k``.
    decay : float in (0, 1], default=1.0
        Weight of a wildcard (lambda in the paper).
    alphabet : str, default="auto"
        "dna", "protein" (both in either case), the letters, or "auto" for whatever symbols occur.
    skip : str, default=""
        Symbols outside the alphabet that no word may hold, such as "X" for an unknown residue.

    Examples
    --------
    >>> from treatise.kernels import WildcardKernel
    >>> WildcardKernel(k=2, m=1, decay=0.5).features(["ab"])[1].tolist()
    ['*b', 'a*', 'ab']

    References
    ----------
    .. [1] Paper v05-1435, Sections 2.4 and 3.3.
    """

    def __init__(self, k=5, m=2, *, decay=1.0, alphabet="auto", skip=""):
        self.k = k
        self.m = m
        self.decay = decay
        self.alphabet = alphabet
        self.skip = skip

    def _matching(self, letters):
        _check_count("k", self.k, 1)
        _check_count("m", self.m, 0, self.k)
        _check_decay(self.decay)
        cost = np.column_stack((_equal_or(np.inf, letters), np.ones(len(letters))))
        return _Matching(self.k, self.k, letters + "*", cost, self.m, decay=float(self.decay))


def _equal_or(cost, letters):
    """Nothing for the same letter, ``cost`` for another."""
    return np.where(np.eye(len(letters), dtype=bool), 0.0, cost)


def _check_count(name, value, least, most=None):
    if not isinstance(value, Integral) or value < least or (most is not None and value > most):
        bound = f"at least {least}" if most is None else f"between {least} and {most}"
        raise ValueError(f"{name}={value!r} must be an integer of {bound}")
    if value > LONGEST:
        raise ValueError(f"{name}={value} letters are more than any string has; give at most {LONGEST}")


def _check_decay(decay):
    if not (isinstance(decay, Real) and 0 < decay <= 1):
        raise ValueError(f"decay={decay!r} must be a number above 0 and at most 1")
