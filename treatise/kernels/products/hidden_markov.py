"""Probability product kernel of hidden Markov models (Jebara, Kondor & Howard, JMLR 5:819, sections 4.2 and 8.2)."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treatise.kernels.base import Prepared
from treatise.kernels.products._hidden_markov_loops import baum_welch, chain_log_products
from treatise.kernels.products.base import (
    GroupedModels,
    ProbabilityProductKernel,
    check_not_negative,
    check_same_space,
    check_whole,
    joined_models,
)
from treatise.kernels.products.gaussian import GaussianProductKernel, Gaussians

_MOST_STEPS = 100_000
"""Each takes its time for every pair of models."""
_EMISSIONS_AT_ONCE = 1 << 20
"""Products of emissions held at once: 8 MiB."""


@dataclass(frozen=True)
class HiddenMarkovModel:
    """A hidden Markov model.

    Parameters
    ----------
    start : array of shape (n_states,)
        Probabilities of the first state.
    transitions : array of shape (n_states, n_states)
        Probabilities of the next state, a row for each present one.
    emissions : array of shape (n_states, n_symbols) or Gaussians
        What each state shows: probabilities of symbols, or densities of vectors.
    """

    start: np.ndarray
    transitions: np.ndarray
    emissions: Any

    def __post_init__(self):
        tables = {"start": self.start, "transitions": self.transitions}
        if not isinstance(self.emissions, Gaussians):
            tables["emissions"] = self.emissions
        for name, table in tables.items():
            values = np.asarray(table, np.float64)
            if not ((values >= 0).all() and np.allclose(values.sum(axis=-1), 1)):
                raise ValueError(f"{name} of a hidden Markov model must be probabilities whose rows sum to 1")
            object.__setattr__(self, name, values)
        n_states = len(self.start)
        if self.start.ndim != 1 or self.transitions.shape != (n_states, n_states) or len(self.emissions) != n_states:
            raise ValueError(
                f"a start of shape {self.start.shape}, transitions of shape {self.transitions.shape} and "
                f"{len(self.emissions)} emissions do not belong together"
            )


def is_hmmlearn_model(each):
    """Whether an object has the parameters of a hidden Markov model by hmmlearn's names."""
    return hasattr(each, "transmat_") and hasattr(each, "startprob_")


def model_from_hmmlearn(fitted):
    """The :class:`HiddenMarkovModel` of a fitted model of hmmlearn, known by the names of its parameters."""
    if hasattr(fitted, "emissionprob_"):
        emissions = fitted.emissionprob_
    elif hasattr(fitted, "means_") and np.ndim(fitted.means_) == 2:
        n, D = fitted.means_.shape
        # hmmlearn gives whole matrices for every form of covariance, a spherical one once for each dimension.
        emissions = Gaussians(fitted.means_, np.reshape(fitted.covars_, (n, -1, D, D))[:, 0])
    else:
        raise ValueError(
            f"{type(fitted).__name__} emits neither symbols (emissionprob_) nor a Gaussian a state (means_, covars_): "
            "it has no product here"
        )
    return HiddenMarkovModel(fitted.startprob_, fitted.transmat_, emissions)


