"""The cluster of a scenario: its settings, its storage, and its gates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from oneowner.checkers.lab.cluster.cluster import QUIET, VIEWS
from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.cluster.start import Wanted
from oneowner.checkers.lab.gates.agent import prepared, told_to_cluster
from oneowner.checkers.lab.scenarios.scenario import Scenario

BROKERS = 3


def prepare(
    name: str,
    scenario: Scenario,
    pulsar: Path,
    releases: Path,
    out: Path,
    load_manager: str,
    given: Mapping[str, object],
) -> Wanted:
    """
    Return the cluster that a scenario wants.

    :param pulsar: the folder of a release, below *releases*; :param given: settings over those of the scenario.
    :raises Misuse: it needs gates, and the release has no method for one, or there is no JDK.
    """
    ports: Sequence[int] = ()
    gates: Mapping[str, Any] = {"agents": [[QUIET]] * BROKERS} if scenario.quiet else {}
    if scenario.gated:
        ports = free_ports(BROKERS)
        traces = [out.resolve() / f"gates-{number}.jsonl" for number in range(1, BROKERS + 1)]
        gates = told_to_cluster(*prepared(pulsar, releases), traces, ports)
    settings = {
        **scenario.settings,
        **(VIEWS[scenario.storage] if scenario.storage != "system-topic" else {}),
        **({"loadBalancerDebugModeEnabled": "false"} if scenario.quiet else {}),
        **given,
    }
    release = pulsar.name.removeprefix("apache-pulsar-")
    return Wanted(out, name, pulsar, release, BROKERS, scenario.storage, load_manager, settings, gates, ports)
