"""The verb ``record``: a read-only recording of a running cluster, as a folder for ``audit``."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from oneowner.checkers.cli.options import credential_options
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.extras import need
from oneowner.checkers.times import duration_ms
from oneowner.checkers.verdict import Misuse


@verb(Section.CLUSTER)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder; an interrupted recording is continued.",
)
@click.option("--service-url", metavar="URL", help="The URL for clients, such as pulsar://broker:6650.")
@click.option("--admin-url", metavar="URL", help="The web service of a broker, such as http://broker:8080.")
@credential_options
@click.option("--cluster", metavar="NAME", help="The name of the cluster, if the brokers list several.")
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
@click.option("--for", "lasting", metavar="TIME", help="The duration, such as 30m (default: until Ctrl-C).")
@click.option("--once", is_flag=True, help="Record the present state: the channel, one poll, one lookup of each topic.")
@click.option(
    "--lookup-every", default="2s", show_default=True, metavar="TIME", help="The interval between lookups of a topic."
)
@click.option(
    "--poll-every", default="5s", show_default=True, metavar="TIME", help="The interval between polls of a broker."
)
@click.option(
    "--rate",
    default=20,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, 10_000),
    help="The limit of HTTP requests per second.",
)
@click.option(
    "--read-rate",
    default=5_000,
    show_default=True,
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    help="The limit of channel messages per second.",
)
@click.option("--load-data", is_flag=True, help="Also record the two topics of load data.")
@click.option(
    "--no-channel", is_flag=True, help="Omit the channel: bundles are owned by locks, or the channel is in ZooKeeper."
)
def record(**given: Any) -> None:  # fmt: skip
    """Record a running cluster, read-only: the channel, each broker's bundles, lookups, boundaries, settings.

    Nothing is written to the cluster. Add the broker logs to the folder, and audit it. If the channel is in the
    metadata store, or bundles are owned by locks, use --no-channel and add the output of oneowner script
    dump_zookeeper.

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
        raise Misuse("--admin-url or --client-conf is required, such as http://broker:8080")
    if not address.startswith(("http://", "https://")):
        raise Misuse(f"--admin-url refused: {address}; allowed: a URL such as http://broker:8080")
    if not service and not given["no_channel"]:
        raise Misuse("--service-url is required to read the channel, such as pulsar://broker:6650; or --no-channel")
    if given["once"] and given["lasting"]:
        raise Misuse("--once and --for exclude each other")
    who = credentials_of({name.replace("_", "-"): value for name, value in given.items()}, conf)
    if not given["no_channel"]:
        need("lab", "record")
    seconds = 0.0 if given["once"] else duration_ms(given["lasting"]) / 1000 if given["lasting"] else None
    lookup_every, poll_every = (duration_ms(given[name]) / 1000 for name in ("lookup_every", "poll_every"))
    if not lookup_every or not poll_every or (seconds == 0 and not given["once"]):
        raise Misuse("a time of 0 refused; --once records the present state")
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
    click.echo(f"{plan.folder}: {counted(written)}; judge it with: oneowner audit {plan.folder}")
