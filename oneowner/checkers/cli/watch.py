"""The verb ``watch``: clusters are checked while they run, and a broken law is told at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from oneowner.checkers.cli.options import who_options
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
Exit codes: 0 no violation was told, 1 one was, 2 misuse or an unreadable line of a channel, 3 unknown (a cluster was
lost or had no record, or an answer cannot be read). Several causes: 2 before 1 before 3 before 0. Ctrl-C ends it like
any other end."""


@click.command(epilog=EXIT)
@click.option(
    "--service-url", "services", multiple=True, metavar="URL",
    help="Where clients connect, such as pulsar://broker:6650; repeatable, for clusters with the same credentials.",
)  # fmt: skip
@who_options
@click.option(
    "--clusters", "clusters_file", type=click.Path(path_type=Path), metavar="FILE",
    help="A YAML list: name, and what the options say of each.",
)  # fmt: skip
@click.option("--dump", metavar="FILE", help="Follow a dump that grows, such as that of oneowner record.")
@click.option("--replay", metavar="FILE", help="Follow a dump as if its records came now.")
@click.option(
    "--speed", type=click.FloatRange(0, min_open=True), metavar="N",
    help="With --replay: N times as fast as it was (default: as fast as it goes).",
)  # fmt: skip
@click.option(
    "--admin-url", metavar="URL", help="The web service of a broker: its brokers are asked what they own, too."
)
@click.option(
    "--topic", "topics", multiple=True, metavar="TOPIC", help="Look this topic up at every broker; repeatable."
)
@click.option("--lookup-every", default="1s", show_default=True, metavar="TIME", help="Between two lookups of a topic.")
@click.option("--poll-every", default="2s", show_default=True, metavar="TIME", help="Between two polls of a broker.")
@click.option(
    "--rate", default=50, show_default=True, metavar="N", type=click.IntRange(1, 10_000),
    help="At most so many requests over HTTP a second, to each cluster.",
)  # fmt: skip
@click.option("--name", metavar="NAME", help="What the cluster is called (default: the host of its URL).")
@click.option(
    "--checkpoint", type=click.Path(path_type=Path), metavar="DIR",
    help="Go on where a watch with this folder was ended; without it the channel is read from its first record.",
)  # fmt: skip
@click.option(
    "--json-lines", "lines_to", metavar="FILE", help="Add each finding to a file as JSON; - is standard output."
)
@click.option("--on-finding", metavar="CMD", help="Run this for each finding, its JSON on standard input; no shell.")
@click.option(
    "--metrics-port", type=click.IntRange(0, 65_535), metavar="PORT", help="Serve /metrics for Prometheus; 0: any port."
)
@click.option("--metrics-address", default="127.0.0.1", show_default=True, metavar="IP", help="Where it listens.")
@click.option(
    "--least", type=click.Choice(list(LEAST)), default="warning", show_default=True, help="What is told, and what more."
)
@click.option(
    "--in-flight-limit", default="120s", show_default=True, metavar="TIME", help="How long a hand-over may take."
)
@click.option(
    "--clock-skew", default="1s", show_default=True, metavar="TIME",
    help="By how much the clocks of brokers may be behind this one.",
)  # fmt: skip
@click.option(
    "--engine", type=click.Choice(["inline", "spark"]), default="inline", show_default=True,
    help="Follow in this process, or by Spark Structured Streaming.",
)  # fmt: skip
@click.option("--master", metavar="URL", help="The Spark cluster (default: this machine).")
@click.option("--for", "lasting", metavar="TIME", help="How long, such as 30m (default: until Ctrl-C).")
@click.option("--quiet", is_flag=True, help="Print no findings; files, metrics and the command get them.")
def watch(**given: Any) -> None:
    """Check clusters while they run: each record of the channel is put to the audit's laws, and what it breaks is told.

    Nothing is written to a cluster. Live are the laws of the channel, which oneowner audit judges a dump alone by, and
    its warnings and notes of one; stuck-in-flight by the clock, too. With --admin-url, also claims-are-owned, and with
    --topic dual-serving, lookup-follows-the-log and lookups-are-answered, which tell a broker that answers for what is
    another's. Laws of logs, of ZooKeeper's history and of admin calls are not: record the cluster, and audit that.

    \b
      oneowner watch --service-url pulsar://b1:6650 --checkpoint state --on-finding ./page-me
      oneowner watch --clusters clusters.yaml --checkpoint state --metrics-port 9465 --json-lines findings.jsonl
      oneowner watch --replay traces/real/zombie/channel.jsonl --least note
    """
    from oneowner.checkers.recordings.fold.chunk_reader import READABLE
    from oneowner.checkers.watch.readings import Readings

    clusters = _clusters(given)
    _check(given, clusters)
    terms, readings = _terms(given, len(clusters)), Readings()
    if given["metrics_port"] is not None:
        need("watch", "--metrics-port")
        from oneowner.checkers.watch.metrics import serve

        port = serve(readings, given["metrics_port"], given["metrics_address"])
        _say(f"metrics: http://{given['metrics_address']}:{port}/metrics")
    seconds = duration_ms(given["lasting"]) / 1000 if given["lasting"] else None
    found = _run(given, clusters, terms, readings, seconds)
    for name, reading, _ in readings.now():
        _say(f"{name}: {reading.counts.records:,} records of {sum(reading.counts.states.values()):,} bundles")
    by_severity = Counter[str]()
    for (_, severity), number in found.items():
        by_severity[severity] += number
    told = (
        ", ".join(f"{number} {name}{'s' if number > 1 else ''}" for name, number in sorted(by_severity.items()))
        or "nothing"
    )
    _say(f"found by this watch: {told}")
    unknown = [*_unknown(clusters, readings, found)]
    for why in unknown:
        _say(f"unknown: {why}")
    is_unread = any(law == READABLE for law, _ in found)  # a lost record can fake a gap, as in a dump
    code = MISUSE if is_unread else 1 if by_severity[Severity.VIOLATION] else 3 if unknown else 0
    click.get_current_context().exit(code)


