"""Descriptions written once in a base class and inherited by the docstrings of its subclasses."""

import inspect
from doctest import DocTestFinder

from treatise._core.documentation import InheritsDocumentation


class Learner(InheritsDocumentation):
    """What all have.

    Parameters
    ----------
    depth : int, default=1
        How deep, and
        no deeper.
    seed : int, default=0
        Of the draws.

    Attributes
    ----------
    low_, high_ : float
        Limits.
    weights_ : ndarray
        Weights.
    """

    def __init__(self, *, depth=1, seed=0):
        self.depth, self.seed = depth, seed


class Special(Learner):
    """One of them.

    It has a text.

    Parameters
    ----------
    rate : float, default=1.0
        Its own.

    Attributes
    ----------
    weights_ : list
        Otherwise here.
    rate_ : float
        In use.

    Notes
    -----
    A note - with a dash.

    Examples
    --------
    >>> 1 + 1
    2
    """

    def __init__(self, rate=1.0, *, depth=1):
        super().__init__(depth=depth)
        self.rate = rate


class MoreSpecial(Special):
    """A third generation."""


class Bare(Learner):
    pass


def test_subclass_gets_the_entries_that_it_does_not_write_itself():
    assert inspect.getdoc(Special) == inspect.cleandoc(
        """One of them.

        It has a text.

        Parameters
        ----------
        rate : float, default=1.0
            Its own.
        depth : int, default=1
            How deep, and
            no deeper.

        Attributes
        ----------
        low_, high_ : float
            Limits.
        weights_ : list
            Otherwise here.
        rate_ : float
            In use.

        Notes
        -----
        A note - with a dash.

        Examples
        --------
        >>> 1 + 1
        2
        """
    )


def test_parameters_that_the_constructor_does_not_take_are_left_out():
    assert "seed" not in Special.__doc__
    assert "seed : int" in Learner.__doc__


def test_a_docstring_without_sections_gets_them_and_every_generation_passes_them_on():
    text = inspect.getdoc(MoreSpecial)
    assert text.startswith("A third generation.\n\nParameters\n----------\nrate : float")
    assert "weights_ : list" in text
    assert "weights_ : ndarray" not in text
    assert "Notes" not in text


def test_a_class_without_docstring_stays_without():
    assert Bare.__doc__ is None


def test_examples_are_found_by_doctest():
    (test,) = DocTestFinder(recurse=False).find(Special)
    assert [example.source for example in test.examples] == ["1 + 1\n"]
