"""Who runs next, in a world where every method has a known cost and worth, and time is a number."""

import heapq
import zlib
from collections import Counter

import numpy as np
import pytest

from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry, load_catalogue
from treatise.compare.candidates import Candidate
from treatise.compare.contest.evidence import Evidence, place_of
from treatise.compare.contest.race import FEWEST, FOLDS_WANTED, LOOK_ROWS, PLACES, Course, Race
from treatise.compare.inputs import Size
from treatise.report.record import FoldRecord


def candidate(name, *, form="kernel", search=True, power=1.0, scale=1e-6, paper=None):
    compare = ComparisonEntry(
        tasks=("binary",), seconds=Cost(scale, n=power), bytes=Cost(1.0), form=form,
        search={"C": (1, 2, 3)} if search else {},
    )  # fmt: skip
    return Candidate(EstimatorEntry(f"world.{name}", compare), compare, paper, "binary")


class World:
    """Methods with a worth in [0, 1], the share of rows that they get right, and a cost in seconds at all rows."""

    def __init__(self, methods, *, rows=1000, budget=120.0, jobs=2, repeats=10, power=1.0, tuned=1.0, seed=0):
        self.worth = {f"world/{name}": worth for name, (worth, _) in methods.items()}
        self.cost = {f"world/{name}": cost for name, (_, cost) in methods.items()}
        field = [candidate(n, form="constant" if n == "Guess" else "kernel", power=power) for n in methods]
        self.course = Course(Size(rows, 5, 2), 5, repeats, jobs, budget, 0.01)
        self.evidence = Evidence()
        self.race = Race(field, self.course, self.evidence)
        self.rng = np.random.default_rng(seed)
        self.hardness = self.rng.random(rows)
        self.fold_of_row = self.rng.permutation(rows) % 5
        self.power, self.tuned = power, tuned
        self.taken = []

    def run(self):
        """Take turns on the processors until the race gives none or the time is up; returns the time it ended."""
        running, now, number = [], 0.0, 0
        while True:
            while len(running) < self.course.jobs:
                turn = self.race.next(self.course.budget - now)
                if turn is None:
                    break
                self.race.began(turn)
                self.taken.append(turn)
                rows = turn.rows or self.course.training_rows
                fit = self.cost[turn.key] * (rows / self.course.training_rows) ** self.power
                fit *= self.tuned if turn.tuning > 0 else 1.0
                spent = min(fit + turn.tuning, turn.seconds)
                heapq.heappush(running, (now + spent, number, turn, fit, fit + turn.tuning > turn.seconds))
                number += 1
            if not running:
                return now
            now, _, turn, fit, stopped = heapq.heappop(running)
            self.race.ended(turn)
            if stopped:
                self.race.gave_up(turn.key)
            elif now <= self.course.budget:
                self._judge(turn, fit)

    def _judge(self, turn, fit):
        numbers = np.flatnonzero(self.fold_of_row == turn.fold)
        noise = self.rng.normal(0, 0.05, len(numbers))
        merits = (self.hardness[numbers] + noise < self.worth[turn.key]).astype(float)
        record = FoldRecord(
            turn.key, turn.stage, turn.place[1], turn.repeat, turn.fold, turn.rows or self.course.training_rows,
            len(numbers), float(merits.mean()), {}, fit, 0.0, {}, fit + turn.tuning, 0.0,
        )  # fmt: skip
        self.evidence.add(turn.key, place_of(record), numbers, merits)
        self.race.saw(record)

    def turns(self, key, stage):
        return [turn for turn in self.taken if turn.key == f"world/{key}" and turn.stage == stage]


MANY = {"Guess": (0.5, 0.001)} | {f"M{i:02}": (0.55 + 0.01 * i, 0.05 + 0.02 * i) for i in range(30)}


def test_every_method_has_one_look_before_anything_else():
    world = World(MANY)
    world.run()
    first = world.taken[: len(MANY)]
    assert {turn.key for turn in first} == set(world.worth)
    assert {turn.stage for turn in first} == {"look"}
    assert {turn.fold for turn in first} == {0}
    assert all(turn.tuning == 0.0 for turn in first)


def test_baselines_are_looked_at_first_then_what_is_made_for_the_data_then_the_cheapest():
    paper = next(iter(load_catalogue()))
    costs = {"Cheap": 1e-6, "Dear": 1e-4, "MadeForIt": 1e-3}
    field = [candidate(name, scale=scale, paper=paper) for name, scale in costs.items()] + [candidate("Usual")]
    keys = {each.entry.name: each.key for each in field}
    course = Course(Size(1000, 5, 2), 5, 10, 1, 120.0, 0.01, frozenset([keys["MadeForIt"]]))
    race, taken = Race(field, course, Evidence()), []
    for _ in field:
        turn = race.next(100.0)
        race.began(turn)
        taken.append(turn.key)
    assert taken == [keys[name] for name in ("Usual", "MadeForIt", "Cheap", "Dear")]


