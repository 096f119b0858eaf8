"""Search through any space of outputs, led by a cost that is learned (Doppa, Fern & Tadepalli, JMLR 15:1317)."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise._core.jit import compiled
from treatise.sequence.output_search._imitation import SearchImitation
from treatise.sequence.output_search.search_space import GridSpace, SearchSpace


class LearnedOutputSearch(BaseEstimator):
    """Predict structured outputs by a short search through a space of your own.

    On the training examples the search is led by the loss, and a linear cost of the space's features is learned that
    ranks what it met alike; on new inputs the search follows that cost and returns the output of least cost it came
    upon. Use it for structures other than sequences, such as labels of a grid (:class:`GridSpace`), and for any loss;
    for sequences :class:`OutputSpaceSearch` does the same in compiled code. A step costs the features of all
    successors, and learning ``epochs`` passes over the ranked pairs, which are held in memory.

    Parameters
    ----------
    space : SearchSpace
        Where searches start, go, and what the cost sees.
    loss : "hamming" or callable, default="hamming"
        Loss of an output, given the truth and the output.
    beam_width : int, default=1
        Outputs that stay open; 1 is greedy search.
    max_steps : int or "length", default="length"
        Outputs expanded at most; "length" is the number of entries of an output.
    epochs : int, default=50
        Passes over the ranked pairs.
    random_state : int, RandomState or None, default=None
        Orders the examples.

    Attributes
    ----------
    space_ : SearchSpace
        Fitted.
    cost_coef_ : ndarray of shape (n_features,)
        Weights of the features in the cost, averaged over the passes.
    n_ranking_examples_ : int
        Pairs learned from.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import GridSpace, LearnedOutputSearch
    >>> rng = np.random.default_rng(0)
    >>> labels = [np.repeat(np.repeat(rng.integers(0, 2, (2, 2)), 3, 0), 3, 1) for _ in range(12)]
    >>> grids = [(y + 0.9 * rng.normal(size=y.shape))[..., np.newaxis] for y in labels]
    >>> model = LearnedOutputSearch(GridSpace(), random_state=0).fit(grids[:9], labels[:9])
    >>> single = np.mean([model.space_.start(x) == y.ravel() for x, y in zip(grids[9:], labels[9:])])
    >>> bool(model.score(grids[9:], labels[9:]) > single)
    True

    References
    ----------
    .. [1] Paper v15-1317, Sections 3 and 4, Algorithms 1 and 2.
    """

    _parameter_constraints: dict = {
        "space": [SearchSpace],
        "loss": [StrOptions({"hamming"}), callable],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "max_steps": [Interval(Integral, 0, None, closed="left"), StrOptions({"length"})],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, space, *, loss="hamming", beam_width=1, max_steps="length", epochs=50, random_state=None):
        self.space = space
        self.loss = loss
        self.beam_width = beam_width
        self.max_steps = max_steps
        self.epochs = epochs
        self.random_state = random_state

    def fit(self, inputs, outputs):
        """Learn the cost from searches that the loss leads.

        Parameters
        ----------
        inputs : list
            What the space takes.
        outputs : list of arrays of int
            The true outputs, in any shape.

        Returns
        -------
        self : LearnedOutputSearch
        """
        self._validate_params()
        inputs, outputs = list(inputs), [np.asarray(each) for each in outputs]
        if len(inputs) != len(outputs) or not inputs:
            raise ValueError(f"{len(inputs)} inputs for {len(outputs)} outputs; give at least one, and as many of each")
        self.space_ = self.space.fit(inputs, outputs)
        differences, margins = [], []
        for x, truth in zip(inputs, outputs):
            found = self._search(x, self._loss_of(truth)).examples(self.space_.start(x))
            seen = self.space_.features(x, found.states)
            differences.append(seen[found.worse] - seen[found.better])
            margins.append(np.sqrt(found.gaps))
        self.n_ranking_examples_ = int(sum(map(len, margins)))
        self.cost_coef_ = self._learned(differences, margins)
        return self

    def _invariants(self):
        # Spaces of the user's own are in no file.
        yield "there is a space of grids", isinstance(self.space_, GridSpace)
        yield "the cost weighs what the space tells", is_array(self.cost_coef_, np.float64, self.space_.n_features)
        yield "at most a million outputs are kept", self.beam_width <= 10**6

    def _learned(self, differences, margins):
        random = check_random_state(self.random_state)
        w, total = np.zeros((2, differences[0].shape[1]))
        visited = 0
        for _ in range(self.epochs):
            order = random.permutation(len(differences))
            updates = 0
            for s in order:
                updates += rank_updates(np.ascontiguousarray(differences[s]), margins[s], w)
                total += w
            visited += len(order)
            if updates == 0:
                break
        return total / visited

    def predict(self, inputs):
        """The outputs of least cost that the searches come upon.

        Parameters
        ----------
        inputs : list
            What the space takes.

        Returns
        -------
        outputs : list of ndarray of int
            As flat rows.
        """
        check_is_fitted(self)
        answers = []
        for x in inputs:
            # A search that its cost leads, the best of whose states is the answer.
            found = self._search(x, lambda states, x=x: self.cost(x, states)).examples(self.space_.start(x))
            answers.append(found.states[np.argmin(self.cost(x, found.states))])
        return answers

    def cost(self, x, outputs):
        """The learned cost of outputs of one input, given as flat rows."""
        check_is_fitted(self)
        return self.space_.features(x, outputs) @ self.cost_coef_

    def score(self, inputs, outputs):
        """Share of entries of the outputs that are right."""
        pairs = [(found, np.ravel(truth)) for found, truth in zip(self.predict(inputs), outputs)]
        return float(np.mean(np.concatenate([found == truth for found, truth in pairs])))

    def _search(self, x, measure):
        steps = len(self.space_.start(x)) if self.max_steps == "length" else self.max_steps
        return SearchImitation(
            lambda state: self.space_.successors(x, state), measure, beam_width=self.beam_width, max_steps=steps
        )

    def _loss_of(self, truth):
        flat = truth.ravel()
        if self.loss == "hamming":
            return lambda states: (states != flat).sum(axis=1).astype(np.float64)
        return lambda states: np.array([self.loss(truth, state.reshape(truth.shape)) for state in states], np.float64)


@compiled
def rank_updates(differences, margins, w):
    """Passive-aggressive updates (Section 4.4): each pair must differ in cost by its margin; returns their number."""
    updates = 0
    for r in range(len(margins)):
        gained, squared = 0.0, 0.0
        for j in range(len(w)):
            gained += w[j] * differences[r, j]
            squared += differences[r, j] ** 2
        # Outputs whose features are the same cannot be told apart.
        if gained < margins[r] and squared > 0.0:
            step = (margins[r] - gained) / squared
            for j in range(len(w)):
                w[j] += step * differences[r, j]
            updates += 1
    return updates
