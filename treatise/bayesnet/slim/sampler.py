"""A chain of the Gibbs sampler, and the draws of several of them."""

from dataclasses import dataclass

import numpy as np

from treatise.bayesnet.slim._loops import draw_missing
from treatise.bayesnet.slim._model import PRIOR
from treatise.bayesnet.slim._sweep_loops import run_sweeps
from treatise.statistics.sampling import ChainPlan, run_chains, worst_of


@dataclass(frozen=True)
class Plan(ChainPlan):
    """How long chains run, what is kept, and how many moves of the order follow each sweep."""

    n_order_moves: int = 0


@dataclass(frozen=True)
class Posterior:
    """Kept draws; C chains of S draws each. ``orders`` has the ranks after every sweep, one row each."""

    weights: np.ndarray  # (C, S, d, K)
    noise: np.ndarray  # (C, S, d)
    log_likelihood: np.ndarray  # (C, S), given the sources of the draw
    held_out: np.ndarray  # (C, S), of the cells that were hidden
    orders: np.ndarray  # (sweeps of all chains, d), empty without order moves
    interrupted: bool
    smooth: np.ndarray | None = None  # (C, S, rows, N), smooth rows
    decays: np.ndarray | None = None  # (C, S, rows)

    def diagnostics(self, weights=None):
        """Largest R-hat and smallest effective sample size of each group of quantities."""
        groups = {
            "log_likelihood": self.log_likelihood,
            "noise": self.noise,
            "weights": self.weights if weights is None else weights,
        }
        return {name: worst_of(draws) for name, draws in groups.items()}


class Chain:
    """One chain: its state and its random numbers."""

    def __init__(self, model, X, missing, truth, plan, rng):
        self.state = model.start(X, missing, rng)
        self.truth, self.plan, self.rng = truth, plan, rng
        # Ranks of the variables after each sweep since the last draw.
        self.orders = np.empty((plan.thin if plan.n_order_moves else 0, len(model.role)), np.int64)

    def sweep(self, n_sweeps):
        """Sweeps with order moves; missing cells are drawn after each."""
        orders = self.orders[:n_sweeps]
        if len(self.state.missing) == 0:
            run_sweeps(self.rng, PRIOR, self.state, n_sweeps, self.plan.n_order_moves, orders)
            return
        for at in range(n_sweeps):
            run_sweeps(self.rng, PRIOR, self.state, 1, self.plan.n_order_moves, orders[at : at + 1])
            draw_missing(self.rng, self.state)

    def draw(self):
        """What is kept of the state."""
        state, held_out = self.state, 0.0
        known = np.flatnonzero(~np.isnan(self.truth))
        if len(known):
            variables, rows = state.missing[known].T
            fitted = np.einsum("ck,kc->c", state.W[variables], state.F[:, rows])
            psi = state.psi[variables]
            held_out = -0.5 * np.sum(np.log(2 * np.pi * psi) + (self.truth[known] - fitted) ** 2 / psi)
        return {
            "weights": state.W, "noise": state.psi, "log_likelihood": log_likelihood(state), "held_out": held_out,
            "orders": self.orders,
        }  # fmt: skip


def log_likelihood(state):
    """log N(X | W F, Psi) at the current sources, from the products of the data."""
    fitted = state.W @ state.FF
    squares = state.XX + np.sum(state.W * (fitted - 2.0 * state.XF), axis=1)
    return -0.5 * float(np.sum(state.X.shape[1] * np.log(2.0 * np.pi * state.psi) + squares / state.psi))


def sample(make_chain, plan, random_state, description):
    """The draws of chains (:func:`treatise.statistics.sampling.run_chains`)."""
    draws = run_chains(make_chain, plan, random_state, description)
    values = dict(draws.values)
    orders = values.pop("orders")
    return Posterior(
        **values, orders=orders.reshape(-1 if orders.size else 0, orders.shape[3]), interrupted=draws.interrupted
    )
