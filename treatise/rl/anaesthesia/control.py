"""Control of the simulated patient: the task to learn, patients to judge by, and the scores of infusion control."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treatise.rl.anaesthesia._loops import LAG, controlled_hours, drawn_patient, five_seconds, learning_episodes
from treatise.rl.anaesthesia.patient import SECONDS, PropofolPatient
from treatise.rl.anaesthesia.percepts import N_PERCEPTS, fuzzy_state
from treatise.rl.environments.base import Environment
from treatise.rl.processes.mdp import generator

INFUSIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
"""Millilitres of the 1 % solution a minute that the agent chooses among."""
SPEEDS = 11
"""Speeds of the effect site that episodes draw from, within a quarter of the patient's."""


@dataclass(frozen=True)
class PIDController:
    """Infusion from the error, its sum and its change; gains in millilitres a minute for each point of the index.

    Examples
    --------
    >>> from treatise.rl import PIDController
    >>> PIDController(proportional=0.1)
    PIDController(proportional=0.1, integral=0.002, derivative=0.05)
    """

    proportional: float = 0.05
    integral: float = 0.002
    derivative: float = 0.05


class PropofolControl(Environment):
    """Holding the bispectral index of a simulated patient at a target, by one of 15 infusion rates every five seconds.

    For research on control only, never for a patient: the effect curve, the filter and the variability of patients are
    ours, since the paper does not print its own.

    Hand it to :meth:`treatise.rl.QLambda.fit` to learn a table of actions, and judge tables or a
    :class:`PIDController` with :meth:`evaluate` on patients that vary. As an environment it shows the percept; the
    reward is the size of the error with a minus.

    Parameters
    ----------
    patient : PropofolPatient or None, default=None
        The patient to learn on; None is the paper's: male, 21 years, 170 cm, 75 kg.
    targets : tuple of float, default=(40.0, 60.0)
        Range that targets of learning episodes are drawn from.
    noise : float, default=3.0
        Deviation of the noise of measurement while learning. The paper learns without any (0), which leaves percepts
        untried that noise leads to.

    Attributes
    ----------
    n_states, n_actions : int
        400 percepts and 15 rates.

    Examples
    --------
    >>> from treatise.rl import PropofolControl
    >>> PropofolControl().n_states
    400

    References
    ----------
    .. [1] Paper v15-0655, section 3.
    """

    n_states, n_actions = N_PERCEPTS, len(INFUSIONS)
    state_numbers = range(N_PERCEPTS)

    def __init__(self, patient=None, *, targets=(40.0, 60.0), noise=3.0):
        self.patient = PropofolPatient() if patient is None else patient
        if not 0.0 <= targets[0] <= targets[1] <= 100.0:
            raise ValueError(f"targets={targets!r} must be two values of the index, the lower one first")
        if not 0.0 <= noise < np.inf:
            raise ValueError(f"noise={noise!r} must be 0 or more")
        self.targets, self.noise = tuple(map(float, targets)), float(noise)

    def learning_episodes(self, rng, gamma, decay, alpha, epsilon, episodes, steps, Q, traces):
        """Episodes to learn from, as :class:`treatise.rl.QLambda` asks for them."""
        return learning_episodes(
            rng, *self._bodies, np.array(self.patient.effect), np.array(self.patient.volumes), np.array(INFUSIONS),
            np.array(self.targets), self.noise, gamma, decay, alpha, epsilon, episodes, steps, Q, *traces,
        )  # fmt: skip

    @cached_property
    def _bodies(self):
        """Matrices and what an infusion adds, of the patient at several speeds of the effect site."""
        one, bodies = self.patient, []
        for ke0 in np.linspace(0.75, 1.25, SPEEDS) * one.ke0:
            other = PropofolPatient()
            other.__dict__.update(one.__dict__ | {"ke0": float(ke0)})
            bodies.append(other.transition())
        return np.array([m for m, _ in bodies]), np.array([b for _, b in bodies])

    def reset(self, rng):
        """Draw a state of the body and a target.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance until the next call.

        Returns
        -------
        percept : ndarray of shape (1,)
        """
        self._rng, self._body, self._spare, self._errors = rng, np.zeros(4), np.zeros(4), np.zeros(LAG + 1)
        self._kind, self._target, self._smoothed = drawn_patient(
            rng, SPEEDS, np.array(self.patient.effect), np.array(self.patient.volumes), np.array(self.targets),
            self._body, self._errors,
        )  # fmt: skip
        return np.array([float(fuzzy_state(self._errors[LAG], 0.0))])

    def step(self, action):
        """Infuse for five seconds.

        Parameters
        ----------
        action : int
            Number of an infusion rate.

        Returns
        -------
        percept : ndarray of shape (1,)
        reward : float
            Size of the error, with a minus.
        done : bool
            Never.
        """
        matrices, added = self._bodies
        self._smoothed = five_seconds(
            self._rng, matrices[self._kind], added[self._kind], np.array(self.patient.effect), INFUSIONS[action],
            self._target, self._smoothed, self.noise, self._body, self._spare, self._errors,
        )  # fmt: skip
        error = float(self._errors[LAG])
        return np.array([float(fuzzy_state(error, error - self._errors[0]))]), -abs(error), False

    def evaluate(
        self, controller, n_patients=200, *, targets=(40.0, 50.0, 60.0), minutes=80.0, settling=20.0, noise=3.0,
        static=5.0, event_height=10.0, events_per_hour=3.0, ke0=(0.08, 0.25), random_state=None,
    ):  # fmt: skip
        """Scores of a controller on patients that vary in build, speed of effect, level, events and noise.

        Parameters
        ----------
        controller : array-like of int of shape (400,) or PIDController
            An action for every percept, such as ``QLambda().fit(...).policy_``; or a PID controller.
        n_patients : int, default=200
            Patients.
        targets : sequence of float, default=(40.0, 50.0, 60.0)
            Targets, which each patient has in an order of its own.
        minutes : float, default=80.0
            Time at each target.
        settling : float, default=20.0
            Minutes after each change that are not scored.
        noise, static, event_height, events_per_hour : float
            Deviation of the noise of measurement, largest shift of a patient, largest height of events and how often
            they begin. All are ours: the paper does not print its own.
        ke0 : tuple of float, default=(0.08, 0.25)
            Range of the speed of effect.
        random_state : int, RandomState instance, Generator or None, default=None
            Seed.

        Returns
        -------
        scores : dict of str to ndarray of shape (n_patients,)
            Those of :func:`control_metrics`, pooled over the targets of a patient.
        """
        rng = generator(random_state)
        policy, gains = np.empty(0, dtype=np.int64), np.zeros(3)
        if isinstance(controller, PIDController):
            gains = np.array([controller.proportional, controller.integral, controller.derivative])
        else:
            policy = np.asarray(controller, dtype=np.int64)
            if policy.shape != (self.n_states,) or policy.min() < 0 or policy.max() >= self.n_actions:
                raise ValueError(f"a controller has {self.n_states} actions from 0 to {self.n_actions - 1}")
        per_target, skipped = round(minutes * 60.0 / SECONDS), round(settling * 60.0 / SECONDS)
        if not 0 <= skipped < per_target:
            raise ValueError(f"settling={settling!r} leaves nothing of minutes={minutes!r} to score")
        found: dict[str, list[float]] = {}
        for _ in range(n_patients):
            sex = "male" if rng.random() < 0.5 else "female"
            low = (165.0, 60.0) if sex == "male" else (155.0, 50.0)
            one = PropofolPatient(
                rng.uniform(18, 65), low[1] + rng.uniform(0, 30), low[0] + rng.uniform(0, 25), sex,
                ke0=rng.uniform(*ke0), effect=self.patient.effect,
            )  # fmt: skip
            wanted = np.repeat(rng.permutation(np.asarray(targets, dtype=np.float64)), per_target)
            index, given = np.empty(len(wanted)), np.empty(len(wanted))
            controlled_hours(
                rng, *one.transition(), np.array(one.effect), np.array(INFUSIONS), policy, gains, wanted, float(noise),
                float(rng.uniform(-static, static)), events_per_hour * SECONDS / 3600.0, float(event_height),
                np.array([12, 60]), index, given,
            )  # fmt: skip
            scored = np.arange(len(wanted)) % per_target >= skipped
            for name, value in control_metrics(index[scored], wanted[scored]).items():
                found.setdefault(name, []).append(value)
        return {name: np.array(values) for name, values in found.items()}


