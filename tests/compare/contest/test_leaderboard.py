"""Order, intervals, standings and the decision."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry
from treatise.compare import Rules
from treatise.compare.candidates import Candidate
from treatise.compare.contest.decision import decide, tellable, verdict
from treatise.compare.contest.evidence import Evidence, place_of
from treatise.compare.contest.leaderboard import Entries, judged, leaderboard
from treatise.compare.contest.race import Course, Race
from treatise.compare.inputs import Size
from treatise.compare.metrics import METRICS
from treatise.report import FoldRecord
from treatise.report.record import Race as RaceRecord

ACCURACY = METRICS["accuracy"]
ROWS = 4000
TRIED = RaceRecord(4, 4, 4, 40, 10.0, 0.0, False, complete=True)


class Board:
    """A race in which methods with given shares of right rows had so many folds and looks."""

    def __init__(self, forms, rows=ROWS, seed=0):
        field = []
        for name, form in forms.items():
            compare = ComparisonEntry(tasks=("binary",), seconds=Cost(1e-6), bytes=Cost(1.0), form=form)
            field.append(Candidate(EstimatorEntry(f"{name.lower()}.{name}", compare), compare, None, "binary"))
        self.keys = {candidate.entry.name: candidate.key for candidate in field}
        self.race = Race(field, Course(Size(rows, 3, 2), 5, 10, 2, 60.0, 0.01), Evidence())
        self.fold_of_row = np.random.default_rng(seed).permutation(rows) % 5

    def add(self, name, right, *, stage="fold", repeats=1, folds=5, seconds=0.1):
        for repeat in range(repeats):
            for fold in range(folds):
                numbers = np.flatnonzero(self.fold_of_row == fold)
                merits = np.asarray(right, float)[numbers]
                score = float(merits.mean())
                record = FoldRecord(
                    self.keys[name], stage, 0, repeat, fold, 800, len(numbers), score, {"accuracy": score, "f1": None},
                    seconds, 0.0, {"C": fold}, seconds, 0.0,
                )  # fmt: skip
                self.race.evidence.add(record.key, place_of(record), numbers, merits)
                self.race.saw(record)
        return self

    @property
    def entries(self):
        return judged(leaderboard(Entries(self.race, ACCURACY)), self.race, ACCURACY)

    def decision(self, **rules):
        entries = self.entries
        return decide(entries, ACCURACY, TRIED, Rules(**rules), 0.005)


def right(share, rows=ROWS, seed=0):
    """Rows that are right, the easy ones for everybody."""
    hard = np.random.default_rng(seed).random(rows)
    return hard < share


FORMS = {"Forest": "ensemble", "Machine": "kernel", "Line": "linear", "Guess": "constant"}


def usual(**seconds):
    board = Board(FORMS)
    board.add("Forest", right(0.9), seconds=seconds.get("forest", 1.0))
    board.add("Machine", right(0.8995), seconds=0.5).add("Line", right(0.75)).add("Guess", right(0.5))
    return board


def test_the_interval_is_the_corrected_one():
    board = Board({"Line": "linear"})
    rng = np.random.default_rng(0)
    board.add("Line", rng.random(ROWS) < 0.8)
    (entry,) = board.entries
    scores = np.array([s.score for s in entry.scores])
    # Nadeau and Bengio: variance (1/J + n_test/n_train) s^2 with n_test/n_train = 1/(k - 1).
    half = stats.t.ppf(0.975, 4) * np.sqrt((1 / 5 + 1 / 4) * scores.var(ddof=1))
    assert entry.score == pytest.approx(scores.mean())
    assert (entry.low, entry.high) == pytest.approx((scores.mean() - half, min(1.0, scores.mean() + half)))


def test_standings_are_judged_row_by_row():
    standings = {entry.label: entry.standing for entry in usual().entries}
    assert standings == {"Forest": "best", "Machine": "equivalent", "Line": "worse", "Guess": "worse"}
    worse = next(entry for entry in usual().entries if entry.label == "Line")
    assert worse.behind_low <= worse.behind <= worse.behind_high
    assert worse.behind == pytest.approx(0.15, abs=0.03)


def test_what_rows_cannot_tell_is_undecided():
    board = Board(FORMS)
    rng = np.random.default_rng(5)
    board.add("Forest", rng.random(ROWS) < 0.80).add("Machine", rng.random(ROWS) < 0.80).add("Guess", right(0.5))
    assert {e.label: e.standing for e in board.entries}["Machine"] in ("undecided", "best")
    assert "more rows" in board.decision().to_decide


def test_one_lucky_fold_does_not_lead():
    lucky = Board(FORMS | {"Lucky": "kernel"})
    lucky.add("Forest", right(0.9)).add("Guess", right(0.5)).add("Lucky", np.ones(ROWS, bool), folds=1)
    assert lucky.entries[0].label == "Forest"


def test_one_fold_at_the_end_does_not_replace_looks_at_all_rows():
    board = Board(FORMS).add("Line", right(0.7), stage="look").add("Line", right(0.9), folds=1)
    (line,) = board.entries
    assert (line.stage, line.folds) == ("look", 5)
    assert line.score == pytest.approx(0.7, abs=0.03)
    board.add("Forest", right(0.75), stage="look").add("Forest", right(0.8))
    assert [(e.label, e.stage, e.folds) for e in board.entries] == [("Forest", "folds", 5), ("Line", "look", 5)]
    assert [e.standing for e in board.entries] == ["best", "worse"]


def test_guessing_does_not_lead_by_having_its_folds_first():
    board = Board(FORMS).add("Guess", right(0.5), repeats=2)
    for name, share in (("Forest", 0.9), ("Line", 0.75), ("Guess", 0.5)):
        board.add(name, right(share), stage="look", folds=1)
    assert [e.label for e in board.entries] == ["Forest", "Line", "Guess"], "nobody else has a fold"
    board.add("Line", right(0.75), folds=1)
    assert [e.label for e in board.entries] == ["Line", "Guess", "Forest"]
    assert board.entries[0].standing == "best"
    assert board.race.leader == board.keys["Line"]


@pytest.mark.parametrize(("stage", "folds", "told"), [("look", 1, "a single fold"), ("fold", 2, "2 folds")])
def test_an_answer_of_few_folds_says_so(stage, folds, told):
    board = Board(FORMS)
    for name, share in (("Forest", 0.9), ("Line", 0.75), ("Guess", 0.5)):
        board.add(name, right(share), stage=stage, folds=folds)
    headline = board.decision().headline
    assert not headline.startswith("Take")
    assert told in headline and "too little" in headline


def test_what_rows_can_tell_is_told():
    few, many = (Board(FORMS, rows=rows) for rows in (200, 5000))
    for board, rows in ((few, 200), (many, 5000)):
        for seed, (name, share) in enumerate([("Forest", 0.9), ("Line", 0.895), ("Guess", 0.5)]):
            board.add(name, right(share, rows, seed), repeats=2)
    assert few.entries[1].standing == "undecided"
    smallest = [tellable(board.entries) for board in (few, many)]
    assert smallest[0] / smallest[1] == pytest.approx(5, rel=0.3), "as the root of the rows"
    found = re.search(r"differences from about ([0-9.]+) on", few.decision().to_decide)
    assert float(found[1]) == pytest.approx(0.005 + smallest[0] * (few.entries[0].score - 0.5), rel=0.2)
    assert tellable(Board(FORMS).add("Line", right(0.7)).entries) is None
    best, line, guess = few.entries
    copy = replace(line, behind=0.0, behind_low=0.0, behind_high=0.0, copy_of=best.key)
    assert tellable([best, copy, guess]) is None, "a copy of the best says nothing of what rows tell"


def test_one_that_is_quick_does_not_lead_by_having_many_folds():
    board = Board(FORMS)
    board.add("Forest", right(0.9)).add("Machine", right(0.85)).add("Guess", right(0.5), repeats=10)
    assert board.entries[0].label == "Forest"
    assert board.entries[0].standing == "best"
    assert board.decision().label == "Forest"


def test_those_left_behind_at_the_look_are_compared_with_the_winner_as_it_was_when_tuned():
    board = Board(FORMS, rows=1000)
    for name, share in {"Forest": 0.80, "Machine": 0.79, "Line": 0.79, "Guess": 0.5}.items():
        board.add(name, right(share, 1000, seed=len(name)), stage="look")
    # As it comes the forest is no better than the line, beyond doubt; tuned it is.
    before = {e.label: e for e in board.entries}
    board.add("Forest", right(0.9, 1000, seed=6))
    after = {e.label: e for e in board.entries}
    assert before["Line"].standing == "undecided"
    assert after["Line"].standing == "worse" and after["Line"].stage == "look"
    assert after["Line"].behind == pytest.approx(0.9 - after["Line"].score, abs=0.02)


def test_looks_at_a_sample_are_not_set_beside_folds_of_all_rows():
    evidence = Evidence()
    evidence.add("a", ("look", 2000, 0, 0), np.arange(3), np.zeros(3))
    evidence.add("a", ("look", 0, 0, 1), np.arange(3), np.zeros(3))
    for fold in range(3):
        evidence.add("a", ("fold", 0, 0, fold), np.arange(3), np.ones(3))
    shown = evidence.with_folds()
    assert [shown.mean("a", [("look", *place)]) for place in ((2000, 0, 0), (0, 0, 1))] == [0.0, 1.0]
    assert evidence.mean("a", [("look", 0, 0, 1)]) == 0.0 and not shown.at(("look", 0, 0, 2))


def test_those_left_behind_at_the_look_are_judged_by_it():
    board = Board(FORMS)
    for name, share in (("Forest", 0.9), ("Machine", 0.89), ("Line", 0.7), ("Guess", 0.5)):
        board.add(name, right(share), stage="look")
    board.add("Forest", right(0.9), repeats=2).add("Guess", right(0.5), repeats=2)
    entries = {entry.label: entry for entry in board.entries}
    assert entries["Line"].stage == "look"
    assert entries["Line"].standing == "worse"
    assert entries["Forest"].folds == 10
    assert [e.label for e in board.entries][:2] == ["Forest", "Guess"]


def test_near_copies_share_a_place_until_one_proves_different():
    board = Board(FORMS | {"Weak": "linear"})
    for name, share in (("Forest", 0.9), ("Machine", 0.9), ("Line", 0.9), ("Weak", 0.85), ("Guess", 0.5)):
        board.add(name, right(share), stage="look")
    board.add("Forest", right(0.9)).add("Line", right(0.899)).add("Guess", right(0.5))
    first = board.keys["Forest"]
    board.race.copy_of = {board.keys[name]: first for name in ("Machine", "Line", "Weak")}
    assert {entry.label: entry.copy_of for entry in board.entries} == {
        "Forest": None, "Machine": first, "Line": first, "Weak": None, "Guess": None,
    }  # fmt: skip
    decision = board.decision()
    assert (decision.equivalent, decision.undecided, decision.worse) == (0, 0, 2)


def test_a_copy_of_a_contender_that_is_a_copy_shares_the_place_of_the_first():
    board = Board(FORMS)
    for name, share in (("Forest", 0.9), ("Machine", 0.899), ("Line", 0.898), ("Guess", 0.5)):
        board.add(name, right(share), stage="look")
    board.add("Forest", right(0.9)).add("Machine", right(0.899)).add("Guess", right(0.5))
    board.race.copy_of = {board.keys["Line"]: board.keys["Machine"]}
    places = {entry.label: entry.copy_of for entry in board.entries}
    assert places["Machine"] == places["Line"] == board.keys["Forest"]


def test_methods_that_all_rows_show_alike_share_a_place_though_the_first_look_did_not():
    board = Board(FORMS | {"Other": "kernel", "Same": "kernel"})
    apart = np.random.default_rng(7).permutation(right(0.9))
    for name, rows in (("Forest", right(0.9)), ("Machine", right(0.899)), ("Other", apart), ("Same", apart)):
        board.add(name, rows, stage="look")
    board.add("Line", right(0.6), stage="look").add("Guess", right(0.5), stage="look")
    board.add("Forest", right(0.9)).add("Guess", right(0.5))
    places = {entry.label: entry.copy_of for entry in board.entries}
    # One in the place of a contender, one in that of another who was looked at; different rows are no copies.
    assert places == {
        "Forest": None, "Machine": board.keys["Forest"], "Line": None, "Guess": None,
        "Other": None, "Same": board.keys["Other"],
    }  # fmt: skip


def test_a_copy_since_the_first_look_keeps_its_place_with_one_that_proved_worse_or_that_it_overtook():
    board = Board(FORMS)
    rng = np.random.default_rng(7)
    for name, rows in (("Forest", right(0.9)), ("Machine", right(0.8)), ("Line", rng.permutation(right(0.895)))):
        board.add(name, rows, stage="look")
    board.add("Guess", right(0.5), stage="look")
    board.add("Forest", right(0.9)).add("Machine", right(0.8)).add("Guess", right(0.5))
    board.race.copy_of = {board.keys["Line"]: board.keys["Machine"]}
    entries = {entry.label: entry for entry in board.entries}
    assert (entries["Machine"].standing, entries["Machine"].copy_of) == ("worse", None)
    assert entries["Line"].standing in ("undecided", "equivalent")
    assert entries["Line"].copy_of == board.keys["Machine"]

    looked = Board(FORMS)
    for name, share in (("Forest", 0.9), ("Line", 0.89), ("Machine", 0.885), ("Guess", 0.5)):
        looked.add(name, np.random.default_rng(len(name)).permutation(right(share)), stage="look")
    looked.race.copy_of = {looked.keys["Line"]: looked.keys["Machine"]}
    copies = {entry.label: entry.copy_of for entry in looked.entries}
    assert copies == {"Forest": None, "Line": None, "Machine": looked.keys["Line"], "Guess": None}


def test_errors_rank_the_lowest_first():
    rmse = METRICS["rmse"]
    board = Board({"Line": "linear", "Guess": "constant"})
    for name, error in (("Guess", 2.0), ("Line", 1.0)):
        board.add(name, np.full(ROWS, -error) + np.random.default_rng(0).normal(0, 0.1, ROWS))
        board.race.records[board.keys[name]] = [
            replace(r, score=-r.score) for r in board.race.records[board.keys[name]]
        ]
    entries = judged(leaderboard(Entries(board.race, rmse)), board.race, rmse)
    assert [entry.label for entry in entries] == ["Line", "Guess"]
    assert entries[1].standing == "worse"


def test_a_measure_that_some_fold_lacks_is_left_empty():
    (entry,) = Board({"Line": "linear"}).add("Line", right(0.8)).entries
    assert entry.metrics == {"accuracy": pytest.approx(0.8, abs=0.05), "f1": None}


def test_the_simplest_of_the_equivalent_is_taken_unless_accuracy_is_preferred():
    board = Board(FORMS)
    board.add("Forest", right(0.9), seconds=1.0).add("Machine", right(0.8995), seconds=0.1)
    board.add("Line", right(0.899), seconds=2.0).add("Guess", right(0.5))
    assert board.decision().label == "Line"
    assert board.decision(prefer="simple").label == "Line"
    assert board.decision(prefer="speed").label == "Machine"
    assert board.decision(prefer="accuracy").label == "Forest"


def level(shares, seed=3):
    """A board of methods that are right on rows of their own, so that a few hundred rows do not tell them apart."""
    rng = np.random.default_rng(seed)
    board = Board(dict.fromkeys(shares, "kernel") | {"Blend": "blend", "Guess": "constant"}, rows=400)
    for name, share in shares.items():
        board.add(name, rng.permutation(400) < 400 * share)
    return board.add("Guess", right(0.5, 400))


def test_where_rows_do_not_tell_a_blend_is_safer_than_the_first_of_many():
    shares = {"One": 0.83, "Two": 0.82, "Three": 0.81, "Four": 0.80}
    board = level(shares | {"Blend": 0.825})
    assert [e.standing for e in board.entries[:5]] == ["best"] + 4 * ["undecided"]
    decision = board.decision()
    assert decision.label == "Blend" and board.decision(prefer="accuracy").label == "Blend"
    assert "do not tell which" in decision.headline and "One scores 0.83" in " ".join(decision.reasons)
    assert "Blend" not in " ".join(decision.reasons[1:])
    assert decision.alternatives[0].label == "One"
    assert {board.decision(prefer=wish).label for wish in ("simple", "speed")} == {"One"}
    near = level(shares)
    rows = np.random.default_rng(3).permutation(400) < 400 * shares["One"]
    rows[np.flatnonzero(rows)[0]] = False
    near.add("Blend", rows)  # hardly anything but the first, whose place it shares
    assert {e.label: e.copy_of for e in near.entries}["Blend"] == near.keys["One"] and near.decision().label == "Blend"
    # One behind most of them, one that is told to be worse and the only rival of the first are not taken.
    assert level(shares | {"Blend": 0.795}).decision().label == "One"
    assert level(shares | {"Blend": 0.6}).decision().label == "One"
    assert level({"One": 0.83, "Blend": 0.825}).decision().label == "One"


def test_a_fast_method_that_is_worse_is_never_recommended():
    for prefer in ("balanced", "speed", "simple", "accuracy"):
        assert usual().decision(prefer=prefer).label in ("Forest", "Machine")


def test_alternatives_serve_other_wishes():
    decision = usual(forest=3.0).decision(prefer="accuracy")
    purposes = {alternative.purpose: alternative.label for alternative in decision.alternatives}
    assert purposes == {"runner-up": "Machine", "speed": "Machine", "readable": "Line"}


def test_the_better_of_two_quick_ones_is_named_for_speed():
    board = Board({"Forest": "ensemble", "Machine": "kernel", "Line": "linear", "Guess": "constant"}, rows=300)
    board.add("Forest", right(0.9, 300), seconds=1.0).add("Machine", right(0.89, 300), seconds=0.012)
    board.add("Line", right(0.86, 300), seconds=0.01).add("Guess", right(0.5, 300))
    quick = next(a for a in board.decision(prefer="accuracy").alternatives if a.purpose == "speed")
    assert quick.label == "Machine"


def test_guessing_is_said_plainly_only_if_the_field_had_its_turn():
    board = Board({"Guess": "constant"}).add("Guess", right(0.5))
    assert "better than guessing" in board.decision().headline
    few = replace(TRIED, looked=1, complete=False)
    decision = decide(board.entries, ACCURACY, few, Rules(), 0.0)
    assert "guessing" not in decision.headline
    assert "Too few methods" in decision.headline
    assert any("Only 1 of 4 methods" in word for word in verdict(decision, few, 3, "finished"))


def test_the_words_name_the_choice_the_worse_and_the_missing():
    words = " ".join(verdict(usual().decision(), TRIED, 2, "interrupted"))
    for part in ("Take Machine", "Guessing gives", "are worse by more than", "2 methods could not", "interrupted"):
        assert part in words
    nothing = decide((), ACCURACY, TRIED, Rules(), 0.0)
    assert nothing.key is None
    assert "No method finished a fold" in " ".join(nothing.reasons)


def test_a_guess_does_not_lead_while_the_first_folds_of_methods_are_fewer_than_their_looks():
    board = Board(FORMS)
    for name, share in (("Forest", 0.9), ("Line", 0.75), ("Guess", 0.5)):
        board.add(name, right(share), stage="look")
    board.add("Forest", right(0.9), folds=1).add("Guess", right(0.5), folds=3)
    made = leaderboard(Entries(board.race, ACCURACY))
    assert [(entry.label, entry.stage) for entry in made] == [("Forest", "look"), ("Line", "look"), ("Guess", "look")]
    board.add("Forest", right(0.9), folds=3)
    made = leaderboard(Entries(board.race, ACCURACY))
    assert [(entry.label, entry.stage) for entry in made] == [("Forest", "folds"), ("Guess", "folds"), ("Line", "look")]


def test_a_guess_that_alone_had_time_for_folds_does_not_lead():
    board = Board(FORMS)
    for name, share in (("Forest", 0.9), ("Line", 0.75), ("Guess", 0.5)):
        board.add(name, right(share), stage="look", folds=3)
    board.add("Guess", right(0.5))
    board.race.looks[:] = [("look", 0, 0, fold) for fold in range(3)]
    names = [entry.label for entry in board.entries]
    assert names[0] == "Forest" and names[-1] == "Guess"
    assert "Forest" in board.decision().headline and board.decision().label == "Forest"
