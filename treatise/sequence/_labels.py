"""Labels of the positions of sequences: as lists, as numbers, and how many are right."""

import numpy as np


def label_lists(labels, lengths=None):
    """Labels of each sequence as lists, refused where they are not as many as its positions.

    Parameters
    ----------
    labels : list of sequences
        Labels of each sequence.
    lengths : sequence of int or None, default=None
        Lengths that they must have; None leaves that to others.
    """
    listed = []
    for s, each in enumerate(labels):
        try:
            listed.append(list(each))
        except TypeError:
            raise ValueError(
                f"the labels of sequence {s} (counted from 0) are {each!r}; they must be a list, one for each position"
            ) from None
    if lengths is None:
        return listed
    if len(listed) != len(lengths):
        raise ValueError(f"there are {len(lengths)} sequences and labels for {len(listed)}")
    for s, (each, length) in enumerate(zip(listed, lengths)):
        if len(each) != length:
            raise ValueError(f"sequence {s} (counted from 0) has {length} positions and {len(each)} labels")
    return listed


def coded_labels(labels, lengths, classes=None):
    """Labels of all positions as numbers, and the classes.

    Parameters
    ----------
    labels : list of sequences
        Labels of each sequence.
    lengths : ndarray
        Lengths that they must have.
    classes : ndarray or None, default=None
        The classes; None finds them.
    """
    labels = label_lists(labels, lengths)
    flat = [label for each in labels for label in each]
    if classes is None:
        kinds = {isinstance(label, str) for label in flat}
        if len(kinds) > 1:
            raise ValueError("some labels are strings and some are not; give all in one form")
        if any(label != label for label in flat):
            raise ValueError("a label is NaN; every position needs a label")
        classes = np.array(sorted(set(flat)))
    number = {label: i for i, label in enumerate(classes.tolist())}
    try:
        return np.array([number[label] for label in flat], np.int64), classes
    except KeyError as error:
        raise ValueError(f"label {error.args[0]!r} did not occur in training") from None


def position_accuracy(predicted, labels):
    """Share of positions whose label is the predicted one."""
    labels = label_lists(labels, [len(path) for path in predicted])
    return float(np.mean([p == y for given, path in zip(labels, predicted) for y, p in zip(given, path)]))
