"""Domains over which lemmas of the channel quantify: any number of brokers, every version, every record."""

from typing import Final

from oneowner.model.channel.record import MAX_VERSION, MIN_VERSION, Record, ServiceUnitState
from oneowner.model.kernel.language import BOOLEAN, Fields, names
from oneowner.model.kernel.lemma import Interval

__traced__ = False  # declares domains

BROKERS: Final = Interval(0, 2**31 - 1, "broker")
"""Any number of brokers, and NOBODY."""
VERSIONS: Final = Interval(MIN_VERSION, MAX_VERSION)
"""A Java long."""
POSITIONS: Final = Interval(0, 2**62)
"""Places in a log: as many as will ever be, and fewer than versions, which so never wrap."""
STATES: Final = names(ServiceUnitState)
FORCE: Final = BOOLEAN
RECORDS: Final = Fields(
    Record, state=STATES, destination=BROKERS, source=BROKERS, force=FORCE, version=VERSIONS
)  # fmt: skip
"""Every record that can be written down, also such as Pulsar could not build, and NOTHING with a version."""
