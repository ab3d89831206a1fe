"""The verb ``record``: a running cluster, watched read-only, becomes a folder that an audit reads."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from oneowner.checkers.cli.options import who_options
from oneowner.checkers.extras import need
from oneowner.checkers.times import duration_ms
from oneowner.checkers.verdict import EXIT_HELP, Misuse


@click.command(epilog=EXIT_HELP)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder; one that was begun goes on where it stopped.",
)
@click.option("--service-url", metavar="URL", help="Where clients connect, such as pulsar://broker:6650.")
@click.option("--admin-url", metavar="URL", help="The web service of a broker, such as http://broker:8080.")
@who_options
@click.option("--cluster", metavar="NAME", help="Its name, if the cluster knows several.")
@click.option(
    "--topic", "topics", multiple=True, metavar="TOPIC", help="Look this topic up at every broker; repeatable."
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="NAME",
    help="Look up all persistent topics of this namespace; repeatable.",
)
@click.option("--for", "lasting", metavar="TIME", help="How long, such as 30m (default: until Ctrl-C).")
@click.option("--once", is_flag=True, help="What is there now: the channel, one poll, one lookup of each topic.")
@click.option("--lookup-every", default="2s", show_default=True, metavar="TIME", help="Between two lookups of a topic.")
@click.option("--poll-every", default="5s", show_default=True, metavar="TIME", help="Between two polls of a broker.")
@click.option(
    "--rate",
    default=20,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, 10_000),
    help="At most so many requests over HTTP a second.",
)
@click.option(
    "--read-rate",
    default=5_000,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    help="At most so many messages of the channel a second.",
)
@click.option("--load-data", is_flag=True, help="Follow the two topics in which brokers tell their load, too.")
@click.option(
    "--no-channel", is_flag=True, help="Leave the channel out: bundles are owned by locks, or it is in ZooKeeper."
)
def record(**given: Any) -> None:  # fmt: skip
    """Record a running cluster, read-only: the channel, who owns what by each broker, lookups, boundaries, settings.

    Nothing is written to the cluster. Put the brokers' logs into the folder, and judge it. Where the channel is in the
    metadata store, or bundles are owned by locks, add what oneowner script dump_zookeeper makes, and use --no-channel.

    \b
      oneowner record --client-conf conf/client.conf --for 30m --namespace tenant/ns --out night
      oneowner record --service-url pulsar://b1:6650 --admin-url http://b1:8080 --once --out now
      oneowner audit night
    """
    from oneowner.checkers.collect.admin import Admin
    from oneowner.checkers.collect.channel_reader import ChannelReader
    from oneowner.checkers.collect.collection import Collection, Plan, counted
    from oneowner.checkers.collect.credentials import chosen, client_conf, credentials_of
    from oneowner.checkers.collect.watcher import whole

    conf = client_conf(given["client_conf"]) if given["client_conf"] else {}
    service = chosen(given["service_url"], conf, "brokerServiceUrl")
    address = chosen(given["admin_url"], conf, "webServiceUrl")
    if not address:
        raise Misuse("--admin-url or --client-conf says where the cluster is, such as http://broker:8080")
    if not address.startswith(("http://", "https://")):
        raise Misuse(f"--admin-url refused: {address}; such as http://broker:8080 is allowed")
    if not service and not given["no_channel"]:
        raise Misuse("--service-url says where the channel is read, such as pulsar://broker:6650; or --no-channel")
    if given["once"] and given["lasting"]:
        raise Misuse("--once and --for refused together: once takes no time")
    who = credentials_of({name.replace("_", "-"): value for name, value in given.items()}, conf)
    if not given["no_channel"]:
        need("lab", "record")
    seconds = 0.0 if given["once"] else duration_ms(given["lasting"]) / 1000 if given["lasting"] else None
    lookup_every, poll_every = (duration_ms(given[name]) / 1000 for name in ("lookup_every", "poll_every"))
    if not lookup_every or not poll_every or (seconds == 0 and not given["once"]):
        raise Misuse("a time of 0 refused; --once records what is there now")
    plan = Plan(
        given["out"], seconds, tuple(whole(topic) for topic in given["topics"]), given["namespaces"],
        lookup_every, poll_every, given["load_data"],
    )  # fmt: skip

    say = partial(click.echo, err=True)

    def reader() -> ChannelReader:
        return ChannelReader(str(service), plan.folder, who.of_client(), given["read_rate"], say)

    collection = Collection(
        plan, address.rstrip("/"), given["cluster"], Admin(who, given["rate"]),
        say, None if given["no_channel"] else reader,
    )  # fmt: skip
    click.echo(f"{len(collection.brokers)} brokers of {collection.cluster}: {', '.join(collection.brokers)}", err=True)
    written = collection.run()
    click.echo(f"{plan.folder}: {counted(written)}; judge it by: oneowner audit {plan.folder}")
