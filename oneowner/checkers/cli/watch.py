"""The verb ``watch``: live checks of clusters; a broken law is reported at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from oneowner.checkers.cli.name_types import Choice
from oneowner.checkers.cli.options import credential_options
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.extras import need
from oneowner.checkers.times import duration_ms
from oneowner.checkers.verdict import MISUSE, Misuse
from oneowner.model.kernel.law import Severity

if TYPE_CHECKING:
    from oneowner.checkers.watch.clusters import Cluster
    from oneowner.checkers.watch.inline import Terms
    from oneowner.checkers.watch.journal import Sink
    from oneowner.checkers.watch.readings import Readings

LEAST = {
    "violation": (Severity.VIOLATION,),
    "warning": (Severity.VIOLATION, Severity.WARNING),
    "note": (Severity.VIOLATION, Severity.WARNING, Severity.NOTE),
}

EXIT = """\b
Exit codes: 0 no violation, 1 a violation was reported, 2 misuse or an unreadable line of a channel, 3 unknown (a
cluster was lost or had no record, an answer was unreadable, or a bundle was not explained). Several causes: 2 before 1
before 3 before 0. Ctrl-C is a normal end."""


@verb(Section.CLUSTER, epilog=EXIT)
@click.option(
    "--service-url", "services", multiple=True, metavar="URL",
    help="The URL for clients, such as pulsar://broker:6650; repeatable, for clusters with the same credentials.",
)  # fmt: skip
@credential_options
@click.option(
    "--clusters", "clusters_file", type=click.Path(path_type=Path), metavar="FILE",
    help="A YAML list of clusters: name, and the options of each.",
)  # fmt: skip
@click.option(
    "--dump", metavar="PATH",
    help="Follow a dump that grows, such as that of oneowner record. A folder: the model explains its bundles, too.",
)  # fmt: skip
@click.option("--replay", metavar="PATH", help="Follow a dump, or a folder, as if its records arrived now.")
@click.option(
    "--speed", type=click.FloatRange(0, min_open=True), metavar="N",
    help="With --replay: N times the recorded speed (default: unlimited).",
)  # fmt: skip
@click.option(
    "--admin-url", metavar="URL", help="The web service of a broker; every broker is then polled for its bundles."
)
@click.option(
    "--topic", "topics", multiple=True, metavar="TOPIC", help="Look this topic up at every broker; repeatable."
)
@click.option(
    "--lookup-every", default="1s", show_default=True, metavar="TIME", help="The interval between lookups of a topic."
)
@click.option(
    "--poll-every", default="2s", show_default=True, metavar="TIME", help="The interval between polls of a broker."
)
@click.option(
    "--rate", default=50, show_default=True, metavar="N", type=click.IntRange(1, 10_000),
    help="The limit of HTTP requests per second for each cluster.",
)  # fmt: skip
@click.option("--name", metavar="NAME", help="The name of the cluster (default: the host of its URL).")
@click.option(
    "--checkpoint", type=click.Path(path_type=Path), metavar="DIR",
    help="Continue the watch that used this folder; without it the channel is read from its first record.",
)  # fmt: skip
@click.option(
    "--json-lines", "lines_to", metavar="FILE", help="Append each finding to a file as JSON; - is standard output."
)
@click.option(
    "--on-finding", metavar="CMD", help="Run this command for each finding, with its JSON on standard input; no shell."
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65_535),
    metavar="PORT",
    help="Serve /metrics for Prometheus; 0 is any port.",
)
@click.option(
    "--metrics-address", default="127.0.0.1", show_default=True, metavar="IP", help="The address of the metrics port."
)
@click.option(
    "--least",
    type=Choice(list(LEAST)),
    default="warning",
    show_default=True,
    help="The least severity that is reported.",
)
@click.option("--in-flight-limit", default="120s", show_default=True, metavar="TIME", help="The limit for a hand-over.")
@click.option(
    "--clock-skew", default="1s", show_default=True, metavar="TIME",
    help="The lag that broker clocks may have behind this machine.",
)  # fmt: skip
@click.option(
    "--engine", type=Choice(["inline", "spark"]), default="inline", show_default=True,
    help="Run in this process, or on Spark Structured Streaming.",
)  # fmt: skip
@click.option("--master", metavar="URL", help="The Spark master (default: this machine).")
@click.option("--for", "lasting", metavar="TIME", help="The duration, such as 30m (default: until Ctrl-C).")
@click.option("--quiet", is_flag=True, help="Print no findings; files, metrics and the command receive them.")
def watch(**given: Any) -> None:
    """Check running clusters: judge each record of the channel by the audit's laws, and report violations.

    Nothing is written to a cluster. Judged live are the laws, warnings and notes of an audit of a channel dump;
    stuck-in-flight also by the clock. --admin-url adds claims-are-owned; --topic adds dual-serving,
    lookup-follows-the-log and lookups-are-answered, which detect a broker that answers for bundles of another. For the
    laws of logs, of ZooKeeper's history and of admin calls, record the cluster and audit the recording.

    \b
      oneowner watch --service-url pulsar://b1:6650 --checkpoint state --on-finding ./page-me
      oneowner watch --clusters clusters.yaml --checkpoint state --metrics-port 9465 --json-lines findings.jsonl
      oneowner watch --replay traces/real/zombie/channel.jsonl --least note
    """
    from oneowner.checkers.recordings.fold.chunk_reader import READABLE
    from oneowner.checkers.watch.readings import Readings

    clusters = _clusters(given)
    _check(given, clusters)
    terms, readings = _terms(given, len(clusters)), Readings(say=_print)
    if given["metrics_port"] is not None:
        need("watch", "--metrics-port")
        from oneowner.checkers.watch.metrics import serve

        port = serve(readings, given["metrics_port"], given["metrics_address"])
        _print(f"metrics: http://{given['metrics_address']}:{port}/metrics")
    seconds = duration_ms(given["lasting"]) / 1000 if given["lasting"] else None
    found = _run(given, clusters, terms, readings, seconds)
    for name, reading, _ in readings.now():
        _print(f"{name}: {reading.counts.records:,} records of {sum(reading.counts.states.values()):,} bundles")
        if reading.explained or reading.behind:
            _print(f"{name}: the model explains {reading.explained:,} bundles; {reading.behind:,} are behind")
    by_severity = Counter[str]()
    for (_, severity), number in found.items():
        by_severity[severity] += number
    summary = (
        ", ".join(f"{number} {name}{'s' if number > 1 else ''}" for name, number in sorted(by_severity.items()))
        or "nothing"
    )
    _print(f"found by this watch: {summary}")
    unknown = [*_unknown(clusters, readings, found)]
    for why in unknown:
        _print(f"unknown: {why}")
    is_unread = any(law == READABLE for law, _ in found)  # a lost record can fake a gap, as in a dump
    code = MISUSE if is_unread else 1 if by_severity[Severity.VIOLATION] else 3 if unknown else 0
    click.get_current_context().exit(code)


def _unknown(clusters: Sequence[Cluster], readings: Readings, found: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield the reasons for an unknown verdict."""
    from oneowner.checkers.recordings.fold.chunk_reader import READABLE
    from oneowner.checkers.recordings.live.evidence import ANSWERS
    from oneowner.checkers.watch.readings import Reading

    known = {name: reading for name, reading, _ in readings.now()}
    for cluster in clusters:
        reading = known.get(cluster.name, Reading())
        if not reading.counts.records:
            yield f"{cluster.name}: no record was read"
        elif not reading.is_up:
            yield f"{cluster.name}: its channel was unreadable at the end"
        yield from (f"{cluster.name}: laws of states: {why}" for why in reading.doubts)
    for law, what in ((READABLE, "lines"), (ANSWERS, "answers")):
        if unread := sum(number for (name, _), number in found.items() if name == law):
            yield f"unreadable {what}: {unread}"


