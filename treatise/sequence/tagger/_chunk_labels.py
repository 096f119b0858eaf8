"""Labels of positions that stand for segments: chunks written B-, I-, O, or runs of equal labels."""

from itertools import pairwise

from treatise.sequence.segments import segments_from_labels

OUTSIDE = "O"


def are_chunks(labels):
    """Whether every sequence of labels is of the form B-x, I-x, O, with each I-x after a B-x or I-x.

    Parameters
    ----------
    labels : list of lists of str
        The labels of each sequence.
    """
    seen = {label for path in labels for label in path}
    if not all(isinstance(label, str) and (label == OUTSIDE or label[:2] in ("B-", "I-")) for label in seen):
        return False
    kinds = {label[2:] for label in seen if label != OUTSIDE}
    if not any(label[:2] == "I-" for label in seen) or kinds & {"", OUTSIDE}:
        return False
    return all(
        after[:2] != "I-" or before[2:] == after[2:] for path in labels for before, after in pairwise([OUTSIDE, *path])
    )


def chunks(path):
    """Segments of the chunks of one sequence, and one of label O for each position outside."""
    segments: list[tuple[int, int, str]] = []
    for t, label in enumerate(path):
        if label[:2] == "I-":
            start, _, kind = segments.pop()
            segments.append((start, t + 1, kind))
        else:
            segments.append((t, t + 1, label if label == OUTSIDE else label[2:]))
    return segments


def chunk_labels(segments):
    """Labels B-x, I-x and O of segments."""
    return [
        OUTSIDE if kind == OUTSIDE else f"{'B' if t == start else 'I'}-{kind}"
        for start, end, kind in segments
        for t in range(start, end)
    ]


def runs(path, longest):
    """Runs of equal labels, those of more than ``longest`` positions (if not None) cut into pieces of so many."""
    if longest is None:
        return segments_from_labels(path)
    return [
        (at, min(at + longest, end), label)
        for start, end, label in segments_from_labels(path)
        for at in range(start, end, longest)
    ]
