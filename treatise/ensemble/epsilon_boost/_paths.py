"""Boosting over the three kinds of dictionaries, each as a walk that can be gone on with."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from treatise.ensemble.epsilon_boost._loops import (
    Rule,
    Trace,
    boost_columns,
    boost_gram,
    boost_stumps,
    look,
    look_at_held,
    take_step,
)
from treatise.optimize.losses.squared import SQUARED

_MOST_FOR_GRAM = 2000
"""Columns up to which products of all pairs are kept, 32 MB; beyond, a step goes through the rows."""


@dataclass(frozen=True)
class Judgement:
    """How rows that are held out are judged: a loss in compiled code, of the score times a factor."""

    rule: Rule
    factor: float


class BoostingWalk(ABC):
    """Steps taken so far over one dictionary, from one set of rows, with the loss of rows held out beside.

    Parameters
    ----------
    X, held_X : ndarray of shape (n_rows, n_features)
        Columns.
    rows, held : Rows
        What belongs to them.
    rule : Rule
        Loss and length of a step.
    judgement : Judgement
        How the rows held out are judged.
    """

    def __init__(self, X, rows, rule, held_X, held, judgement):
        self.rows, self.held, self.rule, self.judgement = rows, held, rule, judgement
        self.ended = False
        self.trace = Trace(np.empty(0, np.int64), np.empty(0), *(np.full(1, np.nan) for _ in range(5)))
        self._prepare(X, held_X)

    @property
    def n_steps(self):
        """Steps taken."""
        return len(self.trace.chosen)

    def go_on(self, n_steps):
        """Take some steps more; fewer where nothing is left to gain."""
        block = Trace(np.empty(n_steps, np.int64), np.empty(n_steps), *(np.full(n_steps + 1, np.nan) for _ in range(5)))
        done = self._walk(block)
        self.ended = done < n_steps
        kept = [part[:done] for part in block[:2]] + [part[: done + 1] for part in block[2:]]
        # The last state is looked at again when the walk goes on.
        before = [*self.trace[:2], *(part[:-1] for part in self.trace[2:])]
        self.trace = Trace(*(np.concatenate(parts) for parts in zip(before, kept)))

    @abstractmethod
    def _prepare(self, X, held_X):
        """Lay the dictionary out."""

    @abstractmethod
    def _walk(self, trace):
        """Take as many steps as the trace has room for, and give their number."""


class ColumnWalk(BoostingWalk):
    """The columns themselves; with the constant as last member, less their means. By ratio follows the l2 path."""

    def __init__(self, X, rows, rule, held_X, held, judgement, *, constant, by_ratio):
        self.constant, self.by_ratio = constant, by_ratio
        super().__init__(X, rows, rule, held_X, held, judgement)

    def _prepare(self, X, held_X):
        self.means = self.rows.weights @ X if self.constant else np.zeros(X.shape[1])
        self.members, self.held_members = self._laid_out(X), self._laid_out(held_X)
        # A column of which its mean leaves rounding alone is constant, and no member.
        left = np.abs(self.members[: X.shape[1]]).max(axis=1)
        self.members[: X.shape[1]][left <= 1e-13 * np.abs(self.means)] = 0.0
        self.coef = np.zeros(len(self.members))
        few = X.shape[1] <= min(len(X), _MOST_FOR_GRAM)
        self.by_gram = few and self.rule.number == SQUARED and not self.by_ratio
        if self.by_gram:
            self.products = [self._products(self.members, self.rows), self._products(self.held_members, self.held)]

    def _laid_out(self, X):
        members = (X - self.means).T
        return np.ascontiguousarray(np.vstack([members, np.ones(len(X))]) if self.constant else members)

    @staticmethod
    def _products(members, rows):
        weighted = members * rows.weights
        residuals = rows.y - rows.scores
        return weighted @ members.T, weighted @ residuals, 0.5 * float(rows.weights @ (residuals * residuals))

    def _walk(self, trace):
        if not self.by_gram:
            return boost_columns(
                self.members, self.coef, self.rows, self.rule, self.by_ratio, self.held_members, self.held,
                self.judgement.rule, self.judgement.factor, trace,
            )  # fmt: skip
        (gram, cross, loss), (held_gram, held_cross, held_loss) = self.products
        begun = self.n_steps > 0
        trace.losses[0] = self.trace.losses[-1] if begun else loss
        trace.held_losses[0] = self.trace.held_losses[-1] if begun else held_loss
        return boost_gram(gram, cross, self.coef, self.rule, held_gram, held_cross, trace)


class StumpWalk(BoostingWalk):
    """All stumps of all columns, 1 above a threshold between two values and -1 below; columns are sorted once."""

    def __init__(self, X, rows, rule, held_X, held, judgement, *, constant):
        self.constant = constant
        super().__init__(X, rows, rule, held_X, held, judgement)

    def _prepare(self, X, held_X):
        self.columns, self.held_columns = np.ascontiguousarray(X.T), np.ascontiguousarray(held_X.T)
        self.order = np.argsort(self.columns, axis=1, kind="stable").astype(np.int32)
        ranked = np.take_along_axis(self.columns, self.order, axis=1)
        self.last = np.zeros(ranked.shape, dtype=bool)
        self.last[:, :-1] = ranked[:, 1:] > ranked[:, :-1]

    def _walk(self, trace):
        return boost_stumps(
            self.columns, self.order, self.last, self.constant, self.rows, self.rule, self.held_columns, self.held,
            self.judgement.rule, self.judgement.factor, trace,
        )  # fmt: skip


class LearnerWalk(BoostingWalk):
    """Whatever a classifier makes of the weighted rows (Section 2.1): the steepest member only as far as it is good."""

    def __init__(self, X, rows, rule, held_X, held, judgement, *, learner, generator):
        self.learner, self.generator = learner, generator
        self.fitted = []
        super().__init__(X, rows, rule, held_X, held, judgement)

    def _prepare(self, X, held_X):
        self.X, self.held_X = X, held_X

    def _walk(self, trace):
        slopes = np.empty(len(self.rows.y))
        more = True
        for t in range(len(trace.losses)):
            look(self.rows, self.rule, slopes, trace, t)
            look_at_held(self.held, self.judgement.rule, self.judgement.factor, trace, t)
            if not more or t == len(trace.chosen) or not np.any(slopes):
                return t
            learner = clone(self.learner)
            if "random_state" in learner.get_params(deep=False):
                learner.set_params(random_state=int(self.generator.integers(2**31 - 1)))
            learner.fit(self.X, np.where(slopes > 0, -1, 1), sample_weight=np.abs(slopes) * len(slopes))
            member = learner.predict(self.X).astype(np.float64)
            slope = float(slopes @ member)
            if slope >= 0.0:
                return t
            more = take_step(self.rows, self.rule, member, slope, trace, t)
            trace.chosen[t] = len(self.fitted)
            self.fitted.append(learner)
            if len(self.held.y):
                self.held.scores[:] += trace.increments[t] * learner.predict(self.held_X)
        return len(trace.chosen)
