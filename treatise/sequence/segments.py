"""Labelled segments of sequences: from labels of positions and back, and how well found ones agree with true ones."""

from itertools import groupby


def segments_from_labels(labels):
    """Runs of equal labels as segments.

    Parameters
    ----------
    labels : sequence
        The label of every position.

    Returns
    -------
    segments : list of (start, end, label)
        The end exclusive.

    Examples
    --------
    >>> from treatise.sequence import segments_from_labels
    >>> segments_from_labels(["a", "a", "b"])
    [(0, 2, 'a'), (2, 3, 'b')]
    """
    segments, start = [], 0
    for label, run in groupby(labels):
        end = start + len(list(run))
        segments.append((start, end, label))
        start = end
    return segments


def labels_from_segments(segments):
    """The label of every position, of segments (start, end, label) that cover a sequence in order."""
    return [label for start, end, label in segments for _ in range(end - start)]


def segment_f1(true, predicted, *, ignore=()):
    """Harmonic mean of precision and recall of segments: right only with both ends and the label right.

    Parameters
    ----------
    true, predicted : list of lists of (start, end, label)
        Segments of each sequence.
    ignore : collection, default=()
        Labels whose segments are not counted (that of everything else, often ``"O"``).

    Returns
    -------
    f1 : float
        Over all sequences together; 1 where there is nothing to find and nothing was found.

    Examples
    --------
    >>> from treatise.sequence import segment_f1
    >>> segment_f1([[(0, 2, "a"), (2, 3, "b")]], [[(0, 2, "a"), (2, 3, "c")]])
    0.5
    """
    if len(true) != len(predicted):
        raise ValueError(f"there are segments of {len(true)} sequences and of {len(predicted)}")
    hits = found = there = 0
    for s, (expected, given) in enumerate(zip(true, predicted)):
        if not all(isinstance(segment, (tuple, list)) and len(segment) == 3 for segment in (*expected, *given)):
            raise ValueError(f"sequence {s} (counted from 0) holds no (start, end, label); see segments_from_labels")
        expected = {tuple(segment) for segment in expected if segment[2] not in ignore}
        given = {tuple(segment) for segment in given if segment[2] not in ignore}
        hits, there, found = hits + len(expected & given), there + len(expected), found + len(given)
    return 2.0 * hits / (there + found) if there + found else 1.0