def control_metrics(index, target, *, seconds=SECONDS, band=5.0):
    """Standard scores of infusion control.

    Parameters
    ----------
    index : array-like of shape (n,)
        The smoothed index.
    target : float or array-like of shape (n,)
        What it should be.
    seconds : float, default=5.0
        Between two samples.
    band : float, default=5.0
        How far from the target counts as controlled.

    Returns
    -------
    scores : dict of str to float
        ``mdpe`` and ``mdape``, the medians of the performance error and of its size, in per cent of the target;
        ``wobble``, the median distance of errors from their median; ``divergence``, per cent an hour that sizes of
        errors grow; ``rmse`` in points; ``controlled``, per cent of samples in the band.

    Examples
    --------
    >>> from treatise.rl import control_metrics
    >>> scores = control_metrics([52.5, 52.5, 52.5], 50.0)
    >>> scores["mdpe"], scores["wobble"], scores["controlled"]
    (5.0, 0.0, 100.0)

    References
    ----------
    .. [1] Paper v15-0655, section 3.4; Varvel, Donoho & Shafer, J. Pharmacokin. Biopharm. 20:63.
    """
    index = np.asarray(index, dtype=np.float64)
    if index.ndim != 1 or not len(index) or not np.isfinite(index).all():
        raise ValueError("index must be one row of finite values, at least one")
    target = np.broadcast_to(np.asarray(target, dtype=np.float64), index.shape)
    if (target <= 0.0).any():
        raise ValueError("targets must be above 0: errors are shares of them")
    error = 100.0 * (index - target) / target
    hours = np.arange(len(index)) * seconds / 3600.0
    centred = hours - hours.mean()
    slope = centred @ np.abs(error) / (centred @ centred) if len(index) > 1 else 0.0
    median = float(np.median(error))
    return {
        "mdpe": median,
        "mdape": float(np.median(np.abs(error))),
        "wobble": float(np.median(np.abs(error - median))),
        "divergence": float(slope),
        "rmse": float(np.sqrt(np.mean((index - target) ** 2))),
        "controlled": float(100.0 * np.mean(np.abs(index - target) <= band)),
    }
