"""
R0 in three sentences, and which of them a step breaks that R0 does not allow.

R0 itself only says yes or no to a step (``requirement.py``). Where systems are compared, it matters which promise is
broken: whether nobody was named, whether two owned at once, or whether an owner lost a unit that had not failed.
"""

from oneowner.model.handoff.requirement import ACTIONS, NOBODY, Held, Ownership, heir

NAMED, LET_GO, LOST = "R0.1", "R0.2", "R0.3"
"""The heir is named beforehand; the former owner lets go first; only who has failed loses a unit otherwise."""


def broken_by(before: Ownership, after: Ownership) -> frozenset[str]:
    """
    Return the sentences that a step breaks; each unit is judged by itself, and a broker may fail in the same step.

    >>> broken_by(Ownership((0,), (None,), frozenset()), Ownership((1,), (None,), frozenset()))
    frozenset({'R0.1'})
    >>> sorted(broken_by(Ownership((1,), (None,), frozenset()), Ownership((2,), (None,), frozenset())))
    ['R0.1', 'R0.2']
    >>> broken_by(Ownership((1,), (None,), frozenset()), Ownership((0,), (None,), frozenset({1})))
    frozenset()
    """
    world = before._replace(lost=before.lost | after.lost)
    pairs = zip(before.held(), after.held(), strict=True)
    return frozenset().union(*(_broken(old, new, world) for old, new in pairs if old != new))


def _broken(old: Held, new: Held, world: Ownership) -> frozenset[str]:
    if any(action.relates(old, new, world) for action in ACTIONS):
        return frozenset()
    comes_to_own = new.own not in (NOBODY, old.own)
    has_another_heir = not comes_to_own and heir(old) != NOBODY and heir(new) not in (NOBODY, heir(old))
    broken = {
        NAMED: has_another_heir or (comes_to_own and heir(old) != new.own),
        LET_GO: comes_to_own and old.own != NOBODY,
    }
    return frozenset(name for name, is_broken in broken.items() if is_broken) or frozenset({LOST})
