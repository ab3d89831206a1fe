"""
Recordings in words.

A line is ``BROKER: RECORD`` or ``STEP BROKER``: ``2: Releasing(1, from 2) v3`` is published by broker 2,
``expire 2`` is the end of its session. A record is written as the model prints it.
"""

import re

from oneowner.checkers.recordings.explain.recording import PublishedRecord, Recording, RegistryStep
from oneowner.model.channel.record import TOMBSTONE, Record, ServiceUnitState
from oneowner.model.channel.rules import Storage

_RECORD = re.compile(r"(\w+)\((?:(\d+))?(?:, )?(?:from (\d+))?\) v(\d+)( forced)?")


def record(words: str) -> Record:
    """
    Return the record that the model prints so.

    >>> record("Owned(3, from 2) v3 forced")
    Record(state=<ServiceUnitState.OWNED: 'Owned'>, destination=3, source=2, force=True, version=3)
    """
    if words == "nothing":
        return TOMBSTONE
    found = _RECORD.fullmatch(words)
    assert found is not None, words
    state, destination, source, version, forced = found.groups()
    return Record(ServiceUnitState(state), int(destination or 0), int(source or 0), bool(forced), int(version))


def recording(*lines: str, brokers: int = 3, storage: Storage = Storage.SYSTEM_TOPIC) -> Recording:
    """Return a recording of one unit; line n happened at time n and is called 0:n."""
    records, steps, process = [], [], dict.fromkeys(range(1, brokers + 1), 0)
    for time, line in enumerate(lines, 1):
        who, colon, words = line.partition(": ")
        if colon:
            broker = int(who)
            records.append(
                PublishedRecord(f"0:{time}", time, "t/n/0x0_0x1", record(words), broker, process[broker], ())
            )
        else:
            action, _, number = line.partition(" ")
            steps.append(RegistryStep(f"0:{time}", time, action, int(number)))
            process[int(number)] += action == "restart"
    return Recording(
        "crafted",
        storage,
        tuple(f"b{number}" for number in range(1, brokers + 1)),
        tuple(records),
        tuple(steps),
        handled=frozenset(),
    )
