"""The losses of linear prediction, by name."""

from dataclasses import dataclass

import numpy as np

from treatise.optimize import _loss_loops as loops

MARGIN_LOSSES = ("logistic", "hinge", "squared_hinge")
"""Losses of a label -1 or 1."""
REGRESSION_LOSSES = ("squared", "quantile", "poisson")
"""Losses of a number."""
_KINDS = {
    "logistic": loops.LOGISTIC,
    "squared": loops.SQUARED,
    "hinge": loops.HINGE,
    "squared_hinge": loops.SQUARED_HINGE,
    "quantile": loops.QUANTILE,
    "poisson": loops.POISSON,
}


@dataclass(frozen=True)
class Loss:
    """A convex loss of a prediction p against a label y.

    ========================= ================================ ===========
    name                      loss                             label
    ========================= ================================ ===========
    ``"logistic"``            log(1 + exp(-y p))               -1 or 1
    ``"hinge"``               max(0, 1 - y p)                  -1 or 1
    ``"squared_hinge"``       max(0, 1 - y p)^2                -1 or 1
    ``"squared"``             (p - y)^2 / 2                    a number
    ``"quantile"``            tau (y - p) or (1 - tau) (p - y) a number
    ``"poisson"``             exp(p) - y p                     from 0 on
    ========================= ================================ ===========

    Parameters
    ----------
    name : str
        One of those.
    tau : float, default=0.5
        Level of the quantile loss.

    Examples
    --------
    >>> from treatise.optimize import Loss
    >>> Loss("logistic").value([0.0, 2.0], [1.0, -1.0]).round(4)
    array([0.6931, 2.1269])
    >>> Loss("quantile", 0.9).derivative([0.0], [3.0])
    array([-0.9])
    """

    name: str
    tau: float = 0.5

    def __post_init__(self) -> None:
        if self.name not in _KINDS:
            raise ValueError(f"loss {self.name!r} is unknown; it may be {', '.join(_KINDS)}")
        if not 0 < self.tau < 1:
            raise ValueError(f"tau={self.tau} is not between 0 and 1")

    @property
    def kind(self) -> int:
        """Number of the loss in compiled code."""
        return _KINDS[self.name]

    @property
    def smooth(self) -> bool:
        """Whether the derivative is continuous."""
        return self.name not in ("hinge", "quantile")

    def value(self, predictions, labels) -> np.ndarray:
        """The loss of each prediction."""
        return self._over(predictions, labels, 0)

    def derivative(self, predictions, labels) -> np.ndarray:
        """Its derivative in the prediction; at a kink, the one that does not move."""
        return self._over(predictions, labels, 1)

    def curvature(self, predictions, labels) -> np.ndarray:
        """Its second derivative in the prediction; 1, as a scale, for losses that are piecewise linear."""
        return self._over(predictions, labels, 2)

    def _over(self, predictions, labels, order: int) -> np.ndarray:
        p, y = np.broadcast_arrays(np.asarray(predictions, np.float64), np.asarray(labels, np.float64))
        out = np.empty(p.size)
        loops.loss_over(
            self.kind, self.tau, np.ascontiguousarray(p).ravel(), np.ascontiguousarray(y).ravel(), out, order
        )
        return out.reshape(p.shape)
