"""Crafted states and steps for the laws of sessions, registration, safe mode, clean-ups and shedding."""

from functools import partial
from typing import Any

from oneowner.model.channel.parts import HealthCheck, Message, Metadata, Node, Run, Stage, Wait
from oneowner.model.channel.record import OWNED, RELEASING, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    BROKEN,
    FORCED_2,
    KEPT,
    RELEASING_1,
    SILENT,
    after,
    appended,
    cluster,
    edited,
    model_step,
    state,
)

SAFE = {"brokers": 3, "owner": 2, "expiries": 1, "outages": 1, "safe_mode": 1, "closings": 2}
OVERRIDE, NOTICE = "override(broker=1, destination=3)", "notice(observer=1, broker=2)"
OPENS, REGISTERS = "open(broker=1, unit=1)", "register(broker=1)"


def leading(**cells: Any) -> State:
    """Leader 1 has scheduled a clean-up of broker 2, whose session has ended."""
    at = where(cluster(**SAFE), node={2: Node.ABSENT}, known={(1, 2): False}, cleaning={(1, 2): True})
    return where(at, **cells)


def notified_of_departure(metadata: Metadata) -> State:
    """Leader 1 has yet to hear that broker 2 is not registered."""
    return leading(metadata={1: metadata}, known={(1, 2): True}, cleaning={(1, 2): False})


BROKEN["scheduled-in-contact"] |= {
    "a leader out of contact schedules a clean up": lambda: edited(
        notified_of_departure(Metadata.UNSTABLE), NOTICE, cleaning={(1, 2): True}
    ),
    "a monitor schedules one before it is stable": lambda: edited(
        leading(metadata={1: Metadata.JITTERY}, cleaning={(1, 2): False}),
        "monitor(broker=1, gone=2)",
        cleaning={(1, 2): True},
    ),
}
SILENT["scheduled-in-contact"] |= {
    "a clean up that is scheduled already stays": lambda: edited(
        leading(metadata={1: Metadata.UNSTABLE}, node={2: Node.PRESENT}), NOTICE
    ),
}


def closed(**cells: Any) -> State:
    """Broker 1 owns the unit and does not serve it."""
    return where(cluster(**{**SAFE, "owner": 1}), serving={(1, 1): False}, **cells)


def without_contact() -> dict[str, State]:
    """Broker 1 cannot use ZooKeeper, each time for another reason."""
    return {
        "zookeeper is down": closed(zookeeper_down=True),
        "its session has ended": closed(session_ended={1: True}),
        "it takes its session for lost": closed(metadata={1: Metadata.UNSTABLE}),
    }


BROKEN["opens-in-contact"] |= {
    f"topics are opened while {why}": partial(edited, at, OPENS, serving={(1, 1): True})
    for why, at in without_contact().items()
}
BROKEN["writes-in-contact"] |= {
    f"a broker {what} while {why}": partial(edited, at, f"{name}(broker=1)")
    for why, at in without_contact().items()
    for name, what in (("register", "registers"), ("elect", "is elected"))
}
SILENT["writes-in-contact"] |= {
    "no session of a living broker can be lost": lambda: edited(cluster(crashes=1), "elect(broker=1)")
}

BROKEN["one-elected"] |= {
    "a node vanishes without its session": lambda: edited(
        cluster(expiries=1), "expire(broker=2)", node={1: Node.ABSENT}
    ),
    "a leader is elected while there is one": lambda: edited(cluster(expiries=1), "elect(broker=2)", leader=2),
    "a node vanishes when another broker shuts down": lambda: edited(
        where(cluster(shutdowns=2), stage={2: Stage.DRAINING}, drained={(2, 1): True}),
        "unregister(broker=2)",
        node={1: Node.ABSENT},
    ),
}

BROKEN["two-believers"] |= {
    "two brokers play the leader": lambda: state(cluster(expiries=1, beliefs=1), believes={2: True})
}
KEPT["two-believers"] |= {"one broker plays the leader": lambda: state(cluster(expiries=1, beliefs=1))}

BROKEN["registry-owner"] |= {
    "a new process is listed by the session of the old one": lambda: state(
        after(cluster(crashes=1), "crash(broker=2)", "restart(broker=2)")
    )
}
SILENT["registry-owner"] |= {
    "nobody who lives is listed": lambda: state(cluster(), node={1: Node.ABSENT, 2: Node.ABSENT})
}

