"""Draws of a fitted field: from its Gaussian approximation, and from the posterior itself."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.bayes.latent_gaussian._checks import checked_linear
from treatise.bayes.latent_gaussian._terms import Remainders
from treatise.statistics import ChainPlan, EllipticalSlice, run_chains


class FieldDraws:
    """The part of a latent Gaussian model that draws; what it joins has ``_posterior()``."""

    def sample(self, n_draws=1, *, random_state=None):
        """Draws of the whole field from the Gaussian approximation.

        Parameters
        ----------
        n_draws : int, default=1
            Draws.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        draws : ndarray of shape (n_draws, n)
        """
        update, _ = self._posterior()
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        return update.mean + update.drawer()(rng, n_draws)

    def sample_posterior(self, n_samples=5000, *, n_chains=2, burn_in=200, thin=1, n_jobs=None, random_state=None):
        """Draws from the posterior itself, by a Markov chain that begins from the approximation.

        Elliptical slice sampling, with the Gaussian approximation in the place of the prior and what it leaves of the
        observations in that of the likelihood: their product is the exact posterior, and the better the approximation
        the freer the chain moves: begin from EP, whose variances are not too small. It is the standard by which to
        judge marginals; for a few thousand numbers at most.

        Parameters
        ----------
        n_samples : int, default=5000
            Steps of each chain after ``burn_in``.
        n_chains, burn_in, thin, n_jobs :
            As for :class:`~treatise.statistics.ChainPlan`.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        draws : Draws
            Draws of "x", with their diagnostics.
        """
        update, terms = self._posterior()
        left, n = Remainders(terms, update.a, update.b), update.field.n
        linear, drawer = checked_linear(self.linear, n), update.drawer()

        def log_likelihood(x):
            return float(left.log_density(x if linear is None else linear @ x).sum())

        def chain(rng):
            first = update.mean
            while not np.isfinite(log_likelihood(first)):
                first = update.mean + drawer(rng, 1)[0]
            return EllipticalSlice(rng, lambda rng: drawer(rng, 1)[0], log_likelihood, update.mean, first)

        plan = ChainPlan(n_chains, burn_in, n_samples, thin, n_jobs)
        return run_chains(chain, plan, check_random_state(random_state), type(self).__name__)