def _print(words: str) -> None:
    click.echo(words, err=True)


def _check(given: Mapping[str, Any], clusters: Sequence[Cluster]) -> None:
    """Raise Misuse for options that exclude each other, and for missing packages."""
    from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT, has_java

    is_by_spark = given["engine"] == "spark"
    if given["speed"] is not None and not any(one.replay for one in clusters):
        raise Misuse("--speed requires --replay")
    if given["speed"] is not None and not math.isfinite(given["speed"]):
        raise Misuse(f"--speed refused: {given['speed']}; a number is allowed; without --speed a replay is immediate")
    if given["master"] and not is_by_spark:
        raise Misuse("--master requires --engine spark")
    if is_by_spark and any(one.folder for one in clusters):
        raise Misuse("a folder requires --engine inline: Spark follows only the channel; name its channel*.jsonl")
    if is_by_spark and any(one.admin_url for one in clusters):
        raise Misuse("--admin-url requires --engine inline: Spark follows only the channel")
    if any(one.service_url for one in clusters):
        need("lab", "watch")
    if is_by_spark:
        need("spark", "--engine spark")
        if not has_java():
            raise Misuse(JAVA_HINT)


def _terms(given: Mapping[str, Any], number: int) -> Terms:
    """Return the terms for watching *number* clusters."""
    from oneowner.checkers.recordings.fold.question import Question
    from oneowner.checkers.report.text import console, print_finding
    from oneowner.checkers.watch.answers import AnswerCollector
    from oneowner.checkers.watch.inline import Terms
    from oneowner.checkers.watch.sinks import STDOUT, Command, JsonLines, Least, Terminal
    from oneowner.model.channel.rules import Storage

    out = console(given["lines_to"] == STDOUT)
    lookup_every, poll_every = (duration_ms(given[name]) / 1000 for name in ("lookup_every", "poll_every"))
    if not lookup_every or not poll_every:
        raise Misuse("a time of 0 refused: --lookup-every and --poll-every are intervals")
    sinks: list[Sink] = [JsonLines(given["lines_to"])] if given["lines_to"] else []
    sinks += [] if given["quiet"] else [Terminal(partial(print_finding, out, with_commands=True), number > 1)]
    sinks += [Command(given["on_finding"], _print)] if given["on_finding"] else []
    return Terms(
        Question(Storage.SYSTEM_TOPIC, False, duration_ms(given["in_flight_limit"]), partial=False),
        duration_ms(given["clock_skew"]),
        given["checkpoint"],
        tuple(Least(LEAST[given["least"]], sink) for sink in sinks),
        lambda cluster: AnswerCollector(cluster, lookup_every, poll_every, given["rate"]),
    )


