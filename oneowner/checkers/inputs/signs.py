"""A sign of a kind is a function of the beginning of a text: forms of its lines, keys of its JSON, its first bytes."""

import re
from collections.abc import Callable
from typing import Any, Final

from oneowner.checkers.inputs.beginning import Beginning
from oneowner.checkers.inputs.pulsar_json import BROKER, LOOKED_UP, Kind, kind_of

Sign = Callable[[Beginning], bool]

SETTING: Final = re.compile(r"\s*(?:export\s+)?[A-Za-z_][\w.]*\s*=")
"""A line of a file of properties, or of an environment."""
VARIABLE: Final = re.compile(r"\s*(?:export\s+\w+=|PULSAR_PREFIX_\w+=|[A-Z][A-Z0-9_]*=)")
"""A line of an environment: no setting of a broker is in capitals."""
OPTION: Final = re.compile(
    r"(?:^|\s)(?:-e|--env|--set|--set-string)[ =](?P<quote>[\"']?)(?:[\w-]+\.)*(?P<key>\w+)="
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"']*)(?P=quote)"
)
"""A variable on the command line of docker, or a value on that of helm."""
OURS: Final = re.compile(
    r"load(?:Balance|Manager)|defaultNumberOfNamespaceBundles|defaultNamespaceBundleSplitAlgorithm"
)
"""In the name of a setting of the load balancer."""
TIME: Final = re.compile(
    r"[^\s\d]{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ,])?\d\d:\d\d:\d\d(?:[.,]\d+)?|\w{3}\s+\d+ \d\d:\d\d:\d\d"
)
"""The time at the begin of a log's line."""
SERVER: Final = (
    r"(?:org\.apache|o\.a|o\.apache)\.(?:pulsar|p)\.(?:broker|b|metadata|m|common\.naming|zookeeper|PulsarBroker)\b"
    r"|loadbalance|PulsarBrokerStarter"
    r"|\b(?:ServiceUnitStateChannelImpl|(?:Modular|Extensible|Simple)LoadManager\w*|NamespaceService|OwnershipCache"
    r"|OwnedBundle|(?:Pulsar|Broker)Service|LeaderElection\w*|ResourceLock\w*|\w+Shedder|(?:Split|Unload)Scheduler"
    r"|BrokerRegistryImpl|SystemTopicBasedTopicPoliciesService)\b"
)
"""A logger of a broker, whole, abbreviated, or its class alone."""
CLIENT: Final = (
    r"(?:org\.apache|o\.a)\.(?:pulsar|p)\.(?:client|c)\.|PulsarClientException"
    r"|\b(?:Client(?:Connection|Impl)|ProducerImpl|ConsumerImpl|HandlerBase|ConnectionPool|BinaryProto\w+):\d+ \|"
    r"|level=\w+ msg=.*(?:pulsar|broker|topic)"
)
"""A logger of a Java client, a file of the C++ client, a line of the Go client."""
LOGGER: Final = r"^.{0,80}?\d\d:\d\d:\d\d(?:(?! - ).){0,200}?"
"""The part of a log's line before its message, without a prefix of more than 80 characters."""
METRIC: Final = re.compile(r"[a-zA-Z_:][\w:]*(?:\{[^}]*\})?\s+[-+]?(?:\d|NaN|Inf)[\w.+-]*(?:\s+\d+)?")
"""A sample in the text format of Prometheus."""
FRAME: Final = re.compile(r"\s*(?:at [\w.$/<>]+\(.*\)|Caused by: |\.\.\. \d+ (?:common frames|more))")
THROWN: Final = re.compile(r"(?<![\w.$])[\w.$]+(?:Exception|Error)\b")


def starts(*signatures: bytes) -> Sign:
    """Return the sign that a file starts with one of these bytes."""
    return lambda begin: begin.data.startswith(signatures)


def some(pattern: str | re.Pattern[str]) -> Sign:
    """Return the sign that a line holds the pattern."""
    form = re.compile(pattern)
    return lambda begin: any(form.search(line) for line in begin.lines)


def most(form: re.Pattern[str], but: str = "#") -> Sign:
    """Return the sign that more than half of the lines begin so, comments left out."""

    def sign(begin: Beginning) -> bool:
        lines = [line for line in begin.lines if not line.lstrip().startswith(but)]
        return 2 * sum(form.match(line) is not None for line in lines) > len(lines)

    return sign


def every(form: re.Pattern[str]) -> Sign:
    """Return the sign that every line is of this form, quoted or not."""
    return lambda begin: bool(begin.lines) and all(form.fullmatch(line.strip().strip('",')) for line in begin.lines)


def both(*signs: Sign) -> Sign:
    """Return the sign that all of these are there."""
    return lambda begin: all(sign(begin) for sign in signs)


def either(*signs: Sign) -> Sign:
    """Return the sign that one of these is there."""
    return lambda begin: any(sign(begin) for sign in signs)


def no(sign: Sign) -> Sign:
    """Return the sign that another one is not there."""
    return lambda begin: not sign(begin)


def has_keys(*keys: str) -> Sign:
    """Return the sign that a JSON object has all these keys; of an object that is cut off the text counts."""

    def sign(begin: Beginning) -> bool:
        if begin.values:
            return any(set(keys) <= value.keys() for value in begin.objects)
        return begin.text.lstrip()[:1] == "{" and all(f'"{key}"' in begin.text for key in keys)

    return sign


def is_json_of(*kinds: Kind) -> Sign:
    """Return the sign that a JSON value, or the value of a message of a topic, is one of these of Pulsar."""
    return lambda begin: any(kind_of(inside(value)) in kinds for value in begin.values)


def inside(value: Any) -> Any:
    """Return the value of a message of a topic, and any other value as it is."""
    return value["value"] if isinstance(value, dict) and {"key", "value"} <= value.keys() else value


def top_keys(*keys: str) -> Sign:
    """Return the sign that a document of YAML or JSON has all these keys at its top."""
    return _keys(keys, "")


def yaml_keys(*keys: str) -> Sign:
    """Return the sign that lines of YAML begin with all these keys, at any depth, or JSON has them at its top."""
    return _keys(keys, r"\s*(?:- )?")


def _keys(keys: tuple[str, ...], before: str) -> Sign:
    forms = [re.compile(rf"{before}{key}:(?:\s|$)") for key in keys]

    def sign(begin: Beginning) -> bool:
        if begin.objects:
            return any(set(keys) <= value.keys() for value in begin.objects)
        return all(any(form.match(line) for line in begin.lines) for form in forms)

    return sign


def is_looked_up(begin: Beginning) -> bool:
    """Return whether a text is the output of ``topics partitioned-lookup``."""
    return most(re.compile(rf'\s*"?(?:{LOOKED_UP.pattern}|pulsar(?:\+ssl)?://\S+\s+\[)'))(begin)


def is_of_brokers(begin: Beginning) -> bool:
    """Return whether a text is the output of ``brokers list``."""
    return every(BROKER)(begin)


def is_archive(begin: Beginning) -> bool:
    """Return whether bytes are a tar archive, or are compressed although no ending of the name reveals it."""
    return begin.data[257:262] == b"ustar" or begin.data.startswith(
        (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
    )


def is_zero_there(begin: Beginning) -> bool:
    """Return whether bytes are no text."""
    return b"\0" in begin.data


def is_other_encoding(begin: Beginning) -> bool:
    """Return whether bytes are no UTF-8; a character may be cut off at the end."""
    try:
        begin.data.decode()
    except UnicodeDecodeError as error:
        return error.start < len(begin.data) - 3
    return False
