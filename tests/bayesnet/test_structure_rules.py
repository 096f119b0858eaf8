"""Rules on the parents of a variable."""

import pytest

from treatise.bayesnet import arc, indegree, naive_bayes_rules, order_rules, tree_augmented_rules
from treatise.bayesnet.structure.rules import parent_limits


def parents(*own):
    return frozenset(own)


def test_rules_combine_as_their_operators_say():
    rule = (arc("a", "c") & ~arc("b", "c")) | indegree("c", 0, "eq")
    assert rule.child == "c"
    assert rule.holds(parents()) and rule.holds(parents("a")) and rule.holds(parents("a", "d"))
    assert not rule.holds(parents("b")) and not rule.holds(parents("a", "b")) and not rule.holds(parents("d"))


@pytest.mark.parametrize(("op", "allowed"), [("lt", {0, 1}), ("eq", {2})])
def test_the_number_of_parents_is_bounded_or_fixed(op, allowed):
    rule = indegree("x", 2, op)
    assert {size for size in range(5) if rule.holds(frozenset(range(size)))} == allowed


def test_rules_about_two_variables_are_refused():
    with pytest.raises(ValueError, match="about 'b' and 'c'"):
        arc("a", "b") | arc("b", "c")
    with pytest.raises(ValueError, match="about 'b' and 'c'"):
        arc("a", "b") & indegree("c", 2)


def test_plain_rules_become_limits_and_others_stay():
    rules = [arc(1, 0), ~arc(2, 0), indegree(0, 3), indegree(0, 1, "eq") | arc(3, 0), arc(3, 0) & ~arc(4, 0)]
    own = parent_limits(rules, [4] * 5, range(5))[0]
    assert own.required == {1, 3} and own.forbidden >= {0, 2, 4} and own.most == 2 and own.others == [rules[3]]


def test_descendants_along_required_arcs_are_never_parents():
    limits = parent_limits([arc(0, 1), arc(1, 2)], [3] * 4, range(4))
    assert limits[0].forbidden == {0, 1, 2} and limits[1].forbidden == {1, 2} and limits[3].forbidden == {3}


def test_ready_made_rules():
    assert {rule.child for rule in tree_augmented_rules("abc", "a")} == {"a", "b", "c"}
    assert len(naive_bayes_rules(["a", "b", "c"], "a")) == 3
    with pytest.raises(ValueError, match="target='z' is none of the variables"):
        tree_augmented_rules(["a", "b"], "z")
    forbidden = {(rule.rule.parent, rule.child) for rule in order_rules(["a", ["b", "c"], "d"])}
    assert forbidden == {("b", "a"), ("c", "a"), ("d", "a"), ("d", "b"), ("d", "c")}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: arc("a", "a"), "its own parent"),
        (lambda: indegree("a", 0), "leaves no number of parents"),
        (lambda: indegree("a", -1, "eq"), "leaves no number of parents"),
        (lambda: indegree("a", 2, "gt"), "must be 'lt'"),
    ],
)
def test_impossible_rules_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
