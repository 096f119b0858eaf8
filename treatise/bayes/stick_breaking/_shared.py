"""Ascent of several data sets whose segments share one library of atoms (section 3, Appendix A)."""

from copy import copy
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, entr, gammaln, log_softmax

from treatise.bayes.stick_breaking._ascent import Climber, Widths, pairs_by_evidence, used_columns, widths_are_due
from treatise.bayes.stick_breaking._atoms import Atoms
from treatise.bayes.stick_breaking._sticks import Sticks


class Library:
    """How common the atoms are: sticks of a Dirichlet process, and its precision under a gamma distribution.

    Parameters
    ----------
    n_atoms : int
        Atoms at most (L).
    e0, f0 : float
        Shape and rate of the precision a priori.
    """

    def __init__(self, n_atoms: int, e0: float, f0: float) -> None:
        self.n_atoms, self.e0, self.f0 = n_atoms, e0, f0
        self.shape = e0 + n_atoms - 1
        self.rate = self.shape  # a precision of one at first

    def update(self, counts: np.ndarray) -> None:
        """Posteriors of sticks and precision, given how many segments point to each atom."""
        later = np.cumsum(counts[::-1])[::-1][1:]
        self.first, self.second = 1.0 + counts[:-1], self.shape / self.rate + later
        self.rate = self.f0 - self._log_left().sum()

    def _log_left(self):
        return digamma(self.second) - digamma(self.first + self.second)

    def log_weights(self) -> np.ndarray:
        """Expected log weight of each atom."""
        taken = digamma(self.first) - digamma(self.first + self.second)
        return np.append(taken, 0.0) + np.concatenate([[0.0], np.cumsum(self._log_left())])

    def penalty(self) -> float:
        """Divergence of sticks and precision from their prior."""
        precision, log_precision = self.shape / self.rate, digamma(self.shape) - np.log(self.rate)
        left = self._log_left()
        taken = digamma(self.first) - digamma(self.first + self.second)
        log_beta = gammaln(self.first) + gammaln(self.second) - gammaln(self.first + self.second)
        posterior = (self.first - 1.0) * taken + (self.second - 1.0) * left - log_beta
        prior = log_precision + (precision - 1.0) * left
        gamma = (self.shape - self.e0) * log_precision - (self.rate - self.f0) * precision
        gamma += self.shape * np.log(self.rate) - gammaln(self.shape)
        gamma -= self.e0 * np.log(self.f0) - gammaln(self.e0)
        return float((posterior - prior).sum() + gamma)


class DataSet(NamedTuple):
    """One of the data sets: its features, sticks, the rows' shares in them, and the atoms that they point to."""

    Y: np.ndarray
    sticks: Sticks
    shares: np.ndarray
    pointers: np.ndarray
    """Chances that each stick has each atom, (n_sticks, n_atoms)."""

    @property
    def uses(self) -> np.ndarray:
        """Shares of the rows in each atom."""
        return self.shares @ self.pointers


class SharedSegments(Climber):
    """The posterior of all data sets.

    Parameters
    ----------
    sets : list of DataSet
        Data sets as the ascent starts.
    atoms : Atoms
        Distributions of features.
    library : Library
        How common atoms are.
    widths : Widths
        How kernel widths are chosen.
    """

    def __init__(self, sets: list[DataSet], atoms: Atoms, library: Library, widths: Widths) -> None:
        self.sets, self.atoms, self.library, self.widths = sets, atoms, library, widths
        self.Y = np.vstack([own.Y for own in sets])
        for own in sets:
            own.sticks.believe(own.shares)

    def cycle(self):
        """Atoms, library, pointers, regressions and shares by turns; the bound after."""
        self.n_cycles += 1
        self.atoms.update(self.Y, self.uses())
        self.library.update(sum(own.pointers.sum(axis=0) for own in self.sets))
        log_weights = self.library.log_weights()
        bound = -float(self.atoms.penalty.sum()) - self.library.penalty()
        due = widths_are_due(self)
        for at, own in enumerate(self.sets):
            fits = self.atoms.log_likelihood(own.Y)
            pointers = np.exp(log_softmax(own.shares.T @ fits + log_weights, axis=1))
            if due:
                own.sticks.choose_widths(own.shares, self.widths.rng if self.widths.update == "sample" else None)
            own.sticks.learn(own.shares)
            shares, rows = own.sticks.assign(fits @ pointers.T)
            self.sets[at] = own._replace(shares=shares, pointers=pointers)
            bound += rows - own.sticks.penalty() + float((pointers @ log_weights).sum() + entr(pointers).sum())
        return bound

    def n_used(self):
        """Atoms that have rows."""
        return len(used_columns(self.uses()))

    def uses(self):
        """Shares of all rows in each atom."""
        return np.vstack([own.uses for own in self.sets])

    def merged(self):
        """Copies with two atoms made one, and with them the sticks of each data set that point there."""
        for first, second in pairs_by_evidence(self.atoms, self.Y, self.uses()):
            other = copy(self)
            other.atoms, other.library = copy(self.atoms), copy(self.library)
            other.sets = [_with_one_atom(own, first, second) for own in self.sets]
            yield other


def _with_one_atom(own: DataSet, first: int, second: int) -> DataSet:
    pointers = own.pointers.copy()
    pointers[:, first] += pointers[:, second]
    pointers = np.hstack([np.delete(pointers, second, axis=1), np.zeros((len(pointers), 1))])
    alike = np.flatnonzero(pointers.argmax(axis=1) == first)
    dropped = [int(k) for k in alike[1:]]
    if not dropped:
        return own._replace(pointers=pointers, sticks=own.sticks.without([]))
    shares = own.shares.copy()
    shares[:, alike[0]] = shares[:, alike].sum(axis=1)
    kept = [k for k in range(len(pointers)) if k not in dropped]
    shares = np.hstack([shares[:, kept], np.zeros((len(shares), len(dropped)))])
    empty = np.full((len(dropped), pointers.shape[1]), 1.0 / pointers.shape[1])
    return own._replace(sticks=own.sticks.without(dropped), shares=shares, pointers=np.vstack([pointers[kept], empty]))
