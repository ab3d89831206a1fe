"""Scenarios of a race that is made to come: gates in the brokers hold one call until another is done."""

import signal
from functools import partial

from oneowner.checkers.lab.cluster.cluster import NAME
from oneowner.checkers.lab.cluster.recording import Recording
from oneowner.checkers.lab.gates.client import Gates
from oneowner.checkers.lab.scenarios.load import asking

ISOLATED = "lab/a"
POLICY = f"clusters/{NAME}/namespaceIsolationPolicies/nobody"
NOBODY = {
    "namespaces": [ISOLATED],
    "primary": ["10.0.0.1"],
    "secondary": [],
    "auto_failover_policy": {
        "policy_type": "min_available",
        "parameters": {"min_limit": "0", "usage_threshold": "100"},
    },
    "unload_scope": "none",
}
"""A policy that allows no broker of this cluster."""


MOST = 40
"""The maximum of answered selections: a cluster has ten bundles here."""


def isolation(run: Recording) -> None:
    """An isolation policy leaves no broker for a namespace, whose bundles are unloaded; it is lifted 60 s later."""
    run.ask("isolation policy", 1, "POST", POLICY, NOBODY)
    run.wait(3)
    for number in run.brokers:
        for unit in run.owned(number):
            if unit.startswith(ISOLATED):
                run.unload(unit, number)
    run.wait(60)
    run.ask("isolation policy lifted", 1, "DELETE", POLICY)
    run.wait(40)


def gates_of(run: Recording, number: int) -> Gates:
    return Gates(run.gates[number - 1])


def transfer_told_done(run: Recording) -> None:
    """Two transfers of one bundle at once: both have made their record before either is written; five times."""
    pairs = [(unit, number) for number in run.brokers for unit in run.owned(number)]
    for unit, owner in pairs[:5]:
        gates = gates_of(run, owner)
        gates.hold("append", f"^{unit} ")
        others = [number for number in run.brokers if number != owner]
        with asking(*(partial(run.unload, unit, owner, to) for to in others)):
            for _ in range(40):
                if len(held := [text for point, text in gates.held() if point == "append"]) == len(others):
                    break
                run.wait(0.25)
            run.event("held", bundle=unit, what=held)
            gates.open("append")
        run.wait(1)


def split_crash(run: Recording) -> None:
    """
    A bundle's owner is killed (SIGKILL) when the children are written and the boundaries are not.

    The leader's choice is steered: the parent goes to the leader, each child to the third broker.
    """
    leader, owner = run.leader() or 1, run.follower_that_owns()
    (third,) = {*run.brokers} - {leader, owner}
    unit = run.owned(owner)[0]
    for number in run.brokers:
        gates_of(run, number).hold("boundaries", f"^{unit}")
    gates = gates_of(run, leader)
    with asking(partial(run.split, unit, owner)):
        held = gates_of(run, owner).waits("boundaries", seconds=20)
        run.event("held", bundle=unit, what=held.text if held else None)
        gates.hold("select", f"^{NAME}/")
        run.signal(signal.SIGKILL, owner)
        _answer(run, gates, unit, leader, third)
    gates.open("select")
    run.wait(15)
    for number in (leader, third):
        gates_of(run, number).open("boundaries")
    run.event("boundaries may be written")
    run.wait(30)


def _answer(run: Recording, gates: Gates, unit: str, parent_to: int, others_to: int) -> None:
    """Answer the selection for each bundle that the leader overrides, until no more come."""
    seconds = 40.0
    for _ in range(MOST):
        if (held := gates.waits("select", seconds=seconds)) is None:
            break
        to = parent_to if held.text.startswith(unit) else others_to
        gates.let_go(held, run.id(to))
        run.event("selected", bundle=held.text, broker=to)
        seconds = 6.0


def forced_free(run: Recording) -> None:
    """
    A broker is cut off ZooKeeper and no other may own its bundles, by an isolation policy: the leader frees them.

    It is told to close their topics; the policy is lifted, a lookup assigns the bundles while the close is held, and
    it writes their tombstones once it ends.
    """
    leader, owner = run.leader() or 1, run.follower_that_owns()
    for other in run.brokers:
        for unit in run.owned(other):
            if other != owner and unit.startswith(ISOLATED):
                run.unload(unit, other, owner)
    run.wait(3)
    gates = gates_of(run, owner)
    gates.hold("close", f"^{ISOLATED}/")
    run.ask("isolation policy", leader, "POST", POLICY, NOBODY)
    run.wait(2)
    run.cut(owner)
    held = gates.waits("close", seconds=40)
    run.wait(2)
    run.event("told to give up", held=[text for point, text in gates.held() if point == "close"] if held else [])
    run.ask("isolation policy lifted", leader, "DELETE", POLICY)
    run.wait(12)
    gates.open("close")
    run.event("closes end")
    run.wait(6)
    run.heal(owner)
    run.wait(30)


def notifications_coalesced(run: Recording) -> None:
    """
    Bundles are transferred and transferred back, and their owner is notified once they are on their way back.

    A notification of the metadata store says that a node changed, and not to what: it waits at a gate for some seconds.
    """
    owner, other = run.follower_that_owns(), run.leader() or 1
    gates, there = gates_of(run, owner), gates_of(run, other)
    for unit in run.owned(owner)[:2]:
        there.hold("append", f"^{unit} ")
        with asking(partial(run.unload, unit, owner, other)):
            held = there.waits("append", seconds=20)
            run.wait(1)  # by then the owner has handled its own writes
            gates.hold("notify", unit)
            there.open("append")
            _await_view(run, there, unit, "Owned", other)
            with asking(partial(run.unload, unit, other, owner)):
                _await_view(run, there, unit, "Assigning", owner)
                waiting = [text for point, text in gates.held() if point == "notify"]
                run.event("on its way back", bundle=unit, held=held.text if held else None, notifications=waiting)
                gates.open("notify")
        run.wait(2)
    run.event("topics of its owner", process=f"broker-{owner}", topics=gates.topics("persistent://lab/"))
    run.wait(75)


def _await_view(run: Recording, gates: Gates, unit: str, state: str, to: int) -> None:
    """Wait until a broker's view has a bundle in *state* at, or on its way to, broker *to*; at most for ten seconds."""
    for _ in range(100):
        if (seen := gates.view(unit)).state == state and seen.destination == run.id(to):
            return
        run.wait(0.1)
    run.event("not seen", bundle=unit, state=state)
