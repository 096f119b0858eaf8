"""Worlds to act in: those of the papers, those of Gymnasium, and the one interface that all of them have."""

from treatise.rl.environments.base import Environment
from treatise.rl.environments.control import (
    Acrobot,
    Bicycle,
    CartPole,
    ControlWorld,
    MountainCar,
    PlanarArm,
    SwingUp,
)
from treatise.rl.environments.finite import (
    FiniteWorld,
    baird_features,
    baird_star,
    boyan_chain,
    boyan_features,
    garnet,
    random_mdp,
    random_policy,
)
from treatise.rl.environments.gymnasium import as_gymnasium, from_gymnasium
from treatise.rl.environments.linear import LinearQuadratic, linear_cart_pole, n_link_pendulum

__all__ = [
    "Acrobot",
    "Bicycle",
    "CartPole",
    "ControlWorld",
    "Environment",
    "FiniteWorld",
    "LinearQuadratic",
    "MountainCar",
    "PlanarArm",
    "SwingUp",
    "as_gymnasium",
    "baird_features",
    "baird_star",
    "boyan_chain",
    "boyan_features",
    "from_gymnasium",
    "garnet",
    "linear_cart_pole",
    "n_link_pendulum",
    "random_mdp",
    "random_policy",
]
