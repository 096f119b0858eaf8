"""Files of decision processes in Cassandra's format: every form of the grammar, real files, and damaged ones."""

import gzip

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.datasets import data_home
from treatise.io import ProcessFile, read_cassandra, write_cassandra
from treatise.rl import FiniteMDP, heaven_hell, maze1d, read_pomdp, rock_sample, tiger, write_pomdp

TIGER = """# The tiger problem
discount : 0.75
values: reward
states: tiger-left tiger-right
actions: listen open-left open-right
observations: tiger-left tiger-right
start: 0.5 0.5
T:listen
identity
T: open-left uniform
T: 2 uniform
O:listen
0.85 0.15
0.15 0.85
O: open-left uniform
O: open-right uniform   # nothing is heard
R:listen : * : * : * -1
R:open-left : tiger-left : * : * -100
R:open-left : tiger-right : * : * 10
R:open-right : tiger-left : * : * 10
R:open-right : 1 : * : * -1e2
"""


def read_text(tmp_path, text, name="process.pomdp"):
    path = tmp_path / name
    path.write_text(text)
    return read_cassandra(path)


def test_the_tiger_is_read_as_it_is(tmp_path):
    found, expected = read_text(tmp_path, TIGER), tiger()
    assert found.states == found.observations == ("tiger-left", "tiger-right") and found.discount == 0.75
    np.testing.assert_array_equal(found.transitions, expected.transitions)
    np.testing.assert_allclose(found.sights, expected.observations, rtol=1e-15)
    np.testing.assert_array_equal(found.rewards[:, :, 0], expected.expected_rewards)


HEAD = "discount: 0.9\nvalues: {}\nstates: 3\nactions: go stay\nobservations: a b\n"
BODY = "T: stay identity\nT: go uniform\nO: * uniform\n"


def test_every_form_of_transitions_and_sights_and_later_ones_replace_earlier(tmp_path):
    text = HEAD.format("reward") + "start include: 0 2\nT: * uniform\nT: go : 0 reset\nT: go : 1 0.2 0.3 0.5\n"
    text += "T: go : 2 : * 0\nT: go : 2 : 1 1\nT: stay\n1 0 0 0 1 0\n0 0 1.0\nO: go : 0 1 0\nO: go : 1 uniform\n"
    text += "O: go : 2 : a .25\nO: go : 2 : b 0.75\nO: stay 1 0 0 1 0.5 0.5"
    found = read_text(tmp_path, text)
    assert found.states == ("0", "1", "2") and found.start.tolist() == [0.5, 0, 0.5]
    np.testing.assert_allclose(found.transitions[0], [[0.5, 0, 0.5], [0.2, 0.3, 0.5], [0, 1, 0]], rtol=1e-15)
    np.testing.assert_array_equal(found.transitions[1], np.eye(3))
    np.testing.assert_allclose(found.sights, [[[1, 0], [0.5, 0.5], [0.25, 0.75]], [[1, 0], [0, 1], [0.5, 0.5]]])


def test_every_form_of_rewards_is_averaged_over_what_is_seen_and_costs_are_negative(tmp_path):
    forms = (
        "R: * : * : * : * 4\n"
        "R: go : 0 : 1 : a 2\nR: go : 0 : 1 : b 6\n"  # entries
        "R: go : 1 : 2 1 3\n"  # a row
        "R: stay : 2\n1 2\n3 4\n5 6\n"  # a matrix
        "R: go : 2 : * : b 8\n"
    )
    found = read_text(tmp_path, HEAD.format("reward") + BODY + forms)
    go, stay = found.rewards[:, 0], found.rewards[:, 1]
    np.testing.assert_allclose(go, [[4, 4, 4], [4, 4, 2], [6, 6, 6]])
    np.testing.assert_allclose(stay, [[4, 4, 4], [4, 4, 4], [1.5, 3.5, 5.5]])
    costs = read_text(tmp_path, HEAD.format("cost") + BODY + forms)
    np.testing.assert_array_equal(costs.rewards, -found.rewards)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("", [1 / 3] * 3), ("start: uniform", [1 / 3] * 3), ("start: 1", [0, 1, 0]),
        ("start: 0.25 0.25 0.5", [0.25, 0.25, 0.5]), ("start exclude: 1", [0.5, 0, 0.5]),
        ("start include: 0 1", [0.5, 0.5, 0]), ("start: 0.333333 0.333333 0.333333", [1 / 3] * 3),
    ],
)  # fmt: skip
def test_every_form_of_the_start(tmp_path, start, expected):
    found = read_text(tmp_path, HEAD.format("reward") + start + "\n" + BODY)
    np.testing.assert_allclose(found.start, expected, rtol=1e-12)