BROKEN["clean-only-by-leader"] |= {
    "another broker leads when the clean up fires": lambda: model_step(leading(leader=3), OVERRIDE)
}


def playing_on(**cells: Any) -> State:
    """Broker 1 plays the leader, elected or no longer, and has noticed that broker 2 is gone."""
    at = cluster(brokers=3, owner=2, expiries=1, beliefs=1)
    return where(at, node={2: Node.ABSENT}, known={(1, 2): False}, **cells)


BROKEN["clean-only-while-led"] |= {
    "a clean up fires between two elections": lambda: edited(leading(leader=0), OVERRIDE),
    "a broker plays the leader on between two elections": lambda: edited(playing_on(leader=0), OVERRIDE),
}
SILENT["clean-only-while-led"] |= {
    "who leads is who is elected": lambda: edited(cluster(owner=2, expiries=1, brokers=3), OVERRIDE)
}

BROKEN["safe-mode-quiet"] |= {
    "an unstable broker overrides": lambda: edited(leading(metadata={1: Metadata.UNSTABLE}), OVERRIDE),
    "a jittery broker overrides": lambda: model_step(leading(metadata={1: Metadata.JITTERY}), OVERRIDE),
}

BROKEN["leader-caught-up"] |= {
    "the leader has a record ahead of it": lambda: edited(
        leading(log=[Message(1, Record(OWNED, 3, 2, True, 3))]), OVERRIDE
    )
}


def notified_in_outage(record: Record) -> State:
    return where(cluster(**{**SAFE, "owner": 1, "units": 2}), zookeeper_down=True, log=[Message(1, record)])


BROKEN["outage-no-interrupt"] |= {
    "a living broker closes for an override": lambda: model_step(notified_in_outage(FORCED_2), "consume(broker=1)"),
    "a broker stops serving because zookeeper is down": lambda: edited(
        notified_in_outage(RELEASING_1), "lose_session(broker=1)", serving={(1, 1): False}
    ),
    "a broker that closes stops serving another unit": lambda: edited(
        where(notified_in_outage(RELEASING_1), serving={(1, 1): False}, closing={1: [Message(1, RELEASING_1)]}),
        "lose_session(broker=1)",
        serving={(1, 2): False},
    ),
}
KEPT["outage-no-interrupt"] |= {
    "a broker closes for a transfer": lambda: model_step(notified_in_outage(RELEASING_1), "consume(broker=1)"),
    "a broker dies in the outage": lambda: model_step(
        where(cluster(crashes=1, outages=1, safe_mode=1), zookeeper_down=True), "crash(broker=1)"
    ),
}


def back_after_an_outage(**cells: Any) -> State:
    return leading(outages_left=0, **cells)


BROKEN["grace-after-outage"] |= {
    "a clean up goes on before the owner has a session": lambda: model_step(
        back_after_an_outage(unreached={2: True}), OVERRIDE
    ),
    "the source of a hand over has none": lambda: model_step(
        back_after_an_outage(unreached={2: True}, view={(1, 1): Record(RELEASING, 3, 2, False, 3)}), OVERRIDE
    ),
}
KEPT["grace-after-outage"] |= {
    "the owner has had a session since": lambda: model_step(back_after_an_outage(), OVERRIDE),
    "only the destination of a hand over has none": lambda: model_step(
        back_after_an_outage(unreached={3: True}, view={(1, 1): Record(RELEASING, 3, 2, False, 3)}), OVERRIDE
    ),
}
SILENT["grace-after-outage"] |= {
    "it is not over": lambda: edited(back_after_an_outage(zookeeper_down=True), OVERRIDE),
}

BROKEN["suspect-grace"] |= {
    "the clean up of a broker that is back stays scheduled": lambda: edited(leading(node={2: Node.PRESENT}), NOTICE)
}

CALLED_OFF = "call_off(observer=1, broker=2)"
CHECKED = {**SAFE, "late_call_offs": 1}


