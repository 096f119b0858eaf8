"""Pictures of dependency trees."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.sequence.dependency.measures import checked_heads


def plot_dependency_tree(words, heads, *, tags=None, gold=None, probabilities=None, ax=None):
    """Draw a tree as arcs from heads to their dependents above the words.

    Parameters
    ----------
    words : sequence of str
        What stands below: words, or tags.
    heads : array-like of int of shape (n,)
        The head of each word, -1 for the root.
    tags : sequence of str or None, default=None
        A second line below the words.
    gold : array-like of int of shape (n,) or None, default=None
        True heads: wrong arcs are then drawn red, and the true ones dashed.
    probabilities : array-like of shape (n, n + 1) or None, default=None
        Of heads, as :meth:`DependencyModelWithValence.predict_proba` gives them: written on the arcs.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from treatise.sequence import plot_dependency_tree
    >>> ax = plot_dependency_tree(["the", "cat", "sleeps"], [1, 2, -1], tags=["D", "N", "V"])
    """
    heads = checked_heads(heads, "heads")
    true = None if gold is None else checked_heads(gold, "gold")
    for name, each in (("words", words), ("tags", tags), ("gold", gold)):
        if each is not None and len(each) != len(heads):
            raise ValueError(f"{name} has {len(each)} entries for the {len(heads)} words of heads")
    if probabilities is not None and np.shape(probabilities) != (len(heads), len(heads) + 1):
        raise ValueError(f"probabilities has the shape {np.shape(probabilities)}; it is {(len(heads), len(heads) + 1)}")
    ax = axes_for(ax, figsize=(max(3.0, 1.1 * len(heads)), 3.0))
    tallest = 1.0
    for c, h in enumerate(heads):
        wrong = true is not None and true[c] != h
        share = None if probabilities is None else float(np.asarray(probabilities)[c, h])
        tallest = max(tallest, _arc(ax, h, c, "tab:red" if wrong else "tab:blue", "-", share))
        if true is not None and wrong:
            tallest = max(tallest, _arc(ax, true[c], c, "0.6", "--", None))
    for c, word in enumerate(words):
        ax.text(c, -0.12, str(word), ha="center", va="top")
        if tags is not None:
            ax.text(c, -0.45, str(tags[c]), ha="center", va="top", color="0.5", fontsize="small")
    ax.set(xlim=(-0.7, len(heads) - 0.3), ylim=(-0.8, tallest + 0.4))
    ax.axis("off")
    return ax


def _arc(ax, head, child, colour, style, share):
    """Half an ellipse with its arrow at the dependent, or a straight one from above at the root; returns its height."""
    if head < 0:
        height = 1.0
        ax.annotate("", (child, 0), (child, height), arrowprops={"arrowstyle": "->", "color": colour, "ls": style})
        label = (child + 0.05, 0.8)
    else:
        height = 0.5 * abs(head - child) ** 0.8
        # Arcs leave a head beside one another, and meet the dependent in its middle.
        begin, end = head + 0.12 * np.sign(child - head), float(child)
        angle = np.linspace(0.0, np.pi, 60)
        ax.plot(
            0.5 * (begin + end) + 0.5 * (begin - end) * np.cos(angle), height * np.sin(angle), color=colour, ls=style
        )
        ax.annotate(
            "", (end, 0), (end - 0.02 * np.sign(end - begin), 0.12), arrowprops={"arrowstyle": "->", "color": colour}
        )
        label = (0.5 * (begin + end), height)
    if share is not None:
        ax.text(
            *label, f"{share:.2f}", ha="left" if head < 0 else "center", va="bottom", fontsize="small", color=colour
        )
    return height