def test_the_best_get_ten_folds_or_more_and_the_hopeless_none():
    world = World(MANY)
    world.run()
    for name in ("M29", "M28", "M27"):
        assert len(world.turns(name, "fold")) >= FOLDS_WANTED
    assert len(world.turns("Guess", "fold")) >= FOLDS_WANTED  # what the margin is measured from
    contending = next(i for i, t in enumerate(world.taken) if t.stage == "fold" and t.key != "world/Guess")
    for name in ("M00", "M05", "M10"):
        assert world.turns(name, "fold") == []
        assert sum(turn.key == f"world/{name}" for turn in world.taken[:contending]) < 5


def test_the_best_contend_though_one_leads_them_all_at_the_defaults():
    world = World({"Guess": (0.1, 0.01), "Leader": (0.95, 0.1)} | {f"M{i}": (0.1 * i, 0.1) for i in range(2, 8)})
    world.run()
    for name in ("Leader", "M7", "M6"):
        assert len(world.turns(name, "fold")) >= FOLDS_WANTED
    assert world.turns("M2", "fold") == []


def test_whoever_has_not_contended_is_looked_at_on_all_rows_once_the_contenders_have_their_folds():
    # Looks cost so much that the share for narrowing the field ends after the first round or two.
    world = World({name: (worth, 4 * cost) for name, (worth, cost) in MANY.items()})
    world.run()
    contended = {turn.key for turn in world.taken if turn.stage == "fold"}
    first = next(i for i, turn in enumerate(world.taken) if turn.stage == "fold" and turn.key != "world/Guess")
    late = [i for i, turn in enumerate(world.taken) if turn.stage == "look" and i > first]
    assert late, "the share for narrowing the field should end before all have been looked at on all rows"
    others = world.worth.keys() - contended
    for key in others - world.race._worse:
        assert len(world.evidence.places(key, "look")) >= 5
    quick = World(MANY)
    quick.run()
    assert all(len(quick.evidence.places(key, "look")) == 5 for key in others & quick.race._worse)
    folds = [t.key for t in world.taken[first : late[0]] if t.stage == "fold" and t.key != "world/Guess"]
    assert min(folds.count(key) for key in set(folds)) >= FOLDS_WANTED


def test_slow_contenders_leave_time_to_look_at_many_quick_methods_on_all_rows():
    quick = {f"Quick{i}": (0.86 + 0.002 * i, 0.4) for i in range(30)}
    slow = {f"Slow{i}": (0.92 + 0.002 * i, 3.0) for i in range(6)}
    world = World({"Guess": (0.1, 0.01), **quick, **slow})
    world.run()
    contended = {turn.key for turn in world.taken if turn.stage == "fold"}
    assert len(contended) > FEWEST
    assert all(len(world.evidence.places(key, "fold")) >= FOLDS_WANTED for key in contended)
    others = {f"world/{name}" for name in quick} - contended
    assert sum(len(world.evidence.places(key, "look")) >= 5 for key in others) >= len(others) / 2


def test_a_baseline_is_not_given_up_for_a_slow_look():
    methods = {"Guess": (0.5, 0.01), "Forest": (0.9, 3.0), "Line": (0.7, 0.01), "Slow": (0.95, 30.0)}
    world = World(methods, budget=40.0)
    world.run()
    looked = {turn.key for turn in world.taken if turn.stage == "look"}
    assert looked == set(world.worth)
    assert world.evidence.places("world/Forest", "fold"), "its look takes more than that of a paper's method may"
    assert not world.evidence.places("world/Slow", "look")


def test_the_budget_is_used_and_kept():
    world = World(MANY)
    assert 0.8 * 120 <= world.run() <= 120.0


def test_a_slow_method_keeps_nobody_waiting():
    world = World(MANY | {"Slow": (0.7, 500.0)})
    world.run()
    (look,) = world.turns("Slow", "look")
    assert look.seconds < 0.05 * 120
    assert len(world.turns("M29", "fold")) >= FOLDS_WANTED


def test_contenders_are_tuned_for_about_what_the_budget_leaves():
    world = World(MANY)
    world.run()
    spent = [turn.tuning for turn in world.taken if turn.stage == "fold" and turn.key != "world/Guess"]
    assert max(spent) > 0.5
    assert sum(spent[: PLACES * FOLDS_WANTED]) <= 2 * 120


