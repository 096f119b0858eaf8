"""The draws that predictions average, in a few flat arrays, and probabilities of new rows from them."""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from treatise._core.invariants import are_starts, finite, is_array, within
from treatise.bayes.kernel_classifier._chain import centred_basis
from treatise.bayes.kernel_classifier._latent_loops import add_probabilities

_CHUNK_NUMBERS = 1 << 22


class KernelDraws:
    """Active rows and weights of every draw of a :class:`BayesianKernelClassifier`.

    The score of a row x in draw t is ``intercepts[t]`` plus the sum over the active rows of ``coefficients`` times
    their kernel with x. With c classes there are c - 1 scores, coordinates of centred scores in an orthonormal basis.

    Parameters
    ----------
    kept : list
        Draws of the chains.
    n_classes : int
        Number of classes.

    Attributes
    ----------
    rows : ndarray of int
        Training rows that are active in some draw.
    starts, active : ndarray of int of shape (n_draws + 1,) and (total,)
        Where the active rows of each draw begin, and which of ``rows`` they are.
    intercepts, coefficients : ndarray of shape (n_draws, n_classes - 1) and (total, n_classes - 1)
        Of each draw.
    parameters : ndarray of shape (n_draws, n_parameters)
        Widths, or amplitudes of several kernels.
    triangles : ndarray
        Rows of the triangles that give the spread of scores, one draw after the other; empty where coefficients were
        drawn themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.bayes import BayesianKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesianKernelClassifier(burn_in=200, n_samples=500, random_state=0).fit(X[:100], y[:100])
    >>> places, coefficients = model.draws_.of(0)  # the active rows of the first of 100 draws
    >>> len(model.draws_), len(places) == len(coefficients)
    (100, True)
    """

    def __init__(self, kept, n_classes):
        self.n_classes = n_classes
        self.starts = np.cumsum([0, *(len(draw.active) for draw in kept)]).astype(np.int64)
        active = np.concatenate([draw.active for draw in kept])
        self.rows, self.active = (part.astype(np.int64) for part in np.unique(active, return_inverse=True))
        if not len(self.rows):  # no row was ever active: one stands by, so that there is a kernel to compute
            self.rows = np.zeros(1, np.int64)
        self.intercepts = np.array([draw.intercept for draw in kept])
        self.coefficients = np.concatenate([draw.coefficients for draw in kept])
        self.parameters = np.array([draw.parameters for draw in kept])
        triangles = [draw.triangle for draw in kept if draw.triangle is not None]
        self.triangles = np.concatenate([t[np.tril_indices(len(t))] for t in triangles]) if triangles else np.zeros(0)

    def __len__(self):
        return len(self.intercepts)

    def of(self, draw):
        """Places of the active rows of a draw, and their coefficients."""
        part = slice(self.starts[draw], self.starts[draw + 1])
        return self.active[part], self.coefficients[part]

    def inclusion(self, n):
        """Share of the draws in which each of n training rows is active."""
        counts = np.zeros(n)
        np.add.at(counts, self.rows[self.active], 1.0)
        return counts / len(self)

    def probabilities(self, values, n, each=False):
        """Probabilities of the classes of new rows, averaged over the draws, or of each draw.

        Parameters
        ----------
        values : NewRows
            Kernel values of the new rows.
        n : int
            How many they are.
        each : bool, default=False
            Whether to keep the draws apart.
        """
        found = np.empty((len(self), n, self.n_classes) if each else (n, self.n_classes))
        # A chunk has kernel values with all rows, and scores of all draws.
        numbers = max(1, len(self.rows) + len(self) * (self.n_classes - 1))
        width = max(1, _CHUNK_NUMBERS // numbers)
        for start in range(0, n, width):
            part = slice(start, min(start + width, n))
            found[..., part, :] = self._of_scores(self._scores(values.part(part)), each)
        return found

    def _scores(self, values):
        """Scores of a chunk in the basis, (n_draws, n_scores, m), each over its deviation."""
        if len(self.triangles) or values.varies:
            return self._scores_by_draw(values)
        n_draws, n_scores = self.intercepts.shape
        scores = np.repeat(self.intercepts[:, :, np.newaxis], values.size, axis=2)
        owners = np.repeat(np.arange(n_draws), np.diff(self.starts))
        for a in range(n_scores):
            for block, weights in values.linear(self.parameters):
                entries = self.coefficients[:, a] * weights[owners]
                matrix = csr_array((entries, self.active, self.starts), shape=(n_draws, len(self.rows)))
                scores[:, a] += matrix @ block.T
        return scores

    def _scores_by_draw(self, values):
        scores = np.empty((*self.intercepts.shape, values.size))
        begin = 0
        for draw in range(len(self)):
            places, coefficients = self.of(draw)
            block = values.of(places, self.parameters[draw])
            scores[draw] = self.intercepts[draw][:, np.newaxis] + coefficients.T @ block.T
            if len(self.triangles):
                k = len(places)
                triangle = np.zeros((k, k))
                triangle[np.tril_indices(k)] = self.triangles[begin : begin + k * (k + 1) // 2]
                begin += k * (k + 1) // 2
                half = triangle @ block.T
                scores[draw] /= np.sqrt(1.0 + np.einsum("ij,ij->j", half, half))
        return scores

    def _of_scores(self, scores, each):
        if scores.shape[1] == 1:
            both = np.stack([ndtr(-scores[:, 0]), ndtr(scores[:, 0])], axis=-1)
            return both if each else both.mean(axis=0)
        basis, total = centred_basis(self.n_classes), np.zeros((self.n_classes, scores.shape[2]))
        found = []
        for draw in scores:
            if each:
                total = np.zeros_like(total)
                found.append(total)
            add_probabilities(basis @ draw, total)
        return np.transpose(found, (0, 2, 1)) if each else total.T / len(scores)

    def _invariants(self):
        n_draws, n_scores, total = len(self.intercepts), self.n_classes - 1, len(self.active)
        sizes = np.diff(self.starts)
        yield "there is a draw", n_draws >= 1
        yield "draws begin one after the other", are_starts(self.starts, n_draws, total)
        yield "active rows are among those kept", within(self.active, 0, len(self.rows))
        yield "their places are whole numbers", is_array(self.active, np.int64, total)
        yield "every active row has coefficients", is_array(self.coefficients, np.float64, total, n_scores)
        yield "every draw has intercepts", is_array(self.intercepts, np.float64, n_draws, n_scores)
        yield "every draw has parameters", is_array(self.parameters, np.float64, n_draws, None)
        yield "triangles belong to the draws", len(self.triangles) in (0, int((sizes * (sizes + 1) // 2).sum()))
        yield (
            "numbers are finite",
            all(finite(part) for part in (self.coefficients, self.intercepts, self.parameters, self.triangles)),
        )


class NewRows:
    """Kernel values of new rows with those that are active in some draw.

    Parameters
    ----------
    kernels : list of Kernel
        One, or several that have amplitudes among the parameters of a draw.
    kept, new : ndarray
        Rows of the training set, and new ones.
    """

    varies = False

    def __init__(self, kernels, kept, new):
        self.kernels = kernels
        self._kept = [kernel.prepare(kept) for kernel in kernels]
        self._new = [kernel.prepare(new) for kernel in kernels]

    def part(self, rows):
        """The same for some of the new rows."""
        chunk = object.__new__(NewRows)
        chunk.kernels = self.kernels
        chunk.blocks = [k.block(new[rows], kept) for k, new, kept in zip(self.kernels, self._new, self._kept)]
        chunk.size = len(chunk.blocks[0])
        return chunk

    def linear(self, parameters):
        """Blocks of kernel values, each with the weight that every draw gives it."""
        for at, block in enumerate(self.blocks):
            yield block, parameters[:, at] ** 2 if parameters.shape[1] else np.ones(len(parameters))

    def of(self, places, parameters):
        """Kernel values with the active rows of one draw."""
        if len(parameters) == 0:
            return self.blocks[0][:, places]
        return sum(a * a * block[:, places] for a, block in zip(parameters, self.blocks) if a)


class NewRowsOfWidths:
    """The same for a kernel whose widths differ from draw to draw."""

    varies = True

    def __init__(self, kernel, kept, new):
        self.kernel, self.kept, self.new = kernel, kept, new
        self.size = len(new)

    def part(self, rows):
        return NewRowsOfWidths(self.kernel, self.kept, self.new[rows])

    def of(self, places, parameters):
        prepared = self.kernel.prepare(self.kept[places] / parameters) if len(places) else None
        if prepared is None:
            return np.zeros((self.size, 0))
        return self.kernel.block(self.kernel.prepare(self.new / parameters), prepared)
