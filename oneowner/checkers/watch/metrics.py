"""Metrics for Prometheus."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.readings import Readings


class Metrics(Collector):
    """Collects the metrics of the present readings."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterable[Metric]:
        """Return all metrics; each has the label ``cluster``."""
        up = GaugeMetricFamily("oneowner_up", "1 while the channel of the cluster can be read.", labels=["cluster"])
        at_end = GaugeMetricFamily("oneowner_at_end", "1 while every record has been read.", labels=["cluster"])
        lag = GaugeMetricFamily(
            "oneowner_lag_seconds", "How far behind the channel's end reading is; 0 at its end.", labels=["cluster"]
        )
        records = CounterMetricFamily(
            "oneowner_records", "Records of the channel that were judged.", labels=["cluster"]
        )
        refused = CounterMetricFamily(
            "oneowner_refused", "Records that lost a race, by the resolver's rule.", labels=["cluster", "rule"]
        )
        units = GaugeMetricFamily(
            "oneowner_units", "Bundles, by the state of their entry.", labels=["cluster", "state"]
        )
        flying = GaugeMetricFamily("oneowner_in_flight", "Hand-overs and splits under way.", labels=["cluster"])
        longest = GaugeMetricFamily(
            "oneowner_in_flight_longest_seconds", "How long the oldest of them has taken.", labels=["cluster"]
        )
        explained = GaugeMetricFamily(
            "oneowner_explained_units", "Bundles whose records the model has all explained.", labels=["cluster"]
        )
        behind = GaugeMetricFamily(
            "oneowner_behind_units",
            "Bundles that moved and are not explained yet, or not as a whole.",
            labels=["cluster"],
        )
        findings = CounterMetricFamily("oneowner_findings", "Reported findings.", labels=["cluster", "law", "severity"])
        for cluster, reading, told in self._readings.now():
            counts = reading.counts
            up.add_metric([cluster], reading.is_up)
            at_end.add_metric([cluster], reading.is_at_end)
            lag.add_metric([cluster], reading.lag)
            records.add_metric([cluster], counts.records)
            explained.add_metric([cluster], reading.explained)
            behind.add_metric([cluster], reading.behind)
            flying.add_metric([cluster], counts.in_flight)
            longest.add_metric([cluster], counts.longest / 1000)
            for rule, number in sorted(counts.refused.items()):
                refused.add_metric([cluster, rule], number)
            for state, number in sorted(counts.states.items()):
                units.add_metric([cluster, state], number)
            for (law, severity), number in sorted(told.items()):
                findings.add_metric([cluster, law, severity], number)
        return [up, at_end, lag, records, refused, units, flying, longest, explained, behind, findings]


def serve(readings: Readings, port: int, address: str) -> int:
    """
    Serve ``/metrics`` from a thread; return the port, which 0 leaves to the system.

    :raises Misuse: the port is taken, or may not be used.
    """
    registry = CollectorRegistry()
    registry.register(Metrics(readings))
    try:
        server, _ = start_http_server(port, address, registry)
    except OSError as error:
        raise Misuse(
            f"--metrics-port {port}: {error.strerror}; another port, or 0 for a free one, is allowed"
        ) from None
    return int(server.server_port)