def test_what_is_slower_once_tuned_is_searched_less_and_has_its_folds():
    methods = {"Guess": (0.5, 0.001)} | {f"M{i}": (0.6 + 0.05 * i, 0.5) for i in range(6)}
    world = World(methods, tuned=3.5)
    world.run()
    folds = {len(world.turns(f"M{i}", "fold")) for i in range(6)} - {0}
    assert min(folds) >= FOLDS_WANTED
    searched = [turn.tuning for turn in world.taken if turn.stage == "fold" and turn.key != "world/Guess"]
    assert min(searched[: PLACES * FOLDS_WANTED]) < searched[0]


@pytest.mark.parametrize(
    ("tuned", "cost", "budget"), [(1.0, 0.2, 60), (1.2, 0.2, 60), (1.5, 0.2, 60), (2.0, 0.35, 120)]
)
def test_whoever_comes_late_has_ten_folds_or_none_though_they_take_longer_than_expected(tuned, cost, budget):
    methods = {"Guess": (0.5, 0.001)} | {f"M{i:02}": (0.8 + 0.001 * i, cost * (1 + 0.1 * i)) for i in range(20)}
    world = World(methods, tuned=tuned, budget=float(budget))
    world.run()
    folds = [len(world.evidence.places(f"world/{name}", "fold")) for name in methods]
    assert sum(count > 0 for count in folds) > PLACES
    assert min(count for count in folds if count) >= FOLDS_WANTED


def test_with_little_time_there_are_fewer_contenders_and_not_fewer_folds():
    world = World({name: (worth, 20 * cost) for name, (worth, cost) in MANY.items()}, budget=240)
    world.run()
    folds = {name: len(world.turns(name, "fold")) for name in MANY}
    assert sum(count >= FOLDS_WANTED for count in folds.values()) >= 2


def test_near_copies_share_a_place():
    copies = {f"C{i}": (0.9, 0.05) for i in range(12)}
    world = World({"Guess": (0.5, 0.001), **copies, "Other": (0.89, 0.05), "Third": (0.88, 0.05)}, budget=20)

    def judge(turn, fit):
        numbers = np.flatnonzero(world.fold_of_row == turn.fold)
        rng = np.random.default_rng(turn.fold if turn.key.startswith("world/C") else zlib.crc32(turn.key.encode()))
        merits = (rng.random(len(numbers)) < world.worth[turn.key]).astype(float)
        record = FoldRecord(
            turn.key, turn.stage, turn.place[1], turn.repeat, turn.fold, 800, len(numbers), float(merits.mean()), {},
            fit, 0.0, {}, fit + turn.tuning, 0.0,
        )  # fmt: skip
        world.evidence.add(turn.key, place_of(record), numbers, merits)
        world.race.saw(record)

    world._judge = judge
    world.run()
    assert len(world.race.copy_of) == 11
    assert len(set(world.race.copy_of.values())) == 1
    order = list(dict.fromkeys(t.key for t in world.taken if t.stage == "fold" and t.key != "world/Guess"))
    assert {"world/Other", "world/Third"} <= set(order[:3])


def test_many_rows_are_looked_at_in_samples_that_grow():
    world = World(MANY, rows=200_000)
    looks = world.race.looks
    assert looks[0] == ("look", LOOK_ROWS, 0, 0)
    sizes = [place[1] for place in looks]
    assert sizes == sorted(sizes)
    assert sizes[-1] > LOOK_ROWS
    assert all(size <= world.course.training_rows / 2 for size in sizes)


def test_what_does_not_fit_in_is_fitted_with_fewer_rows():
    world = World({"Guess": (0.5, 0.01), "Heavy": (0.9, 400.0), "Light": (0.898, 2.0)}, rows=200_000, power=2.0)
    world.run()
    (rows,) = {turn.rows for turn in world.turns("Heavy", "fold")}
    assert LOOK_ROWS <= rows < world.course.training_rows
    assert {turn.rows for turn in world.turns("Light", "fold")} == {None}
    assert len(world.turns("Heavy", "fold")) >= FOLDS_WANTED


def test_what_cannot_be_divided_anew_is_not():
    world = World({"Guess": (0.5, 0.01), "A": (0.9, 0.1), "B": (0.85, 0.1)}, repeats=1)
    world.run()
    assert {turn.repeat for turn in world.taken} == {0}
    assert len(world.turns("A", "fold")) == 5