def being_checked(check: HealthCheck, **cells: Any) -> State:
    """Broker 2 was back, is gone again, and leader 1 has scheduled a clean-up of it; an older health check ends."""
    at = where(cluster(**CHECKED), node={2: Node.ABSENT}, known={(1, 2): False}, cleaning={(1, 2): True})
    return where(at, checking={(1, 2): check}, **cells)


BROKEN["call-off-spares-newer"] |= {
    "a newer clean up of a broker that is gone is called off": lambda: model_step(
        being_checked(HealthCheck.OUTLIVED), CALLED_OFF
    )
}
KEPT["call-off-spares-newer"] |= {
    "the clean up that the check was asked for is called off": lambda: model_step(
        being_checked(HealthCheck.ASKED), CALLED_OFF
    ),
    "a newer one is called off of a broker that is registered": lambda: model_step(
        being_checked(HealthCheck.OUTLIVED, node={2: Node.PRESENT}), CALLED_OFF
    ),
}
SILENT["call-off-spares-newer"] |= {
    "a clean up ends by itself": lambda: edited(
        being_checked(HealthCheck.OUTLIVED), "end_clean_up(broker=1, gone=2)", cleaning={(1, 2): False}
    ),
}

BROKEN["own-registration-known"] |= {
    "a broker whose node is gone takes itself for registered": lambda: state(cluster(expiries=1), node={2: Node.ABSENT})
}
KEPT["own-registration-known"] |= {
    "a broker takes its session for lost": lambda: state(
        cluster(**SAFE), node={2: Node.ABSENT}, metadata={2: Metadata.UNSTABLE}
    ),
}
SILENT["own-registration-known"] |= {
    "no broker takes itself for registered": lambda: state(cluster(crashes=2), run={1: Run.DOWN, 2: Run.DOWN})
}

BROKEN["registered-in-time"] |= {
    "the unit of a broker with a session is taken": lambda: model_step(leading(), OVERRIDE)
}
KEPT["registered-in-time"] |= {
    "the unit of a broker without session is taken": lambda: model_step(
        leading(metadata={2: Metadata.UNSTABLE}), OVERRIDE
    ),
    "the unit of a dead broker is taken": lambda: model_step(leading(run={2: Run.DOWN}), OVERRIDE),
}
SILENT["registered-in-time"] |= {
    "a clean up ends and takes nothing": lambda: edited(cluster(**SAFE), "end_clean_up(broker=1, gone=2)")
}

SHED = "shed(broker=1, destination=1)"
SHEDDING = {"brokers": 2, "owner": 2, "expiries": 1, "sheddings": 1, "closings": 2}


def in_a_round() -> State:
    """The leader, broker 1, has begun a round of shedding."""
    return after(cluster(**SHEDDING), "begin_shedding(broker=1)")


BROKEN["shed-only-by-leader"] |= {"a former leader sheds": lambda: model_step(where(in_a_round(), leader=2), SHED)}

ORPHANING = {**SHEDDING, "crashes": 1, "restarts": 0, "expiries": 0}


def with_an_orphan(**cells: Any) -> State:
    """Leader 1 has shed unit 1 of broker 2, which is gone."""
    shed = after(cluster(**ORPHANING), "begin_shedding(broker=1)", SHED, "crash(broker=2)", "expire(broker=2)")
    return where(where(shed, known={(1, 2): False}), **cells)


BROKEN["recovery-has-its-thread"] |= {
    "the leader's load manager waits for an unload of a broker that is gone": lambda: state(with_an_orphan())
}
KEPT["recovery-has-its-thread"] |= {
    "it has stopped waiting": lambda: state(with_an_orphan(waits_for={1: Wait.NOTHING}))
}
SILENT["recovery-has-its-thread"] |= {
    "the leader has not heard of it": lambda: state(with_an_orphan(known={(1, 2): True})),
    "the leader is gone too": lambda: state(with_an_orphan(run={1: Run.DOWN})),
}

OF_OTHER_STEPS = (
    "clean-only-by-leader", "clean-only-while-led", "leader-caught-up", "one-elected", "outage-no-interrupt",
    "safe-mode-quiet", "suspect-grace",
)  # fmt: skip
for law in OF_OTHER_STEPS:
    SILENT[law] |= {"a record is written": lambda: appended(FORCED_2, safe_mode=1)}
