"""Trees drawn head by head, each with its dependents from the outermost inwards."""

import numpy as np

_TRIES = 1000


class _TooLong(Exception):
    pass


def draw_trees(root, child, stop, n_sentences, max_length, random):
    """Sentences as numbers of tags, and their heads; longer ones are drawn again."""
    sentences, heads = [], []
    upto = np.cumsum(child, axis=-1)
    upto_root = np.cumsum(root)
    tries = 0
    while len(sentences) < n_sentences:
        tries += 1
        if tries > _TRIES * n_sentences:
            raise ValueError(
                f"fewer than one in {_TRIES} drawn sentences has at most max_length={max_length} words; raise it"
            )
        try:
            tree = _Draw(upto, stop, max_length, random).subtree(_drawn(upto_root, random))
        except _TooLong:
            continue
        tags: list[int] = []
        above: list[int] = []
        _lay_out(tree, -1, tags, above)
        sentences.append(np.array(tags))
        heads.append(np.array(above))
    return sentences, heads


class _Draw:
    """One tree, grown until it is done or too long."""

    def __init__(self, upto, stop, max_length, random):
        self.upto, self.stop, self.left, self.random = upto, stop, max_length, random

    def subtree(self, tag):
        """A tag with its dependents on the left and on the right, each from the outermost inwards."""
        self.left -= 1
        if self.left < 0:
            raise _TooLong
        sides: tuple[list, list] = ([], [])
        for side, taken in enumerate(sides):
            while self.random.uniform() >= self.stop[tag, side, min(len(taken), self.stop.shape[2] - 1)]:
                choice = self.upto[tag, side, min(len(taken), self.upto.shape[2] - 1)]
                taken.append(self.subtree(_drawn(choice, self.random)))
        return tag, sides[0], sides[1]


def _drawn(upto, random):
    """A place as probable as its rise; a rise of zero is never drawn."""
    return int(np.searchsorted(upto, random.uniform() * upto[-1], side="right"))


def _lay_out(tree, head, tags, heads):
    """Write a subtree from left to right; returns the place of its head."""
    tag, left, right = tree
    waiting = [_lay_out(each, -1, tags, heads) for each in left]
    place = len(tags)
    tags.append(tag)
    heads.append(head)
    waiting += [_lay_out(each, -1, tags, heads) for each in reversed(right)]
    for each in waiting:
        heads[each] = place
    return place
