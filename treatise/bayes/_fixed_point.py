"""How far a fixed point is, judged by the last two steps towards it."""

_SLOWEST = 0.9999
_FASTEST = 0.5


class Distance:
    """The way left to a fixed point that is approached by a constant factor: a geometric series of steps.

    A small step alone says nothing: one that shrinks by a hundredth at a time has a hundred times its length to go.

    Attributes
    ----------
    left : float
        The way left, infinite before two steps.
    """

    def __init__(self):
        self.left, self._before = float("inf"), 0.0

    def after(self, step):
        """Take note of a step; gives the way left."""
        rate = min(step / self._before, _SLOWEST) if self._before > 0 else _SLOWEST
        rate = max(rate, _FASTEST)
        self.left, self._before = step * rate / (1 - rate), step
        return self.left
