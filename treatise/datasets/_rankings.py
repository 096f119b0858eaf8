"""Rankings and ratings of items by many voters: the container, the forms in which tables hold them, and loaders."""

import os
import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate
from treatise.datasets._tables import load_table
from treatise.io import PrefLibRankings, Table, is_preflib, read_preflib, read_table

FORMS = ("items", "voters", "ballots", "votes")
"""A row for each item with a column for each voter, or the other way; a row for each ballot; a row for each vote."""
_VOTERS = (
    "voter", "expert", "user", "judge", "ballot", "rater", "reviewer", "respondent", "participant", "annotator",
)  # fmt: skip
_ITEMS = ("item", "alternative", "candidate", "movie", "player", "name", "option", "product")
_PLACES = ("first", "second", "best", "preferred", "1st", "2nd")


@dataclass(frozen=True, eq=False)
class Rankings:
    """What many voters say about some items.

    Attributes
    ----------
    items : list of str
        Names of the items.
    values : scipy.sparse.csc_array of shape (n_items, n_voters)
        Ranks (1 is best) or ratings; what is not stored is not said.
    ratings : bool
        Whether values are ratings, of which the larger is the better.
    """

    items: list[str]
    values: sparse.csc_array
    ratings: bool = False

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return self.values.shape[1]

    @property
    def ranks(self) -> sparse.csc_array:
        """The ranks, or what the ratings make them: equal ratings share their mean rank."""
        if not self.ratings:
            return self.values
        ranks = self.values.copy()
        for voter in range(self.n_voters):
            part = slice(*ranks.indptr[voter : voter + 2])
            worse = -self.values.data[part]
            _, group, counts = np.unique(worse, return_inverse=True, return_counts=True)
            ends = np.cumsum(counts)
            ranks.data[part] = (ends - (counts - 1) / 2.0)[group]
        return ranks

    @classmethod
    def of_preflib(cls, votes: PrefLibRankings) -> "Rankings":
        """Rankings of a PrefLib file, a column for each voter; items of equal rank share the number of their group."""
        columns, rows, ranks = [], [], []
        for order in votes.orders:
            rows.append(np.array([item for group in order for item in group]))
            ranks.append(np.repeat(np.arange(1.0, len(order) + 1), [len(group) for group in order]))
            columns.append(len(rows[-1]))
        unique = sparse.csc_array(
            (np.concatenate(ranks), np.concatenate(rows), np.append(0, np.cumsum(columns))),
            shape=(len(votes.alternatives), len(votes.orders)),
        )
        return cls(list(votes.alternatives), unique[:, np.repeat(np.arange(len(votes.orders)), votes.counts)])

    @classmethod
    def of_table(
        cls, table: Table, *, form: str | None = None, item: str | None = None, ratings: bool = False
    ) -> tuple["Rankings", list[str]]:
        """Rankings of a table, and words on how it was understood; see :func:`load_rankings`."""
        if table.matrix is not None:
            raise TreatiseError("this is a sparse matrix without names; rankings need a table of columns, such as CSV")
        if form not in (None, *FORMS):
            raise TreatiseError(f"{form!r} is no form of rankings; the forms are {', '.join(FORMS)}")
        form = form or _form(table, item)
        readers = {"items": _of_items, "voters": _of_voters, "ballots": _of_ballots, "votes": _of_votes}
        found, note = readers[form](table, item, ratings)
        if not found.ratings and np.any(found.values.data <= 0):
            raise TreatiseError(
                f"a rank is {found.values.data.min():g}; ranks begin at 1, and an empty cell is a missing one"
            )
        return found, [note]


