"""Heart beats: drawn ones, and those of a real recording."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.datasets._home import locate
from treatise.datasets._source_mixtures import load_two_lead_ecg

# Waves of a beat: centre, width and height, and how much the centre varies, as shares of the beat.
NORMAL = [(0.2, 0.03, 0.15, 0.005), (0.38, 0.012, -0.1, 0.003), (0.4, 0.015, 1.0, 0.003), (0.43, 0.012, -0.2, 0.003),
          (0.7, 0.06, 0.3, 0.01)]  # fmt: skip
ECTOPIC = [(0.42, 0.06, 1.1, 0.01), (0.72, 0.08, -0.4, 0.01)]
KINDS = {1: "N", 5: "V", 8: "A"}
"""Codes of beats in the annotations of record 100: normal, ventricular, and atrial before its time."""
BEFORE, AFTER, STEP = 90, 162, 2


def make_beat_recordings(
    n_recordings: int = 100, *, n_risky: int = 10, n_beats: int = 200, risky_share: float = 0.3,
    most_usual: float = 0.03, noise: float = 0.02, random_state: int | np.random.RandomState | None = None,
) -> tuple[list[list[np.ndarray]], np.ndarray]:  # fmt: skip
    """Recordings of drawn heart beats, some with many beats of another shape.

    Beats are sums of Gaussian waves at 64 places. In usual recordings a small share of the beats is ectopic, wide and
    without the wave before; in risky ones a large share.

    Parameters
    ----------
    n_recordings, n_risky : int, default=100 and 10
        Recordings, and how many of them are risky.
    n_beats : int, default=200
        Beats of each.
    risky_share : float, default=0.3
        Chance of an ectopic beat in a risky recording.
    most_usual : float, default=0.03
        Largest such chance in a usual one; each has its own, uniform from 0.
    noise : float, default=0.02
        Standard deviation of noise at every place; the highest wave has the height 1.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    recordings : list of lists of ndarray of shape (64,)
        Beats of each recording, in order.
    risky : ndarray of bool of shape (n_recordings,)
        Which are risky; the last ones.
    """
    random = check_random_state(random_state)
    t = np.linspace(0.0, 1.0, 64)
    risky = np.arange(n_recordings) >= n_recordings - n_risky
    recordings = []
    for is_risky in risky:
        share = risky_share if is_risky else random.uniform(0.0, most_usual)
        amplitude = random.normal(1.0, 0.05)
        beats = []
        for _ in range(n_beats):
            beat = np.zeros(len(t))
            for centre, width, height, jitter in ECTOPIC if random.uniform() < share else NORMAL:
                beat += height * np.exp(-((t - centre - random.normal(0.0, jitter)) ** 2) / (2.0 * width**2))
            beats.append(amplitude * beat + random.normal(0.0, noise, len(t)))
        recordings.append(beats)
    return recordings, risky


def load_ecg_beats() -> tuple[list[np.ndarray], np.ndarray]:
    """The beats of half an hour of a man's heart, record 100 of the MIT-BIH arrhythmia database.

    Returns
    -------
    beats : list of ndarray of shape (126,)
        Lead MLII in millivolts, from a quarter of a second before each annotated beat to 0.45 s after it, every other
        frame.
    kinds : ndarray of str of shape (n_beats,)
        "N" for a normal beat, "A" for an atrial one before its time, "V" for a ventricular one.
    """
    signal = load_two_lead_ecg()[0][:, 0]
    words = np.frombuffer(locate("timeseries/100.atr").read_bytes(), dtype="<u2")
    time, place, beats, kinds = 0, 0, [], []
    while place < len(words) and words[place] != 0:
        code, interval = int(words[place]) >> 10, int(words[place]) & 0x3FF
        place += 1
        if code == 59:  # a long interval, in the next two words
            time += (int(words[place]) << 16) + int(words[place + 1])
            place += 2
        elif code == 63:  # a text of so many bytes
            place += (interval + 1) // 2
        elif code not in (60, 61, 62):
            time += interval
            if code in KINDS and BEFORE <= time < len(signal) - AFTER:
                beats.append(signal[time - BEFORE : time + AFTER : STEP].copy())
                kinds.append(KINDS[code])
    return beats, np.array(kinds)
