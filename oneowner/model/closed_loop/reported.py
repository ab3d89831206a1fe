"""
Reports on bundles of constant load, in the form that the decisions of ``model.balancer`` take.

A broker has one resource, which its bundles use up. No two bundles have the same load, so that no tie is broken by the
order of a map; averages over time are those of a load that has been the same for long.
"""

from collections.abc import Sequence
from typing import Final

from oneowner.model.balancer.load_data import Usage
from oneowner.model.balancer.local_broker_data import BrokerData, BundleData, LoadData, Traffic
from oneowner.model.closed_loop.bounds import BROKER, BUNDLE, Bounds
from oneowner.model.java.arithmetic import added

MIB = 1024 * 1024.0
LIMIT: Final = 1000 * MIB
"""Bytes a second with which a broker is used up."""
RATE: Final = 1000.0
"""Messages a second for each per cent of that."""
APART: Final = (MIB / 4, 200.0)
"""By how many bytes and messages a second bundles of one kind differ: enough for ``TopKBundles`` to tell them apart."""


def broker_name(broker: int) -> str:
    return f"b{broker}:8080"


def bundle_name(bundle: int) -> str:
    return f"t/n/{bundle}"


def traffic_of(bounds: Bounds, heavies: int, bundle: int) -> Traffic:
    """Return the traffic of a bundle, where the first *heavies* are heavy."""
    percent = bounds.heavy if bundle <= heavies else bounds.light
    bytes_apart, messages_apart = APART
    return Traffic(percent * LIMIT / 100 + bundle * bytes_apart, 0.0, percent * RATE + bundle * messages_apart)


def load_data(bounds: Bounds, heavies: int, owners: Sequence[int], resting: Sequence[bool]) -> LoadData:
    """Return what the modular manager's leader knows, by the owner of each bundle (0: nobody reports it)."""
    traffics = [traffic_of(bounds, heavies, bundle) for bundle in BUNDLE.range_of(bounds)]
    bundles = tuple(BundleData(bundle_name(at), one, one) for at, one in enumerate(traffics, 1))
    recent = frozenset(bundle_name(at) for at, rests in enumerate(resting, 1) if rests)
    return LoadData(tuple(broker_data(broker, traffics, owners) for broker in BROKER.range_of(bounds)), bundles, recent)


def broker_data(broker: int, traffics: Sequence[Traffic], owners: Sequence[int]) -> BrokerData:
    """Return the report of a broker, and the average that the leader reckons of its bundles."""
    owned = [at for at, owner in enumerate(owners) if owner == broker]
    throughput = added(traffics[at].throughput for at in owned)
    rate = added(traffics[at].rate for at in owned)
    traffic = Traffic(throughput, 0.0, rate)
    names = tuple(bundle_name(at + 1) for at in owned)
    usage = Usage(throughput, LIMIT)
    return BrokerData(broker_name(broker), bandwidth_in=usage, traffic=traffic, bundles=names, time_average=traffic)
