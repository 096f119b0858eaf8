"""Motion capture: angles of joints over time."""

from typing import NamedTuple

import numpy as np

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