def _run(
    given: Mapping[str, Any], clusters: Sequence[Cluster], terms: Terms, readings: Readings, seconds: float | None
) -> Counter[tuple[str, str]]:
    """Watch with the chosen engine; return the number of findings by law and severity."""
    from oneowner.checkers.watch.watching import Watching, source_of

    speed = given["speed"]
    if given["engine"] == "spark":
        from oneowner.checkers.watch.spark_stream import SparkWatching

        by_spark = SparkWatching(clusters, terms, speed, given["master"], readings, _print)
        by_spark.run(seconds)
        return by_spark.found
    watching = Watching(clusters, terms, lambda one, place: source_of(one, place, speed, _print), readings, _print)
    watching.run(seconds)
    return watching.found


def _clusters(given: Mapping[str, Any]) -> list[Cluster]:
    """Return the clusters that the options name."""
    from oneowner.checkers.collect.watcher import whole
    from oneowner.checkers.watch.clusters import cluster_of, clusters_of

    topics = tuple(whole(topic) for topic in given["topics"])
    keys = ("admin_url", "client_conf", "auth_plugin", "auth_params", "tls_trust_cert_path", "dump", "replay")
    own = {name.replace("_", "-"): str(given[name]) for name in keys if given[name]}
    if given["clusters_file"]:
        if own or given["services"] or given["name"] or topics:
            raise Misuse("--clusters excludes the options that name a single cluster")
        return clusters_of(given["clusters_file"])
    services = given["services"] or ("",)
    if len({_name(service, {}) for service in services}) < len(services):
        raise Misuse(f"--service-url refused: {' '.join(services)}: a cluster is named twice")
    if given["name"] and len(services) > 1:
        raise Misuse("--name is for one cluster; use --clusters FILE for several")
    if given["admin_url"] and len(services) > 1:
        raise Misuse("--admin-url is for one cluster; use --clusters FILE for several")
    return [
        cluster_of(given["name"] or _name(service, own), own | ({"service-url": service} if service else {}), topics)
        for service in services
    ]


def _name(service: str, own: Mapping[str, str]) -> str:
    """
    Return the default name of a cluster.

    >>> _name("pulsar://b1:6650", {}), _name("", {"replay": "runs/zombie/channel.jsonl"})
    ('b1:6650', 'channel.jsonl')
    """
    if service:
        return urlsplit(service.split(",", maxsplit=1)[0]).netloc or service
    return Path(own.get("dump") or own.get("replay") or "cluster").name
