"""Columns of a table of positions as what learners of sequences take: named features, arrays of numbers, symbols."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from treatise.sequence.features import word_features

NEIGHBOURS = 2
"""How far to each side a column of text is looked at."""
LEAST_COUNT = 2
"""How often a symbol must occur to be one: those met once stand for the ones never met."""
UNKNOWN = "unknown"


@dataclass(frozen=True)
class PositionColumns:
    """The positions of sequences, one after another.

    Parameters
    ----------
    words : list of str or None
        The words; None where no column holds any.
    texts : dict
        Other columns of text, from their names, the least varied first.
    numbers : ndarray of shape (T, d)
        Columns of numbers.
    number_names : list of str
        Their names.
    ends : list of int
        Where the sequences end.
    """

    words: list[str] | None
    texts: dict[str, list[str]]
    numbers: np.ndarray
    number_names: list[str]
    ends: list[int]

    @property
    def only_numbers(self):
        """Whether there is no text at all."""
        return self.words is None and not self.texts

    def split(self, values):
        """Values of all positions by sequence."""
        return [values[start:end] for start, end in zip([0, *self.ends], self.ends)]

    def features(self):
        """A dictionary of features for each position, by sequence."""
        texts = {name: self.split(values) for name, values in self.texts.items()}
        words = None if self.words is None else self.split(self.words)
        features = []
        for s, numbers in enumerate(self.split(self.numbers)):
            own = [{"bias": 1.0} for _ in numbers] if words is None else word_features(words[s])
            for name, values in texts.items():
                _add_neighbours(own, name, values[s])
            for position, row in zip(own, numbers.tolist()):
                position.update(zip(self.number_names, row))
            features.append(own)
        return features

    def arrays(self):
        """Numbers of each position, by sequence."""
        return self.split(self.numbers)

    def symbols(self, known=None):
        """One symbol for each position, by sequence: the finest of its names that is known.

        The names of a position grow coarser: all its texts; the ending and the shape of the word in its place; the
        shape; no word; fewer and fewer of the other texts; nothing at all.

        Parameters
        ----------
        known : set of str or None, default=None
            Symbols to choose from; None takes those that occur often enough among the positions for which every
            finer one did not.
        """
        symbols = [UNKNOWN] * len(self.numbers)
        waiting = range(len(symbols))
        for level, names in enumerate(self._names()):
            marked = {t: f"{level}|{names[t]}" for t in waiting}
            if known is None:
                counts = Counter(marked.values())
                chosen = {name for name, count in counts.items() if count >= LEAST_COUNT}
            else:
                chosen = known
            for t, name in marked.items():
                if name in chosen:
                    symbols[t] = name
            waiting = [t for t, name in marked.items() if name not in chosen]
        return self.split(symbols)

    def _names(self):
        others = list(self.texts.values())
        if self.words is not None:
            features = word_features(self.words, window=0)
            yield _joined([[own["word"] for own in features], *others])
            yield _joined([[own["shape"] + own.get("suffix3", own["word"]) for own in features], *others])
            yield _joined([[own["shape"] for own in features], *others])
        for kept in range(len(others), 0, -1):
            yield _joined(others[:kept])


def _joined(columns):
    return ["\t".join(values) for values in zip(*columns)]


def _add_neighbours(positions, name, values):
    for t, position in enumerate(positions):
        position[name] = values[t]
        for step in range(1, NEIGHBOURS + 1):
            if t >= step:
                position[f"{name}-{step}"] = values[t - step]
            if t + step < len(values):
                position[f"{name}+{step}"] = values[t + step]
