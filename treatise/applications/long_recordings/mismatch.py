"""How unlike two recordings are, by their symbols (Syed & Guttag, JMLR 12:999, section 3.2)."""

import numpy as np

from treatise._core.progress import progress
from treatise.statistics import dtw_pairwise
from treatise.statistics.warping import packed_series


def symbolic_mismatch(recordings, others=None, *, window=None, cost="squared", normalize=False, show_progress=None):
    """Expected cost of aligning a segment of one recording with one of another.

    Segments are drawn by the frequencies of the symbols that stand for them: ``F_p' C F_q`` with the costs C between
    the symbols. No symbol of one recording is matched with one of another beforehand. The matrix is symmetric, but a
    recording has a mismatch with itself, its own variety. Costs n^2 s^2 alignments for n recordings of s symbols; the
    memory is one recording's symbols against all.

    Parameters
    ----------
    recordings : list of SegmentSymbolizer or of (centroids, frequencies)
        Symbols of each recording.
    others : list of the same or None, default=None
        What to compare them with; None compares all with all.
    window : int or None, default=None
        How many places matched values may be apart in an alignment, besides what lengths differ by.
    cost : {"squared", "absolute"}, default="squared"
        Of matching two values.
    normalize : bool, default=False
        Whether costs are divided by the sum of the lengths.
    show_progress : bool or None, default=None
        None shows a bar on a terminal.

    Returns
    -------
    mismatch : ndarray of shape (n_recordings, n_others)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.applications import symbolic_mismatch
    >>> calm, wild = ([np.zeros(3)], [1.0]), ([np.zeros(3), np.ones(3)], [0.5, 0.5])
    >>> symbolic_mismatch([calm, wild])
    array([[0. , 1.5],
           [1.5, 1.5]])

    References
    ----------
    .. [1] Paper v12-0999, equation 1.
    """
    rows = _symbols(recordings, "recordings")
    columns = rows if others is None else _symbols(others, "others")
    options = {"window": window, "cost": cost, "normalize": normalize}
    centroids = [centroid for each, _ in columns for centroid in each]
    weights = np.concatenate([frequencies for _, frequencies in columns])
    edges = np.concatenate([[0], np.cumsum([len(each) for each, _ in columns])])
    out = np.zeros((len(rows), len(columns)))
    with progress("comparing recordings", len(rows), show=show_progress) as done:
        for p, (symbols, frequencies) in enumerate(rows):
            first = p if others is None else 0
            costs = dtw_pairwise(symbols, centroids[edges[first] :], **options)
            expected = (frequencies @ costs) * weights[edges[first] :]
            out[p, first:] = np.add.reduceat(expected, edges[first:-1] - edges[first])
            done(1)
    return np.triu(out) + np.triu(out, 1).T if others is None else out


def _symbols(recordings, name):
    """Centroids and frequencies of each recording."""
    found = []
    for place, each in enumerate(recordings):
        if hasattr(each, "centroids_"):
            centroids, frequencies = each.centroids_, each.frequencies_
        elif isinstance(each, tuple) and len(each) == 2:
            centroids, frequencies = each
        else:
            raise ValueError(
                f"number {place} of {name} is a {type(each).__name__}; give fitted SegmentSymbolizers, or pairs of "
                "centroids and their frequencies"
            )
        packed = packed_series(centroids, f"the symbols of number {place} of {name}")
        frequencies = np.asarray(frequencies, dtype=np.float64)
        if frequencies.shape != (len(packed.lengths),):
            raise ValueError(
                f"number {place} of {name} has {len(packed.lengths)} symbols and frequencies of the shape "
                f"{frequencies.shape}; give one for each"
            )
        if not np.isfinite(frequencies).all() or (frequencies < 0).any() or abs(frequencies.sum() - 1.0) > 1e-6:
            raise ValueError(f"the frequencies of number {place} of {name} are no shares of a whole; they sum to 1")
        found.append(([packed.one(i) for i in range(len(frequencies))], frequencies))
    if not found:
        raise ValueError(f"{name} holds nothing; give at least one recording")
    return found
