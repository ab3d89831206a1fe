"""The laws of evidence, in the order in which results list them."""

from __future__ import annotations

from oneowner.checkers.recordings.laws.answers import admin, clocks, prefixes, splits
from oneowner.checkers.recordings.laws.evidence_law import Law
from oneowner.checkers.recordings.laws.recovery import (
    cleanups,
    deletions,
    leadership,
    orphans,
    registration,
    roles,
    safe_mode,
)
from oneowner.checkers.recordings.laws.recovery import dead_brokers as dead
from oneowner.checkers.recordings.laws.serving import answering, availability, claims, dual
from oneowner.checkers.recordings.laws.views import publishers, resent, stopping, taking, views

LAWS: tuple[Law, ...] = (
    # who serves
    *dual.LAWS,
    *claims.LAWS,
    *answering.LAWS,
    *availability.LAWS,
    # what the answers of lookups say
    *prefixes.LAWS,
    # what views took, and who published
    *views.LAWS,
    *taking.LAWS,
    *stopping.LAWS,
    *publishers.LAWS,
    *resent.LAWS,
    # who is registered, who leads, who recovers
    *registration.LAWS,
    *leadership.LAWS,
    *roles.LAWS,
    *orphans.LAWS,
    *dead.LAWS,
    *deletions.LAWS,
    *cleanups.LAWS,
    *safe_mode.LAWS,
    # what callers were told, and what came of it
    *admin.LAWS,
    *splits.LAWS,
    *clocks.LAWS,
)
