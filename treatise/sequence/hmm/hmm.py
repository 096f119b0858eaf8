"""Hidden Markov models: fitting by expectation-maximisation or by counting."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, within
from treatise.inference.hidden_markov import (
    DiscreteEmissions,
    GaussianEmissions,
    baum_welch,
    check_normals,
    random_chain,
)
from treatise.inference.hidden_markov._loops import draw_states
from treatise.sequence._observed_sequences import alphabet_of, observe
from treatise.sequence.hmm._labelled_counts import counted_chain, matching_labels
from treatise.sequence.hmm.decoder import HMMDecoder
from treatise.sequence.hmm.hidden_chains import HiddenChains


class HMM(BaseEstimator):
    """Hidden Markov model of sequences of symbols or of vectors.

    Every position has a hidden state that depends on the state before, and shows something that depends on the state
    alone. Fitted without labels by expectation-maximisation, or with labels by counting. Use it for segments and
    regimes in sequences, where states last for a while and what they show overlaps; not where labelled sequences and
    rich features are at hand, which a conditional random field uses better, and not for states that depend on
    distant ones.

    A step of expectation-maximisation takes O(T K^2) for T positions in all and K states, and O(T K d^2) for full
    covariances of d numbers; counting takes O(T). Threads share the sequences.

    Parameters
    ----------
    n_states : int or None, default=None
        Number of states. None takes the distinct labels, and needs some.
    emission : {"discrete", "gaussian"}, default="discrete"
        What the states show: symbols (letters, numbers, any labels), or vectors.
    covariance : {"diagonal", "full"}, default="diagonal"
        Covariances of vectors.
    alphabet : sequence or None, default=None
        The symbols; None takes those that are seen in fitting. Others are an error when decoding.
    smoothing : float, default=0.0
        Imagined count of every symbol in every state. Above 0 it keeps a symbol that a state never showed from being
        impossible; moves are never smoothed, so that those never seen stay forbidden.
    n_init : int, default=1
        Number of random starts; the likeliest model is kept.
    max_iter : int, default=100
        Steps of expectation-maximisation at most.
    tol : float, default=1e-6
        Rise of the log-likelihood per position at which they stop.
    reg_covar : float, default=1e-6
        Number added to variances.
    init : HMM or None, default=None
        Fitted model to start from, in place of random starts. A move that it forbids stays forbidden.
    random_state : int, RandomState instance or None, default=None
        Random starts.

    Attributes
    ----------
    start_ : ndarray of shape (n_states,)
        Probabilities of the first state.
    transitions_ : ndarray of shape (n_states, n_states)
        Probabilities of the next state, a row for each present one.
    emission_probabilities_ : ndarray of shape (n_states, n_symbols)
        Probabilities of symbols ("discrete").
    symbols_ : ndarray of shape (n_symbols,)
        The alphabet ("discrete").
    means_ : ndarray of shape (n_states, d)
        Means ("gaussian").
    covariances_ : ndarray of shape (n_states, d) or (n_states, d, d)
        Variances or covariances ("gaussian").
    states_ : ndarray of shape (n_states,)
        Names of the states: the labels, or numbers from 0.
    log_likelihood_ : float
        Log-likelihood of the sequences that it was fitted to.
    history_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood before every step and after the last, of the start that was kept.
    n_iter_ : int
        Steps taken; 0 where labels were counted.
    converged_ : bool
        Whether the last step raised the log-likelihood by no more than ``tol`` allows; true where labels were counted.

    See Also
    --------
    HMMDecoder : Paths between Viterbi's and the most probable states.

    Notes
    -----
    Sequences come as a list (of texts, lists or arrays), as one text or array for one sequence, or joined in one array
    with ``lengths``; results have the same form. Counting divides as the paper does: moves by those out of a state, and
    a state that no sequence ever left moves to all alike.

    Examples
    --------
    >>> from treatise.sequence import HMM
    >>> words = ["aaabbbaaabbbb", "bbbaaaabbb", "aaaabbbaaa"]
    >>> model = HMM(2, n_init=4, random_state=0).fit(words)
    >>> "".join(map(str, model.predict("aabbbaa"))) in ("0011100", "1100011")
    True
    >>> counted = HMM().fit(["xxyy", "xyxx"], ["AABB", "ABBA"])
    >>> counted.transitions_.round(2)
    array([[0.33, 0.67],
           [0.33, 0.67]])
    >>> counted.predict(["xyyx"])
    [array(['A', 'B', 'B', 'A'], dtype='<U1')]

    References
    ----------
    .. [1] Paper v15-0001, section 1.1 and section 5 (counting).
    """

    _parameter_constraints: dict = {
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "emission": [StrOptions({"discrete", "gaussian"})],
        "covariance": [StrOptions({"diagonal", "full"})],
        "alphabet": ["array-like", str, None],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "init": [HasMethods(["chains"]), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_states=None,
        *,
        emission="discrete",
        covariance="diagonal",
        alphabet=None,
        smoothing=0.0,
        n_init=1,
        max_iter=100,
        tol=1e-6,
        reg_covar=1e-6,
        init=None,
        random_state=None,
    ):
        self.n_states = n_states
        self.emission = emission
        self.covariance = covariance
        self.alphabet = alphabet
        self.smoothing = smoothing
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.reg_covar = reg_covar
        self.init = init
        self.random_state = random_state

    def __sklearn_clone__(self):
        # The model to start from is data: a clone of it would have forgotten its parameters.
        parameters = {
            name: value if name == "init" else clone(value, safe=False)
            for name, value in self.get_params(deep=False).items()
        }
        return type(self)(**parameters)

    @classmethod
    def from_parameters(
        cls,
        start,
        transitions,
        *,
        emission_probabilities=None,
        symbols=None,
        means=None,
        covariances=None,
        states=None,
    ):
        """A model with given parameters, ready to decode, score and sample.

        Parameters
        ----------
        start : array-like of shape (K,)
            Probabilities of the first state.
        transitions : array-like of shape (K, K)
            Probabilities of moves.
        emission_probabilities : array-like of shape (K, n_symbols) or None, default=None
            Probabilities of symbols, for a discrete model.
        symbols : sequence or None, default=None
            The alphabet; None numbers the symbols from 0.
        means, covariances : array-like or None, default=None
            Means of shape (K, d), covariances of shape (K, d) or (K, d, d), for a Gaussian model.
        states : array-like of shape (K,) or None, default=None
            Names of the states; None numbers them from 0.

        Returns
        -------
        model : HMM
        """
        if (emission_probabilities is None) == (means is None) or (means is None) != (covariances is None):
            raise ValueError("give either emission_probabilities, or means and covariances")
        K = len(np.asarray(start))
        HiddenChains(start, transitions, np.zeros((1, K)))
        model = cls(K, emission="discrete" if means is None else "gaussian")
        if means is None:
            table = np.ascontiguousarray(emission_probabilities, np.float64)
            if table.ndim != 2 or not (table >= 0).all() or np.abs(table.sum(axis=1) - 1).max() > 1e-6:
                raise ValueError("emission_probabilities must have a row for each state that sums to 1")
            arrays = {"emission_probabilities": table}
            model.alphabet = list(range(table.shape[1])) if symbols is None else symbols
            model.symbols_ = alphabet_of(model.alphabet, None)
            if len(model.symbols_) != table.shape[1]:
                raise ValueError(f"{len(model.symbols_)} symbols do not name {table.shape[1]} columns of probabilities")
        else:
            arrays = {
                "means": np.ascontiguousarray(means, np.float64),
                "covariances": np.ascontiguousarray(covariances, np.float64),
            }
            check_normals(**arrays)
            model.covariance = "full" if arrays["covariances"].ndim == 3 else "diagonal"
        if any(len(each) != K for each in arrays.values()):
            raise ValueError(f"emissions must be given for each of the {K} states")
        model.states_ = np.arange(K) if states is None else np.asarray(states)
        if model.states_.shape != (K,):
            raise ValueError(f"states must name each of the {K} states; its shape is {model.states_.shape}")
        start, transitions = (np.ascontiguousarray(each, np.float64) for each in (start, transitions))
        return model._keep(start, transitions, arrays)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, sequences, labels=None, *, lengths=None):
        """Fit to sequences, by expectation-maximisation, or by counting where labels are given.

        Parameters
        ----------
        sequences : list of sequences, or one
            What was observed; see the notes.
        labels : list of sequences, or one, or None, default=None
            The state at every position.
        lengths : array-like of int or None, default=None
            Lengths of sequences that are joined in one array.

        Returns
        -------
        self : HMM
        """
        observed = self._observe(sequences, lengths)
        emissions = self._emissions()
        if self.emission == "discrete":
            self.symbols_ = alphabet_of(self.alphabet, observed)
            data, n_symbols = observed.codes(self.symbols_), len(self.symbols_)
        else:
            data, n_symbols = observed.values, 0
        if labels is not None:
            return self._count(observed, labels, lengths, emissions, data, n_symbols)
        if self.n_states is None and self.init is None:
            raise ValueError("n_states=None needs labels to count the states of; give a number of states")
        runs = [
            baum_welch(emissions, data, observed.lengths, *begin, max_iter=self.max_iter, tol=self.tol)
            for begin in self._starts(data, n_symbols, emissions)
        ]
        best = max(runs, key=lambda run: run.history[-1])
        if not best.converged:
            warnings.warn(
                f"expectation-maximisation had not converged after max_iter={self.max_iter} steps; raise it, or tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.states_ = np.arange(len(best.start)) if self.init is None else self.init.states_
        self.history_, self.n_iter_, self.converged_ = np.array(best.history), len(best.history) - 1, best.converged
        self.log_likelihood_ = best.history[-1]
        return self._keep(best.start, best.transitions, best.arrays)

    def _starts(self, data, n_symbols, emissions):
        """Where to begin: the model given, or random ones."""
        if self.init is not None:
            yield self.init.start_, self.init.transitions_, self._arrays_of_init(n_symbols, emissions)
            return
        random, K = check_random_state(self.random_state), self.n_states
        for _ in range(self.n_init):
            yield *random_chain(K, random), emissions.start(data, n_symbols, K, random)

    def _arrays_of_init(self, n_symbols, emissions):
        check_is_fitted(self.init, "transitions_")
        if self.init.emission != self.emission or (self.init.covariance != self.covariance and n_symbols == 0):
            raise ValueError("init must be a model with the same kind of emissions and covariances")
        if self.n_states not in (None, len(self.init.start_)):
            raise ValueError(f"n_states={self.n_states}, but init has {len(self.init.start_)} states")
        if self.emission == "discrete" and not np.array_equal(self.init.symbols_, self.symbols_):
            raise ValueError("init has other symbols; set alphabet to those of init")
        return emissions.arrays(self.init)

    def _count(self, observed, labels, lengths, emissions, data, n_symbols):
        self.states_, path = matching_labels(labels, lengths, observed, self.n_states)
        K = len(self.states_)
        start, transitions = counted_chain(path, observed.lengths, K)
        weights = np.zeros((len(path), K))
        weights[np.arange(len(path)), path] = 1.0
        unseen = emissions.unseen(K, n_symbols if n_symbols else data.shape[1])
        self._keep(start, transitions, emissions.estimate(data, weights, unseen))
        self.n_iter_, self.converged_ = 0, True
        self.log_likelihood_ = float(self._marginals(data, observed.lengths).log_partition.sum())
        self.history_ = np.array([self.log_likelihood_])
        return self

    def chains(self, sequences, *, lengths=None):
        """The model met with sequences: what :class:`HMMDecoder` and :func:`path_risks` work on.

        Parameters
        ----------
        sequences : list of sequences, or one
            What was observed.
        lengths : array-like of int or None, default=None
            Lengths of sequences that are joined in one array.

        Returns
        -------
        chains : HiddenChains
        """
        return self._hidden_chains(self._observe_fitted(sequences, lengths))

    def predict(self, sequences, *, lengths=None, decoder=None):
        """The hidden states, by name.

        Parameters
        ----------
        sequences : list of sequences, or one
            What was observed.
        lengths : array-like of int or None, default=None
            Lengths of sequences that are joined in one array.
        decoder : HMMDecoder or None, default=None
            How to decode; None is Viterbi's path.

        Returns
        -------
        states : list of ndarray, or ndarray
            In the form of the sequences.
        """
        observed = self._observe_fitted(sequences, lengths)
        if decoder is None:
            paths, _ = self._hidden_chains(observed).posterior_scores.best_paths()
            return observed.returned(self.states_[paths])
        if not isinstance(decoder, HMMDecoder):
            raise ValueError(f"decoder must be an HMMDecoder; it is {decoder!r}")
        return observed.returned(decoder.decode(self._hidden_chains(observed)).labels)

    def predict_proba(self, sequences, *, lengths=None):
        """Probability of each state at each position given its whole sequence.

        Parameters
        ----------
        sequences : list of sequences, or one
            What was observed.
        lengths : array-like of int or None, default=None
            Lengths of sequences that are joined in one array.

        Returns
        -------
        probabilities : list of ndarray of shape (length, n_states), or ndarray
        """
        observed = self._observe_fitted(sequences, lengths)
        return observed.returned(self._marginals(self._data(observed), observed.lengths).nodes)

    def score(self, sequences, labels=None, *, lengths=None):
        """Log-likelihood of all sequences together.

        Parameters
        ----------
        sequences : list of sequences, or one
            What was observed.
        labels : None
            Not used; cross-validation of models fitted to labels passes them.
        lengths : array-like of int or None, default=None
            Lengths of sequences that are joined in one array.

        Returns
        -------
        log_likelihood : float
        """
        observed = self._observe_fitted(sequences, lengths)
        return float(self._marginals(self._data(observed), observed.lengths).log_partition.sum())

    def bic(self, sequences, *, lengths=None):
        """Bayesian information criterion: the lower, the better the model for its number of parameters.

        Parameters
        ----------
        sequences : list of sequences, or one
            What was observed.
        lengths : array-like of int or None, default=None
            Lengths of sequences that are joined in one array.

        Returns
        -------
        bic : float
        """
        observed = self._observe_fitted(sequences, lengths)
        K, emissions = len(self.start_), self._emissions()
        free = (K - 1) + K * (K - 1) + emissions.n_parameters(emissions.arrays(self))
        log_likelihood = self._marginals(self._data(observed), observed.lengths).log_partition.sum()
        return float(free * np.log(len(observed.values)) - 2 * log_likelihood)

    def sample(self, length, n_sequences=1, *, random_state=None):
        """Draw sequences from the model.

        Parameters
        ----------
        length : int
            Length of each.
        n_sequences : int, default=1
            How many.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.

        Returns
        -------
        sequences : list of ndarray
            Symbols or vectors.
        states : list of ndarray
            Names of their states.
        """
        check_is_fitted(self, "transitions_")
        if length < 1 or n_sequences < 1:
            raise ValueError(f"length={length} and n_sequences={n_sequences} must be at least 1")
        random, emissions = check_random_state(random_state), self._emissions()
        paths = np.empty((n_sequences, length), np.int64)
        draw_states(self.start_, self.transitions_, random.uniform(size=paths.shape), paths)
        shown = emissions.sample(emissions.arrays(self), paths.ravel(), random)
        shown = self.symbols_[shown] if self.emission == "discrete" else shown
        return np.split(shown, n_sequences), list(self.states_[paths])

    def _emissions(self):
        if self.emission == "discrete":
            return DiscreteEmissions(self.smoothing)
        return GaussianEmissions(self.covariance == "full", self.reg_covar)

    def _observe(self, sequences, lengths):
        return observe(sequences, lengths, item_ndim=1 if self.emission == "gaussian" else 0)

    def _observe_fitted(self, sequences, lengths):
        check_is_fitted(self, "transitions_")
        return self._observe(sequences, lengths)

    def _data(self, observed):
        return observed.codes(self.symbols_) if self.emission == "discrete" else observed.values

    def _marginals(self, data, lengths):
        emissions = self._emissions()
        return emissions.marginals(self.start_, self.transitions_, emissions.arrays(self), data, lengths)

    def _hidden_chains(self, observed):
        emissions = self._emissions()
        logs = emissions.log_densities(emissions.arrays(self), self._data(observed))
        return HiddenChains(self.start_, self.transitions_, logs, lengths=observed.lengths, states=self.states_)

    def _invariants(self):
        K = len(self.states_)
        yield "states have a first probability", is_array(self.start_, np.float64, K) and within(self.start_, 0, np.inf)
        moves = self.transitions_
        yield "states have moves to all others", is_array(moves, np.float64, K, K) and within(moves, 0, np.inf)
        if self.emission == "discrete":
            shown = self.emission_probabilities_
            symbols = len(self.symbols_)
            yield "states show symbols", is_array(shown, np.float64, K, symbols) and within(shown, 0, np.inf)
            return
        means, covariances = self.means_, self.covariances_
        d = means.shape[1]
        yield "states have means", is_array(means, np.float64, K, d) and finite(means)
        shape = (K, d) if self.covariance == "diagonal" else (K, d, d)
        yield "states have covariances", is_array(covariances, np.float64, *shape) and finite(covariances)

    def _keep(self, start, transitions, arrays):
        self.start_, self.transitions_ = start, transitions
        for name, values in arrays.items():
            setattr(self, f"{name}_", values)
        return self
