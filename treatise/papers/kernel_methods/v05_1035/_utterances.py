"""Utterances as a speech recogniser hears them: word lattices, and the words it finds best."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from treatise.kernels import WeightedTransducer


@dataclass(frozen=True)
class HeardUtterances:
    """Utterances of several classes, as spoken and as heard.

    Parameters
    ----------
    spoken, one_best : list of list of str
        The words, and those that the recogniser finds best.
    lattices : list of WeightedTransducer
        All that it holds possible, with probabilities.
    y : ndarray of int
        The classes.
    words : list of str
        The vocabulary.
    """

    spoken: list[list[str]]
    one_best: list[list[str]]
    lattices: list[WeightedTransducer]
    y: np.ndarray
    words: list[str]

    @property
    def word_accuracy(self) -> float:
        """Share of words that the recogniser finds best and that were spoken."""
        pairs = [(a, b) for said, heard in zip(self.spoken, self.one_best) for a, b in zip(said, heard)]
        return float(np.mean([a == b for a, b in pairs]))


def make_heard_utterances(
    n_samples: int = 300, *, n_classes: int = 6, n_words: int = 30, clarity: float = 1.5,
    random_state: int | np.random.RandomState | None = None,
) -> HeardUtterances:  # fmt: skip
    """Spoken requests of several classes with a recogniser's mistakes.

    Every class is a Markov chain over the words. For each word the recogniser weighs it against two others that sound
    alike: evidence for each is normal, with a higher mean for the word spoken, and the lattice holds the posterior
    probabilities.

    Parameters
    ----------
    n_samples : int, default=300
        Number of utterances, of 4 to 10 words.
    n_classes, n_words : int, default=6 and 30
        Numbers of classes and of words.
    clarity : float, default=1.5
        How much more evidence the word spoken has; at 1.5 about three words in four are found.
    random_state : int, RandomState or None, default=None
        Source of chance.
    """
    rng = check_random_state(random_state)
    words = [f"w{i}" for i in range(n_words)]
    chains = rng.dirichlet(np.full(n_words, 0.15), (n_classes, n_words))
    alike = np.array([rng.choice(np.delete(np.arange(n_words), i), 2, replace=False) for i in range(n_words)])
    y = rng.randint(n_classes, size=n_samples)
    spoken, one_best, lattices = [], [], []
    for label in y:
        said = [rng.randint(n_words)]
        for _ in range(rng.randint(3, 10)):
            said.append(rng.choice(n_words, p=chains[label, said[-1]]))
        arcs, heard = [], []
        for i, word in enumerate(said):
            candidates = np.array([word, *alike[word]])
            evidence = rng.normal(size=3) + clarity * np.array([1.0, 0.0, 0.0])
            # Of normal evidence with unit variance and means 0 or c, the log likelihood ratio is c times the evidence.
            posterior = np.exp(clarity * evidence - np.max(clarity * evidence))
            posterior /= posterior.sum()
            heard.append(words[candidates[np.argmax(posterior)]])
            arcs += [(i, words[w], words[w], float(p), i + 1) for w, p in zip(candidates, posterior)]
        spoken.append([words[w] for w in said])
        one_best.append(heard)
        lattices.append(WeightedTransducer(arcs, [0], [len(said)]))
    return HeardUtterances(spoken, one_best, lattices, y, words)
