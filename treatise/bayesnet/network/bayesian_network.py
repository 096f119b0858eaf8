"""Discrete Bayesian networks: tables on a directed graph, fitted, asked, sampled, read and written."""

from collections.abc import Mapping
from math import prod

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from treatise.bayesnet.network.answers import ExactAnswersMixin
from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.graph import DirectedGraphMixin
from treatise.bayesnet.network.table import columns_of, conditional_table, decoded
from treatise.io.bif import SLACK, BIFNetwork, read_bif, write_bif

_MOST_ENTRIES = 2**27


class BayesianNetwork(ExactAnswersMixin, DirectedGraphMixin):
    """Discrete variables, each with a table of its probabilities given its parents.

    Give it a structure and fit the tables to data, or give the tables; then ask for the probability of anything given
    anything, exactly. Use it where variables are categories and the structure is known or was learned; continuous
    variables must be cut into states first, and where nearly everything depends on everything the exact answers become
    too large (the error says so before memory is taken).

    Fitting costs n for each variable and edge; asking, the largest table of a junction tree over the variables that
    matter for the question (:class:`treatise.inference.JunctionTree`).

    Parameters
    ----------
    parents : mapping, list, networkx.DiGraph or array of edges
        The structure: a mapping from each variable to its parents (a variable that is only named as a parent has
        none), a list with the parents of column 0, 1, and so on, a directed graph, or a list of (parent, child) edges.
        Variables are names or column numbers.
    cpts : mapping or list of array, or None, default=None
        Table of each variable: one axis for each parent, in their order, and the last for the variable itself, along
        which it sums to one. None leaves them to :meth:`fit`.
    states : mapping or list of sequence, or None, default=None
        States of each variable, in the order of the tables' axes. None takes those that are seen in the data,
        or numbers from 0 on where ``cpts`` are given; variables that a mapping leaves out are treated so too.

    Attributes
    ----------
    variables : tuple
        The variables, in the order of all arrays: ascending column numbers, or names as they appear in ``parents``.
    parents : dict
        Parents of each variable.
    states : dict
        States of each variable; of those known so far before :meth:`fit`.
    cpts : dict
        Table of each variable. Rounded decimals, rows that sum to one within 0.0001, are scaled to do so exactly.
    dag : DAG
        The structure with numbered variables.
    adjacency_ : ndarray of bool of shape (p, p)
        Whether there is an edge from row to column.
    edges_ : ndarray of int of shape (m, 2)
        The edges, as numbers of parent and child.
    n_parameters : int
        Free probabilities in all tables.

    Examples
    --------
    >>> from treatise.bayesnet import BayesianNetwork
    >>> sprinkler = BayesianNetwork.from_tables(
    ...     {
    ...         "rain": ((), [0.8, 0.2]),
    ...         "sprinkler": (("rain",), [[0.6, 0.4], [0.99, 0.01]]),
    ...         "grass": (("sprinkler", "rain"), [[[1.0, 0.0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]]),
    ...     },
    ...     states={"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet"]},
    ... )
    >>> sprinkler.query("rain", evidence={"grass": "wet"}).round(4)
    array([0.6423, 0.3577])
    >>> sprinkler.most_probable({"grass": "wet"})
    {'rain': 'no', 'sprinkler': 'on', 'grass': 'wet'}
    >>> sprinkler.d_separated("rain", "sprinkler", given=["grass"])
    False
    >>> X = sprinkler.sample(20_000, random_state=0)
    >>> refitted = BayesianNetwork(sprinkler.parents).fit(X)
    >>> refitted.cpts["rain"].round(2)
    array([0.8, 0.2])
    """

    def __init__(self, parents, cpts=None, states=None):
        names = states if isinstance(states, Mapping) else cpts if isinstance(cpts, Mapping) else ()
        self.dag = DAG.of(parents, names)
        given = self._by_number(states, "states")
        self._given_states = {v: self._checked_states(v, own) for v, own in given.items()}
        self._states = None
        self._cpts = None
        self._tree = None
        if cpts is not None:
            self._set_tables(self._by_number(cpts, "cpts"))

    @classmethod
    def from_tables(cls, tables, states=None):
        """The network of tables that name their parents.

        Parameters
        ----------
        tables : mapping
            For each variable the pair of its parents and its table, with the axes of ``cpts``.
        states : mapping or None, default=None
            States of the variables; numbers from 0 on where they are not given.

        Returns
        -------
        network : BayesianNetwork
        """
        parents = {name: own for name, (own, _) in tables.items()}
        return cls(parents, {name: table for name, (_, table) in tables.items()}, states)

    @classmethod
    def read(cls, path):
        """The network in a BIF file, plain or compressed; see :func:`treatise.io.read_bif`."""
        content = read_bif(path)
        return cls({name: content.parents[name] for name in content.variables}, content.tables, content.states)

    def write(self, path, *, name="unknown"):
        """Write the network to a BIF file; names and states are written as text.

        Parameters
        ----------
        path : str or path
            Where to; a name that ends in ``.gz`` is compressed.
        name : str, default="unknown"
            Name of the network in the file.
        """
        self._require_tables()
        words = [tuple(map(str, own)) for own in self._states]
        names = tuple(map(str, self.variables))
        for what, own in (("variables", names), *((f"states of {n!r}", w) for n, w in zip(names, words))):
            if len(set(own)) < len(own):
                raise ValueError(f"two {what} are the same as text: {', '.join(own)}")
        parents = {names[v]: tuple(names[u] for u in own) for v, own in enumerate(self.dag.parents)}
        write_bif(BIFNetwork(name, names, dict(zip(names, words)), parents, dict(zip(names, self._cpts))), path)

    # What the network is.

    @property
    def states(self):
        if self._states is None:
            return {self.variables[v]: own for v, own in self._given_states.items()}
        return dict(zip(self.variables, self._states))

    @property
    def cpts(self):
        self._require_tables()
        return dict(zip(self.variables, self._cpts))

    @property
    def n_parameters(self):
        self._require_tables()
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self._cpts)

    def __repr__(self):
        tables = "without tables" if self._cpts is None else f"{self.n_parameters} parameters"
        return f"BayesianNetwork({len(self.dag)} variables, {len(self.edges_)} edges, {tables})"

    def __getstate__(self):
        return {
            "variables": list(self.variables), "parents": [list(own) for own in self.dag.parents],
            "order": list(self.dag.order), "given_states": [[v, list(own)] for v, own in self._given_states.items()],
            "states": None if self._states is None else [list(own) for own in self._states], "cpts": self._cpts,
        }  # fmt: skip

    def __setstate__(self, content):
        parents = tuple(map(tuple, content["parents"]))
        self.dag = DAG(tuple(content["variables"]), parents, tuple(content["order"]))
        self._given_states = {v: tuple(own) for v, own in content["given_states"]}
        self._states = None if content["states"] is None else [tuple(own) for own in content["states"]]
        self._cpts, self._tree = content["cpts"], None

    # Tables.

    def _by_number(self, given, what):
        """Entries of a mapping or list by the numbers of their variables."""
        if given is None:
            return {}
        if isinstance(given, Mapping):
            return {self.dag.number(name): own for name, own in given.items()}
        if len(given) != len(self.dag):
            raise ValueError(f"{what} lists {len(given)} entries for the {len(self.dag)} variables")
        return dict(enumerate(given))

    def _checked_states(self, v, own):
        name = self.variables[v]
        states = tuple(state.item() if isinstance(state, np.generic) else state for state in own)
        if isinstance(own, str) or len(states) < 2:
            raise ValueError(f"the variable {name!r} has the states {own!r}; it needs two or more, in a list")
        if len(set(states)) < len(states):
            raise ValueError(f"the variable {name!r} lists a state twice: {list(states)}")
        return states

    def _set_tables(self, tables):
        missing = [self.variables[v] for v in range(len(self.dag)) if v not in tables]
        if missing:
            raise ValueError(f"cpts has no table for the variable {missing[0]!r}")
        arrays = [np.array(tables[v], np.float64, order="C") for v in range(len(self.dag))]
        states = []
        for v, table in enumerate(arrays):
            if table.ndim != len(self.dag.parents[v]) + 1:
                raise ValueError(f"the table of {self.variables[v]!r} has {table.ndim} axes; it needs one for each of "
                                 f"its {len(self.dag.parents[v])} parents and one of its own")  # fmt: skip
            states.append(self._given_states.get(v) or self._checked_states(v, range(table.shape[-1])))
        for v, table in enumerate(arrays):
            shape = tuple(len(states[u]) for u in (*self.dag.parents[v], v))
            if table.shape != shape:
                raise ValueError(f"the table of {self.variables[v]!r} must have the shape {shape}, for the states of "
                                 f"its parents and its own; it has {table.shape}")  # fmt: skip
            arrays[v] = self._normalised(v, table, states)
        self._states, self._cpts, self._tree = states, arrays, None

    def _normalised(self, v, table, states):
        if not np.all(np.isfinite(table)) or np.any(table < 0):
            raise ValueError(f"the table of {self.variables[v]!r} holds a number that is negative, infinite or NaN")
        sums = table.sum(axis=-1)
        wrong = np.abs(sums - 1.0) > SLACK
        if wrong.any():
            where = np.unravel_index(int(np.argmax(wrong)), sums.shape)
            given = ", ".join(f"{self.variables[u]}={states[u][i]}" for u, i in zip(self.dag.parents[v], where))
            row = f"its row {given}" if given else "it"
            raise ValueError(f"the table of {self.variables[v]!r} must sum to one along its last axis; "
                             f"{row} sums to {sums[where]:.6g}")  # fmt: skip
        # Rows that are right to rounding stay as they are to the last bit, so that a file comes back the same.
        scale = np.where(np.abs(sums - 1.0) > 1e-12, sums, 1.0)
        return table / scale[..., None]

    def _require_tables(self):
        if self._cpts is None:
            raise NotFittedError("this network has no tables yet; give cpts, or call fit")

    def fit(self, X, *, equivalent_sample_size=0.0, sample_weight=None):
        """Estimate the tables from counts.

        Parameters
        ----------
        X : data frame or array-like of shape (n, p)
            States in each row, without missing ones. A frame has the variables by name, and may have others; an array
            in their order, or at their numbers where they are named by numbers.
        equivalent_sample_size : float, default=0.0
            Weight of the prior: a uniform Dirichlet distribution over each table's rows worth this many rows of data
            (BDeu). 0 gives maximum likelihood; rows of parents that were never seen are then uniform.
        sample_weight : array-like of shape (n,) or None, default=None
            Weight of each row.

        Returns
        -------
        self
        """
        if not np.isfinite(equivalent_sample_size) or equivalent_sample_size < 0:
            raise ValueError(f"equivalent_sample_size={equivalent_sample_size!r} must be a number of rows, 0 or more")
        columns = self._columns(X)
        states = []
        for v, column in enumerate(columns):
            own = self._given_states.get(v) or column.states()
            if len(own) < 2:
                raise ValueError(f"the column {self.variables[v]!r} is always {own[0]!r}; leave it out, or name in "
                                 "states= what else it may be")  # fmt: skip
            states.append(own)
        codes = [column.codes(own) for column, own in zip(columns, states)]
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        if weight is not None and (weight.shape != codes[0].shape or not np.all(weight >= 0)):
            raise ValueError(f"sample_weight must hold {len(codes[0])} numbers of 0 or more, one for each row")
        n_states = [len(own) for own in states]
        tables = [
            self._counted(v, codes, n_states, weight, float(equivalent_sample_size)) for v in range(len(self.dag))
        ]
        self._states, self._cpts, self._tree = states, tables, None
        return self

    def _counted(self, v, codes, n_states, weight, equivalent_sample_size):
        family = (*self.dag.parents[v], v)
        shape = tuple(n_states[u] for u in family)
        if prod(shape) > _MOST_ENTRIES:
            raise ValueError(f"the table of {self.variables[v]!r} given its {len(family) - 1} parents would have "
                             f"{prod(shape):.3g} entries; take parents away or join states")  # fmt: skip
        return conditional_table([codes[u] for u in family], shape, weight, equivalent_sample_size)

    # Data.

    def encode(self, X):
        """Numbers of the states in X: an array of int of shape (n, p), columns in the order of ``variables``."""
        self._require_tables()
        return np.column_stack([column.codes(own) for column, own in zip(self._columns(X), self._states)])

    def _columns(self, X):
        """The columns of all variables."""
        columns = columns_of(X, self.variables, range(len(self.dag)))
        absent = [name for v, name in enumerate(self.variables) if v not in columns]
        if absent:
            raise ValueError(f"X has no column {absent[0]!r}, a variable of the network")
        return list(columns.values())

    def score_samples(self, X):
        """Log probability of each row, -inf where the network excludes it.

        Parameters
        ----------
        X : data frame or array-like of shape (n, p)

        Returns
        -------
        log_probabilities : ndarray of shape (n,)
        """
        codes = self.encode(X)
        total = np.zeros(len(codes))
        with np.errstate(divide="ignore"):
            for v, table in enumerate(self._cpts):
                total += np.log(table)[tuple(codes[:, u] for u in (*self.dag.parents[v], v))]
        return total

    def log_likelihood(self, X):
        """Log probability of all rows of X together."""
        return float(self.score_samples(X).sum())

    def score(self, X):
        """Log probability of a row of X, on average; higher is better."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples=1, *, evidence=None, random_state=None, codes=False):
        """Draw independent rows.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        evidence : mapping or None, default=None
            States of variables that are observed; the others are drawn given these.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.
        codes : bool, default=False
            Whether to return numbers of states instead of states.

        Returns
        -------
        X : ndarray of shape (n_samples, p)
            Columns in the order of ``variables``.
        """
        self._require_tables()
        if n_samples < 0:
            raise ValueError(f"n_samples={n_samples!r} must be a number of rows, 0 or more")
        random = check_random_state(random_state)
        if evidence:
            known = self._known(evidence)
            drawn = self._asked(known, lambda tree: tree.sample(n_samples, evidence=known, random_state=random))
        else:
            drawn = np.zeros((n_samples, len(self.dag)), np.int64)
            for v in self.dag.order:
                table, parents = self._cpts[v], self.dag.parents[v]
                limits = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)[:, :-1]
                row = np.zeros(n_samples, np.int64)
                for u, size in zip(parents, table.shape):
                    row = row * size + drawn[:, u]
                drawn[:, v] = (random.uniform(size=n_samples)[:, None] >= limits[row]).sum(axis=1)
        return drawn if codes else decoded(drawn, self._states)
