"""Label patterns: the automaton and exact sums and maxima over segmentations, against enumeration."""

import itertools

import numpy as np
import pytest

from treatise.inference import Chains, PatternAutomaton, PatternChains, observed_patterns
from treatise.inference.chains import _pattern_loops as loops

# Labels of the paper's Appendix B.
PERSON, OTHER, LOCATION = 0, 1, 2
APPENDIX_B = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0]], float)


def segmentations(n, max_length, n_labels):
    """All of them, as (start, end, label)."""
    if n == 0:
        yield []
        return
    for length in range(1, min(max_length, n) + 1):
        for rest in segmentations(n - length, max_length, n_labels):
            for label in range(n_labels):
                yield [*rest, (n - length, n, label)]


def enumerated(patterns, segments, scores, n):
    """Scores of all segmentations, by the definition of the model (Equation 1)."""
    n_lengths, n_labels = segments.shape[1:]
    ways = list(segmentations(n, n_lengths, n_labels))
    values = np.zeros(len(ways))
    for w, way in enumerate(ways):
        labels = tuple(label for _, _, label in way)
        for i, (start, end, label) in enumerate(way):
            values[w] += segments[end - 1, end - start - 1, label]
            for m, pattern in enumerate(patterns):
                if labels[: i + 1][-len(pattern) :] == pattern:
                    values[w] += scores[end - 1, end - start - 1, m]
    return ways, values


def random_patterns(rng, n_labels, count, longest=4):
    lengths = rng.integers(1, longest + 1, count)
    return sorted({tuple(int(y) for y in rng.integers(0, n_labels, length)) for length in lengths})


@pytest.mark.parametrize("seed", range(12))
def test_everything_equals_enumeration(seed, monkeypatch):
    # Scores of moderate size need no logarithms, which would hide a wrong scaled sum.
    monkeypatch.setattr(loops, "sums_of_logarithms", None)
    rng = np.random.default_rng(seed)
    n_lengths = 1 + seed % 3
    n = {1: 7, 2: 6, 3: 5}[n_lengths]
    patterns = random_patterns(rng, 3, 9)
    segments, scores = rng.normal(size=(n, n_lengths, 3)), 2 * rng.normal(size=(n, n_lengths, len(patterns)))
    chain = PatternChains(PatternAutomaton(patterns, 3), segments, scores)
    ways, values = enumerated(patterns, segments, scores, n)
    log_z = np.logaddexp.reduce(values)
    probability = np.exp(values - log_z)
    nodes, occurring = np.zeros_like(segments), np.zeros_like(scores)
    for way, p in zip(ways, probability):
        labels = tuple(label for _, _, label in way)
        for i, (start, end, label) in enumerate(way):
            nodes[end - 1, end - start - 1, label] += p
            for m, pattern in enumerate(patterns):
                occurring[end - 1, end - start - 1, m] += p * (labels[: i + 1][-len(pattern) :] == pattern)
    found = chain.marginals()
    # Sums of a few thousand numbers of moderate size.
    np.testing.assert_allclose(found.log_partition, [log_z], rtol=1e-12)
    np.testing.assert_allclose(found.segments, nodes, atol=1e-11)
    np.testing.assert_allclose(found.patterns, occurring, atol=1e-11)
    labels, starts, best = chain.best_paths()
    np.testing.assert_allclose(best, [values.max()], rtol=1e-12)
    expected = ways[int(values.argmax())]
    assert np.flatnonzero(starts).tolist() == [start for start, _, _ in expected]
    assert labels[starts].tolist() == [label for _, _, label in expected]
    some = rng.integers(0, len(ways), 5)
    for w in some:
        np.testing.assert_allclose(chain.scores_of([ways[w]]), [values[w]], rtol=1e-12)
    [best_ways], [best_scores] = chain.best_k_paths(6)
    order = np.argsort(-values)[:6]
    np.testing.assert_allclose(best_scores, values[order], rtol=1e-12)
    assert best_ways == [ways[w] for w in order]