def load_rankings(
    source: str | os.PathLike[str],
    *,
    form: str | None = None,
    item: str | None = None,
    ratings: bool = False,
    header: bool | None = None,
) -> tuple[Rankings, list[str]]:
    """Rankings from a file of PrefLib or a table, and words on how it was understood.

    Parameters
    ----------
    source : str or path
        A file of PrefLib (``.soc``, ``.soi``, ``.toc``, ``.toi``) or a table.
    form : {"items", "voters", "ballots", "votes"} or None, default=None
        What a row of a table is: an item, with a column of ranks (or ratings) for each voter; a voter, with a column
        for each item; a ballot, with the best item in the first column; or a vote, with columns for the voter, the item
        and the rank or rating. None takes "votes" where columns are so called; where all columns but one hold numbers,
        "voters" if that one is called so or if rows hold each rank once and columns do not, and else "items"; and
        "ballots" of other tables.
    item : str or None, default=None
        The column that names the items; None takes the first column of text for "items", or one called "item" for
        "votes".
    ratings : bool, default=False
        Whether numbers are ratings, of which the larger is the better; a column called "rating" says so itself.
    header : bool or None, default=None
        Whether the first line names the columns; None looks.

    Returns
    -------
    rankings : Rankings
    notes : list of str
        What was decided.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.datasets import load_rankings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "wines.csv")
    ...     _ = path.write_text("wine,ann,bob\\nred,1,2\\nwhite,2,1\\nrose,3,\\n")
    ...     rankings, notes = load_rankings(path)
    >>> rankings.items, rankings.values.toarray().tolist()
    (['red', 'white', 'rose'], [[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
    >>> notes
    ["a row is an item, named in 'wine', with a rank by each of 2 voters"]
    """
    if is_preflib(source):
        if form is not None or item is not None or ratings:
            raise TreatiseError("a PrefLib file says itself what its rows are; leave form, item and ratings out")
        return Rankings.of_preflib(read_preflib(source)), []
    known = (*_VOTERS, *_ITEMS, *_PLACES, "rank", "rating", *([] if item is None else [item]))
    return Rankings.of_table(load_table(source, header=header, asked=known), form=form, item=item, ratings=ratings)


def _form(table: Table, item: str | None) -> str:
    names = {_plain(name) for name in table.frame.columns}
    if names & set(_VOTERS) and (item is not None or names & set(_ITEMS)) and names & {"rank", "rating"}:
        return "votes"
    numbers = [name for name, kind in table.frame.schema.items() if kind.is_numeric()]
    if not numbers or len(numbers) < table.frame.width - 1:
        return "ballots"
    voter = _called(table.frame, _VOTERS)
    if item is not None or (voter is None and not _ranks_go_along_rows(table.frame.select(numbers))):
        return "items"
    return "voters"


def _ranks_go_along_rows(frame: pl.DataFrame) -> bool:
    """Whether every row holds each rank from 1 on once, and not every column does."""
    ranks = frame.cast(pl.Float64).fill_nan(None).fill_null(0.0).to_numpy()

    def once(lines: np.ndarray) -> bool:
        return all(np.array_equal(np.sort(line[line != 0]), np.arange(1, np.count_nonzero(line) + 1)) for line in lines)

    return frame.width > 1 and once(ranks) and not once(ranks.T)


def _of_items(table: Table, item: str | None, ratings: bool) -> tuple[Rankings, str]:
    frame = table.frame
    named = table.column(item) if item is not None else None
    if named is None:
        named = next((name for name, kind in frame.schema.items() if not kind.is_numeric()), None)
    names = [str(row) for row in range(1, frame.height + 1)] if named is None else _names(frame[named])
    voters = [name for name in frame.columns if name != named]
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise TreatiseError(
            f"item {twice!r} has two rows; every item must have one. Where a row is a single vote, call its columns "
            "voter, item and rank (or rating)"
        )
    values = _numbers(frame, voters, ratings, "where a row is an item, every other column must hold a voter's ranks")
    word = "rating" if ratings else "rank"
    where = f", named in {named!r}," if named is not None else ", named by its number,"
    found = Rankings(names, values.tocsc(), ratings)
    whose = "one voter" if len(voters) == 1 else f"each of {len(voters)} voters"
    return found, f"a row is an item{where} with a {word} by {whose}"


