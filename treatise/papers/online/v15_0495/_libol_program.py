"""What the program behind LIBOL's Table 1 did besides the published algorithms: its random orders, and its slips.

The orders are those of the generators that MATLAB and the C run-time of its MEX files used in 2013, so that the
published run can be repeated example for example.
"""

import math
from typing import Any

import numpy as np

from treatise._core.jit import compiled
from treatise.online import ROMMA, SecondOrderPerceptron, SoftConfidenceWeighted
from treatise.online._row_loops import Stream, dot, example
from treatise.online.rules._gaussian_loops import contraction, narrow, whiten
from treatise.online.rules.confidence_weighted import gained_precision
from treatise.papers.online.v15_0495._comparison import AS_PUBLISHED


def search_order(n: int) -> np.ndarray:
    """The order on which parameters are chosen: ``rand('seed', 0); randperm(n)`` in MATLAB, which sorts numbers."""
    return np.argsort(_congruential_uniforms(n), kind="stable")


@compiled
def _congruential_uniforms(n: int) -> np.ndarray:
    """Uniform numbers of MATLAB 4's generator, 16807 s mod (2^31 - 1), from the state that the seed 0 stands for."""
    modulus, state = np.int64(2**31 - 1), np.int64(470211272)
    numbers = np.empty(n)
    for i in range(n):
        numbers[i] = state / modulus
        state = state * 16807 % modulus
    return numbers


@compiled
def run_order(n: int, seed: int) -> np.ndarray:
    """The order of a run: ``random_shuffle`` after ``srand(seed)``, with the 15-bit generator of Visual C++."""
    order, state = np.arange(n), np.int64(seed)
    for i in range(1, n):
        draw, largest = np.int64(0), np.int64(0)
        while largest < i + 1:
            state = (state * 214013 + 2531011) & 0xFFFFFFFF
            draw, largest = (draw << 15) | ((state >> 16) & 0x7FFF), (largest << 15) | 0x7FFF
        j = draw % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


class LongFirstStep(ROMMA):
    """ROMMA whose first step is y x, not y x / |x|^2: a functional margin of |x|^2 in place of one."""

    def _walk(self, stream: Stream, positive: int, learner: int, scores: np.ndarray, updated: np.ndarray) -> None:
        state, turn = self._state[learner], 0
        while state[1] == 0.0 and turn < len(scores):
            one = slice(turn, turn + 1)
            super()._walk(stream._replace(order=stream.order[one]), positive, learner, scores[one], updated[one])
            turn += 1
            if state[1] > 0.0:
                self._weights[:, learner] /= state[1]
                state[1] = 1.0 / state[1]
        rest = slice(turn, None)
        super()._walk(stream._replace(order=stream.order[rest]), positive, learner, scores[rest], updated[rest])


class MistypedSoftConfidence(SoftConfidenceWeighted):
    """SCW-II with the step of the program, in which two squares are typed as products with two."""

    def _walk(self, stream: Stream, positive: int, learner: int, scores: np.ndarray, updated: np.ndarray) -> None:
        _, phi, C = self._rule()
        _mistyped_belief(stream, positive, phi, C, self._weights[:, 0], self._spread[0], scores, updated)


@compiled
def _mistyped_belief(
    stream: Stream,
    positive: int,
    phi: float,
    C: float,
    mean: np.ndarray,
    root: np.ndarray,
    scores: np.ndarray,
    updated: np.ndarray,
) -> None:
    whitened = np.empty(len(mean))
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = dot(mean, indices, values)
        v, m = whiten(root, indices, values, whitened), y * scores[t]
        updated[t] = phi * math.sqrt(v) > m
        if updated[t]:
            n = v + 0.5 / C
            gain = math.sqrt(phi**4 * m * m * v * 2.0 + 4.0 * n * v * phi * phi * (n + v * phi * 2.0))
            alpha = max(0.0, (gain - m * (2.0 * n + phi * phi * v)) / (2.0 * n * (n + v * phi * phi)))
            shrink = contraction(gained_precision(alpha, v, phi), v)
            for i in range(len(mean)):
                mean[i] += alpha * y * narrow(root[i], whitened, shrink)


def released_learners() -> dict[str, Any]:
    """The four learners of Table 1 whose program departs from the published algorithm, as the program has them."""
    learners = {
        "ROMMA": LongFirstStep(),
        "aROMMA": LongFirstStep(aggressive=True),
        "SOP": SecondOrderPerceptron(update_every_round=True, covariance="full"),
        "SCW2": MistypedSoftConfidence(variant=2, eta=0.9, covariance="full"),
    }
    return {name: learner.set_params(**AS_PUBLISHED) for name, learner in learners.items()}
