"""Losses by name."""

from treatise.optimize.losses.absolute import AbsoluteLoss, EpsilonInsensitiveLoss, QuantileLoss
from treatise.optimize.losses.hinge import HingeLoss, ModifiedHuberLoss, SquaredHingeLoss
from treatise.optimize.losses.logistic import ExponentialLoss, LogisticLoss
from treatise.optimize.losses.poisson import PoissonLoss
from treatise.optimize.losses.rounded_hinge import HuberHingeLoss, SmoothHingeLoss
from treatise.optimize.losses.squared import HuberLoss, SquaredLoss

LOSSES = {
    loss.name: loss
    for loss in (
        SquaredLoss, HuberLoss, AbsoluteLoss, EpsilonInsensitiveLoss, QuantileLoss, PoissonLoss, HingeLoss,
        SquaredHingeLoss, ModifiedHuberLoss, HuberHingeLoss, SmoothHingeLoss, LogisticLoss, ExponentialLoss,
    )
}  # fmt: skip


def make_loss(name, **parameters):
    """The loss of a name.

    Parameters
    ----------
    name : str
        One of those that :class:`Loss` lists.
    **parameters
        Of the loss: ``width`` of "huber" and "epsilon_insensitive", ``tau`` of "quantile", ``h`` of "huber_hinge" and
        "smooth_hinge".

    Returns
    -------
    loss : Loss

    Examples
    --------
    >>> from treatise.optimize import make_loss
    >>> make_loss("quantile", tau=0.9)
    QuantileLoss(tau=0.9)
    """
    if name not in LOSSES:
        raise ValueError(f"loss {name!r} is unknown; it may be {', '.join(LOSSES)}")
    return LOSSES[name](**parameters)
