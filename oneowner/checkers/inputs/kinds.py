"""``KINDS`` is the table of what a person may hand over, and ``kind_of_text`` the row of a text."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.inputs.beginning import Beginning, beginning_of
from oneowner.checkers.inputs.pulsar_json import Kind
from oneowner.checkers.inputs.signs import (
    CLIENT,
    FRAME,
    LOGGER,
    METRIC,
    OPTION,
    OURS,
    SERVER,
    SETTING,
    THROWN,
    TIME,
    VARIABLE,
    Sign,
    both,
    either,
    every,
    has_keys,
    is_archive,
    is_json_of,
    is_looked_up,
    is_of_brokers,
    is_other_encoding,
    is_zero_there,
    most,
    no,
    some,
    starts,
    top_keys,
    yaml_keys,
)

AUDIT: Final = ("audit",)
DECIDE: Final = ("decide",)
SIMULATE: Final = ("simulate",)
DECIDE_BATCH: Final = ("decide", "--batch")
ASSIGN: Final = ("assign", "--batch")
LINT: Final = ("lint",)
REPLAY: Final = ("replay",)
LIKE: Final = ("bugs", "--like")


class InputKind(NamedTuple):
    """The kind of a text."""

    name: str
    """With its article, as messages print it."""
    verb: tuple[str, ...]
    """The verb that reads it, with the option that takes the file; empty if none does."""
    sign: Sign
    hint: str = ""
    """The remedy if no verb reads it."""


_LOAD_DATA: Final = (Kind.REPORT, Kind.LOAD, Kind.TOP_BUNDLES, Kind.BUNDLE, Kind.AVERAGE, Kind.LOOKUP, Kind.METRICS)
_OTHERS: Final = "no input of other systems is judged; its known trouble is named by: oneowner bugs --like"
_LOG: Final = most(TIME)
_BROKERS: Final = "collect the brokers' logs of the same minutes"
PRINTED: Final = r"^----- got message -----"

DUMP: Final = InputKind(
    "a channel dump", AUDIT, either(is_json_of(Kind.STATE), has_keys("messageId", "key", "value"), some(PRINTED))
)
HISTORY: Final = InputKind("a ZooKeeper history", AUDIT, has_keys("zxid", "op"))
_CLIENTS: Final = some(rf"{LOGGER}(?:{CLIENT})")
BROKER_LOG: Final = InputKind(
    "a broker's log",
    AUDIT,
    either(
        some(rf"{LOGGER}(?:{SERVER})"),
        both(some(rf"^.{{0,80}}?\d\d:\d\d:\d\d.*(?:{SERVER})"), no(_CLIENTS)),
        both(either(has_keys("level"), has_keys("logLevel")), some(SERVER)),
    ),
)
EXCERPT: Final = BROKER_LOG._replace(name="an excerpt of a broker's log", verb=LIKE)
"""The kind of a short pasted log that is no file of a run."""
ENVIRONMENT: Final = InputKind("an environment", LINT, both(most(SETTING), some(VARIABLE), some(OURS)))
COMMAND: Final = InputKind("a command line", LINT, both(some(OPTION), some(OURS)))
EMPTY: Final = InputKind("an empty text", (), lambda begin: not begin.text.strip())
CLIENT_LOG: Final = InputKind("a client's log", LIKE, either(_CLIENTS, both(_LOG, some(CLIENT))), _BROKERS)
PRINTED_NODE: Final = InputKind("a node, as zkCli prints it", DECIDE, some(r"^(?:\[zk: |cZxid = )"))
POLICIES: Final = InputKind(
    "an isolation policy", DECIDE, either(is_json_of(Kind.ISOLATION), some(r"NamespaceIsolationData\w*\(namespaces="))
)
BROKERS: Final = InputKind("a list of brokers", DECIDE, either(is_json_of(Kind.BROKERS), is_of_brokers))
LOOKUPS: Final = InputKind("a lookup of partitions", DECIDE, either(is_json_of(Kind.LOOKED_UP), is_looked_up))
OWNER: Final = InputKind(
    "a broker's answer about owners",
    LIKE,
    either(
        is_json_of(Kind.OWNER, Kind.OWNED, Kind.LEADER), every(re.compile(r"(?:pulsar|https?)(?:\+ssl)?://[^\s/]+"))
    ),
)
"""A lookup of a topic, the bundles that a broker lists as its own, the leader: one broker's view."""
METRICS: Final = InputKind("metrics in Prometheus' format", DECIDE, either(most(METRIC), some(r"^# (?:TYPE|HELP) ")))
SNAPSHOT: Final = InputKind(
    "a snapshot of loads", DECIDE, either(top_keys("brokers"), has_keys("brokers"), top_keys("files"))
)
UNKNOWN_JSON: Final = InputKind("JSON of no known kind", (), lambda begin: bool(begin.values))
ADMIN_ERROR: Final = InputKind(
    "an error of Pulsar's administration",
    LIKE,
    either(some(r"^HTTP \d{3} "), some(r"^(?:Reason: |HTTP \d{3} |.*PulsarAdminException)"), is_json_of(Kind.REFUSED)),
)
UNKNOWN: Final = InputKind("a text of no known kind", (), lambda begin: True)
KINDS: Final = (
    EMPTY,
    InputKind("a picture", (), starts(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM"), "copy the text off it"),
    InputKind("a PDF", (), starts(b"%PDF"), "copy the text out of it"),
    InputKind("a jar or zip", (), starts(b"PK\3\4"), "unpack it"),
    InputKind("an archive", (), is_archive, "unpack it"),
    InputKind("binary data", (), is_zero_there),
    InputKind("a page of HTML", (), some(r"(?i)^\s*<(?:!doctype html|html)"), "copy the text out of it"),
    PRINTED_NODE,
    # JSON
    InputKind("a batch of decisions", DECIDE_BATCH, has_keys("id", "algorithm")),  # which may have boundaries or loads
    InputKind("load data of Pulsar", DECIDE, either(
        is_json_of(*_LOAD_DATA), both(some(PRINTED), some(r"weightedMaxEMA|topBundlesLoadData")))),
    DUMP,
    HISTORY,
    POLICIES,
    BROKERS,
    InputKind("boundaries of bundles", DECIDE, is_json_of(Kind.BOUNDARIES)),
    LOOKUPS,
    OWNER,
    InputKind("a configuration of a running broker", LINT, is_json_of(Kind.CONFIGURATION)),
    InputKind("a batch of assignments", ASSIGN, either(
        has_keys("id", "clients"), has_keys("id", "kind"))),
    InputKind("an ITF trace", REPLAY, has_keys("#meta", "states")),
    InputKind("an answer of Elasticsearch", (), either(
        has_keys("allocate_explanation"), has_keys("unassigned_info"), has_keys("cluster_name", "cluster_uuid"),
        has_keys("cluster_name", "number_of_nodes")), _OTHERS),
    # settings
    InputKind("a ConfigMap", LINT, both(yaml_keys("kind"), some(r"kind\W+ConfigMap\b"))),
    InputKind("an environment of a pod", LINT, both(some(r"\benv\W*:|\"env\""), some(r"\bname\W+(?:PULSAR_|load)"))),
    InputKind("Helm values", LINT, yaml_keys("configData")),
    # documents of ours
    InputKind("a manifest of a recording", AUDIT, top_keys("brokers", "config_overrides")),
    InputKind("a scenario", REPLAY, top_keys("family", "steps")),
    SNAPSHOT,
    COMMAND,
    ENVIRONMENT,
    InputKind("a broker.conf", LINT, either(
        both(most(SETTING), no(some(r"\blevel=\w+"))), both(most(re.compile(r"\s*\w+\s*:\s")), some(OURS)))),
    InputKind("a trace of loads", SIMULATE, lambda begin: begin.text.startswith("cycle,bundle,")),
    # texts that pulsar-admin, brokers and clients print
    BROKER_LOG,
    CLIENT_LOG,
    InputKind("a log of another part of Pulsar", LIKE, both(_LOG, some(r"org\.apache\.pulsar|\bo\.a\.p\.")), _BROKERS),
    InputKind("a log of Redis", (), either(
        most(re.compile(r"\d+:[A-Z] \d+ \w{3} \d{4} ")), some(r"^>>> Performing Cluster Check")), _OTHERS),
    InputKind("a nodes.conf of Redis", (), most(re.compile(r"[0-9a-f]{40} \S+@\d+")), _OTHERS),
    InputKind("a log of Elasticsearch", (), some(r"org\.elasticsearch|\[o\.e\.|\"type\": ?\"server\""), _OTHERS),
    InputKind("a log of Kafka", (), both(_LOG, some(r"\(kafka\.|org\.apache\.kafka|o\.a\.k\.")), _OTHERS),
    InputKind("a log of BookKeeper", (), both(_LOG, some(r"org\.apache\.bookkeeper|o\.a\.b\."))),
    InputKind("a log of ZooKeeper", (), both(_LOG, some(r"org\.apache\.zookeeper|o\.a\.z\.")),
              "its writes are dumped by: oneowner script dump_zookeeper"),
    ADMIN_ERROR,
    InputKind("a stack trace", LIKE, either(some(FRAME), both(some(THROWN), some(SERVER)))),
    METRICS,
    InputKind("a log of no known product", LIKE, _LOG),
    UNKNOWN_JSON,
    InputKind("a text that is not UTF-8", (), is_other_encoding, "save it as UTF-8"),
    UNKNOWN,
)  # fmt: skip
"""The first whose sign is there is the kind of a text."""
NOT_OF_A_BROKER: Final = tuple(kind for kind in KINDS if kind is CLIENT_LOG or kind.hint == _OTHERS)


def kind_of_text(begin: Beginning) -> InputKind:
    """
    Return the kind of a text.

    >>> kind_of_text(Beginning(b"loadBalancerEnabled=true")).name, kind_of_text(Beginning(b"lorem ipsum")).name
    ('a broker.conf', 'a text of no known kind')
    """
    return next(kind for kind in KINDS if kind.sign(begin))


def kind_of_file(path: Path) -> InputKind:
    """Return the kind of a file; one that cannot be read counts as empty."""
    return kind_of_text(beginning_of(path))
