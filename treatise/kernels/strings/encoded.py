"""Strings as letter codes, read once, and the distinct windows of a collection."""

import numpy as np

DNA = "ACGT"
PROTEIN = "ACDEFGHIKLMNPQRSTVWY"
_NAMED = {"dna": DNA, "protein": PROTEIN}
_BREAK = -1
"""Code of a symbol at which a string is cut."""
_MOST_LETTERS = 127
"""What a code of eight bits can tell apart."""


class EncodedStrings:
    """A collection of strings: letter codes end to end, and where each string begins.

    Parameters
    ----------
    codes : ndarray of int8
        Positions of the symbols in ``letters``; -1 where no window may lie.
    offsets : ndarray of shape (n_strings + 1,)
        Where each string begins; the last is the end.
    letters : str
        The alphabet.
    """

    def __init__(self, codes, offsets, letters):
        self.codes = codes
        self.offsets = offsets
        self.letters = letters

    def __setstate__(self, state):
        # Compiled loops follow the codes without looking, and they may come from a file.
        codes, offsets, letters = state["codes"], state["offsets"], check_size(state["letters"])
        sound = codes.dtype == np.int8 and codes.ndim == offsets.ndim == 1 and len(offsets) > 0
        sound = sound and offsets[0] == 0 and offsets[-1] == len(codes) and (np.diff(offsets) >= 0).all()
        if not sound or codes.min(initial=_BREAK) < _BREAK or codes.max(initial=_BREAK) >= len(letters):
            raise ValueError("the codes of the strings do not belong to their letters and lengths")
        self.codes, self.offsets, self.letters = codes, offsets, letters

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, positions):
        chosen = np.atleast_1d(np.arange(len(self))[positions])
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        source = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return EncodedStrings(self.codes[source], offsets, self.letters)

    def with_letters(self, letters):
        """The same strings with codes of an alphabet that holds this one."""
        if letters == self.letters:
            return self
        table = np.array([letters.index(letter) for letter in self.letters] + [_BREAK], np.int8)
        return EncodedStrings(table[self.codes], self.offsets, letters)


def encode(strings, alphabet, skip, *, any_symbol):
    """Read a collection of strings.

    Parameters
    ----------
    strings : collection of str or bytes
        The strings.
    alphabet : str
        "dna", "protein", "auto" or the letters themselves. The named ones take lower case as upper case.
    skip : str
        Symbols outside the alphabet at which a string is cut.
    any_symbol : bool
        Whether "auto" takes the letters that occur, whatever they are; else it is DNA or protein.
    """
    texts = _as_texts(strings)
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in texts], dtype=np.int64)))
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    present, position = np.unique(points, return_inverse=True)
    symbols = [chr(point) for point in present]
    letters, fold = _letters(alphabet, skip, symbols, any_symbol)
    table = np.empty(len(symbols), np.int8)
    for i, symbol in enumerate(symbols):
        found = letters.find(symbol.upper() if fold else symbol)
        if found < 0 and symbol not in skip:
            where = int(np.flatnonzero(position == i)[0])
            number = int(np.searchsorted(offsets, where, side="right")) - 1
            raise ValueError(
                f"symbol {symbol!r} at position {where - offsets[number]} of string {number} (both counted from 0) is "
                f"not in the alphabet {letters!r}; add it to `alphabet`, or to `skip` to cut strings there"
            )
        table[i] = found if found >= 0 else _BREAK
    return EncodedStrings(table[position], offsets, letters)


def refuse_single(strings):
    """Refuse what can be iterated over but is no list of strings: one string, or a table, which lists its columns."""
    kind = type(strings).__name__
    if isinstance(strings, str | bytes):
        raise ValueError(f"one {kind} was given where a list of strings is expected; wrap it in a list")
    if hasattr(strings, "columns") or isinstance(strings, dict):
        raise ValueError(f"a {kind} was given where a list of strings is expected; give one column of it")


def _as_texts(strings):
    refuse_single(strings)
    texts = [text.decode("latin-1") if isinstance(text, bytes) else text for text in strings]
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(
                f"object {number} (counted from 0) is {type(text).__name__}; a string kernel reads str or bytes"
            )
    return texts


def _letters(alphabet, skip, symbols, any_symbol):
    """The letters, and whether case is folded."""
    for name, value in (("alphabet", alphabet), ("skip", skip)):
        if not isinstance(value, str):
            raise ValueError(f"{name}={value!r} is {type(value).__name__}; a string is expected")
    if alphabet == "auto":
        kept = [symbol for symbol in symbols if symbol not in skip]
        if not any_symbol:
            return (DNA if all(symbol.upper() in DNA for symbol in kept) else PROTEIN), True
        letters, fold = "".join(kept), False
    else:
        letters, fold = _NAMED.get(alphabet, alphabet), alphabet in _NAMED
        if not letters:
            raise ValueError("alphabet='' has no letters; give 'dna', 'protein', 'auto' or the letters")
        twice = sorted({letter for letter in letters if letters.count(letter) > 1})
        if twice:
            raise ValueError(f"alphabet={alphabet!r} names {', '.join(map(repr, twice))} more than once")
    return check_size(letters), fold


def check_size(letters):
    """The letters, if there are not too many."""
    if len(letters) > _MOST_LETTERS:
        raise ValueError(f"{len(letters)} distinct symbols; string kernels take at most {_MOST_LETTERS}")
    return letters


def common_letters(left, right):
    """An alphabet for both collections."""
    if left.letters == right.letters:
        return left.letters
    return check_size("".join(sorted(set(left.letters) | set(right.letters))))


def distinct_windows(strings, width):
    """Every distinct window of ``width`` letters, and how often each string holds it.

    Returns
    -------
    windows : ndarray of int8, of shape (n_windows, width)
    pair_ptr : ndarray of shape (n_windows + 1,)
        Where the pairs of each window begin.
    pair_owner, pair_count : ndarray
        String and number of occurrences of each pair of a window and a string.
    """
    codes, offsets, n = strings.codes, strings.offsets, len(strings)
    owner = np.repeat(np.arange(n), np.diff(offsets))[: max(len(codes) - width + 1, 0)]
    starts = np.arange(len(owner))
    broken = np.concatenate(([0], np.cumsum(codes < 0)))
    whole = (starts + width <= offsets[owner + 1]) & (broken[starts + width] == broken[starts])
    starts, owner = starts[whole], owner[whole]
    key, size = np.zeros(len(starts), np.int64), 1
    for j in range(width):
        if size * len(strings.letters) * n >= 1 << 62:
            key = np.unique(key, return_inverse=True)[1]
            size = len(key)
        key = key * len(strings.letters) + codes[starts + j]
        size *= len(strings.letters)
    pairs, sample, count = np.unique(key * max(n, 1) + owner, return_index=True, return_counts=True)
    begins = np.flatnonzero(np.diff(pairs // max(n, 1), prepend=-1))
    windows = codes[starts[sample[begins]][:, np.newaxis] + np.arange(width)]
    return windows, np.append(begins, len(pairs)), owner[sample], count.astype(np.float64)