def _of_voters(table: Table, item: str | None, ratings: bool) -> tuple[Rankings, str]:
    if item is not None:
        raise TreatiseError("where a row is a voter the names of the columns are the items; no column names them")
    frame = table.frame
    voter = _called(frame, _VOTERS) or next(
        (name for name, kind in frame.schema.items() if not kind.is_numeric()), None
    )
    items = [name for name in frame.columns if name != voter]
    values = _numbers(frame, items, ratings, "where a row is a voter, every other column must hold an item's ranks")
    word = "rating" if ratings else "rank"
    where = f", named in {voter!r}," if voter is not None else ""
    found = Rankings(items, values.T.tocsc(), ratings)
    return found, f"a row is a voter{where} with a {word} of each of {len(items)} items"


def _numbers(frame: pl.DataFrame, columns: list[str], ratings: bool, rule: str) -> sparse.coo_array:
    """What columns of ranks or ratings say; nothing is stored of an empty cell."""
    wrong = next((name for name in columns if not frame[name].dtype.is_numeric()), None)
    if wrong is not None:
        raise TreatiseError(f"column {wrong!r} holds no numbers; {rule}")
    cells = frame.select(columns).cast(pl.Float64).fill_nan(None)
    said = ~np.column_stack([cells[name].is_null().to_numpy() for name in columns])
    dense = cells.fill_null(0.0).to_numpy()
    if not ratings:
        said &= dense != 0  # the paper's way to write a missing rank
    row, column = np.nonzero(said)
    return sparse.coo_array((dense[row, column], (row, column)), shape=said.shape)


def _of_ballots(table: Table, item: str | None, ratings: bool) -> tuple[Rankings, str]:
    if item is not None or ratings:
        raise TreatiseError("a ballot names its items in order; it has neither a column of items nor ratings")
    cells = [table.frame[name].cast(pl.String).to_list() for name in table.frame.columns]
    items: dict[str, int] = {}
    rows, columns, ranks = list[int](), list[int](), list[float]()
    for voter in range(table.n_rows):
        ballot = [column[voter].strip() for column in cells if column[voter] is not None and column[voter].strip()]
        for place, name in enumerate(ballot, 1):
            if name in ballot[: place - 1]:
                raise TreatiseError(f"row {voter + 1} names {name!r} twice; a ballot names an item once")
            rows.append(items.setdefault(name, len(items)))
            columns.append(voter)
            ranks.append(float(place))
    values = sparse.coo_array((ranks, (rows, columns)), shape=(len(items), table.n_rows)).tocsc()
    return Rankings(list(items), values), f"a row is a ballot, its best item in {table.frame.columns[0]!r}"


def _of_votes(table: Table, item: str | None, ratings: bool) -> tuple[Rankings, str]:
    frame = table.frame
    voter = _called(frame, _VOTERS)
    named = table.column(item) if item is not None else _called(frame, _ITEMS)
    rated = _called(frame, ("rating",))
    value = _called(frame, ("rank",)) if rated is None else rated
    if voter is None or named is None or value is None:
        raise TreatiseError(
            f"votes need the columns voter, item and rank (or rating); the columns are {', '.join(frame.columns[:12])}"
        )
    if not frame[value].dtype.is_numeric():
        raise TreatiseError(f"column {value!r} holds no numbers, but values such as {frame[value][0]!r}")
    kept = frame.filter(pl.col(value).is_not_null() & pl.col(value).cast(pl.Float64).is_not_nan())
    coded = [np.unique(_names(kept[name]), return_inverse=True) for name in (named, voter)]
    (items, row), (voters, column) = coded
    pairs = row.astype(np.int64) * len(voters) + column
    if len(np.unique(pairs)) < len(pairs):
        order = np.argsort(pairs, kind="stable")
        at = order[1:][np.diff(pairs[order]) == 0][0]
        raise TreatiseError(
            f"{str(voters[column[at]])!r} votes twice on {str(items[row[at]])!r}; a voter has one vote on an item"
        )
    numbers = kept[value].cast(pl.Float64).to_numpy()
    values = sparse.coo_array((numbers, (row, column)), shape=(len(items), len(voters))).tocsc()
    is_rated = ratings or rated is not None
    word = "rating" if is_rated else "rank"
    return Rankings(items.tolist(), values, is_rated), f"a row is the {word} of {named!r} by {voter!r}"


