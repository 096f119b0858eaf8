"""Learning from answers about pairs, round by round (paper v15-0885, Algorithm 1): questions, budget, answers."""

import warnings
from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy.optimize import brentq
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import finite, is_array, is_count, is_number
from treatise.semisupervised.active._answers import AnswerBook, are_pair_numbers
from treatise.semisupervised.active.regret import RelativeRegret, is_solution

CHECKED = 5
"""Questions that ``fit`` asks a second time, the other way round, to see whether the oracle knows what it is asked."""


class ActivePairLearner(InheritsDocumentation, BaseEstimator):
    """Base of learners that ask about pairs of items.

    Parameters
    ----------
    samples : "auto" or float, default="auto"
        How many others each item is compared with, in each neighbourhood and round (the paper's p and q). "auto" is
        what spreads ``max_queries`` over the rounds, or else a fraction of log n: the constants of the theory ask for
        more than all pairs.
    n_rounds : int, default=10
        Most rounds of asking and solving anew; two in a row that change nothing are the last.
    sampling : {"bernoulli", "paper"}, default="bernoulli"
        Each pair by its own chance, with earlier answers used again, or draws with replacement as in the paper's
        algorithms, where each round counts its own draws alone.
    n_restarts : int, default=3
        Further starts of the local search.
    max_queries : int or None, default=None
        Questions that may be asked in all; None sets no limit.
    contradictions : {"error", "majority"}, default="error"
        What to do where a pair was answered both ways: refuse, or count votes, an even vote saying nothing.
    random_state : int, Generator or None, default=None
        Seed of questions and starts.

    Attributes
    ----------
    n_items_ : int
        Number of items.
    n_queries_ : int
        Questions answered, or passed over, so far.
    contradictions_ : ndarray of int of shape (n, 2)
        Pairs that were answered both ways.
    history_ : list of dict
        For each round the questions so far, the pairs known, the estimated error, and the estimated change from the
        solution before (never positive).
    converged_ : bool
        Whether the last two rounds left the solution as it was. Where ``n_rounds`` ended before that, ``fit`` tells.
        Not under ``max_queries``, a limit that was asked for, nor with the sampling of the paper, whose rounds
        each draw anew and do not settle.
    """

    _ordered: bool
    _parameter_constraints: dict = {
        "samples": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "sampling": [StrOptions({"bernoulli", "paper"})],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "max_queries": [Interval(Integral, None, None, closed="neither"), None],
        "contradictions": [StrOptions({"error", "majority"})],
        "random_state": ["random_state", np.random.Generator],
    }

    def begin(self, n_items, *, init=None):
        """Forget everything and get ready to :meth:`ask`.

        Parameters
        ----------
        n_items : int
            Items are 0 to n_items - 1.
        init : array-like of int of shape (n_items,) or None, default=None
            Solution to begin with; None draws one.

        Returns
        -------
        self
        """
        self._validate_params()
        if isinstance(n_items, bool) or not isinstance(n_items, Integral) or n_items < 2:
            raise ValueError(f"n_items={n_items!r}: there must be at least two items to compare")
        if self.max_queries is not None and self.max_queries < 1:
            raise ValueError(
                f"max_queries={self.max_queries} leaves no question to ask; allow at least one for each item, "
                f"{n_items}, or None for no limit"
            )
        self.n_items_ = int(n_items)
        self._rng = np.random.default_rng(self.random_state)
        self._book = AnswerBook(self.n_items_, self._ordered)
        self._solution = self._first(init)
        self._rounds, self._sample = [], None
        self._pending = self._passed = np.empty(0, dtype=np.int64)
        self.n_queries_, self.history_, self.converged_ = 0, [], False
        self._publish()
        return self

    def ask(self, size=None):
        """The next questions.

        Parameters
        ----------
        size : int or None, default=None
            Most questions to give at once; None gives all of the round.

        Returns
        -------
        pairs : ndarray of int of shape (n, 2)
            Pairs without an answer so far; none when rounds or questions are used up, or the solution has settled.
            Asking again before answering gives the same pairs.
        """
        check_is_fitted(self, "n_items_")
        while not len(self._pending) and len(self._rounds) < self.n_rounds and self._left() > 0 and not self._settled():
            self._draw()
            if not len(self._pending):
                self._learn()
        return self._book.pairs_of(self._pending[:size])

    def tell(self, pairs, answers):
        """Take answers, and solve anew once a round has all of its own.

        Parameters
        ----------
        pairs : array-like of int of shape (n, 2)
            Pairs of items, in either order; those that were asked, or others that are known already.
        answers : array-like of shape (n,)
            1 or True for yes, 0 or False for no, None or NaN for no answer.

        Returns
        -------
        self
        """
        check_is_fitted(self, "n_items_")
        pairs, said = self._book.read(pairs, answers)
        keys = self._book.keys_of(pairs)
        self.n_queries_ += len(pairs)
        known = ~np.isnan(said)
        self._book.add(pairs[known], said[known])
        self.contradictions_ = self._book.contradictions
        if self.contradictions == "error" and len(self.contradictions_):
            u, v = self.contradictions_[0]
            raise ValueError(
                f"items {u} and {v} were compared twice with opposite answers, and {len(self.contradictions_)} such "
                'pairs in all; ask each pair once, or count votes by contradictions="majority"'
            )
        self._passed = np.union1d(self._passed, keys[~known])
        waiting = len(self._pending)
        self._pending = self._pending[~np.isin(self._pending, keys)]
        if waiting and not len(self._pending):
            self._learn()
        return self

    def update(self):
        """Solve anew from the answers so far, without waiting for the rest of a round.

        Returns
        -------
        self
        """
        check_is_fitted(self, "n_items_")
        if len(self._book):
            self._learn()
        return self

    def _ask_all(self, oracle):
        """Ask an oracle until rounds or questions are used up."""
        if not callable(oracle):
            raise TypeError(
                f"oracle must be callable with an array of pairs and give an answer for each, got "
                f"{type(oracle).__name__}; a function of two items goes into OneByOne"
            )
        while len(pairs := self.ask()):
            answers = oracle(pairs)
            if not self.history_:
                self._check(oracle, *self._book.read(pairs, answers))
            self.tell(pairs, answers)
        if not len(self._book):
            raise ValueError(
                f"the oracle answered none of {self.n_queries_} questions; there is nothing to learn from: give 1 or 0 "
                "where it knows"
            )
        if not self.converged_ and self.max_queries is None and self.sampling == "bernoulli":
            warnings.warn(
                f"the last answers still changed the solution after n_rounds={self.n_rounds} rounds; raise it to ask "
                "on, or set max_queries to what may be asked",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _check(self, oracle, pairs, answers):
        """Ask a few pairs the other way round; an oracle that does not mind the order is no oracle of orders."""
        if self._left() < 10 * CHECKED:
            return
        again, said = self._book.read(pairs[:CHECKED, ::-1], oracle(pairs[:CHECKED, ::-1]))
        self.n_queries_ += len(again)
        self._pending = self._pending[: self._left()]
        first = answers[:CHECKED]
        wrong = np.sum(said == first) if self._ordered else np.sum(said == 1.0 - first)
        if 2 * wrong > len(again):
            meaning = "1 where the first item comes before the second" if self._ordered else "the same for both orders"
            raise ValueError(
                f"the oracle contradicts itself: of {len(again)} pairs asked again the other way round, {wrong} got an "
                f"answer that does not fit the first; it must give {meaning}"
            )

    def _settled(self):
        """Whether the answers of two rounds in a row left the solution as it was."""
        last = self.history_[-3:]
        asked = np.diff([entry["n_queries"] for entry in last])
        return len(last) == 3 and bool(asked.all()) and all(entry["change"] == 0.0 for entry in last[1:])

    def _samples(self):
        """The number given, the usual one, or the one that spreads the questions left over the rounds left."""
        if self.samples != "auto":
            return float(self.samples)
        if self.max_queries is None:
            return self._usual_samples()
        share = max(self._left() / (self.n_rounds - len(self._rounds)), 1.0)
        known = self._book.pairs_of(self._book.keys)

        def excess(samples):
            again = self._chances(self._solution, known, samples).sum() if len(known) else 0.0
            return self._expected(samples) - again - share

        most = float(self.n_items_)
        return most if excess(most) <= 0.0 else float(brentq(excess, 1e-9, most, rtol=1e-3))

    def _left(self):
        """Questions that may still be asked."""
        return np.iinfo(np.int64).max if self.max_queries is None else max(self.max_queries - self.n_queries_, 0)

    def _draw(self):
        """A new sample around the solution, and the questions that it leaves open."""
        samples = self._samples()
        if self.sampling == "bernoulli":
            keys, weights = self._book.keys_of(self._drawn(samples)), None
        else:
            pairs, weights = self._drawn_with_replacement(max(1, round(samples)))
            keys, place = np.unique(self._book.keys_of(pairs), return_inverse=True)
            weights = np.bincount(place, weights)
        open_ = ~(self._book.knows(keys) | np.isin(keys, self._passed))
        asked, share = keys[open_], 1.0
        if len(asked) > self._left():
            share = self._left() / len(asked)
            asked = self._rng.choice(asked, self._left(), replace=False)
        self._pending = self._rng.permutation(asked)
        self._rounds.append((self._solution.copy(), samples, share))
        if weights is not None:
            self._sample = keys, np.where(open_, weights / share, weights)

    def _known_sample(self):
        """Pairs with answers, and how many pairs each stands for."""
        if self.sampling == "paper" and self._sample is not None:
            keys, weights = self._sample
            known = self._book.knows(keys)
            return keys[known], weights[known]
        keys = self._book.keys
        if not self._rounds:  # answers that nobody asked for count as drawn at random
            return keys, np.full(len(keys), self.n_items_ * (self.n_items_ - 1) / 2 / max(len(keys), 1))
        pairs, missed = self._book.pairs_of(keys), np.ones(len(keys))
        for solution, samples, share in self._rounds:
            missed *= 1.0 - share * self._chances(solution, pairs, samples)
        return keys, 1.0 / np.maximum(1.0 - missed, 1e-6)

    def _learn(self):
        """Algorithm 1: the solution of least estimated error is the next pivot."""
        keys, weights = self._known_sample()
        answers = self._book.leanings(keys)
        regret = RelativeRegret(self._book.pairs_of(keys), weights, answers, self._solution, self._ordered)
        solution = self._solved(regret)
        change = regret.evaluate(solution)
        self.regret_ = regret
        self._solution = solution
        total = max(float(weights[answers != 0].sum()), 1.0)
        self.history_.append(
            {
                "n_queries": self.n_queries_,
                "n_pairs": len(keys),
                "error": float(regret.losses(solution).sum()) / total,
                "change": change,
            }
        )
        last = self.history_[-2:]
        self.converged_ = len(last) == 2 and all(entry["change"] == 0.0 for entry in last)
        self._publish()

    def _invariants(self):
        n, book = self.n_items_, self._book
        yield "answers are about the items", isinstance(book, AnswerBook) and (book.n_items, book.ordered) == (
            n, self._ordered,
        )  # fmt: skip
        solutions = [self._solution, *(solution for solution, _, _ in self._rounds)]
        yield "solutions are of the items", all(self._is_sound(solution) for solution in solutions)
        drawn = [number for _, samples, share in self._rounds for number in (samples, share)]
        yield "rounds say how many pairs were drawn", all(is_number(number) and number > 0 for number in drawn)
        yield "questions are about pairs of items", are_pair_numbers(self._pending, n)
        yield "what was passed over are pairs of items", are_pair_numbers(self._passed, n)
        if self._sample is not None:
            keys, weights = self._sample
            yield "pairs of the sample are of items", are_pair_numbers(keys, n)
            yield "pairs of the sample have weights", is_array(weights, np.float64, len(keys)) and finite(weights)
        yield "randomness has a generator", isinstance(self._rng, np.random.Generator)
        yield "questions are counted", is_count(self.n_queries_)
        told = all(is_count(entry["n_queries"]) and is_number(entry["change"]) for entry in self.history_)
        yield "every round has its entry in the history", told
        yield "a search starts anew at most ten thousand times", self.n_restarts <= 10_000

    def _is_sound(self, solution):
        """Whether a solution is one of the items."""
        return is_solution(solution, self.n_items_, self._ordered)

    @abstractmethod
    def _first(self, init): ...

    @abstractmethod
    def _usual_samples(self): ...

    @abstractmethod
    def _expected(self, samples):
        """Pairs that a round draws on average."""

    @abstractmethod
    def _drawn(self, samples): ...

    @abstractmethod
    def _drawn_with_replacement(self, samples): ...

    @abstractmethod
    def _chances(self, solution, pairs, samples): ...

    @abstractmethod
    def _solved(self, regret): ...

    @abstractmethod
    def _publish(self): ...
