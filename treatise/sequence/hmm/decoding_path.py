"""The range of decodings between posterior decoding and Viterbi, and its pictures."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from treatise._core.figures import axes_for
from treatise.sequence.hmm.decoder import HMMDecoder
from treatise.sequence.hmm.path_risks import PathRisks

_ALPHAS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class DecodingPath:
    """Decodings for rising weights of the path against its states.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        Weights, rising.
    paths : ndarray of int, of shape (n_alphas, T)
        Numbers of the states, the sequences one after another.
    risks : list of PathRisks
        Risks for each alpha.
    offsets : ndarray of shape (n + 1,)
        Where each sequence begins, and the end.
    states : ndarray of shape (K,)
        Names of the states.
    """

    alphas: np.ndarray
    paths: np.ndarray
    risks: list[PathRisks]
    offsets: np.ndarray
    states: np.ndarray

    def plot(self, sequence=0, *, truth=None, ax=None):
        """Draw the paths of one sequence, a row for each alpha: what stays from row to row is certain.

        Parameters
        ----------
        sequence : int, default=0
            Which sequence.
        truth : array-like of int or None, default=None
            Numbers of the true states, drawn on top.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        from matplotlib.colors import ListedColormap

        ax = axes_for(ax, figsize=(10, 4))
        n = len(self.offsets) - 1
        if not -n <= sequence < n:
            raise ValueError(f"sequence={sequence} is not among the {n} sequences")
        rows = self.paths[:, self.offsets[sequence % n] : self.offsets[sequence % n + 1]]
        names = [f"{alpha:g}" for alpha in self.alphas]
        if truth is not None:
            truth = np.asarray(truth)
            if truth.shape != rows.shape[1:]:
                raise ValueError(f"truth has the shape {truth.shape}; the sequence has {rows.shape[1]} positions")
            rows, names = np.vstack([truth, rows]), ["truth", *names]
        K = len(self.states)
        colours = ListedColormap(_colours(K))
        image = ax.imshow(rows, aspect="auto", interpolation="nearest", cmap=colours, vmin=-0.5, vmax=K - 0.5)
        ax.set_yticks(range(len(names)), names)
        ax.set_xlabel("position")
        ax.set_ylabel("alpha (0: posterior decoding, 1: Viterbi)")
        bar = ax.figure.colorbar(image, ax=ax, ticks=range(K))
        bar.ax.set_yticklabels([str(state) for state in self.states])
        bar.set_label("state")
        return ax

    def plot_risks(self, *, ax=None):
        """Draw the trade-off: expected error rate against the risk of the path, both averaged over positions.

        Alphas whose paths are impossible have an infinite risk and are left out.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        ax = axes_for(ax, figsize=(10, 4))
        lengths = np.diff(self.offsets)
        points = np.array(
            [
                (np.average(risk.log_path, weights=lengths), np.average(risk.error, weights=lengths))
                for risk in self.risks
            ]
        )
        drawn = np.isfinite(points[:, 0])
        ax.plot(points[drawn, 0], 100 * points[drawn, 1], "o-", color="#1b6ca8")
        for alpha, (x, y) in zip(self.alphas[drawn], points[drawn]):
            ax.annotate(f"{alpha:g}", (x, 100 * y), textcoords="offset points", xytext=(4, 4), fontsize="small")
        ax.set_xlabel("minus log posterior probability of the path, per position")
        ax.set_ylabel("expected wrong states (%)")
        return ax


def decoding_path(chains, alphas=None, *, decoder=None):
    """Decode for many weights of the path against its states.

    From posterior decoding (alpha 0) to Viterbi (1) the path's probability only rises and its states' only fall
    (Corollary 15). Reading the rows shows which segments depend on the criterion. One forward-backward pass, then
    O(T K^2) for each alpha.

    Parameters
    ----------
    chains : HiddenChains
        The model and what was observed.
    alphas : array-like of floats in [0, 1] or None, default=None
        Weights; None is a list from 0 to 1, closer at the ends.
    decoder : HMMDecoder or None, default=None
        Its family, constraint, loss and labels are used; None is the default hybrid.

    Returns
    -------
    path : DecodingPath

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import HiddenChains, decoding_path
    >>> seen = np.log([[0.5, 0.1], [0.5, 0.7], [0.7, 0.9], [0.5, 0.6]])
    >>> path = decoding_path(HiddenChains([0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], seen), [0, 0.5, 1])
    >>> path.paths
    array([[0, 0, 1, 1],
           [0, 1, 1, 1],
           [0, 0, 0, 0]])

    References
    ----------
    .. [1] Paper v15-0001, equation 38, Figure 1.
    """
    alphas = np.sort(np.asarray(_ALPHAS if alphas is None else alphas, np.float64))
    if alphas.ndim != 1 or len(alphas) == 0:
        raise ValueError(f"alphas must be a list of numbers in [0, 1]; its shape is {alphas.shape}")
    decoder = HMMDecoder() if decoder is None else decoder
    if decoder.method != "hybrid":
        raise ValueError(f"method={decoder.method!r} has no alpha; the decoding path needs method='hybrid'")
    found = [clone(decoder).set_params(alpha=float(a), k=None, weights=None).decode(chains) for a in alphas]
    return DecodingPath(
        alphas, np.array([each.paths for each in found]), [each.risks for each in found], chains.offsets, chains.states
    )


def _colours(n):
    from matplotlib import colormaps

    if n <= 20:
        return colormaps["tab10" if n <= 10 else "tab20"](np.arange(n))
    return colormaps["turbo"](np.linspace(0, 1, n))
