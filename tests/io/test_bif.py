"""BIF files: what is read, what is written, and what is said of a damaged one."""

import gzip

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.io import BIFNetwork, read_bif, write_bif

NETWORKS = {
    "alarm": (37, 46, 509), "andes": (223, 338, 1157), "asia": (8, 8, 18), "barley": (48, 84, 114005),
    "cancer": (5, 4, 10), "child": (20, 25, 230), "earthquake": (5, 4, 10), "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453), "insurance": (27, 52, 1008), "munin1": (186, 273, 15622),
    "pathfinder": (109, 195, 72079), "sachs": (11, 17, 178), "survey": (6, 6, 21), "water": (32, 66, 10083),
}  # fmt: skip
"""Nodes, arcs and parameters as the bnlearn repository states them."""

SPRINKLER = """// a small one
network "the garden" { property author nobody ; }
variable rain { type discrete [ 2 ] { yes, no }; property position = (1, 2) ; }
variable grass {
  type discrete [3] { "soaking wet", damp dry };
}
probability ( rain ) { table 0.2 0.8; }
/* the grass
   in the garden */
probability ( grass | rain ) {
  (yes) 0.7, 0.2, 0.1;
  (no) 1e-1, 0.2, 0.7;
}
"""


def same(a, b):
    return (
        (a.name, a.variables, a.states, a.parents) == (b.name, b.variables, b.states, b.parents)
        and list(a.tables) == list(b.tables)
        and all(np.array_equal(a.tables[name], b.tables[name]) for name in a.variables)
    )


def read_text(tmp_path, text):
    path = tmp_path / "network.bif"
    path.write_text(text, encoding="utf-8")
    return read_bif(path)


@pytest.mark.parametrize("name", NETWORKS)
def test_published_networks_have_the_stated_size_and_come_back_to_the_last_bit(name, real_data, tmp_path):
    network = read_bif(real_data(f"bn/{name}.bif.gz"))
    nodes, arcs, parameters = NETWORKS[name]
    assert len(network.variables) == nodes
    assert sum(map(len, network.parents.values())) == arcs
    assert sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in network.tables.values()) == parameters
    for ending in ("bif", "bif.gz"):
        write_bif(network, tmp_path / f"again.{ending}")
        assert same(read_bif(tmp_path / f"again.{ending}"), network)


def test_comments_properties_quotation_marks_and_missing_commas_are_understood(tmp_path):
    network = read_text(tmp_path, SPRINKLER)
    assert network.name == "the garden" and network.variables == ("rain", "grass")
    assert network.states["grass"] == ("soaking wet", "damp", "dry")
    assert network.parents == {"rain": (), "grass": ("rain",)}
    assert network.tables["rain"].tolist() == [0.2, 0.8]
    assert network.tables["grass"].tolist() == [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]
    write_bif(network, tmp_path / "again.bif")
    assert same(read_bif(tmp_path / "again.bif"), network)


def test_a_whole_table_has_the_own_state_slowest_as_in_the_dog_problem_of_javabayes(tmp_path):
    # p(light on | family out) = 0.6 and p(light on | family at home) = 0.05 are the problem's own numbers.
    network = read_text(
        tmp_path,
        "network dog { } variable out { type discrete [2] { true, false }; }"
        "variable light { type discrete [2] { on, off }; }"
        "probability ( out ) { table 0.15 0.85; } probability ( light out ) { table 0.6 0.05 0.4 0.95 ; }",
    )
    assert network.tables["light"].tolist() == [[0.6, 0.4], [0.05, 0.95]]


