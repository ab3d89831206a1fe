"""Random walks through models larger than any family: laws that hold or are guarded are never broken."""

from collections import Counter

import pytest
from hypothesis import given, settings

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import EnabledLaw
from oneowner.model.kernel.law import Law, StateLaw, Status
from oneowner.model.kernel.system import initial_states
from oneowner.spec.channel.registry import PROPERTIES
from tests.model.channel.strategies import choices, enabled, steadily

pytestmark = pytest.mark.slow

HARD = [law for law in PROPERTIES if law.status in (Status.HOLDS, Status.GUARDED)]

WIDE = {
    "commands": Bounds(brokers=3, units=2, owner=1, transfers=3, unloads=2, assigns=3, pending=2, versions=30),
    "assignment": Bounds(brokers=3, assigns=4, unloads=2, resends=2, pending=2, versions=30),
    "failures": Bounds(brokers=3, owner=2, assigns=2, crashes=2, expiries=2, transfers=1, closings=2, versions=30),
    "narrow": Bounds(
        brokers=2, owner=1, assigns=2, unloads=2, crashes=2, expiries=2, window=1, closings=2, versions=30
    ),
    "metadata-store": Bounds(
        brokers=3, owner=1, storage=Storage.METADATA_STORE, transfers=3, unloads=2, assigns=3, pending=2, versions=30
    ),
}

RARE = {
    "dual-serving-explained", "override-names-the-gone", "leader-caught-up", "one-elected", "suspect-grace",
    "work-goes-on",
}  # fmt: skip
"""Only after a fault, and not on every walk: the families reach them all."""
AFTER_A_FAULT = {"begins-with-what-is-there", "ends-altogether", "hears-that-alone", "role-steps-are-whole"}
ELSEWHERE = {
    "clean-only-while-led", "disabled-answers", "done-is-told", "orders-are-under-way", "storages-are-read",
    "told-by-an-end", "told-by-its-kind-of-end",
}  # fmt: skip
"""Laws of steps that none of these bounds has."""

ABOUT = {
    "listeners": {"owner-is-loaded"},
    "lookups": {
        "waiter-is-told",
        "admin-call-ends",
        "one-redirect",
        "prefix-answer",
        "monotonic-answers",
        "answer-is-listed",
        "deferral-discipline",
        "lookups-go-by-rule",
    },
    "shutdowns": {"unregistered-owns-nothing", "closes-before-hand-over"},
    "compactions": {"kept-is-fold", "compaction-at-once"},
    "splits": {
        "lookup-in-boundaries",
        "boundaries-only-refined",
        "children-before-boundaries",
        "boundaries-before-deleted",
        "split-goes-by-steps",
    },
    "transfers": {"transfer-handshake"},
    "multi_phase": {"keep-connections"},
    "pauses": {"second-claimant-lags"},
    "safe_mode": {"scheduled-in-contact"},
    "live_sessions_end": {"opens-in-contact", "writes-in-contact"},
    "removals": {"deletion-is-forced"},
}
"""Laws about what only some bounds have: the others give them no occasion."""

SETTLE = -1
DELIVERIES = ("append", "consume", "notify", "close", "open")


def judged(law: Law, before: State, action: Action, after: State) -> tuple[bool, bool]:
    """Return whether the law is exercised, and whether it is broken."""
    if isinstance(law, StateLaw):
        exercised = law.when(after)
        return exercised, exercised and not law.holds(after)
    exercised = law.when(before, action, after)
    return exercised, exercised and not law.holds(before, action, after)


@pytest.mark.parametrize("bounds", WIDE.values(), ids=list(WIDE))
def test_no_hard_law_is_broken_on_a_random_walk(bounds: Bounds) -> None:
    taken: Counter[str] = Counter()
    exercised: set[str] = set()

    @settings(steadily, max_examples=60)
    @given(choices(80) | choices(16))  # short ones too: in the end everything may be unloaded, and nobody serves
    def walk(steps: list[int]) -> None:
        (before,) = initial_states(bounds)
        for choice in [*steps, *[SETTLE] * 60]:
            options = enabled(before)
            if choice == SETTLE:  # let everything under way arrive: only then is there quiet to judge
                options = [option for option in options if option[0].name in DELIVERIES]
            if not options:
                break
            action, after = options[choice % len(options)]
            taken[action.name] += 1
            verdicts = {law.name: judged(law, before, action, after) for law in HARD}
            assert [name for name, (_, broken) in verdicts.items() if broken] == []
            exercised.update(name for name, (occasion, _) in verdicts.items() if occasion)
            before = after

    walk()
    assert taken.total() > 1000
    assert {"append", "open", "close"} <= taken.keys()
    idle = {name for setting, names in ABOUT.items() if not getattr(bounds, setting) for name in names}
    idle |= ELSEWHERE if bounds.crashes else ELSEWHERE | AFTER_A_FAULT
    assert not idle & exercised
    # Where an action is enabled its law of what is enabled has an occasion: nothing is to be asked of those.
    asked = {law.name for law in HARD if not isinstance(law, EnabledLaw)}
    assert asked - exercised - idle <= RARE


def test_hard_laws_are_all_but_the_documented_ones() -> None:
    assert [law for law in PROPERTIES if law not in HARD] == [law for law in PROPERTIES if law.status.is_violated]