def test_a_race_taken_up_again_goes_on_where_it_stopped():
    whole = World(MANY, budget=60)
    whole.run()
    again = World(MANY, budget=120)
    for turn in whole.taken:
        key, place = turn.key, turn.place
        if whole.evidence.has(key, place):
            again.race.began(turn)
            again.race.ended(turn)
            again._judge(turn, whole.cost[key])
    done = {(turn.key, turn.place) for turn in whole.taken if whole.evidence.has(turn.key, turn.place)}
    again.run()
    assert not done & {(turn.key, turn.place) for turn in again.taken}
    assert again.turns("M29", "fold")


def test_nothing_is_given_when_the_time_is_up():
    assert World(MANY).race.next(0.0) is None


@pytest.mark.parametrize("jobs", [1, 4])
def test_everybody_is_looked_at_whatever_the_number_of_processors(jobs):
    world = World(MANY, jobs=jobs)
    world.run()
    assert all(world.evidence.has(key, world.race.looks[0]) for key in world.worth)


def test_looks_that_decide_come_by_their_cost_copies_last_and_those_that_seem_behind_apart():
    world = World(
        {"Guess": (0.5, 0.001), "Dear": (0.9, 0.9), "Cheap": (0.6, 0.01), "Fair": (0.8, 0.1), "Copy": (0.9, 0.05)}
    )
    for _ in world.worth:
        turn = world.race.next(100.0)
        world.race.began(turn)
        world.race.ended(turn)
        world._judge(turn, world.cost[turn.key])
    world.race._worse, world.race.copy_of = {"world/Cheap"}, {"world/Copy": "world/Dear"}

    def names(**which):
        looks = [look for _, look in world.race._deciding_looks(["world/Guess"], **which)]
        return Counter((look.key.removeprefix("world/"), look.repeat) for look in looks)

    repeats = {("Fair", 0): 4, ("Dear", 0): 4, ("Fair", 1): 5, ("Dear", 1): 5, ("Copy", 0): 4, ("Copy", 1): 5}
    assert list(names().items()) == list(repeats.items())
    assert names(behind=True) == {("Cheap", 0): 4}, "once on every row"


def test_whoever_is_alone_at_a_place_does_not_lead_for_that():
    world = World({"Guess": (0.5, 0.001), "Zenith": (0.9, 1.0), "Fair": (0.8, 0.5), "Poor": (0.6, 0.01)})
    for _ in world.worth:
        turn = world.race.next(100.0)
        world.race.began(turn)
        world.race.ended(turn)
        world._judge(turn, world.cost[turn.key])
    for fold in range(1, 5):
        world._judge(world.race._look("world/Poor", ("look", 0, 0, fold)), 0.01)
    world._judge(world.race._look("world/Fair", ("look", 0, 0, 1)), 0.5)
    world.race._judge_looks(now=True)
    assert world.race._ranking == ["world/Zenith", "world/Fair", "world/Poor", "world/Guess"]


def test_time_that_is_left_goes_to_whoever_is_open_before_those_that_seem_behind():
    open_ones = {f"Close{i}": (0.9 - 0.001 * i, 3.0) for i in range(12)}
    behind = {f"Far{i:02}": (0.4 + 0.005 * i, 0.05) for i in range(20)}
    world = World({"Guess": (0.1, 0.01), **open_ones, **behind}, budget=200.0)
    world.run()
    contending = next(i for i, t in enumerate(world.taken) if t.stage == "fold" and t.key != "world/Guess")
    later = [turn for turn in world.taken[contending:] if turn.stage == "look"]
    far = [i for i, turn in enumerate(later) if turn.key.startswith("world/Far")]
    close = [i for i, turn in enumerate(later) if turn.key.startswith("world/Close") and not turn.repeat]
    assert close and (not far or max(close) < min(far))
    looked = [name for name in open_ones if not world.turns(name, "fold")]
    assert looked and all(len(world.evidence.places(f"world/{name}", "look")) >= 5 for name in looked)


def test_time_that_is_left_looks_at_whoever_is_not_told_from_the_best_in_the_repeats_of_the_contenders():
    world = World(
        {"Guess": (0.1, 0.01), **{f"Close{i:02}": (0.9 - 0.001 * i, 0.2) for i in range(25)}, "Far": (0.3, 0.2)}
    )
    world.run()
    looks = {key: len(world.evidence.places(key, "look")) for key in world.worth}
    late = [turn for turn in world.taken if turn.stage == "look" and turn.repeat]
    first = next(i for i, turn in enumerate(world.taken) if turn.stage == "look" and turn.repeat)
    before = Counter(turn.key for turn in world.taken[:first] if turn.stage == "fold" and turn.key != "world/Guess")
    assert min(before.values()) >= FOLDS_WANTED, "contenders come first"
    assert {turn.key for turn in late}.isdisjoint({"world/Far", *before})
    assert sum(count == 2 * 5 for count in looks.values()) >= len(looks) / 3