@pytest.mark.parametrize("n_lengths", [1, 3])
def test_segments_that_cover_a_position_have_probability_one(n_lengths):
    rng = np.random.default_rng(1)
    patterns = random_patterns(rng, 4, 30)
    lengths = [9, 0, 1, 14]
    segments = 3 * rng.normal(size=(24, n_lengths, 4))
    automaton = PatternAutomaton(patterns, 4)
    found = PatternChains(automaton, segments, rng.normal(size=len(patterns)), lengths=lengths).marginals()
    covering = np.zeros(24)
    for t, d in itertools.product(range(24), range(n_lengths)):
        covering[max(t - d, 0) : t + 1] += found.segments[t, d].sum()
    np.testing.assert_allclose(covering, 1.0, rtol=1e-9)
    assert found.log_partition[1] == 0.0


def test_the_worked_example_of_appendix_b():
    automaton = PatternAutomaton([(PERSON,), (OTHER,), (LOCATION,), (LOCATION, OTHER, LOCATION)], 3)
    assert set(automaton.states) == {(), (PERSON,), (OTHER,), (LOCATION,), (LOCATION, OTHER)}
    scores = np.zeros((8, 4))
    scores[:, :3] = APPENDIX_B
    scores[5, 3] = 1.0
    chain = PatternChains(automaton, np.zeros((8, 3)), scores)
    found = chain.marginals()
    # The paper prints two or three decimals; the longer numbers are by enumeration of the 6561 labellings.
    np.testing.assert_allclose(found.log_partition, 12.69566, atol=5e-6)
    lol = found.patterns[:, 0, 3]
    np.testing.assert_allclose(lol[[5, 3, 2]], [0.3912, 0.0831, 0.0259], atol=5e-5)
    np.testing.assert_allclose(found.patterns[[0, 5], 0, [0, 2]], [0.58, 0.68], atol=5e-3)
    # If the pattern counted at every position, as Table 10 says and Table 11 does not.
    scores[:, 3] = 1.0
    np.testing.assert_allclose(PatternChains(automaton, np.zeros((8, 3)), scores).log_partition(), 13.02542, atol=5e-6)


def test_forward_variables_of_appendix_b_are_sums_over_prefixes_that_end_in_the_state():
    automaton = PatternAutomaton([(LOCATION, OTHER, LOCATION)], 3)
    scores = np.zeros((8, 1))
    scores[5] = 1.0
    forward = {}
    for state in ((PERSON,), (OTHER,), (LOCATION,), (LOCATION, OTHER)):
        for upto in (6, 8):
            values = []
            for path in itertools.product(range(3), repeat=upto):
                here = ()
                for label in path:
                    here = automaton.next_state(here, label)
                if here == state:
                    hits = upto >= 6 and path[3:6] == (LOCATION, OTHER, LOCATION)
                    values.append(APPENDIX_B[np.arange(upto), path].sum() + hits)
            forward[state, upto] = np.logaddexp.reduce(values)
    # Table 12.
    here = [forward[state, 8] for state in ((PERSON,), (OTHER,), (LOCATION,), (LOCATION, OTHER))]
    np.testing.assert_allclose(here, [11.14, 11.91, 11.14, 10.59], atol=6e-3)
    np.testing.assert_allclose(forward[(LOCATION,), 6], 9.21, atol=6e-3)
    chain = PatternChains(automaton, APPENDIX_B, scores)
    np.testing.assert_allclose(chain.log_partition(), np.logaddexp.reduce(here), rtol=1e-12)


def test_order_one_is_an_ordinary_chain():
    rng = np.random.default_rng(0)
    unary, transition, lengths = rng.normal(size=(60, 5)), rng.normal(size=(5, 5)), [20, 1, 39]
    pairs = list(itertools.product(range(5), repeat=2))
    chain = PatternChains(PatternAutomaton(pairs, 5), unary, transition.ravel(), lengths=lengths)
    plain = Chains(unary, transition, lengths=lengths)
    found, expected = chain.marginals(), plain.marginals()
    np.testing.assert_allclose(found.log_partition, expected.log_partition, rtol=1e-12)
    np.testing.assert_allclose(found.segments[:, 0], expected.nodes, atol=1e-12)
    np.testing.assert_allclose(found.patterns.reshape(5, 5), expected.pairs, atol=1e-11)
    assert chain.best_paths()[0].tolist() == plain.best_paths()[0].tolist()


