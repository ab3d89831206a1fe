"""
The domains of cells that only some bounds need: followed lookups, graceful shutdown, what is special to storages.

Without those bounds each of these cells has one value.
"""

from __future__ import annotations

from model.bounds import Bounds
from model.language import BOOLEAN, NEVER, Array, Domain, Fields, Finite, integers, names
from model.reply import Outcome, Reply, Request, Stage
from model.rules import Storage

BROKER, UNIT = "broker", "unit"
"""The kinds of things that are numbered, and may be interchangeable."""


def followed_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of the cells of followed lookups and of graceful shutdown; without any each has one value."""
    brokers, units, asked, stopped = bounds.brokers, bounds.units, bounds.lookups > 0, bounds.shutdowns > 0
    reply = Fields(
        Reply,
        outcome=names(Outcome) if asked else Finite((Outcome.NONE,)),
        owner=integers(0, brokers if asked else 0, BROKER),
        version=integers(0, bounds.versions if asked else 0),
    )
    request = names(Request) if asked else Finite((Request.NONE,))
    stage = names(Stage) if stopped else Finite((Stage.RUNNING,))
    flag = BOOLEAN if asked else NEVER
    return {
        "request": Array((brokers, units), request, (BROKER, UNIT)),
        "reply": Array((brokers, units), reply, (BROKER, UNIT)),
        "named": Array((brokers, brokers), flag, (BROKER, BROKER)),
        "registered_then": Array((brokers, brokers), flag, (BROKER, BROKER)),
        "lookups_left": integers(0, bounds.lookups),
        "stage": Array((brokers,), stage, (BROKER,)),
        "drained": Array((brokers, units), BOOLEAN if stopped else NEVER, (BROKER, UNIT)),
        "shutdowns_left": integers(0, bounds.shutdowns),
    }


def storage_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of the cells of emptied views in the metadata store, and of the syncer of two storages."""
    brokers, units = bounds.brokers, bounds.units
    emptied = BOOLEAN if bounds.safe_mode and bounds.storage == Storage.METADATA_STORE else NEVER
    nodes = units if bounds.synced else 0
    return {
        "filling": Array((brokers, units), emptied, (BROKER, UNIT)),
        "listed": Array((brokers, units), emptied, (BROKER, UNIT)),
        "nodes": Array((nodes,), record, (UNIT,)),
        "noticed": Array((nodes,), BOOLEAN, (UNIT,)),
        "copied": integers(0, bounds.window if bounds.synced else 0),
        "cleaned": BOOLEAN if bounds.syncs else NEVER,
        "syncs_left": integers(0, bounds.syncs),
    }
