"""The watched clusters, from options or from a YAML file with the credentials of each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.collect.credentials import Credentials, chosen, client_conf, credentials_of
from oneowner.checkers.collect.watcher import whole
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.recordings.scripts.dump_channel import TOPIC
from oneowner.checkers.verdict import Misuse

KEYS: Final = ("name",)
OPTIONAL: Final = (
    "service-url", "admin-url", "client-conf", "auth-plugin", "auth-params", "tls-trust-cert-path", "topics", "dump",
    "replay",
)  # fmt: skip
"""The names of the options, as on the command line."""


class Cluster(NamedTuple):
    """One cluster, or a dump in its place."""

    name: str
    service_url: str = ""
    admin_url: str = ""
    who: Credentials = Credentials()
    topics: tuple[str, ...] = ()
    """Full names of the topics that are looked up at every broker."""
    dump: str = ""
    """A dump that grows."""
    replay: str = ""
    """A dump that is replayed."""
    folder: str = ""
    """The folder of that dump, if everything in it is evidence: the model then explains its units."""

    @property
    def file(self) -> str:
        """The file that findings name for their lines."""
        return self.replay or self.dump or TOPIC


def clusters_of(path: Path) -> list[Cluster]:
    """
    Return the clusters of a YAML file, a list of mappings; raise Misuse with file and line.

    Each has a ``name`` and the options of these names: ``service-url``, ``admin-url``, ``client-conf``,
    ``auth-plugin``, ``auth-params``, ``tls-trust-cert-path``, ``topics``; or ``dump``, or ``replay``.
    """
    document = read_document(path)
    parts = Part(document, document.data).items()
    if not parts:
        raise Misuse(f"{path}: no cluster in it")
    found: list[Cluster] = []
    for part in parts:
        keys = part.mapping(KEYS, OPTIONAL)
        name = keys["name"].line()
        if name in (one.name for one in found):
            raise keys["name"].refuse("each cluster needs its own name")
        topics = tuple(topic.give(whole, topic.line()) for topic in keys["topics"].items()) if "topics" in keys else ()
        given = {key: keys[key].line() for key in OPTIONAL if key in keys and key != "topics"}
        found.append(part.give(cluster_of, name, given, topics))
    return found


def cluster_of(name: str, given: Mapping[str, str], topics: tuple[str, ...] = ()) -> Cluster:
    """
    Return the cluster for some options.

    :raises Misuse: it has no source, or several.
    """
    if "/" in name or name in ("", ".", ".."):
        raise Misuse(f"name refused: {name}; it names a folder of the checkpoint, too, and has no slash")
    conf = client_conf(Path(given["client-conf"])) if given.get("client-conf") else {}
    service = chosen(given.get("service-url"), conf, "brokerServiceUrl") or ""
    places = [text for text in (service, given.get("dump"), given.get("replay")) if text]
    if len(places) != 1:
        raise Misuse(
            f"{name}: {'no source of its channel' if not places else ' and '.join(places) + ' are two places'}"
            "; give one of --service-url (pulsar://broker:6650), --client-conf, --dump or --replay"
        )
    address = (given.get("admin-url") or "").rstrip("/")
    if address and not address.startswith(("http://", "https://")):
        raise Misuse(f"--admin-url refused: {address}; such as http://broker:8080 is allowed")
    if address and not service:
        raise Misuse("--admin-url requires a cluster, not a dump: brokers answer for the present")
    if topics and not address:
        raise Misuse("--topic requires --admin-url, whose brokers look it up")
    who = credentials_of(given, conf)
    dump, replay = given.get("dump") or "", given.get("replay") or ""
    folder = next((path for path in (dump, replay) if path and Path(path).is_dir()), "")
    if folder:
        dump, replay = (path and _channel_in(Path(path)) for path in (dump, replay))
    return Cluster(name, service, address, who, topics, dump, replay, folder)


def _channel_in(folder: Path) -> str:
    """Return the dump of the channel in a folder; raise Misuse if there is none, or several."""
    dumps = sorted(str(path) for path in folder.glob("channel*.jsonl*"))
    if len(dumps) != 1:
        raise Misuse(f"{folder}: {len(dumps)} dumps channel*.jsonl in it; a watch follows one: name a file")
    return dumps[0]