def _unknown(clusters: Sequence[Cluster], readings: Readings, found: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield why it is not known whether clusters keep the laws."""
    from oneowner.checkers.recordings.fold.chunk_reader import READABLE
    from oneowner.checkers.recordings.live.evidence import ANSWERS
    from oneowner.checkers.watch.readings import Reading

    known = {name: reading for name, reading, _ in readings.now()}
    for cluster in clusters:
        reading = known.get(cluster.name, Reading())
        if not reading.counts.records:
            yield f"{cluster.name}: no record was read"
        elif not reading.is_up:
            yield f"{cluster.name}: its channel could not be read in the end"
    for law, what in ((READABLE, "lines"), (ANSWERS, "answers")):
        if unread := sum(number for (name, _), number in found.items() if name == law):
            yield f"{what} that cannot be read: {unread}"


def _say(words: str) -> None:
    click.echo(words, err=True)


def _check(given: Mapping[str, Any], clusters: Sequence[Cluster]) -> None:
    """Raise Misuse for options that do not go together, and for what is not installed."""
    from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT, has_java

    is_by_spark = given["engine"] == "spark"
    if given["speed"] is not None and not any(one.replay for one in clusters):
        raise Misuse("--speed goes with --replay")
    if given["speed"] is not None and not math.isfinite(given["speed"]):
        raise Misuse(f"--speed refused: {given['speed']}; a number is allowed, and without it a replay goes at once")
    if given["master"] and not is_by_spark:
        raise Misuse("--master goes with --engine spark")
    if is_by_spark and any(one.admin_url for one in clusters):
        raise Misuse("--admin-url goes with --engine inline: Spark follows the channel alone")
    if any(one.service_url for one in clusters):
        need("lab", "watch")
    if is_by_spark:
        need("spark", "--engine spark")
        if not has_java():
            raise Misuse(JAVA_HINT)


def _terms(given: Mapping[str, Any], number: int) -> Terms:
    """Return what so many clusters are watched by."""
    from oneowner.checkers.recordings.fold.fold import Question
    from oneowner.checkers.report.text import console, print_finding
    from oneowner.checkers.watch.answers import AnswerCollector
    from oneowner.checkers.watch.inline import Terms
    from oneowner.checkers.watch.sinks import STDOUT, Command, JsonLines, Least, Terminal
    from oneowner.model.channel.rules import Storage

    out = console(given["lines_to"] == STDOUT)
    lookup_every, poll_every = (duration_ms(given[name]) / 1000 for name in ("lookup_every", "poll_every"))
    if not lookup_every or not poll_every:
        raise Misuse("a time of 0 refused: brokers are asked again after --lookup-every and --poll-every")
    sinks: list[Sink] = [JsonLines(given["lines_to"])] if given["lines_to"] else []
    sinks += [] if given["quiet"] else [Terminal(partial(print_finding, out), number > 1)]
    sinks += [Command(given["on_finding"], _say)] if given["on_finding"] else []
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
    """Watch by the engine that is wanted; return what was told, by law and severity."""
    from oneowner.checkers.watch.watching import Watching, source_of

    speed = given["speed"]
    if given["engine"] == "spark":
        from oneowner.checkers.watch.spark_stream import SparkWatching

        by_spark = SparkWatching(clusters, terms, speed, given["master"], readings, _say)
        by_spark.run(seconds)
        return by_spark.found
    watching = Watching(clusters, terms, lambda one, place: source_of(one, place, speed, _say), readings, _say)
    watching.run(seconds)
    return watching.found


def _clusters(given: Mapping[str, Any]) -> list[Cluster]:
    """Return the clusters that the options mean."""
    from oneowner.checkers.collect.watcher import whole
    from oneowner.checkers.watch.clusters import cluster_of, clusters_of

    topics = tuple(whole(topic) for topic in given["topics"])
    keys = ("admin_url", "client_conf", "auth_plugin", "auth_params", "tls_trust_cert_path", "dump", "replay")
    own = {name.replace("_", "-"): str(given[name]) for name in keys if given[name]}
    if given["clusters_file"]:
        if own or given["services"] or given["name"] or topics:
            raise Misuse("--clusters names all clusters: it goes without the options that name one")
        return clusters_of(given["clusters_file"])
    services = given["services"] or ("",)
    if len({_name(service, {}) for service in services}) < len(services):
        raise Misuse(f"--service-url refused: {' '.join(services)}: one cluster twice")
    if given["name"] and len(services) > 1:
        raise Misuse("--name is that of one cluster; --clusters FILE names several")
    if given["admin_url"] and len(services) > 1:
        raise Misuse("--admin-url is that of one cluster; --clusters FILE names several")
    return [
        cluster_of(given["name"] or _name(service, own), own | ({"service-url": service} if service else {}), topics)
        for service in services
    ]


def _name(service: str, own: Mapping[str, str]) -> str:
    """
    Return what a cluster is called that nobody named.

    >>> _name("pulsar://b1:6650", {}), _name("", {"replay": "runs/zombie/channel.jsonl"})
    ('b1:6650', 'channel.jsonl')
    """
    if service:
        return urlsplit(service.split(",", maxsplit=1)[0]).netloc or service
    return Path(own.get("dump") or own.get("replay") or "cluster").name
