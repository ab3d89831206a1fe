"""``DECISIONS`` lists the assignment decisions of other systems."""

from oneowner.spec.allocation.container_grouping import CONTAINER_GROUPING
from oneowner.spec.allocation.container_packing import CONTAINER_PACKING
from oneowner.spec.allocation.fair_shares import FAIR_SHARES
from oneowner.spec.allocation.key_groups import KEY_GROUPS
from oneowner.spec.allocation.replica_goals import REPLICA_GOALS, REPLICA_LIMITS

DECISIONS = (KEY_GROUPS, FAIR_SHARES, CONTAINER_GROUPING, REPLICA_GOALS, REPLICA_LIMITS, CONTAINER_PACKING)
