"""What must be true: every law, in the order in which a report names them, every witness, and what is owed."""

from spec.channel import (
    ACCEPTED_IS_CAS,
    APPEND_ONLY,
    LEGAL_STEP,
    ONE_OWNER,
    SAME_TABLES,
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
from spec.recovery import LEADER_CAUGHT_UP, NO_LOST_OVERRIDE, OVERRIDE_NAMES_THE_GONE
from spec.tombstones import BEGINS_AT_ONE, TOMBSTONE_SAFE
from spec.transfer import TRANSFER_HANDSHAKE
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
    LEADER_CAUGHT_UP,
    NO_LOST_OVERRIDE,
    TOMBSTONE_SAFE,
    BEGINS_AT_ONE,
    TRANSFER_HANDSHAKE,
    SAME_TABLES,
)

__all__ = ["FAIRNESS", "LIVENESS", "PROPERTIES", "WITNESSES"]
