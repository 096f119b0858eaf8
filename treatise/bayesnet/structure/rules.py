"""Rules that the parents of a variable must obey, and their translation for a search (JMLR 12:663, Section 3)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from treatise._core.invariants import Invariants, all_alike, is_count

Variable = Any


class Rule(ABC):
    """A condition on the parents of one variable; combine rules with ``|``, ``&`` and ``~``.

    All parts of a combination must be about the parents of the same variable: such conditions alone can be
    checked before a parent set is scored.

    Attributes
    ----------
    child : variable
        Whose parents the rule is about.
    """

    child: Variable

    @abstractmethod
    def holds(self, parents: frozenset) -> bool:
        """Whether these parents obey the rule."""

    @abstractmethod
    def renamed(self, number: Callable[[Variable], int]) -> "Rule":
        """The rule with variables replaced by their numbers."""

    def _invariants(self) -> Invariants:
        yield "a rule is about a variable with a name or a number", isinstance(self.child, Hashable)

    def __or__(self, other: "Rule") -> "Rule":
        return _Combination(_same_child(self, other), (self, other), every=False)

    def __and__(self, other: "Rule") -> "Rule":
        return _Combination(_same_child(self, other), (self, other), every=True)

    def __invert__(self) -> "Rule":
        return _Negation(self.child, self)


@dataclass(frozen=True)
class _Arc(Rule):
    parent: Variable
    child: Variable

    def holds(self, parents: frozenset) -> bool:
        return self.parent in parents

    def renamed(self, number: Callable[[Variable], int]) -> Rule:
        return _Arc(number(self.parent), number(self.child))

    def _invariants(self) -> Invariants:
        yield (
            "an arc goes from one variable to another",
            self.parent != self.child and isinstance(self.parent, Hashable),
        )


@dataclass(frozen=True)
class _InDegree(Rule):
    child: Variable
    k: int
    op: str

    def holds(self, parents: frozenset) -> bool:
        return len(parents) == self.k if self.op == "eq" else len(parents) < self.k

    def renamed(self, number: Callable[[Variable], int]) -> Rule:
        return _InDegree(number(self.child), self.k, self.op)

    def _invariants(self) -> Invariants:
        yield "parents are counted", is_count(self.k) and self.op in ("lt", "eq")


@dataclass(frozen=True)
class _Negation(Rule):
    child: Variable
    rule: Rule

    def holds(self, parents: frozenset) -> bool:
        return not self.rule.holds(parents)

    def renamed(self, number: Callable[[Variable], int]) -> Rule:
        return _Negation(number(self.child), self.rule.renamed(number))

    def _invariants(self) -> Invariants:
        yield "a rule about the same child is denied", isinstance(self.rule, Rule) and self.rule.child == self.child


@dataclass(frozen=True)
class _Combination(Rule):
    child: Variable
    rules: tuple[Rule, ...]
    every: bool

    def holds(self, parents: frozenset) -> bool:
        obeyed = (rule.holds(parents) for rule in self.rules)
        return all(obeyed) if self.every else any(obeyed)

    def renamed(self, number: Callable[[Variable], int]) -> Rule:
        return _Combination(number(self.child), tuple(rule.renamed(number) for rule in self.rules), self.every)

    def _invariants(self) -> Invariants:
        yield "a combination is of rules about one child", all_alike(self.rules, Rule) and len(self.rules) > 1
        yield "all of them are about it", all(rule.child == self.child for rule in self.rules)
        yield "either every rule counts or any", isinstance(self.every, bool)


def arc(parent: Variable, child: Variable) -> Rule:
    """The rule that one variable is a parent of another; ``~arc(a, b)`` forbids it.

    Parameters
    ----------
    parent, child : name or column number
        The ends of the arc.

    Examples
    --------
    >>> from treatise.bayesnet import arc, indegree
    >>> smoker_or_alone = arc("smoke", "lung") | indegree("lung", 0, "eq")
    >>> smoker_or_alone.holds(frozenset({"smoke", "age"})), smoker_or_alone.holds(frozenset({"age"}))
    (True, False)
    """
    if parent == child:
        raise ValueError(f"arc({parent!r}, {child!r}) would make a variable its own parent")
    return _Arc(parent, child)


def indegree(child: Variable, k: int, op: str = "lt") -> Rule:
    """The rule that a variable has fewer than k parents ("lt"), or exactly k ("eq").

    Parameters
    ----------
    child : name or column number
        The variable.
    k : int
        Number of parents.
    op : {"lt", "eq"}, default="lt"
        Less than, or equal.
    """
    if op not in ("lt", "eq"):
        raise ValueError(f"op={op!r} must be 'lt' (fewer than k parents) or 'eq' (exactly k)")
    if k < (op == "lt"):
        raise ValueError(f"k={k!r} leaves no number of parents; give {'1' if op == 'lt' else '0'} or more")
    return _InDegree(child, int(k), op)


def naive_bayes_rules(variables: Sequence[Variable], target: Variable) -> list[Rule]:
    """Rules under which only arcs from the target to other variables are possible (Section 3.1).

    The best network that obeys them leaves out the features that tell too little of the target.
    """
    features = _features(variables, target)
    between = [~arc(parent, child) for child in features for parent in features if parent != child]
    return [indegree(target, 0, "eq"), *between]


def tree_augmented_rules(variables: Sequence[Variable], target: Variable) -> list[Rule]:
    """Rules of tree-augmented naive Bayes (Section 3.1).

    Every feature has no parent, or the target and at most one other feature.
    """
    rules = [indegree(target, 0, "eq")]
    for child in _features(variables, target):
        rules += [indegree(child, 3, "lt"), indegree(child, 0, "eq") | arc(target, child)]
    return rules


def order_rules(groups: Sequence[Variable | Sequence[Variable]]) -> list[Rule]:
    """Rules that forbid arcs from later groups of variables to earlier ones.

    Parameters
    ----------
    groups : sequence
        Variables, or lists of variables that have no order among themselves, earliest first. A full order makes
        the search trivial: no graph that it allows has a cycle.
    """
    tiers = [list(group) if isinstance(group, list | tuple | set) else [group] for group in groups]
    return [
        ~arc(parent, child)
        for place, tier in enumerate(tiers)
        for child in tier
        for later in tiers[place + 1 :]
        for parent in later
    ]


def _features(variables: Sequence[Variable], target: Variable) -> list[Variable]:
    if target not in list(variables):
        raise ValueError(f"target={target!r} is none of the variables {list(variables)!r}")
    return [variable for variable in variables if variable != target]


def _same_child(first: Rule, second: Rule) -> Variable:
    if first.child != second.child:
        raise ValueError(
            f"a rule must be about the parents of one variable; this one is about {first.child!r} and "
            f"{second.child!r}: give two rules instead, or one search for each alternative"
        )
    return first.child


@dataclass
class ParentLimits:
    """What the rules leave to the parents of one variable, in numbers of variables.

    Attributes
    ----------
    required, forbidden : set of int
        Always and never parents.
    most : int
        Largest number of parents.
    others : list of Rule
        What does not fit the above.
    """

    most: int
    required: set[int] = field(default_factory=set)
    forbidden: set[int] = field(default_factory=set)
    others: list[Rule] = field(default_factory=list)

    def take(self, rule: Rule) -> None:
        """Add a rule."""
        match rule:
            case _Arc(parent=parent):
                self.required.add(parent)
            case _Negation(rule=_Arc(parent=parent)):
                self.forbidden.add(parent)
            case _InDegree(k=k, op="lt"):
                self.most = min(self.most, k - 1)
            case _InDegree(k=0, op="eq"):
                self.most = 0
            case _Combination(rules=rules, every=True):
                for part in rules:
                    self.take(part)
            case _:
                self.others.append(rule)

    def allow(self, parents: Iterable[int]) -> bool:
        """Whether the parents obey the rules that are not limits."""
        chosen = frozenset(parents)
        return all(rule.holds(chosen) for rule in self.others)


def parent_limits(rules: Iterable[Rule], most: Sequence[int], names: Sequence[Variable]) -> list[ParentLimits]:
    """Limits of every variable, or an error that names the rules that contradict each other.

    Parameters
    ----------
    rules : iterable of Rule
        In numbers of variables.
    most : sequence of int
        Largest number of parents of each variable.
    names : sequence
        How messages call the variables.
    """
    limits = [ParentLimits(min(own, len(names) - 1)) for own in most]
    for rule in rules:
        limits[rule.child].take(rule)
    _check_acyclic([own.required for own in limits], names)
    ancestors = _ancestors([own.required for own in limits])
    for child, own in enumerate(limits):
        both = own.required & own.forbidden
        if both:
            raise ValueError(
                f"the arc {_show(min(both), child, names)} is both required and forbidden; drop one of the rules"
            )
        if len(own.required) > own.most:
            raise ValueError(
                f"{names[child]!r} has {len(own.required)} required parents "
                f"({', '.join(repr(names[parent]) for parent in sorted(own.required))}) and may have at most "
                f"{own.most}; require fewer, or allow more"
            )
        # Step 4c of Section 5 beforehand: a descendant along required arcs is never a parent.
        own.forbidden |= {other for other in range(len(names)) if child in ancestors[other]}
        own.forbidden.add(child)
    return limits


def _check_acyclic(required: list[set[int]], names: Sequence[Variable]) -> None:
    for child, above in enumerate(_ancestors(required)):
        if child in above:
            path = [child]
            while path.count(path[-1]) < 2:
                path.append(next(parent for parent in required[path[-1]] if child in _closure(required, parent)))
            cycle = path[path.index(path[-1]) :][::-1]
            shown = " -> ".join(str(names[vertex]) for vertex in cycle)
            raise ValueError(f"the required arcs make a cycle, {shown}; drop one of them")


def _ancestors(required: list[set[int]]) -> list[set[int]]:
    """Ancestors of each variable along required arcs; on a cycle a variable is its own."""
    return [set().union(*(_closure(required, parent) for parent in own)) for own in required]


def _closure(required: list[set[int]], start: int) -> set[int]:
    found, stack = set(), [start]
    while stack:
        vertex = stack.pop()
        if vertex not in found:
            found.add(vertex)
            stack.extend(required[vertex])
    return found


def _show(parent: int, child: int, names: Sequence[Variable]) -> str:
    return f"{names[parent]!r} -> {names[child]!r}"