def _called(frame: pl.DataFrame, names: tuple[str, ...]) -> str | None:
    return next((column for name in names for column in frame.columns if _plain(column) == name), None)


def _plain(column: str) -> str:
    """The name of a column without what makes it a number: "userId" and "user_id" are users."""
    return re.sub(r"[ _-]?id$", "", column.strip().lower())


def _names(column: pl.Series) -> list[str]:
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise TreatiseError(f"column {column.name!r} is empty in row {row + 1}; every row needs it")
    return column.cast(pl.String).to_list()


def load_movielens_small() -> Rankings:
    """MovieLens' latest small set: 99 984 ratings from 1 to 10 by 671 users of 9 047 films, named by number.

    Returns
    -------
    rankings : Rankings
    """
    frame = read_table(locate("ranking/movielens_small_ratings.csv.gz"), header=False).frame
    user, film, rating = (frame[name].to_numpy() for name in frame.columns[:3])
    films, row = np.unique(film, return_inverse=True)
    users, column = np.unique(user, return_inverse=True)
    values = sparse.coo_array((rating.astype(float), (row, column)), shape=(len(films), len(users))).tocsc()
    return Rankings([str(name) for name in films], values, ratings=True)


def load_preflib(name: str) -> Rankings:
    """Rankings of one of PrefLib's files in the data home.

    Parameters
    ----------
    name : str
        Its name, such as ``"00024-00000001.soc"``.

    Returns
    -------
    rankings : Rankings
    """
    return Rankings.of_preflib(read_preflib(locate(f"ranking/preflib/{name}")))


def make_expert_rankings(
    n_instances: int = 200,
    *,
    n_items: int = 20,
    missing: float = 0.4,
    random_state: int | np.random.Generator | None = None,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Instances ranked by five good, five random and five contrary experts, with the items' relevance.

    The items' worth is normal; the three best have relevance 2, the five next 1. Good experts rank the worth with noise
    of deviation one half, contrary ones its opposite, random ones noise alone. Each leaves items out at random.

    Parameters
    ----------
    n_instances : int, default=200
        Number of instances.
    n_items : int, default=20
        Items of each, at least four.
    missing : float, default=0.4
        Chance that an expert leaves an item out.
    random_state : int, Generator or None, default=None
        Seed.

    Returns
    -------
    rankings : list of ndarray of shape (n_items, 15)
        Ranks from 1, 0 where an item is left out.
    labels : list of ndarray of shape (n_items,)
        Relevance.

    Examples
    --------
    >>> from treatise.datasets import make_expert_rankings
    >>> rankings, labels = make_expert_rankings(3, random_state=0)
    >>> len(rankings), rankings[0].shape, int(labels[0].sum())
    (3, (20, 15), 11)
    """
    if n_items < 4:
        raise ValueError(f"n_items={n_items} are all of one relevance; take at least four")
    rng = np.random.default_rng(random_state)
    sign = np.repeat([1.0, 0.0, -1.0], 5)
    rankings, labels = list[np.ndarray](), list[np.ndarray]()
    for _ in range(n_instances):
        worth = rng.normal(size=n_items)
        order = np.argsort(-worth)
        levels = np.zeros(n_items)
        levels[order[:3]], levels[order[3:8]] = 2, 1
        seen = sign * worth[:, np.newaxis] + np.where(sign == 0, 1.0, 0.5) * rng.normal(size=(n_items, 15))
        ranks = np.zeros((n_items, 15))
        for expert in range(15):
            kept = np.flatnonzero(rng.random(n_items) >= missing)
            ranks[kept[np.argsort(-seen[kept, expert])], expert] = np.arange(1, len(kept) + 1)
        rankings.append(ranks)
        labels.append(levels)
    return rankings, labels
