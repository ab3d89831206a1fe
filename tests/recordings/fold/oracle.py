"""
The conflict resolver once more, as naively as can be: channel.3, rule by rule.

Typed from those tables, importing nothing of ours. Records are what a dump holds: dicts with Pulsar's names.
"""

from typing import Any

Json = dict[str, Any]

MAX, MIN = 2**63 - 1, -(2**63)

STATES = ("Init", "Free", "Owned", "Assigning", "Releasing", "Splitting", "Deleted")

# 1.1: rows are the state before, columns the state after, in the order of STATES
_SYSTEM_TOPIC = {
    "Init":      "- Y Y Y Y Y Y",
    "Free":      "Y - - Y - - -",
    "Owned":     "- - - - Y Y -",
    "Assigning": "- - Y - - - -",
    "Releasing": "- Y - Y - - -",
    "Splitting": "- - - - - - Y",
    "Deleted":   "Y - - - - - -",
}  # fmt: skip
_METADATA_STORE = {**_SYSTEM_TOPIC, "Init": "- - - Y - - -", "Free": "- - - Y - - -"}

MATRIX = {"system-topic": _SYSTEM_TOPIC, "metadata-store": _METADATA_STORE}


def refusing_rule(held: Json | None, to: Json | None, storage: str) -> str | None:
    """Return the rule that drops *to* while *held* is held, None if it is accepted."""
    dropped = _by_the_note(held, to, storage)
    if dropped is None and to is not None and to["state"] == "Owned" and not to.get("dstBroker"):
        return "broker"  # an Owned record without destination is refused as broker
    return dropped


def _by_the_note(held: Json | None, to: Json | None, storage: str) -> str | None:
    if to is None:  # R1
        return None
    if held is None and storage == "metadata-store":  # R2
        return None if to["versionId"] == 1 else "first-version"
    if held is not None:
        before, after = held["versionId"], to["versionId"]
        if not (before == MAX and after == MIN):  # R3
            if before >= after:  # R4
                return "version"
            if before < after - 1:  # R5
                return None if storage == "system-topic" else "gap"
    if to["force"]:  # R6
        return None
    state = "Init" if held is None else held["state"]
    allowed = dict(zip(STATES, MATRIX[storage][state].split(), strict=True))
    if allowed[to["state"]] != "Y":  # R7
        return "transition"
    if held is not None and broker_rule_is_violated(held, to):  # R8
        return "broker"
    return None  # R9


def broker_rule_is_violated(held: Json, to: Json) -> bool:
    """Return whether the brokers do not fit; pairs that are not listed have no rule."""
    dst, src = to.get("dstBroker"), to.get("sourceBroker")
    was_dst, was_src = held.get("dstBroker"), held.get("sourceBroker")
    differ = (dst, src) != (was_dst, was_src)
    return {
        ("Owned", "Splitting"): bool(dst) or was_dst != src,
        ("Owned", "Releasing"): not src or was_dst != src or was_dst == dst,
        ("Assigning", "Owned"): differ,
        ("Releasing", "Assigning"): not dst or differ,
        ("Releasing", "Free"): differ,
        ("Splitting", "Deleted"): differ,
        ("Free", "Assigning"): bool(src) or not dst,
    }.get((held["state"], to["state"]), False)


def next_version(held: Json | None) -> int:
    if held is None:
        return 1
    return MIN if held["versionId"] == MAX else int(held["versionId"]) + 1
