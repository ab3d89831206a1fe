"""Sorts number the brokers and units of the channel, and say which of them an action may be about."""

from oneowner.model.kernel.action import Parameter, Sort

__traced__ = False  # what is numbered, from concrete bounds

BROKER = Sort("broker", lambda bounds: bounds.brokers)
UNIT = Sort("unit", lambda bounds: bounds.units)
VERSION = Sort("", lambda bounds: 2 * bounds.versions + 1 if bounds.wraps else bounds.versions)
"""Versions are plain numbers: no two of them change places."""

CURRENT = BROKER.among(lambda bounds: range(1, bounds.brokers - bounds.old_managers + 1))
"""Brokers that use the channel; the others run an older load manager."""
OLD_MANAGER = BROKER.among(lambda bounds: range(bounds.brokers - bounds.old_managers + 1, bounds.brokers + 1))
READER = BROKER.among(lambda bounds: range(1, bounds.brokers - bounds.synced + 1))
"""Brokers that keep the channel in the storage of the bounds; the others are in the metadata store."""
IN_STORE = BROKER.among(lambda bounds: range(bounds.brokers - bounds.synced + 1, bounds.brokers + 1))
LAST_UNIT = UNIT.among(lambda bounds: range(bounds.units, bounds.units + 1))

CLOSING = Parameter(lambda bounds: range(1, bounds.closings + 1))
"""A place among the closes of topics that are under way at a broker."""
SPLIT_NUMBER = Parameter(lambda bounds: range(1, bounds.splits_at_once + 1) if bounds.splits_at_once > 1 else None)
"""A place among the splits that are under way at a broker, where there may be several."""
