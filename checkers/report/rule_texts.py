"""What every law, note and check says, in a sentence: the rules of a SARIF file."""

from __future__ import annotations

import re
from functools import cache

from oneowner.checkers.recordings.fold.channel_laws import HISTORY_STATEMENTS
from oneowner.checkers.recordings.laws.registry_of_laws import LAWS
from oneowner.spec.channel.registry import LOG_LAWS
from oneowner.spec.systems import decisions, lemmas, systems

ISSUES = "https://github.com/apache/pulsar/issues/"

NOTES = {
    "began-truncated": "A dump begins with the first record of every unit.",
    "clock-skew": "Publish times of one unit do not go back.",
    "message-order": "Every message occurs once, in the order of the topic.",
    "node-chain": "A ZooKeeper history holds every write to a node.",
    "ping-pong": "A unit does not go back and forth between two owners.",
    "publisher-discipline": "A producer publishes for one broker alone.",
    "readable-input": "Every line of a file can be read.",
    "run-of-the-model": "What is recorded of a unit is a run of the model.",
    "as-pinned": "What is checked comes out as it is pinned.",
}


@cache
def statements() -> dict[str, str]:
    """Return the sentence of every rule by its id; what judges real runs comes before what judges the model."""
    known = NOTES | audit_laws()
    for system in systems().values():
        for law in (*system.laws, *system.liveness):
            known.setdefault(law.name, law.statement)
    for decision in decisions().values():
        for of_inputs in decision.laws:
            known.setdefault(of_inputs.name, of_inputs.statement)
    for lemma, _ in lemmas().values():
        known.setdefault(lemma.name, lemma.statement)
    for of_logs in LOG_LAWS:
        known.setdefault(of_logs.name, of_logs.statement)
    return known


def audit_laws() -> dict[str, str]:
    """Return the laws that an audit judges, with their sentences."""
    return HISTORY_STATEMENTS | {law.name: law.statement for law in LAWS}


def issue_of(upstream: str) -> str | None:
    """
    Return the address of the first upstream issue that is named.

    >>> issue_of("looks like #25379, fixed in 4.0.7")
    'https://github.com/apache/pulsar/issues/25379'
    """
    match = re.search(r"#(\d+)", upstream)
    return f"{ISSUES}{match.group(1)}" if match else None
