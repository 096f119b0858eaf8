"""Several Markov chains side by side: seeds, burn-in, thinning, progress, and what was drawn when interrupted."""

import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning

from treatise._core.progress import progress
from treatise._core.threads import one_blas_thread
from treatise.statistics.chain_diagnostics import effective_sample_size, split_r_hat

PASS = 0.1
"""Seconds of sweeps between two looks at the bar: an interrupt waits no longer."""


class Chain(Protocol):
    """A sampler's state, its random numbers among it."""

    def sweep(self, n_sweeps: int) -> None:
        """Take so many steps."""

    def draw(self) -> Mapping[str, Any]:
        """The quantities to be kept, by name: numbers and arrays of a shape that never changes."""


@dataclass(frozen=True)
class ChainPlan:
    """How long chains run and what is kept.

    Parameters
    ----------
    n_chains : int
        Chains with random numbers of their own.
    burn_in : int
        Sweeps before the first draw.
    n_samples : int
        Sweeps after that.
    thin : int, default=1
        Sweeps from one draw to the next.
    n_jobs : int or None, default=None
        Chains that run at once, in threads; draws do not depend on it.
    verbose : bool or None, default=None
        None shows progress on a terminal.
    """

    n_chains: int
    burn_in: int
    n_samples: int
    thin: int = 1
    n_jobs: int | None = None
    verbose: bool | None = None

    @property
    def n_kept(self) -> int:
        """Draws of each chain."""
        return max(1, self.n_samples // self.thin)

    @property
    def n_sweeps(self) -> int:
        """Sweeps of each chain."""
        return self.burn_in + self.n_kept * self.thin


@dataclass(frozen=True)
class Draws:
    """What chains drew.

    Attributes
    ----------
    values : dict of str to ndarray of shape (n_chains, n_draws, ...)
        Draws of each quantity.
    interrupted : bool
        Whether the user ended the chains before their plan did.
    """

    values: dict[str, np.ndarray]
    interrupted: bool = False

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def pooled(self, name: str) -> np.ndarray:
        """Draws of all chains in one row, (n_chains * n_draws, ...)."""
        draws = self.values[name]
        return draws.reshape(-1, *draws.shape[2:])

    def diagnostics(self, *names: str) -> dict[str, dict[str, float]]:
        """Largest R-hat and smallest effective sample size of some quantities; of all where none is named."""
        return {name: worst_of(self.values[name]) for name in names or self.values}

    def judge(self, method: str, *names: str, r_hat: float = 1.1, ess: float = 100.0) -> bool:
        """Whether the chains agree; a ``ConvergenceWarning`` says which quantity does not, and by how much.

        Parameters
        ----------
        method : str
            Whose chains they are, for the warning.
        *names : str
            Quantities that must agree; those that keep their meaning from chain to chain. All where none is named.
        r_hat, ess : float
            Largest R-hat and smallest effective sample size that pass.
        """
        found = self.diagnostics(*names)
        name = max(found, key=lambda key: np.nan_to_num(found[key]["r_hat"], nan=np.inf))
        least = min(found, key=lambda key: np.nan_to_num(found[key]["ess"], nan=-np.inf))
        if found[name]["r_hat"] <= r_hat and found[least]["ess"] >= ess:
            return True
        warnings.warn(
            f"{method}: the chains are too short to rely on (R-hat of {name} {found[name]['r_hat']:.3g}, wanted at "
            f"most {r_hat:g}; effective sample size of {least} {found[least]['ess']:.0f}, wanted {ess:g}); raise "
            "n_samples or burn_in",
            ConvergenceWarning,
            stacklevel=3,
        )
        return False


def to_arviz(chains: Any) -> Any:
    """Chains as ArviZ keeps them, for its tables and pictures (the package ``arviz`` is an extra).

    Parameters
    ----------
    chains : Draws, dict of str to ndarray of shape (n_chains, n_draws, ...), or a fitted model with ``traces_``
        What was drawn.

    Returns
    -------
    arviz.InferenceData
        Its group "posterior" has a variable for each quantity.
    """
    values = chains.values if isinstance(chains, Draws) else getattr(chains, "traces_", chains)
    if not (isinstance(values, dict) and values):
        raise ValueError(f"{type(chains).__name__} holds no chains; give what run_chains drew, or a model with traces_")
    try:
        import arviz
    except ImportError as missing:
        raise ImportError("chains leave as ArviZ objects where arviz is installed: pip install arviz") from missing
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict({"posterior": values})
    return arviz.from_dict(posterior=values)


def worst_of(draws: np.ndarray) -> dict[str, float]:
    """Largest R-hat and smallest effective sample size over all entries of a quantity."""
    return {"r_hat": float(np.max(split_r_hat(draws))), "ess": float(np.min(effective_sample_size(draws)))}


class _Run:
    """A chain and its draws so far."""

    def __init__(self, chain: Chain, plan: ChainPlan) -> None:
        self.chain, self.plan = chain, plan
        self.done = self.n_kept = 0
        self.kept: dict[str, np.ndarray] = {}

    @property
    def finished(self) -> bool:
        return self.done >= self.plan.n_sweeps

    def advance(self) -> int:
        """Sweeps for a tenth of a second, a draw after each block behind the burn-in; returns how many."""
        before, ends = self.done, time.monotonic() + PASS
        while not self.finished and (self.done == before or time.monotonic() < ends):
            burning = self.plan.burn_in - self.done
            size = min(self.plan.thin, burning) if burning > 0 else self.plan.thin
            self.chain.sweep(size)
            self.done += size
            if burning <= 0:
                self._keep(self.chain.draw())
        return self.done - before

    def _keep(self, drawn: Mapping[str, Any]) -> None:
        for name, value in drawn.items():
            value = np.asarray(value)
            if name not in self.kept:
                self.kept[name] = np.empty((self.plan.n_kept, *value.shape), value.dtype)
            self.kept[name][self.n_kept] = value
        self.n_kept += 1


def run_chains(
    make_chain: Callable[[np.random.Generator], Chain],
    plan: ChainPlan,
    random_state: np.random.RandomState,
    description: str,
) -> Draws:
    """Run chains to their end, or until the user interrupts; then what all of them have is kept.

    The draws depend on the seed alone, not on how many chains run at once nor on the speed of the machine.

    Parameters
    ----------
    make_chain : callable
        Makes a chain from a :class:`numpy.random.Generator`.
    plan : ChainPlan
        Lengths.
    random_state : RandomState
        Gives each chain its own stream.
    description : str
        What the progress bar says.

    Returns
    -------
    Draws

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import ChainPlan, run_chains
    >>> class Walk:  # of a mean that is drawn to zero by a half each step
    ...     def __init__(self, rng):
    ...         self.rng, self.at = rng, 5.0
    ...     def sweep(self, n_sweeps):
    ...         for _ in range(n_sweeps):
    ...             self.at = 0.5 * self.at + self.rng.normal()
    ...     def draw(self):
    ...         return {"at": self.at}
    >>> draws = run_chains(Walk, ChainPlan(4, 100, 2000), np.random.RandomState(0), "Walk")
    >>> draws["at"].shape, draws.judge("Walk")
    ((4, 2000), True)
    """
    seeds = random_state.randint(0, 2**32, size=(plan.n_chains, 4), dtype=np.uint32)
    runs = [_Run(make_chain(np.random.default_rng(seed)), plan) for seed in seeds]
    workers = min(effective_n_jobs(plan.n_jobs), plan.n_chains)
    interrupted = False
    with (
        # Products of some dozen rows: threads of BLAS cost many times what they save.
        one_blas_thread(),
        progress(description, plan.n_chains * plan.n_sweeps, show=plan.verbose) as advance,
        ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool,
    ):
        each = map if pool is None else pool.map
        try:
            while not all(run.finished for run in runs):
                advance(sum(each(_Run.advance, runs)))
        except KeyboardInterrupt:
            interrupted = True
    kept = min(run.n_kept for run in runs)
    if interrupted:
        if kept == 0:
            raise KeyboardInterrupt
        warnings.warn(f"{description}: interrupted; {kept} of {plan.n_kept} draws of each chain are kept", stacklevel=3)
    return Draws({name: np.stack([run.kept[name][:kept] for run in runs]) for name in runs[0].kept}, interrupted)