def test_all_triples_equal_a_chain_of_pairs():
    rng = np.random.default_rng(3)
    K, n = 4, 12
    unary, triple = rng.normal(size=(n, K)), rng.normal(size=(K, K, K))
    triples = list(itertools.product(range(K), repeat=3))
    log_z = PatternChains(PatternAutomaton(triples, K), unary, triple.ravel()).log_partition()
    # States of the expanded chain are pairs; the first position is the second label of a pair with a fixed first.
    pair_unary = np.tile(unary, (1, K))
    moves = np.full((n, K * K, K * K), -np.inf)
    for a, b, c in triples:
        moves[:, a * K + b, b * K + c] = triple[a, b, c]
        moves[1, a * K + b, b * K + c] = 0.0
    start = np.full(K * K, -np.inf)
    start[:K] = 0.0
    np.testing.assert_allclose(log_z, Chains(pair_unary, moves, start=start).log_partition(), rtol=1e-12)


def test_scores_beyond_the_range_of_numbers():
    # A pattern that wins by e^2000 forbids nothing: logarithms take over where scaled numbers underflow.
    patterns = [(0, 1, 0), (1, 1)]
    rng = np.random.default_rng(5)
    segments, scores = rng.normal(scale=900.0, size=(6, 1, 2)), np.tile([2000.0, -1500.0], (6, 1, 1))
    chain = PatternChains(PatternAutomaton(patterns, 2), segments, scores[0, 0])
    _, values = enumerated(patterns, segments, scores, 6)
    np.testing.assert_allclose(chain.log_partition(), np.logaddexp.reduce(values), rtol=1e-12)
    # The nearest competitor is hundreds of nats away.
    assert chain.marginals().segments.max(axis=(1, 2)) == pytest.approx(1.0)


@pytest.mark.parametrize("n_lengths", [1, 2])
def test_logarithms_and_scaled_sums_agree(n_lengths, monkeypatch):
    rng = np.random.default_rng(8)
    patterns = random_patterns(rng, 3, 12)
    chain = PatternChains(
        PatternAutomaton(patterns, 3),
        rng.normal(size=(9, n_lengths, 3)),
        rng.normal(size=len(patterns)),
        lengths=[4, 5],
    )
    scaled = chain.marginals()

    def none_sound(first, last, *rest):
        rest[5][first:last] = np.nan

    monkeypatch.setattr(loops, "sums_scaled", none_sound)
    logs = chain.marginals()
    np.testing.assert_allclose(logs.log_partition, scaled.log_partition, rtol=1e-12)
    np.testing.assert_allclose(logs.segments, scaled.segments, atol=1e-12)
    np.testing.assert_allclose(logs.patterns, scaled.patterns, atol=1e-11)


def test_digits_survive_where_one_long_state_holds_nearly_all_mass():
    # After 0 1 2 nearly all mass has the state (0, 1, 2); what takes the arc of (2,) is then a difference of
    # nearly equal sums, and that pattern is what the rest of the sequence rewards.
    patterns = [(0, 1, 2, 0), (0, 1, 2, 1), (2, 0), (2, 1), (1, 2)]
    segments = np.zeros((5, 1, 3))
    segments[[0, 1, 2], 0, [0, 1, 2]] = 45.0
    scores = np.tile([-np.inf, -np.inf, 0.0, 1.0, 0.0], (5, 1, 1))
    chain = PatternChains(PatternAutomaton(patterns, 3), segments, scores[0, 0])
    ways, values = enumerated(patterns, segments, scores, 5)
    found = chain.marginals()
    np.testing.assert_allclose(found.log_partition, np.logaddexp.reduce(values), rtol=1e-13)
    p = np.exp(values - np.logaddexp.reduce(values))
    taken = [sum(q for way, q in zip(ways, p) if [y for _, _, y in way][2:4] == [2, c]) for c in (0, 1)]
    # Far below rounding of the mass in (0, 1, 2), and still right.
    assert 0 < max(taken) < 1e-15
    at_place = PatternChains(PatternAutomaton(patterns, 3), segments, scores).marginals().patterns[3, 0]
    np.testing.assert_allclose(at_place[2:4], taken, rtol=1e-9)