def test_without_observations_states_are_seen(tmp_path):
    text = "discount: 0.9\nstates: 2\nactions: 1\nT: 0 identity\nR: 0 : 0 : 1 5\nR: 0 : 1\n2 3\n"
    path = tmp_path / "mdp.pomdp.gz"
    path.write_bytes(gzip.compress(text.encode()))
    process = read_pomdp(path)
    assert type(process) is FiniteMDP
    np.testing.assert_array_equal(process.rewards[:, 0], [[0, 5], [2, 3]])
    write_pomdp(process, tmp_path / "again.pomdp")
    np.testing.assert_array_equal(read_pomdp(tmp_path / "again.pomdp").rewards, process.rewards)


@pytest.mark.parametrize("make", [tiger, maze1d, heaven_hell, rock_sample])
def test_what_is_written_comes_back(tmp_path, make):
    process = make()
    write_pomdp(process, tmp_path / "x.pomdp")
    again = read_pomdp(tmp_path / "x.pomdp")
    assert again.discount == process.discount
    for name in ("transitions", "observations", "rewards", "start"):
        # Rows are divided by their sums, which may differ from one by a bit.
        np.testing.assert_allclose(getattr(again, name), getattr(process, name), rtol=1e-15, atol=1e-300)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("1d.POMDP", (4, 2, 2)), ("4x3.95.POMDP", (11, 4, 6)), ("4x4.pomdp", (16, 4, 2)),
        ("Hallway.pomdp", (60, 5, 21)), ("Hallway2.pomdp", (92, 5, 17)), ("TagAvoid.pomdp", (870, 5, 30)),
        ("aloha-10max.POMDP", (30, 9, 3)), ("bridge-repair.POMDP", (5, 12, 5)), ("cheese.95.POMDP", (11, 4, 7)),
        ("concert.POMDP", (2, 3, 2)), ("ejs1.POMDP", (3, 4, 2)), ("network.pomdp", (7, 4, 2)),
        ("parr95.95.POMDP", (7, 3, 6)), ("shuttle.95.POMDP", (8, 3, 5)), ("tiger.95.POMDP", (2, 3, 2)),
        ("tiger.aaai.POMDP", (2, 3, 2)), ("voicemail.pomdp", (2, 3, 2)),
    ],
)  # fmt: skip
def test_real_files_are_read_and_come_back(tmp_path, name, size):
    path = data_home() / "pomdp" / name
    if not path.is_file():
        pytest.skip(f"{name} is not in the data home")
    process = read_pomdp(path)
    assert (process.n_states, process.n_actions, process.n_observations) == size
    if name == "tiger.aaai.POMDP":
        np.testing.assert_array_equal(process.expected_rewards, tiger().expected_rewards)
    if name == "bridge-repair.POMDP":
        assert process.expected_rewards.max() == 0.0
        assert process.expected_rewards.min() == pytest.approx(-4018.0)  # costs
    if name == "parr95.95.POMDP":
        assert process.start.tolist() == [1, 0, 0, 0, 0, 0, 0]
    write_pomdp(process, tmp_path / "again.pomdp")
    again = read_pomdp(tmp_path / "again.pomdp")
    np.testing.assert_allclose(again.transitions, process.transitions, rtol=1e-14)
    np.testing.assert_allclose(again.rewards, process.rewards, rtol=1e-14)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0.85 0.15\n0.15 0.85", "0.85 0.15\n0.15 0.75", "O : listen : tiger-right of all observations sum to 0.9"),
        ("T: 2 uniform", "", "T : open-right : tiger-left of all states sum to 0"),
        ("T: 2 uniform", "T: 3 uniform", "line 11: '3' is none of the 3 actions"),
        ("T: 2 uniform", "T: 2 identical", "line 11: T, 1 of 3 places given should be a number, not 'identical'"),
        ("T: 2 uniform", "T: 2 0.5 0.5", "should be a number, not 'O'"),
        ("T: 2 uniform", "T: 2 0.5 0.5 -0.5 1.5", "line 11: a probability of T does not lie between 0 and 1"),
        ("discount : 0.75", "discount : 1.75", "line 2: the discount 1.75"),
        ("discount : 0.75", "", "no discount"),
        ("values: reward", "values: money", "line 3: 'reward' or 'cost'"),
        (
            "states: tiger-left tiger-right",
            "states: tiger-left tiger-left",
            "line 4: states need a count, or different",
        ),
        ("states: tiger-left tiger-right", "states: 99999999999", "line 4: 99999999999 states"),
        ("states: tiger-left tiger-right", "", "no states before they are needed"),
        ("actions: listen", "actions: 1 listen", "line 5: actions need"),
        ("start: 0.5 0.5", "start: 0.5 0.6", "start sum to 1.1"),
        ("start: 0.5 0.5", "start include:", "no state is left"),
        ("R:listen : * : * : * -1", "R:listen -1", "needs the state as well"),
        ("R:listen : * : * : * -1", "R:listen : * : * : * nan", "line 17: the reward should be a number, not 'nan'"),
        ("R:listen : * : * : * -1", "Q:listen -1", "line 17: one of discount, values"),
        ("R:open-right : 1 : * : * -1e2\n", "R:open-right : 1 : *", "numbers are expected for R"),
        ("R:open-right : 1 : * : * -1e2\n", "R:open-right : 1 : * : *", "the file ends where the reward is expected"),
    ],
)
def test_a_damaged_file_gives_one_error_that_says_what_is_wrong(tmp_path, old, new, words):
    assert old in TIGER
    with pytest.raises(TreatiseError) as error:
        read_text(tmp_path, TIGER.replace(old, new))
    assert "process.pomdp: " in str(error.value) and words in str(error.value)


