"""Decision processes in files of Cassandra's format."""

import numpy as np

from treatise.io.cassandra import ProcessFile, read_cassandra, write_cassandra
from treatise.rl.processes.mdp import FiniteMDP
from treatise.rl.processes.pomdp import FinitePOMDP


def read_pomdp(path):
    """A decision process from a file in Cassandra's format, the usual one of POMDPs.

    Parameters
    ----------
    path : str or path
        The file, plain or compressed; :func:`treatise.io.read_cassandra` says what is understood, and gives the names
        of states, actions and observations too.

    Returns
    -------
    process : FinitePOMDP or FiniteMDP
        The latter where the file has no observations.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.rl import read_pomdp, tiger, write_pomdp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pomdp(tiger(), pathlib.Path(folder, "tiger.pomdp"))
    ...     process = read_pomdp(pathlib.Path(folder, "tiger.pomdp"))
    >>> process.discount, process.expected_rewards.tolist()
    (0.75, [[-1.0, -100.0, 10.0], [-1.0, 10.0, -100.0]])
    """
    told = read_cassandra(path)
    options = {"discount": told.discount, "start": told.start}
    if told.sights is None:
        return FiniteMDP(told.transitions, told.rewards, **options)
    return FinitePOMDP(told.transitions, told.sights, told.rewards, **options)


def write_pomdp(process, path):
    """Write a decision process as a file in Cassandra's format, its states, actions and observations as numbers.

    Parameters
    ----------
    process : FinitePOMDP or FiniteMDP
        The process, without terminal states, which the format does not know.
    path : str or path
        Where to; a name that ends in ``.gz`` is compressed. A file that is there is replaced.
    """
    if process.terminal.any():
        raise ValueError("the format knows no terminal states; let them lead to themselves without reward")
    sights = getattr(process, "observations", None)

    def numbers(count):
        return tuple(map(str, np.arange(count)))

    write_cassandra(
        ProcessFile(
            process.discount, numbers(process.n_states), numbers(process.n_actions),
            None if sights is None else numbers(process.n_observations),
            process.start, process.transitions, sights, process.rewards,
        ),
        path,
    )  # fmt: skip
