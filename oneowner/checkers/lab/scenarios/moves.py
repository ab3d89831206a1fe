"""Scenarios in which every process lives: bundles are moved, split, deleted, or left alone."""

from functools import partial
from random import Random
from typing import Final

from oneowner.checkers.lab.cluster.recording import Recording
from oneowner.checkers.lab.scenarios.load import at_once, moving, units


def healthy(run: Recording) -> None:
    """Nothing fails; three bundles are unloaded, then one is split."""
    for unit in ("lab/a/0x00000000_0x40000000", "lab/a/0x40000000_0x80000000", "lab/b/0x80000000_0xc0000000"):
        run.unload(unit, 1)
        run.wait(5)
    run.split("lab/b/0xc0000000_0xffffffff", 2, unload=True)
    run.wait(12)


def healthy_quiet(run: Recording) -> None:
    """As a log in production shows it: debug mode off, INFO; bundles are moved for half a minute, three are split."""
    with moving(run):
        run.wait(30)
    for unit in units(run)[:3]:
        run.split(unit, 1)
        run.wait(2)
    run.wait(10)


def transfer(run: Recording) -> None:
    """Transfers and unloads of random bundles through random brokers: one at a time, two, then one bundle by all."""
    for workers in (1, 2):
        run.event("moves", workers=workers)
        with moving(run, workers):
            run.wait(35)
    unit = units(run)[0]
    run.event("one bundle is moved by every broker at once", bundle=unit)
    for _ in range(10):
        at_once(*(partial(run.unload, unit, number, number % len(run.brokers) + 1) for number in run.brokers))
        run.wait(0.5)
    run.wait(8)


def split(run: Recording) -> None:
    """Splits by two algorithms; then splits against a move of the same bundle; then one bundle split twice at once."""
    for unit, algorithm in zip(units(run), ("range_equally_divide", "topic_count_equally_divide"), strict=False):
        run.split(unit, 1, algorithm=algorithm)
        run.wait(1)
    random = Random(1)
    run.event("splits against moves of the same bundle")
    for _ in range(10):
        unit, at, to = random.choice(units(run)), random.choice(run.brokers), random.choice([None, *run.brokers])
        at_once(partial(run.unload, unit, at, to), partial(run.split, unit, at))
        run.wait(0.5)
    run.event("bundles split twice at once")
    for unit in random.sample(units(run), 3):
        at_once(partial(run.split, unit, 1), partial(run.split, unit, 2))
        run.wait(1)
    run.wait(10)


AGAIN: Final = "lab/d"
"""A namespace that is deleted, and made again."""


def delete(run: Recording) -> None:
    """Delete two namespaces with their topics, and the bundles of a third with its clients on; make one again."""
    for namespace in (AGAIN, "lab/z"):
        topic = f"persistent://{namespace}/t0"
        run.namespace(namespace, 2, [topic])
        run.ask("delete topic", 1, "DELETE", f"{topic.replace('://', '/')}?force=true", topic=topic)
        run.ask("delete namespace", 2, "DELETE", f"namespaces/{namespace}", namespace=namespace)
    for unit in units(run):
        if unit.startswith("lab/a/"):
            run.ask("delete bundle", 2, "DELETE", f"namespaces/{unit}", bundle=unit)
    run.wait(2)
    run.namespace(AGAIN, 2, [f"persistent://{AGAIN}/t0"])
    run.wait(4)


def delete_in_use(run: Recording) -> None:
    """A namespace is deleted by force while clients send and bundles move."""
    with moving(run, every=2):
        run.wait(8)
        run.ask("delete namespace", 2, "DELETE", "namespaces/lab/b?force=true", namespace="lab/b")
        run.wait(10)
    run.wait(60)


SHED: Final = tuple(f"persistent://lab/c/t{number}" for number in range(16))


def shedding(run: Recording) -> None:
    """The leader sheds by itself for eight minutes; a machine's loopback has no bandwidth, so heap is the load."""
    run.namespace("lab/c", 12, SHED)
    run.sends(5, {topic: 1000 * (number + 1) for number, topic in enumerate(SHED)})
    for _ in range(8):
        run.event("owners", owners={f"broker-{number}": run.owned(number) for number in run.brokers})
        run.wait(60)