def test_tables_that_are_too_large_are_refused_before_they_are_made(tmp_path):
    with pytest.raises(TreatiseError, match="too many"):
        read_text(tmp_path, "discount: 0.9\nstates: 60000\nactions: 60000\nT: * identity\n")


def test_other_files_are_refused_with_their_name(tmp_path):
    path = tmp_path / "table.pomdp"
    for content, words in (
        (b"a,b\n1,2\n", "line 1: one of discount"),
        (b"discount: 0.9 \xff\n", "line 1 is not UTF-8"),
        (b"", "the file is empty"),
    ):
        path.write_bytes(content)
        with pytest.raises(TreatiseError, match=r"table\.pomdp") as error:
            read_cassandra(path)
        assert words in str(error.value)


def test_names_that_the_format_cannot_hold_are_refused_and_leave_no_file(tmp_path):
    one, two = np.ones((1, 1, 1)), np.ones(1)
    for name in ("two words", "uniform", "1st"):
        process = ProcessFile(0.9, (name,), ("0",), None, two, one, None, np.zeros((1, 1, 1)))
        with pytest.raises(TreatiseError, match="cannot be written"):
            write_cassandra(process, tmp_path / "x.pomdp")
    assert not list(tmp_path.iterdir())


def test_processes_that_end_are_not_written(tmp_path):
    ending = FiniteMDP([np.eye(2)], np.zeros(2), terminal=[False, True])
    with pytest.raises(ValueError, match="no terminal states"):
        write_pomdp(ending, tmp_path / "x.pomdp")
