"""The parameters of a dependency grammar with valence: begun, counted, smoothed, drawn from."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from treatise.inference.hidden_markov import shares
from treatise.sequence.dependency._loops import harmonic_counts


class Counts(NamedTuple):
    """Counts of the choices of a grammar of T tags."""

    root: np.ndarray
    """Of shape (T,)."""
    child: np.ndarray
    """Of shape (T, 2, child valences, T): dependents by head, side and dependents taken before."""
    go: np.ndarray
    """Of shape (T, 2, stop valences): going on."""
    stop: np.ndarray
    """Of shape (T, 2, stop valences): stopping."""

    @classmethod
    def zeros(cls, grammar):
        """Nothing counted yet."""
        return cls(*(np.zeros_like(table) for table in (grammar.root, grammar.child, grammar.stop, grammar.stop)))


@dataclass(frozen=True)
class Grammar:
    """Weights of all choices; where they are probabilities, those of each choice sum to one.

    Parameters
    ----------
    root : ndarray of shape (T,)
        Of the root's tag.
    by_head : ndarray of shape (T, 2, child valences, T)
        Of a dependent, by the head's tag, the side (0 left, 1 right) and the dependents there before.
    by_side : ndarray of shape (2, child valences, T) or None
        Of a dependent, whatever the head: what it is mixed with (equation 10).
    go, stop : ndarray of shape (T, 2, stop valences)
        Of going on and of stopping.
    share : float
        Of ``by_head`` in the mixture; 1 where there is none.
    """

    root: np.ndarray
    by_head: np.ndarray
    by_side: np.ndarray | None
    go: np.ndarray
    stop: np.ndarray
    share: float = 1.0

    @property
    def child(self):
        """Weights of dependents as they are used."""
        if self.by_side is None:
            return self.by_head
        return self.share * self.by_head + (1.0 - self.share) * self.by_side

    @property
    def valence(self):
        """Numbers of dependents that are told apart."""
        return max(self.by_head.shape[2], self.stop.shape[2])

    def log_tables(self):
        """Logarithms of the root's, the dependents', going on and stopping."""
        with np.errstate(divide="ignore"):
            return tuple(np.log(np.ascontiguousarray(table)) for table in (self.root, self.child, self.go, self.stop))

    def split(self, counts):
        """Counts of the five tables: those of dependents divided by the parts of the mixture."""
        stops = np.stack([counts.go, counts.stop], axis=-1)
        if self.by_side is None:
            return counts.root, counts.child, None, stops
        mixed = self.child
        part = np.divide(self.share * self.by_head, mixed, out=np.zeros_like(mixed), where=mixed > 0)
        return counts.root, counts.child * part, (counts.child * (1.0 - part)).sum(axis=0), stops

    def maximised(self, counts):
        """The likeliest parameters given expected counts (the M-step of equation 2)."""
        root, by_head, by_side, stops = self.split(counts)
        stops = shares(stops, np.stack([self.go, self.stop], axis=-1))
        by_side = None if by_side is None else shares(by_side, self.by_side)
        return Grammar(
            shares(root, self.root), shares(by_head, self.by_head), by_side, stops[..., 0], stops[..., 1], self.share
        )

    def variational(self, counts, alpha):
        """Weights exp(E log) under the Dirichlet posterior of the counts, and its divergence from the prior.

        Section 5.1.1; the weights of a choice sum to less than one, which makes the bound never fall.
        """
        root, by_head, by_side, stops = self.split(counts)
        tables = [root, by_head, stops] + ([] if by_side is None else [by_side])
        divergence = sum(_dirichlet_divergence(table, alpha) for table in tables)
        weights = [_geometric_means(table, alpha) for table in tables]
        stops = weights[2]
        by_side = None if by_side is None else weights[3]
        return Grammar(weights[0], weights[1], by_side, stops[..., 0], stops[..., 1], self.share), divergence

    def smoothed(self, amount):
        """Every parameter raised by ``amount`` and made to sum to one again."""
        stops = np.stack([self.go, self.stop], axis=-1) + amount
        stops = shares(stops, np.full_like(stops, 0.5))
        even = 1.0 / len(self.root)
        tables = [
            None if table is None else shares(table + amount, np.full_like(table, even))
            for table in (self.root, self.by_head, self.by_side)
        ]
        return Grammar(*tables, stops[..., 0], stops[..., 1], self.share)


def harmonic_grammar(corpus, n_tags, stop_valence, child_valence, backoff):
    """Klein and Manning's start: heads near their dependents, any word the root, stops as likely as not."""
    root, child = np.zeros(n_tags), np.zeros((n_tags, 2, n_tags))
    harmonic_counts(corpus.tags, corpus.starts, root, child)
    even = np.full(n_tags, 1.0 / n_tags)
    by_head = shares(child, np.broadcast_to(even, child.shape))[:, :, np.newaxis, :].repeat(child_valence, axis=2)
    half = np.full((n_tags, 2, stop_valence), 0.5)
    return Grammar(shares(root, even), by_head, *_backed_off(by_head, child.sum(axis=0), backoff, half))


def random_grammar(n_tags, stop_valence, child_valence, backoff, random):
    """All probabilities drawn evenly."""
    by_head = random.dirichlet(np.ones(n_tags), (n_tags, 2, child_valence))
    stop = random.uniform(size=(n_tags, 2, stop_valence))
    root = random.dirichlet(np.ones(n_tags))
    return Grammar(root, by_head, *_backed_off(by_head, by_head.sum(axis=(0, 2)), backoff, stop))


def extended_grammar(root, child, stop, stop_valence, child_valence, backoff):
    """A grammar of other valences, what it has no parameters for being as with most dependents."""
    by_head = child[:, :, np.minimum(np.arange(child_valence), child.shape[2] - 1), :]
    stop = stop[:, :, np.minimum(np.arange(stop_valence), stop.shape[2] - 1)]
    return Grammar(root, by_head, *_backed_off(by_head, by_head.sum(axis=(0, 2)), backoff, stop))


def _backed_off(by_head, by_side_counts, backoff, stop):
    """The remaining fields of a grammar."""
    if backoff is None:
        return None, 1.0 - stop, stop, 1.0
    by_side = shares(by_side_counts, np.full(by_side_counts.shape, 1.0 / by_side_counts.shape[-1]))
    by_side = by_side[:, np.newaxis, :].repeat(by_head.shape[2], axis=1)
    return by_side, 1.0 - stop, stop, float(backoff)


def _geometric_means(counts, alpha):
    total = counts.sum(axis=-1, keepdims=True) + alpha * counts.shape[-1]
    return np.exp(digamma(counts + alpha) - digamma(total))


def _dirichlet_divergence(counts, alpha):
    """Kullback and Leibler's, of the Dirichlet laws of counts with the prior from those of the prior alone."""
    posterior, K = counts + alpha, counts.shape[-1]
    total = posterior.sum(axis=-1)
    expected = digamma(posterior) - digamma(total)[..., np.newaxis]
    each = gammaln(total) - gammaln(posterior).sum(axis=-1) - gammaln(K * alpha) + K * gammaln(alpha)
    return float((each + (counts * expected).sum(axis=-1)).sum())
