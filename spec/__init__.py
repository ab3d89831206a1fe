"""What must be true: every law, in the order in which a report names them, every witness, and what is owed."""

from spec.channel import (
    ACCEPTED_IS_CAS,
    APPEND_ONLY,
    LEGAL_STEP,
    ONE_OWNER,
    UNIQUE_WINNER,
    VERSION_CHAIN,
    VIEW_IS_PREFIX_FOLD,
)
from spec.fairness import FAIRNESS
from spec.liveness import LIVENESS
from spec.ownership import (
    DUAL_SERVING_EXPLAINED,
    QUIESCENT_AGREEMENT,
    SERVE_IMPLIES_VIEW,
    SINGLE_SERVER,
    SINGLE_SERVER_ALWAYS,
)
from spec.property import Law
from spec.recovery import NO_LOST_OVERRIDE, OVERRIDE_NAMES_THE_GONE
from spec.split import (
    BOUNDARIES_BEFORE_DELETED,
    BOUNDARIES_ONLY_REFINED,
    CHILDREN_BEFORE_BOUNDARIES,
    NO_OVERLAPPING_OWNERS,
    PARENT_STAYS_DELETED,
)
from spec.tombstones import BEGINS_AT_ONE, TOMBSTONE_SAFE
from spec.types import TYPE_OK
from spec.witnesses import WITNESSES

PROPERTIES: tuple[Law, ...] = (
    TYPE_OK,
    APPEND_ONLY,
    VIEW_IS_PREFIX_FOLD,
    VERSION_CHAIN,
    LEGAL_STEP,
    UNIQUE_WINNER,
    ACCEPTED_IS_CAS,
    ONE_OWNER,
    SERVE_IMPLIES_VIEW,
    SINGLE_SERVER,
    SINGLE_SERVER_ALWAYS,
    DUAL_SERVING_EXPLAINED,
    QUIESCENT_AGREEMENT,
    OVERRIDE_NAMES_THE_GONE,
    NO_LOST_OVERRIDE,
    TOMBSTONE_SAFE,
    BEGINS_AT_ONE,
    NO_OVERLAPPING_OWNERS,
    BOUNDARIES_ONLY_REFINED,
    CHILDREN_BEFORE_BOUNDARIES,
    BOUNDARIES_BEFORE_DELETED,
    PARENT_STAYS_DELETED,
)

__all__ = ["FAIRNESS", "LIVENESS", "PROPERTIES", "WITNESSES"]
