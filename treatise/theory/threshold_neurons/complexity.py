"""Which case of the dichotomies a sample is in (Theorems 1 to 5 of JMLR 5:891)."""

from typing import NamedTuple

from treatise.theory.threshold_neurons.sample import read_sample


class NeuronComplexity(NamedTuple):
    """How hard it is to fit samples like this one."""

    verdict: str
    """``"linear"``, ``"polynomial"`` or ``"np-complete"``."""
    theorem: str
    """Where the paper says so."""


def neuron_complexity(X, y, *, model="binary", max_threshold=None, task="consistent"):
    """How hard it is to fit a threshold neuron to samples as sparse and as overlapping as this one.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Zeros and ones.
    y : array-like of shape (n_samples,)
        Labels 0 and 1.
    model : {"binary", "real"}, default="binary"
        Weights 0 and 1, or any.
    max_threshold : int or None, default=None
        Largest threshold allowed, for binary weights.
    task : {"consistent", "max"}, default="consistent"
        Agree with all examples, or with as many as possible.

    Returns
    -------
    NeuronComplexity
        Of the class of samples; a single hard sample may still be solved quickly.

    Examples
    --------
    >>> from treatise.theory import neuron_complexity
    >>> neuron_complexity([[1, 1, 0], [0, 1, 1]], [1, 0]).verdict
    'linear'
    >>> neuron_complexity([[1, 1, 0], [0, 1, 1]], [1, 0], task="max")
    NeuronComplexity(verdict='np-complete', theorem='Theorem 3')
    """
    return complexity_of(read_sample(X, y), model, max_threshold, task)


def complexity_of(sample, model, max_threshold, task):
    """The case of a sample that was read."""
    check_question(model, max_threshold, task)
    overlaps, sparseness = sample.overlaps, sample.sparseness
    if model == "real":
        if task == "consistent":
            return NeuronComplexity("polynomial", "Section 2.4, by linear programming")
        easy, theorem = not overlaps or sparseness <= 1, "Theorem 5"
    elif task == "consistent":
        if max_threshold is not None and max_threshold <= 1:
            return NeuronComplexity("linear", "Theorem 2")
        easy, theorem = not overlaps or sparseness <= 3, "Theorem 1" if max_threshold is None else "Theorem 2"
    else:
        if max_threshold == 0:
            return NeuronComplexity("linear", "Theorem 4")
        easy, theorem = not overlaps or sparseness <= 1, "Theorem 3" if max_threshold is None else "Theorem 4"
    return NeuronComplexity("linear" if easy else "np-complete", theorem)


def check_question(model, max_threshold, task):
    """Refuse what is no question."""
    if model not in ("binary", "real"):
        raise ValueError(f"model={model!r} is not known; choose 'binary' or 'real'")
    if task not in ("consistent", "max"):
        raise ValueError(f"task={task!r} is not known; choose 'consistent' or 'max'")
    if max_threshold is not None and (model == "real" or int(max_threshold) != max_threshold or max_threshold < 0):
        raise ValueError(f"max_threshold={max_threshold!r} must be a whole number, 0 or more, for model='binary'")