class HiddenMarkovProductKernel(ProbabilityProductKernel):
    """Kernel of hidden Markov models, one fitted to each sequence of symbols.

    Two sequences are alike when their models give probability to the same words of ``n_steps + 1`` symbols, so that
    composition and local order count while the place of a word does not. Use it for sequences long enough to fit a few
    states to (a hundred symbols, say); with short ones, or where exact words decide, a string kernel does better.
    Fitting costs ``max_iter * length * states^2`` a sequence, the kernel ``2 n_steps states^3`` a pair.

    For ``rho=1`` it is the product kernel of the distributions of words; for other powers the variant with the power
    inside the sum over hidden states, which grows with ``n_steps``: normalise it.

    Ready models are objects too, also those fitted by hmmlearn (``CategoricalHMM``, ``GaussianHMM``), which fits many
    sequences at once or vectors in place of symbols.

    Parameters
    ----------
    alphabet : sequence, default="ACGT"
        The symbols, in a string or a list; letters in any other case are not the same symbols.
    n_states : int or "length", default="length"
        Hidden states; "length" is the paper's rule, which lets the number of parameters be a tenth of the length.
    n_steps : int, default=9
        Transitions T over which models are compared; the paper's best.
    rho : float, default=1.0
        Power of the probabilities.
    max_iter : int, default=400
        Steps of expectation-maximisation at most.
    tol : float, default=1e-6
        Rise of the log-likelihood per symbol at which they stop; a ConvergenceWarning tells where it is not reached.
    smoothing : float, default=0.0
        Imagined count of every transition and emission; above 0 it keeps short sequences from fixing zeros.
    random_state : int or RandomState, default=0
        Start of the fits; the same for all objects, so that equal sequences get equal models.

    Examples
    --------
    >>> from treatise.kernels import HiddenMarkovProductKernel
    >>> kernel = HiddenMarkovProductKernel(n_steps=4).normalized()
    >>> gram = kernel(["ACACACACACACAC", "CACACACACA", "GGTTGGTTGGTTGGTT"])
    >>> bool(gram[0, 1] > 0.9 > 0.1 > gram[0, 2])
    True

    References
    ----------
    .. [1] Paper v05-0819, sections 4.2 and 8.2.
    """

    def __init__(
        self,
        alphabet="ACGT",
        *,
        n_states="length",
        n_steps=9,
        rho=1.0,
        max_iter=400,
        tol=1e-6,
        smoothing=0.0,
        random_state=0,
    ):
        self.alphabet = alphabet
        self.n_states = n_states
        self.n_steps = n_steps
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing
        self.random_state = random_state

    def models(self, X):
        """Fit a model to every sequence; models among the objects stay as they are, those of hmmlearn are taken over.

        Parameters
        ----------
        X : list of str, of sequences of symbols, of HiddenMarkovModel, or of fitted models of hmmlearn
            The objects.

        Returns
        -------
        models : list of HiddenMarkovModel
        """
        self._check_parameters()
        codes = {symbol: code for code, symbol in enumerate(self.alphabet)}
        found, unsettled = [], []
        for number, each in enumerate(X):
            if is_hmmlearn_model(each):
                each = model_from_hmmlearn(each)
            elif not isinstance(each, HiddenMarkovModel):
                each, settled = self._fitted(_encoded(each, codes, number))
                if not settled:
                    unsettled.append(number)
            found.append(each)
        if unsettled:
            warnings.warn(
                f"expectation-maximisation had not converged after max_iter={self.max_iter} steps on {len(unsettled)} "
                f"sequences, the first of them number {unsettled[0]}; raise it, or tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found

    def prepare(self, X):
        models = self.models(X)
        if not models:
            raise ValueError("the list of objects is empty; give at least one")
        sizes = np.array([len(model.start) for model in models])
        width = sizes.max()
        starts, transitions = np.zeros((len(models), width)), np.zeros((len(models), width, width))
        for i, model in enumerate(models):
            starts[i, : sizes[i]] = model.start**self.rho
            transitions[i, : sizes[i], : sizes[i]] = model.transitions**self.rho
        return Prepared(starts, transitions, sizes, self._padded_emissions(models, sizes, width))

    def log_block(self, A, B):
        transitions, sizes, emissions = A.companions
        logs = np.empty((len(A), len(B)))
        rows = max(1, _EMISSIONS_AT_ONCE // (A.objects.shape[1] * B.objects.size))
        for first in range(0, len(A), rows):
            part = slice(first, first + rows)
            # Models with themselves: only what lies right of the diagonal block, then its mirror image.
            others = slice(first if A is B else 0, None)
            transitions2, sizes2, emissions2 = B[others].companions
            psi, log_scale = self._emission_products(emissions[part], emissions2)
            chained = chain_log_products(
                A.objects[part],
                transitions[part],
                sizes[part],
                B.objects[others],
                transitions2,
                sizes2,
                psi,
                self.n_steps,
            )
            logs[part, others] = chained + (self.n_steps + 1) * log_scale
            if A is B:
                logs[others, part] = logs[part, others].T
        return logs

    def _padded_emissions(self, models, sizes, width):
        """Emissions of all models, as many to each: a state that a model lacks repeats its first, never reached."""
        padding = [np.concatenate((np.arange(size), np.zeros(width - size, int))) for size in sizes]
        if not any(isinstance(model.emissions, Gaussians) for model in models):
            for model in models:
                check_same_space(models[0].emissions.shape[1], model.emissions.shape[1])
            return np.array([model.emissions[rows] for model, rows in zip(models, padding)]) ** self.rho
        if not all(isinstance(model.emissions, Gaussians) for model in models):
            raise ValueError("some models emit symbols and some emit vectors; they have no product")
        densities = joined_models([model.emissions[rows] for model, rows in zip(models, padding)])
        return GroupedModels(densities, np.full(len(models), width))

    def _emission_products(self, A, B):
        """Psi of all pairs of states, scaled to at most one, and the logarithms of the scales of pairs of models."""
        if isinstance(A, GroupedModels) != isinstance(B, GroupedModels):
            raise ValueError("models that emit symbols and models that emit vectors have no product")
        if isinstance(A, GroupedModels):
            logs = GaussianProductKernel(rho=self.rho).log_block(A.models, B.models)
            logs = logs.reshape(len(A), A.sizes[0], len(B), B.sizes[0])
            highest = logs.max(axis=(1, 3))
            return np.exp(logs - highest[:, np.newaxis, :, np.newaxis]), highest
        check_same_space(A.shape[2], B.shape[2])
        psi = A.reshape(-1, A.shape[2]) @ B.reshape(-1, B.shape[2]).T
        return psi.reshape(len(A), A.shape[1], len(B), B.shape[1]), 0.0

    def _fitted(self, codes):
        n_symbols = len(self.alphabet)
        n_states = states_for_length(len(codes), n_symbols) if self.n_states == "length" else self.n_states
        random = check_random_state(self.random_state)
        start = np.full(n_states, 1.0 / n_states)
        transitions = random.dirichlet(np.ones(n_states), n_states)
        emissions = random.dirichlet(np.ones(n_symbols), n_states)
        history, occupancy = baum_welch(
            codes, start, transitions, emissions, int(self.max_iter), float(self.tol), float(self.smoothing)
        )
        # One sequence has one first state: the chain is taken to have run before, so that it starts as it dwells.
        model = HiddenMarkovModel(occupancy / occupancy.sum(), transitions, emissions)
        return model, len(history) > 1 and history[-1] - history[-2] <= self.tol * len(codes)

    def _check_parameters(self):
        self._check_rho()
        symbols = list(self.alphabet) if isinstance(self.alphabet, Iterable) else []
        if len(set(symbols)) != len(symbols) or not symbols:
            raise ValueError(f"alphabet={self.alphabet!r} must name at least one symbol, and each once")
        if self.n_states != "length" and (not isinstance(self.n_states, Integral) or self.n_states < 1):
            raise ValueError(f"n_states={self.n_states!r} must be a positive integer or 'length'")
        check_whole(self, "max_iter", 1)
        check_whole(self, "n_steps", 0, _MOST_STEPS)
        check_not_negative(self, "tol", "smoothing")


def states_for_length(length, n_symbols, parameters_per_symbol=0.1):
    """The paper's number of hidden states for a sequence (section 8.2).

    The largest number whose parameters stay below about a tenth of the sequence's length, plus one.

    Parameters
    ----------
    length : int
        Length of the sequence.
    n_symbols : int
        Size of the alphabet.
    parameters_per_symbol : float, default=0.1
        The paper's zeta.

    Examples
    --------
    >>> from treatise.kernels import states_for_length
    >>> [states_for_length(length, 4) for length in (30, 200, 2000)]
    [2, 4, 13]
    """
    O = n_symbols  # noqa: E741 - the paper's letter
    return int(np.floor(np.sqrt(O**2 + 4 * (length * parameters_per_symbol + O + 1)) / 2 - O / 2)) + 1


def _encoded(sequence, codes, number):
    try:
        encoded = np.array([codes[symbol] for symbol in sequence], np.int64)
    except KeyError as unknown:
        raise ValueError(
            f"sequence {number} holds {unknown.args[0]!r}, which is not in the alphabet {''.join(map(str, codes))!r}"
        ) from None
    except TypeError:
        raise ValueError(f"object {number} is no sequence of symbols: {sequence!r}") from None
    if len(encoded) < 2:
        raise ValueError(f"sequence {number} has length {len(encoded)}; a model needs at least 2 symbols")
    return encoded
