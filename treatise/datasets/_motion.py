"""Motion: recordings of walks and runs, and coupled oscillators in their place."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate
from treatise.io.source import read_bytes

MOTIONS = {
    "walk 02": "02_01", "walk 35": "35_01", "run 02": "02_03", "run 16": "16_35", "run 35": "35_17",
}  # fmt: skip
"""Clips at hand: what is done and the number of the person, and the name of the clip."""


class MotionClip(NamedTuple):
    """One clip of motion capture."""

    angles: np.ndarray
    """Angles of the joints in degrees, without jumps of a full turn, of shape (n_frames, n_channels)."""
    position: np.ndarray
    """Place of the hips, of shape (n_frames, 3)."""
    names: list[str]
    """Joint and axis of each angle."""
    seconds_per_frame: float
    """Time between two frames."""


def load_motion(name: str) -> MotionClip:
    """A walk or run of the motion capture database of Carnegie Mellon University, at 120 frames a second.

    The first frame of a file, a pose for calibration, is left out.

    Parameters
    ----------
    name : {"walk 02", "walk 35", "run 02", "run 16", "run 35"}
        What is done and the number of the person.

    Returns
    -------
    MotionClip
        ``angles``, ``position``, ``names`` and ``seconds_per_frame``.
    """
    if name not in MOTIONS:
        raise ValueError(f"name={name!r} is no clip at hand; choose one of {', '.join(MOTIONS)}")
    return read_bvh(read_bytes(locate(f"timeseries/cmu_{MOTIONS[name]}.bvh")).decode())


def read_bvh(text: str) -> MotionClip:
    """Channels of a BVH file, whose root has three of place; the first frame is left out."""
    header, _, motion = text.partition("MOTION")
    joint, names = "", []
    for words in (line.split() for line in header.splitlines()):
        if words[:1] in (["ROOT"], ["JOINT"]):
            joint = words[1]
        elif words[:1] == ["CHANNELS"]:
            names += [f"{joint} {channel}" for channel in words[2:]]
    lines = motion.strip().splitlines()
    interval = float(lines[1].split(":")[1])
    frames = np.array([[float(number) for number in line.split()] for line in lines[2:] if line.strip()])[1:]
    if frames.shape[1] != len(names):
        raise ValueError(f"frames have {frames.shape[1]} numbers; the joints have {len(names)} channels")
    angles = np.rad2deg(np.unwrap(np.deg2rad(frames[:, 3:]), axis=0))
    return MotionClip(angles, frames[:, :3], names[3:], interval)


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
    return [_stepping(what, 120 // rate) for what in MOTIONS]


def _stepping(what: str, every: int) -> Motion:
    clip = load_motion(what)
    place = clip.position[::every].copy()
    for axis in (0, 2):  # along the ground
        place[:, axis] = np.append(np.diff(place[:, axis]), place[-1, axis] - place[-2, axis])
    columns = [f"Hips {axis}position" for axis in "XYZ"] + clip.names
    return Motion(MOTIONS[what], what.split()[0], np.column_stack([place, clip.angles[::every]]), columns)


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
