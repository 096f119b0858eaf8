"""Motion: recordings of walks and runs, and coupled oscillators in their place."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate

MOTIONS = {"02_01": "walk", "35_01": "walk", "02_03": "run", "16_35": "run", "35_17": "run"}


@dataclass(frozen=True)
class Motion:
    """A recorded motion.

    Parameters
    ----------
    name : str
        Subject and trial in the collection.
    style : {"walk", "run"}
        What is done.
    frames : ndarray of shape (n_frames, n_columns)
        Angles of joints in degrees, and the hips' height and steps.
    columns : list of str
        Joint and channel of each column.
    """

    name: str
    style: str
    frames: np.ndarray
    columns: list[str]


def load_cmu_motion(rate: int = 30) -> list[Motion]:
    """Walks and runs of three people from the motion capture collection of Carnegie Mellon University.

    The hips' place on the ground becomes their step from frame to frame, as a motion is the same wherever it happens;
    the height stays. Jumps of a full turn are taken out. The first frame of a file, a rest pose, is left out.

    Parameters
    ----------
    rate : int, default=30
        Frames a second, a divisor of the 120 of the files.

    Returns
    -------
    list of Motion
        Two walks and three runs, all with the same columns.
    """
    if rate < 1 or 120 % rate:
        raise ValueError(f"rate={rate} must divide the 120 frames a second of the files")
    return [_read(name, style, 120 // rate) for name, style in MOTIONS.items()]


def _read(name: str, style: str, every: int) -> Motion:
    columns, joint = [], ""
    lines = iter(locate(f"timeseries/cmu_{name}.bvh").read_text(encoding="utf-8").splitlines())
    for line in lines:
        words = line.split()
        if words[:1] in (["ROOT"], ["JOINT"]):
            joint = words[1]
        elif words[:1] == ["CHANNELS"]:
            columns += [f"{joint} {channel}" for channel in words[2:]]
        elif words[:2] == ["Frame", "Time:"]:
            break
    numbers = np.array([[float(word) for word in line.split()] for line in lines if line.strip()])[1:]
    frames = numbers[::every].copy()
    turning = np.array(["rotation" in column for column in columns])
    frames[:, turning] = np.unwrap(frames[:, turning], period=360.0, axis=0)
    for axis in ("Hips Xposition", "Hips Zposition"):
        place = frames[:, columns.index(axis)]
        place[:] = np.append(np.diff(place), place[-1] - place[-2])
    return Motion(name, style, frames, columns)


def make_coupled_oscillators(
    n_times: int = 6000, n_columns: int = 10, *, random_state: int | np.random.RandomState | None = None
) -> np.ndarray:
    """Two Van der Pol oscillators, one driving the other, seen in many noisy columns.

    Parameters
    ----------
    n_times : int, default=6000
        Frames, a tenth of a unit of time apart.
    n_columns : int, default=10
        Random mixtures of the four states.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of shape (n_times, n_columns)
        With zero mean and unit variance.
    """
    random = check_random_state(random_state)
    state, states = random.standard_normal(4), np.empty((n_times, 4))
    for step in range(n_times):
        x, u, y, v = state
        change = np.array([u, 1.5 * (1 - x**2) * u - x, v, 0.5 * (1 - y**2) * v - 2 * y + 0.5 * x])
        state = state + 0.1 * change + 0.02 * random.standard_normal(4)
        states[step] = state
    seen = states @ random.standard_normal((4, n_columns)) + 0.05 * random.standard_normal((n_times, n_columns))
    return (seen - seen.mean(axis=0)) / seen.std(axis=0)
