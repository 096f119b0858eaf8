"""A chain of the sampler."""

import numpy as np

from treatise.bayes.enriched_dp._loops import alone_log_densities, draw_parameters, log_likelihoods
from treatise.bayes.enriched_dp._moves_loops import sweep
from treatise.bayes.enriched_dp._seating import N_RESTAURANTS, N_TABLES, Masses, Rows, empty_seating, seat


class NestedChain:
    """State of the sampler of Appendix A: who sits where, and all parameters.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Columns.
    y : ndarray of shape (n,)
        Targets; of a probit model +1 and -1.
    columns : NormalColumnsPrior
        Base measure of psi.
    linear : LinearNormalPrior
        Base measure of theta; where the variance is known, the model is probit.
    masses : Masses
        Of the two processes.
    n_moves : int
        Rounds of moves of tables in a sweep.
    rng : numpy.random.Generator
        Random numbers.
    start : (ndarray, ndarray) or None
        Restaurant and table of each row at first; None has one of each.
    """

    def __init__(self, X, y, columns, linear, masses, n_moves, rng, start=None):
        n, p = X.shape
        self.columns, self.linear, self.masses, self.rng = columns, linear, masses, rng
        self.n_moves = int(n_moves)
        probit = linear.shape == 0.0
        with np.errstate(divide="ignore"):
            log_counts = np.log(np.arange(n + 1.0))
        self.rows = Rows(
            np.ascontiguousarray(X), np.array(y, dtype=np.float64), np.array(y if probit else [], dtype=np.float64),
            np.empty(n), np.empty(n), log_counts,
        )  # fmt: skip
        alone_log_densities(self.rows, columns, linear)
        self.seating = empty_seating(n, p)
        first = np.zeros(n, dtype=np.int64)
        seat(self.seating, *(start or (first, first)))
        self.seating.mass[:] = masses.shape / masses.rate if masses.rate else masses.shape
        self.seating.table_mass[:] = masses.table_shape / masses.table_rate if masses.table_rate else masses.table_shape
        draw_parameters(rng, self.rows, self.seating, columns, linear, masses)
        self.kept = []

    @property
    def n_clusters(self):
        """Restaurants in use: the clusters of y given x."""
        return int(self.seating.tally[N_RESTAURANTS])

    @property
    def n_tables(self):
        """Tables in use: the clusters of x, in all clusters of y together."""
        return int(self.seating.tally[N_TABLES])

    def sweep(self, n_sweeps):
        """Take so many steps."""
        sweep(self.rng, self.rows, self.seating, self.columns, self.linear, self.masses, n_sweeps, self.n_moves)

    def partition(self):
        """Restaurant and table of every row."""
        tables = self.seating.table_of.copy()
        return self.seating.restaurant_of[tables], tables

    def draw(self):
        """What keeps its meaning from draw to draw; what predictions need is kept by the chain."""
        restaurants, tables = self.partition()
        masses = self.seating.table_mass[: self.n_clusters].copy()
        latent = self.rows.y.copy() if len(self.rows.signs) else None
        self.kept.append((restaurants, tables, float(self.seating.mass[0]), masses, latent))
        targets, columns = log_likelihoods(self.rows, self.seating)
        return {
            "n_clusters": float(self.n_clusters), "n_tables": float(self.n_tables),
            "alpha_theta": float(self.seating.mass[0]), "alpha_psi": float(masses[restaurants].mean()),
            "log_targets": targets, "log_columns": columns,
        }  # fmt: skip


def mass_priors(alpha_theta, alpha_psi):
    """The two masses as compiled loops take them: a number is given, a pair is the shape and rate of a gamma law."""
    (shape, rate), (table_shape, table_rate) = (
        (float(value[0]), float(value[1])) if isinstance(value, tuple) else (float(value), 0.0)
        for value in (alpha_theta, alpha_psi)
    )
    return Masses(shape, rate, table_shape, table_rate)
