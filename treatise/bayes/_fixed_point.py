"""Cycles over variational factors until their fixed point is near, with leaps along the slow directions."""

from abc import ABCMeta, abstractmethod

import numpy as np

from treatise._core.threads import one_blas_thread

_SLOWEST, _FASTEST = 0.9999, 0.5
_LONGEST_LEAP = 0.995
_SWEEPS_BEFORE_A_LEAP, _MOST_SWEEPS = 3, 24
_MOST_STUCK = 5
_NEAR, _LOWEST_CEILING, _TOO_OFTEN = 0.1, 2.0**-5, 2
LEAST_STEP = 2.0**-12
"""A share of a step at which a direction that should raise the bound and does not is one of rounding errors."""
ROUNDING = 1e-10
"""Share of the bound by which it may seem to fall."""


class Distance:
    """The way left to a fixed point that is approached by a constant factor: a geometric series of steps.

    A small step alone says nothing: one that shrinks by a hundredth at a time has a hundred times its length to go.

    Attributes
    ----------
    left : float
        The way left, a guess on the safe side before two steps.
    """

    def __init__(self):
        self.left, self._before = float("inf"), 0.0

    def after(self, step):
        """Take note of a step; gives the way left."""
        rate = min(step / self._before, _SLOWEST) if 0 < self._before < np.inf and step < np.inf else _SLOWEST
        rate = max(rate, _FASTEST)
        self.left, self._before = step * rate / (1 - rate), step
        return self.left

    def grows(self, step):
        """Whether a step near the fixed point is longer than the one before."""
        return 0 < self._before < min(step, _NEAR)

    def forget(self):
        """The next step has none before it to be judged by."""
        self._before = 0.0


class FactorCycle(metaclass=ABCMeta):
    """A cycle of updates none of which lowers the bound; a subclass has its factors and their updates.

    Variances of effects that the data hardly ask for settle slowly. The logarithms over the last cycles tell where
    they go (Aitken's extrapolation); a leap there is kept only if the next cycle ends with a higher bound.
    """

    covariances: list
    ceiling = 1.0
    """The longest share of a step of the effects: less than one where full steps swing around the fixed point."""

    @abstractmethod
    def sweep(self):
        """All updates once; gives the largest change, and the share of a full step that the effects took.

        A share of zero says that no step raised the bound; the change is then that of the full step.
        """

    @abstractmethod
    def bound(self):
        """The lower bound on the logarithm of the marginal likelihood."""

    @abstractmethod
    def state(self):
        """What :meth:`restore` needs to undo later sweeps."""

    @abstractmethod
    def restore(self, state):
        """Undo all sweeps since a state."""

    def run(self, max_iter, tol):
        """Cycles until the distance to the fixed point is below ``tol``.

        Parameters
        ----------
        max_iter : int
            Cycles at most.
        tol : float
            Distance, in posterior deviations of an effect and as a share of a variance.

        Returns
        -------
        trace : list of float
            The bound after every cycle.
        distance : float
            The distance at the end.
        """
        with one_blas_thread():
            return self._cycles(max_iter, tol)

    def _cycles(self, max_iter, tol):
        trace: list[float] = []
        distance, passed, wait, stuck = Distance(), [], _SWEEPS_BEFORE_A_LEAP, 0
        growing, left = 0, np.inf
        for _ in range(max_iter):
            before = self.state() if len(passed) == wait else None
            if before is not None:
                share, bound = self._sweep_after_leap(passed[-3:])
            else:
                shift, share = self.sweep()
                bound = self.bound()
            stuck = stuck + 1 if share == 0.0 else 0
            if before is not None:
                passed = []
                distance.forget()
                growing = 0
                if not bound >= trace[-1] - ROUNDING * (1 + abs(trace[-1])):
                    self.restore(before)
                    bound, wait = trace[-1], min(2 * wait, _MOST_SWEEPS)
                else:
                    wait = _SWEEPS_BEFORE_A_LEAP
                trace.append(bound)
                continue
            trace.append(bound)
            growing = growing + 1 if distance.grows(shift) else 0
            if growing == _TOO_OFTEN:
                self.ceiling, growing = max(self.ceiling / 2, _LOWEST_CEILING), 0
            passed.append([factor.logarithm() for factor in self.covariances])
            left = max(distance.after(shift), self._way_of_covariances(passed[-3:]))
            if (left <= tol and share == self.ceiling) or stuck == _MOST_STUCK:
                break
        return trace, left

    def _way_of_covariances(self, passed):
        """The longest way left of a covariance's logarithm, each judged by its own last two changes."""
        if not self.covariances:
            return 0.0
        if len(passed) < 3:
            return np.inf
        first, second = (np.concatenate(part) for part in zip(*(np.diff(three, axis=0) for three in zip(*passed))))
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.clip(np.nan_to_num(np.abs(second / first)), _FASTEST, _SLOWEST)
        return float((np.abs(second) * rate / (1 - rate)).max())

    def _sweep_after_leap(self, passed):
        """A sweep from where the covariances lead, its share and bound; none if they are singular there."""
        try:
            self._leap(passed)
            return self.sweep()[1], self.bound()
        except np.linalg.LinAlgError:
            return 1.0, -np.inf

    def _leap(self, passed):
        """Move the logarithms of the covariances to where their last two changes lead."""
        for factor, *logarithms in zip(self.covariances, *passed):
            first, second = np.diff(logarithms, axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                rate = np.clip(np.nan_to_num(np.where(first != 0, second / first, 0.0)), 0.0, _LONGEST_LEAP)
            factor.move(logarithms[-1] + second * rate / (1 - rate))