def test_rows_come_in_any_order_and_default_fills_the_rest(tmp_path):
    head = "variable x { type discrete [2] { a, b }; } variable y { type discrete [3] { a, b, c }; } "
    head += "variable z { type discrete [2] { u, v }; } "
    head += "probability (x) { table .5 .5; } probability (y) { table .1 .2 .7; } "
    network = read_text(tmp_path, head + "probability (z | x, y) { default .3 .7; (b, a) 1 0; (a, c) 0 1; }")
    assert network.tables["z"].tolist() == [[[0.3, 0.7], [0.3, 0.7], [0, 1]], [[1, 0], [0.3, 0.7], [0.3, 0.7]]]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("(no) 1e-1, 0.2, 0.7;", "(no) 1e-1, 0.2, 0.6;", 12, "sum to 0.9, not to 1"),
        ("(no) 1e-1, 0.2, 0.7;", "(no) 1e-1, 0.2;", 12, "3 probabilities of 'grass' are expected here, not 2"),
        ("(no) 1e-1, 0.2, 0.7;", "(no) 1e-1, o.2, 0.7;", 12, "'o.2' is no number"),
        ("(no) 1e-1, 0.2, 0.7;", "(no) 1.3, -0.4, 0.1;", 12, "does not lie between 0 and 1"),
        ("(no) 1e-1, 0.2, 0.7;", "(no) nan, 0.2, 0.7;", 12, "does not lie between 0 and 1"),
        ("(no) 1e-1, 0.2, 0.7;", "(maybe) 0.1, 0.2, 0.7;", 12, "'maybe' is no state of 'rain'; its states: yes, no"),
        ("(no) 1e-1, 0.2, 0.7;", "(no, no) 0.1, 0.2, 0.7;", 12, "has 1 parents; the row gives 2"),
        ("(no) 1e-1, 0.2, 0.7;", "(yes) 0.1, 0.2, 0.7;", 12, "have a row already"),
        ("(no) 1e-1, 0.2, 0.7;", "", 10, "lack the row (no)"),
        ("(no) 1e-1, 0.2, 0.7;\n}", "(no) 0.1, 0.2", 12, "3 probabilities of 'grass' are expected here, not 2"),
        ("(no) 1e-1, 0.2, 0.7;\n}", "(no) 0.1, 0.2, 0.7", 12, "the file ends where ';' is expected"),
        ("(no) 1e-1, 0.2, 0.7;\n}", "(no) 0.1, 0.2, 0.7;", 12, "ends within the probabilities of 'grass'"),
        ("(no) 1e-1, 0.2, 0.7;", "always 0.1, 0.2, 0.7;", 12, "a row of probabilities is expected, not 'always'"),
        ("( grass | rain )", "( grass | snow )", 10, "'snow' is no variable of this network"),
        ("( grass | rain )", "( grass | rain, rain )", 10, "given a parent twice, or itself"),
        ("( grass | rain )", "( rain )", 10, "'rain' has its probabilities twice"),
        ("discrete [3]", "discrete [4]", 5, "should have 4 different states"),
        ("damp dry", "damp damp", 5, "should have 3 different states"),
        ("variable grass", "variable rain", 4, "'rain' is described twice"),
        ("variable grass", "variables grass", 4, "'network', 'variable' or 'probability' is expected"),
        ("type discrete [3]", "type continuous [3]", 5, "'discrete' is expected, not 'continuous'"),
        ('"soaking wet"', '"soaking wet', 5, "not closed"),
        ("in the garden */", "in the garden", 8, "not closed"),
    ],
)
def test_a_damaged_file_gives_one_error_with_its_line(tmp_path, old, new, line, words):
    assert old in SPRINKLER
    with pytest.raises(TreatiseError) as error:
        read_text(tmp_path, SPRINKLER.replace(old, new))
    assert f"network.bif: line {line}: " in str(error.value)
    assert words in str(error.value)


def test_every_file_that_is_cut_short_is_refused(tmp_path):
    whole = read_text(tmp_path, SPRINKLER)
    refused = 0
    for end in range(0, len(SPRINKLER.rstrip()), 3):
        with pytest.raises(TreatiseError):
            read_text(tmp_path, SPRINKLER[:end])
        refused += 1
    assert refused > 100 and same(read_text(tmp_path, SPRINKLER.rstrip()), whole)


def test_other_files_are_refused_with_their_name(tmp_path):
    path = tmp_path / "table.bif"
    for content, words in (
        (b"a,b\n1,2\n", "line 1: 'network', 'variable' or 'probability' is expected, not 'a'"),
        (b"network x { }", "names no variable"),
        (b"variable x { type discrete [2] { a, b }; }", "'x' has no probabilities"),
        (b"network \xff\n", "line 1 is not UTF-8"),
        (gzip.compress(SPRINKLER.encode())[:-20], "cut short or damaged"),
        (b"", "the file is empty"),
    ):
        path.write_bytes(content)
        with pytest.raises(TreatiseError, match=r"table\.bif") as error:
            read_bif(path)
        assert words in str(error.value)
    with pytest.raises(TreatiseError, match="no such file"):
        read_bif(tmp_path / "absent.bif")


def test_names_that_bif_cannot_hold_are_refused_and_leave_no_file(tmp_path):
    network = BIFNetwork("x", ('a"b',), {'a"b': ("0", "1")}, {'a"b': ()}, {'a"b': np.array([0.5, 0.5])})
    with pytest.raises(TreatiseError, match="cannot be written"):
        write_bif(network, tmp_path / "x.bif")
    assert not list(tmp_path.iterdir())


def test_odd_names_and_the_smallest_numbers_survive(tmp_path):
    names = ("two words", "semi;colon", "//slashes", "ünï", "property")
    states = dict.fromkeys(names, ("<5", ">= 5", "table"))
    table = np.array([5e-324, 1e-17, 1.0])
    network = BIFNetwork("odd", names, states, dict.fromkeys(names, ()), dict.fromkeys(names, table))
    write_bif(network, tmp_path / "odd.bif.gz")
    assert same(read_bif(tmp_path / "odd.bif.gz"), network)
