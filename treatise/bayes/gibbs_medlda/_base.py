"""What the two estimators share: counts in, a chain, topics and weights out, shares of topics in new documents."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import finite, is_array, is_count, within
from treatise.bayes.gibbs_medlda._chain import Chain
from treatise.statistics.sampling import ChainPlan, run_chains
from treatise.statistics.topics import (
    Tokens,
    counts_from_shares,
    heaviest_words,
    infer_shares,
    tokens_of,
    whole_counts,
)

SMALLEST = 1e-8
"""Least Dirichlet parameter: products of two less than that are lost in single numbers."""
DRIFT = 0.02
"""By how much the loss may still fall from the first to the second half of the kept sweeps, in its own unit."""
FEWEST_JUDGED = 4
"""Sweeps whose loss tells whether it still falls."""
FEWEST_TOPICS = 10
MOST_INFER_SWEEPS, MOST_TOKENS_PER_ROW = 10_000, 10_000
"""More is a mistake; and a model from a stranger must come to an end."""


class GibbsMedLDA(InheritsDocumentation, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Latent Dirichlet allocation with a max-margin loss on linear scores of the documents' mean topics.

    Parameters
    ----------
    n_topics : int or None, default=None
        Number of topics, K. None takes two for each class or label, and ten at least; of two classes and of numbers
        ten. Many more than that spread a class over topics that new documents, without labels, do not find.
    C : float, default=1.0
        Weight of the loss against the words, the paper's c: the loss of a document counts 2 C fold.
    alpha : float, default=1.0
        Dirichlet parameter of a document's topics, of all together: each has alpha / n_topics.
    beta : float, default=0.01
        Dirichlet parameter of a topic's words, of each word.
    prior_var : float, default=1.0
        Variance of the weights a priori.
    n_burn : int, default=30
        Sweeps over all tokens before any is used.
    n_samples : int, default=20
        Sweeps after that, over which weights and topics are averaged; the paper uses the last one alone (1).
    n_infer_burn, n_infer_samples : int, default=20
        Sweeps over a new document before the first sample of its topics, and samples that are averaged.
    tokens_per_row : int or None, default=None
        None wants counts of words. For amounts that are none, such as tf-idf or shares, the tokens that each row is
        given, in proportion to its amounts, 10 000 at most; 100 suits.
    verbose : bool or None, default=None
        None shows progress on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seed of the chain; predictions of one fitted model are always the same.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_features_in_)
        Probability of each word in each topic.
    coef_ : ndarray of shape (n_scores, n_topics)
        Weight of each topic in each score.
    topic_shares_ : ndarray of shape (n_topics,)
        Share of each topic among all words of training, in the last sweep.
    losses_ : ndarray of shape (n_burn + n_samples,)
        Mean loss in training after each sweep.
    traces_ : dict of str to ndarray of shape (1, n_samples, ...)
        The weights after each sweep that is averaged, for :func:`treatise.statistics.to_arviz`.
    converged_ : bool
        Whether the loss had come to rest in the sweeps that are averaged, or in the last before them where these are
        fewer than four; a warning says so if not.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, where X has names of columns.
    """

    _parameter_constraints: dict = {
        "n_topics": [Interval(Integral, 2, None, closed="left"), None],
        "C": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, SMALLEST, None, closed="left")],
        "beta": [Interval(Real, SMALLEST, None, closed="left")],
        "prior_var": [Interval(Real, 0, None, closed="neither")],
        "n_burn": [Interval(Integral, 0, None, closed="left")],
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "n_infer_burn": [Interval(Integral, 0, MOST_INFER_SWEEPS, closed="both")],
        "n_infer_samples": [Interval(Integral, 1, MOST_INFER_SWEEPS, closed="both")],
        "tokens_per_row": [Interval(Integral, 1, MOST_TOKENS_PER_ROW, closed="both"), None],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    def _fit_topics(self, X, n_scores, make_loss):
        """Run the chain; ``make_loss`` gives the loss of the documents that it is told, those with a token."""
        n_topics = max(FEWEST_TOPICS, 2 * n_scores) if self.n_topics is None else self.n_topics
        tokens = self._tokens(X)
        told = np.flatnonzero(tokens.lengths > 0)
        if not len(told):
            raise ValueError(f"none of the {tokens.n_documents} documents has a word; there is nothing to learn from")
        if len(told) < tokens.n_documents:  # an empty document has no tokens: only its place is left out
            starts = np.append(tokens.starts[told], tokens.starts[-1])
            tokens = Tokens(tokens.words, starts, tokens.n_words)
        random_state = check_random_state(self.random_state)
        chains = []

        def make_chain(rng):
            chains.append(
                Chain(tokens, make_loss(told), n_topics, self.alpha / n_topics, self.beta, self.prior_var, rng)
            )
            return chains[-1]

        plan = ChainPlan(1, self.n_burn, self.n_samples, verbose=self.verbose)
        draws = run_chains(make_chain, plan, random_state, type(self).__name__)
        (chain,) = chains
        self.traces_ = draws.values
        self.coef_ = draws["weights"][0].mean(axis=0)
        self.components_ = chain.word_shares / chain.n_kept
        self.topic_shares_ = chain.topics.totals / chain.topics.totals.sum()
        self.losses_ = np.array(chain.losses)
        self._seed = int(random_state.randint(2**31))
        self.converged_ = self._at_rest(draws["weights"].shape[1])
        return self

    def _at_rest(self, n_kept):
        """Whether the loss falls no further, as far as its own noise lets one tell; warns if it does."""
        # Where one or a few sweeps are kept, as in the paper, those before them tell.
        n_judged = n_kept if n_kept >= FEWEST_JUDGED else max(FEWEST_JUDGED, len(self.losses_) // 5)
        if n_judged > len(self.losses_):
            words = f"{len(self.losses_)} sweeps are too few to tell whether the loss has come to rest"
        else:
            first, second = np.array_split(self.losses_[-n_judged:], 2)
            noise = np.sqrt(first.var() / len(first) + second.var() / len(second))
            if first.mean() - second.mean() <= max(DRIFT, 3.0 * noise):
                return True
            words = (
                f"the loss still falls, from {first.mean():.3g} to {second.mean():.3g} over the last {n_judged} sweeps"
            )
        warnings.warn(f"{type(self).__name__}: {words}; raise n_burn={self.n_burn}", ConvergenceWarning, stacklevel=4)
        return False

    def transform(self, X):
        """Mean share of each topic in documents, by their words alone.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of the same words.

        Returns
        -------
        shares : ndarray of shape (n_documents, n_topics)
            A document without a word has equal shares.
        """
        check_is_fitted(self)
        X = self._checked(X)
        return infer_shares(
            self._tokens(X), self.components_, self.alpha / len(self.components_), n_burn=self.n_infer_burn,
            n_samples=self.n_infer_samples, seed=self._seed,
        )  # fmt: skip

    def top_words(self, n_words=10, names=None):
        """The most probable words of each topic.

        Parameters
        ----------
        n_words : int, default=10
            Words of each topic.
        names : sequence of str or None, default=None
            Names of the columns; None takes those that X had, or their numbers.

        Returns
        -------
        list of lists
        """
        check_is_fitted(self)
        return heaviest_words(self, self.components_, n_words, names)

    def _checked(self, X):
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _tokens(self, X):
        if self.tokens_per_row is not None:
            return tokens_of(counts_from_shares(X, self.tokens_per_row))
        return tokens_of(whole_counts(X, ", or set tokens_per_row=100 for amounts that are no counts"))

    def _invariants(self):
        components, n_topics = self.components_, len(self.components_)
        yield (
            "topics have a probability for each word",
            is_array(components, np.floating, n_topics, self.n_features_in_),
        )
        yield "probabilities are from 0 to 1", within(components, 0.0, 1.0 + 1e-9)
        yield "scores have a weight for each topic", is_array(self.coef_, np.floating, None, n_topics)
        yield "weights are finite", finite(self.coef_)
        yield "the seed is a whole number", is_count(self._seed)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
