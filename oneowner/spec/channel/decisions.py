"""``DECISIONS`` lists the decisions of brokers, readers, the leader, a compaction and the syncer about one entry."""

from oneowner.spec.channel.entry_decision import ENTRY, WAIT
from oneowner.spec.channel.leader_decisions import MONITOR, NEWS, OVERRIDE
from oneowner.spec.channel.log_decisions import COPIED, KEPT, NOTICED, RANGES
from oneowner.spec.channel.resolver_decisions import ARROWS, RESOLVER
from oneowner.spec.channel.step_decisions import DUTIES, LOOKUP

__traced__ = False  # a list of decisions, concrete

DECISIONS = (ARROWS, RESOLVER, ENTRY, WAIT, LOOKUP, DUTIES, OVERRIDE, MONITOR, NEWS, KEPT, COPIED, NOTICED, RANGES)