def test_forbidden_repeats_leave_runs():
    automaton = PatternAutomaton([(0, 0), (1, 1)], 2)
    chain = PatternChains(automaton, np.zeros((4, 4, 2)), [-np.inf, -np.inf])
    # A run-length coding of a binary string is unique: as many as strings.
    np.testing.assert_allclose(np.exp(chain.log_partition()), 16.0, rtol=1e-12)


def test_next_states_are_longest_suffixes():
    rng = np.random.default_rng(0)
    automaton = PatternAutomaton(random_patterns(rng, 3, 25), 3)
    for state in automaton.states:
        for label in range(3):
            string = (*state, label)
            suffixes = [string[i:] for i in range(len(string) + 1)]
            assert automaton.next_state(state, label) == next(s for s in suffixes if s in automaton.states)
            assert automaton.matched(state, label) == tuple(s for s in suffixes if s in automaton.patterns)


def test_states_and_arcs_grow_with_the_patterns_and_not_with_a_power_of_the_labels():
    rng = np.random.default_rng(0)
    for count in (100, 200, 400):
        patterns = sorted({tuple(each) for each in rng.integers(0, 30, (count, 4)).tolist()})
        automaton = PatternAutomaton(patterns, 30)
        assert automaton.n_states <= 1 + 30 + 3 * len(patterns)
        assert len(automaton.arc_strings) <= 30 + 4 * len(patterns)


def test_observed_patterns_are_counted_and_cut():
    counts = observed_patterns([[0, 1, 1], [1, 1]], min_length=2, max_length=3)
    assert counts == {(0, 1): 1, (1, 1): 2, (0, 1, 1): 1}
    assert observed_patterns([[0, 1, 1], [1, 1]], min_length=2, max_length=3, min_count=2) == {(1, 1): 2}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PatternAutomaton([(0, 3)], 3), "outside 0 to 2"),
        (lambda: PatternAutomaton([()], 3), "empty"),
        (lambda: PatternAutomaton([(0,), (0,)], 3), "more than once"),
        (lambda: PatternAutomaton([], 0), "at least 1"),
    ],
)
def test_patterns_that_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_scores_that_cannot_be():
    automaton = PatternAutomaton([(0, 1)], 2)
    with pytest.raises(ValueError, match="segments must have the shape"):
        PatternChains(automaton, np.zeros((3, 3)), [0.0])
    with pytest.raises(ValueError, match="pattern_scores must have the shape"):
        PatternChains(automaton, np.zeros((3, 2)), [0.0, 1.0])
    with pytest.raises(ValueError, match="NaN"):
        PatternChains(automaton, np.full((3, 2), np.nan), [0.0])
    with pytest.raises(ValueError, match="sum to the 3 positions"):
        PatternChains(automaton, np.zeros((3, 2)), [0.0], lengths=[2, 2])
    with pytest.raises(ValueError, match="no possible segmentation"):
        PatternChains(automaton, np.full((3, 2), -np.inf), [0.0]).log_partition()


@pytest.mark.parametrize(
    ("segmentations", "message"),
    [
        ([[(0, 3, 0)]], "2 sequences and 1 segmentations"),
        ([[(0, 2, 0)], [(0, 2, 1)]], "end at 2; the sequence has 3"),
        ([[(0, 2, 0), (1, 3, 0)], [(0, 2, 1)]], "must start at 2"),
        ([[(0, 3, 0)], [(0, 2, 1)]], "hold 1 to 2 positions"),
        ([[(0, 0, 0), (0, 2, 0), (2, 3, 0)], [(0, 2, 1)]], "hold 1 to 2 positions"),
        ([[(0, 2, 0), (2, 3, -1)], [(0, 2, 1)]], "a label from 0 to 1"),
    ],
)
def test_segmentations_that_cannot_be(segmentations, message):
    chains = PatternChains(PatternAutomaton([(0, 1)], 2), np.zeros((5, 2, 2)), [0.5], lengths=[3, 2])
    np.testing.assert_array_equal(chains.scores_of([[(0, 2, 0), (2, 3, 1)], [(0, 2, 1)]]), [0.5, 0.0])
    with pytest.raises(ValueError, match=message):
        chains.scores_of(segmentations)
