"""Several chains side by side: blocks of sweeps with progress, and what was drawn so far when interrupted."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from treatise._core.progress import progress
from treatise.bayesnet.slim._loops import draw_missing
from treatise.bayesnet.slim._model import PRIOR
from treatise.bayesnet.slim._sweep_loops import run_sweeps
from treatise.statistics.chain_diagnostics import effective_sample_size, split_r_hat


@dataclass(frozen=True)
class Plan:
    """How long chains run and what is kept."""

    n_chains: int
    burn_in: int
    n_samples: int
    thin: int
    n_order_moves: int = 0
    n_jobs: int | None = None
    verbose: bool | None = None

    @property
    def n_kept(self):
        return max(1, self.n_samples // self.thin)


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
            "log_likelihood": self.log_likelihood[:, :, np.newaxis],
            "noise": self.noise,
            "weights": self.weights if weights is None else weights,
        }
        return {
            name: {"r_hat": float(np.max(split_r_hat(draws))), "ess": float(np.min(effective_sample_size(draws)))}
            for name, draws in groups.items()
        }


class Chain:
    """One chain: its state, its random numbers, and its draws."""

    def __init__(self, model, X, missing, truth, plan, rng):
        self.state = model.start(X, missing, rng)
        self.truth, self.plan, self.rng = truth, plan, rng
        (d, K), kept = model.role.shape, plan.n_kept
        self.weights, self.noise = np.empty((kept, d, K)), np.empty((kept, d))
        self.log_likelihood, self.held_out = np.empty(kept), np.zeros(kept)
        self.orders = np.empty((kept * plan.thin if plan.n_order_moves else 0, d), np.int64)
        self.smooth = self.decays = None
        self.done = self.n_kept = 0

    @property
    def finished(self):
        return self.done >= self.plan.burn_in + self.plan.n_kept * self.plan.thin

    def advance(self, n_blocks):
        """So many blocks of ``thin`` sweeps; each block after the burn-in ends with a draw. Returns the sweeps done."""
        before = self.done
        for _ in range(n_blocks):
            if self.finished:
                break
            burning = self.plan.burn_in - self.done
            size = min(self.plan.thin, burning) if burning > 0 else self.plan.thin
            first = max(0, -burning)
            orders = self.orders[first : first + size] if burning <= 0 else self.orders[:0]
            self.sweep(size, orders)
            if burning <= 0:
                self._keep(self.n_kept)
                self.n_kept += 1
            self.done += size
        return self.done - before

    def sweep(self, n_sweeps, orders):
        """Sweeps with order moves; missing cells are drawn after each."""
        if len(self.state.missing) == 0:
            run_sweeps(self.rng, PRIOR, self.state, n_sweeps, self.plan.n_order_moves, orders)
            return
        for at in range(n_sweeps):
            run_sweeps(self.rng, PRIOR, self.state, 1, self.plan.n_order_moves, orders[at : at + 1])
            draw_missing(self.rng, self.state)

    def _keep(self, row):
        state = self.state
        self.weights[row], self.noise[row] = state.W, state.psi
        self.log_likelihood[row] = log_likelihood(state)
        known = np.flatnonzero(~np.isnan(self.truth))
        if len(known):
            variables, rows = state.missing[known].T
            fitted = np.einsum("ck,kc->c", state.W[variables], state.F[:, rows])
            psi = state.psi[variables]
            self.held_out[row] = -0.5 * np.sum(np.log(2 * np.pi * psi) + (self.truth[known] - fitted) ** 2 / psi)


def log_likelihood(state):
    """log N(X | W F, Psi) at the current sources, from the products of the data."""
    fitted = state.W @ state.FF
    squares = state.XX + np.sum(state.W * (fitted - 2.0 * state.XF), axis=1)
    return -0.5 * float(np.sum(state.X.shape[1] * np.log(2.0 * np.pi * state.psi) + squares / state.psi))


def sample(make_chain, plan, random_state, description):
    """Run chains to their end, or until the user interrupts; then what all of them have is kept.

    Parameters
    ----------
    make_chain : callable
        Makes a :class:`Chain` from a :class:`numpy.random.Generator`.
    plan : Plan
        Lengths.
    random_state : RandomState
        Gives each chain its own stream, so that draws do not depend on the number of threads.
    description : str
        What the progress bar says.
    """
    seeds = random_state.randint(0, 2**32, size=(plan.n_chains, 4), dtype=np.uint32)
    chains = [make_chain(np.random.default_rng(seed)) for seed in seeds]
    workers = min(effective_n_jobs(plan.n_jobs), plan.n_chains)
    total = plan.n_chains * (plan.burn_in + plan.n_kept * plan.thin)
    interrupted = False
    with (
        # Products of some dozen rows: threads of BLAS cost many times what they save.
        threadpool_limits(1, "blas"),
        progress(description, total, show=plan.verbose) as advance,
        ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool,
    ):
        run = map if pool is None else pool.map
        # A pass of about a tenth of a second: interrupts and the bar wait no longer.
        size = chains[0].state.W.size * chains[0].state.X.shape[1] * plan.thin
        n_blocks = max(1, int(5e7 / size))
        try:
            while not all(chain.finished for chain in chains):
                advance(sum(run(lambda chain: chain.advance(n_blocks), chains)))
        except KeyboardInterrupt:
            interrupted = True
    kept = min(chain.n_kept for chain in chains)
    if interrupted:
        if kept == 0:
            raise KeyboardInterrupt
        warnings.warn(f"{description}: interrupted; {kept} of {plan.n_kept} draws of each chain are kept", stacklevel=3)

    def stacked(name):
        parts = [getattr(chain, name) for chain in chains]
        return None if parts[0] is None else np.stack([part[:kept] for part in parts])

    return Posterior(
        weights=stacked("weights"), noise=stacked("noise"), log_likelihood=stacked("log_likelihood"),
        held_out=stacked("held_out"), orders=np.concatenate([chain.orders[: kept * plan.thin] for chain in chains]),
        interrupted=interrupted, smooth=stacked("smooth"), decays=stacked("decays"),
    )  # fmt: skip
