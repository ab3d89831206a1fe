"""
Releases whose classes are equal, method by method, for each decision that the model has.

``python -m tools.equal_classes FOLDER`` compares the classes of the jars in FOLDER (pulsar-broker,
pulsar-broker-common and pulsar-common of Maven Central, kafka-streams and kafka-group-coordinator) and writes
``variants.py`` of ``model/balancer`` and ``model/kafka``, by which a decision of an equal release is answered.

Equal is the code of a method as ``javap`` prints it, without lines, offsets and places in the pool of constants: what
differs in a word that is logged differs. So equal classes decide equally, and different ones may.
"""

import re
import subprocess
import sys
import textwrap
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from string import ascii_letters
from typing import Final, NamedTuple

from oneowner.checkers.places import PACKAGE
from oneowner.model.kernel.releases import version
from oneowner.model.kernel.variants import Variants


class Product(NamedTuple):
    """The classes of a product that decide."""

    name: str

    artifacts: tuple[str, ...]
    """The first is that of which each release has a jar."""
    elsewhere: Mapping[str, str]
    """By the beginning of a class's name, the artifact that has it, if that is not the first."""
    prefix: str
    """The beginning of the names of its classes."""
    classes: Mapping[str, tuple[str, ...]]
    """By row of the table: classes, each with ``#method,method`` if only these decide."""
    fields: Mapping[str, tuple[str, str]]
    """By row of the table: a class, and the fields whose initial values decide, as a regular expression."""
    table: Path


BALANCE: Final = "broker.loadbalance."
IMPL, EXTENSIONS, POLICIES = f"{BALANCE}impl.", f"{BALANCE}extensions.", "policies.data.loadbalancer."
NAMING: Final = "common.naming."
PULSAR: Final = Product(
    "Pulsar",
    ("pulsar-broker", "pulsar-broker-common", "pulsar-common"),
    {
        "broker.ServiceConfiguration": "pulsar-broker-common",
        "policies.": "pulsar-common",
        "common.policies.": "pulsar-common",
    },
    "org.apache.pulsar.",
    {
        "LocalBrokerData": (
            f"{POLICIES}LocalBrokerData#getMaxResourceUsage,getMaxResourceUsageWithWeight,max",
            f"{POLICIES}ResourceUsage#percentUsage",
        ),
        "LoadData": (
            f"{BALANCE}LoadData",
            "broker.namespace.NamespaceService#isSystemServiceNamespace,filterNamespaceForShedding",
        ),
        "OverloadShedder": (f"{IMPL}OverloadShedder",),
        "ThresholdShedder": (f"{IMPL}ThresholdShedder",),
        "UniformLoadShedder": (f"{IMPL}UniformLoadShedder",),
        "AvgShedder": (f"{IMPL}AvgShedder",),
        "TransferShedder": (f"{EXTENSIONS}scheduler.TransferShedder",),
        "LeastLongTermMessageRate": (f"{IMPL}LeastLongTermMessageRate",),
        "LeastResourceUsageWithWeight": (f"{IMPL}LeastResourceUsageWithWeight",),
        "RoundRobinBrokerSelector": (f"{IMPL}RoundRobinBrokerSelector",),
        "BrokerLoadData": (f"{EXTENSIONS}data.BrokerLoadData",),
        "TopKBundles": (f"{EXTENSIONS}models.TopKBundles",),
        "LeastResourceUsageWithWeight of extensions": (f"{EXTENSIONS}strategy.LeastResourceUsageWithWeight",),
        "BundleSplitterTask": (f"{IMPL}BundleSplitterTask",),
        "DefaultNamespaceBundleSplitStrategyImpl": (f"{EXTENSIONS}strategy.DefaultNamespaceBundleSplitStrategyImpl",),
        "split algorithms": tuple(
            f"{NAMING}{name}BundleSplitAlgorithm"
            for name in (
                "RangeEquallyDivide",
                "TopicCountEquallyDivide",
                "SpecifiedPositions",
                "FlowOrQpsEquallyDivide",
            )
        ),
        "NamespaceBundles": (f"{NAMING}NamespaceBundles", f"{NAMING}NamespaceBundleFactory#splitBundles,getHash"),
        "LoadSheddingTask": (f"{BALANCE}LoadSheddingTask", f"{IMPL}ModularLoadManagerImpl#doLoadShedding"),
        "UnloadScheduler": (f"{EXTENSIONS}scheduler.UnloadScheduler",),
        "selectBroker": (
            f"{IMPL}ModularLoadManagerImpl#selectBrokerForAssignment,selectBroker",
            f"{IMPL}LoadManagerShared#applyNamespacePolicies,removeMostServicingBrokersForNamespace,"
            "filterAntiAffinityGroupOwnedBrokers,filterBrokersWithLargeTopicCount,fillNamespaceToBundlesMap,"
            "filterDomainsNotHavingAntiAffinityGroup,getAntiAffinityNamespaceOwnedBrokers",
            f"{IMPL}SimpleResourceAllocationPolicies",
            f"{IMPL}BrokerVersionFilter",
            f"{IMPL}BrokerLoadManagerClassFilter",
            "common.policies.impl.NamespaceIsolationPolicyImpl",
            "common.policies.impl.NamespaceIsolationPolicies",
        ),
    },
    {
        "weights": ("broker.ServiceConfiguration", "loadBalancer.*ResourceWeight|loadBalancerHistoryResource.*"),
        "thresholds": (
            "broker.ServiceConfiguration",
            "loadBalancer(BrokerOverloadedThreshold|BrokerThresholdShedder|BundleUnloadMinThroughput).*|"
            "lowerBoundarySheddingEnabled",
        ),
        "UniformLoadShedder's thresholds": (
            "broker.ServiceConfiguration",
            "loadBalancerMsg(RateDifference|ThroughputMultiplier).*|m(ax|in)Unload.*",
        ),
        "AvgShedder's thresholds": ("broker.ServiceConfiguration", "loadBalancerAvgShedder.*"),
        "TransferShedder's thresholds": (
            "broker.ServiceConfiguration",
            "loadBalancer(BrokerLoadTargetStd|SheddingConditionHitCount|MaxNumberOfBrokerShedding|BrokerLoadDataTTL|"
            "TransferEnabled|SheddingBundlesWithPolicies|MaxNumberOfBundlesInBundleLoadReport).*|"
            "loadBalanceSheddingDelayInSeconds",
        ),
        "placement thresholds": ("broker.ServiceConfiguration", "loadBalancerAverageResourceUsageDifference.*"),
        "reports": ("broker.ServiceConfiguration", "loadBalancerReportUpdate.*"),
        "split limits": (
            "broker.ServiceConfiguration",
            "loadBalancerNamespace.*|loadBalancerMaxNumberOfBundlesToSplit.*",
        ),
    },
    PACKAGE / "model" / "balancer" / "variants.py",
)
ASSIGNMENT: Final = "streams.processor.internals.assignment."
API: Final = "streams.processor.assignment."
STREAMS: Final = "coordinator.group.streams."
KAFKA: Final = Product(
    "Kafka",
    ("kafka-streams", "kafka-group-coordinator"),
    {"coordinator.": "kafka-group-coordinator"},
    "org.apache.kafka.",
    {
        "assignors": tuple(
            f"{ASSIGNMENT}{name}"
            for name in (
                "HighAvailabilityTaskAssignor", "StickyTaskAssignor", "FallbackPriorTaskAssignor", "ClientState",
                "TaskMovement", "ConstrainedPrioritySet", "DefaultStandbyTaskAssignor",
                "ClientTagAwareStandbyTaskAssignor",
                "StandbyTaskAssignorFactory",
            )
        ),
        "racks": tuple(
            f"{ASSIGNMENT}{name}"
            for name in ("RackAwareTaskAssignor", "Graph", "MinTrafficGraphConstructor",
                         "BalanceSubtopologyGraphConstructor",
                         "RackAwareGraphConstructorFactory")
        ),
        "TaskId": ("streams.processor.TaskId",),
        "assignors of the API": (f"{API}assignors.StickyTaskAssignor", f"{API}TaskAssignmentUtils"),
        "StickyTaskAssignor of a streams group": (
            f"{STREAMS}assignor.StickyTaskAssignor", f"{STREAMS}assignor.ProcessState",
        ),
        "CurrentAssignmentBuilder": (f"{STREAMS}CurrentAssignmentBuilder",),
    },
    {},
    PACKAGE / "model" / "kafka" / "variants.py",
)  # fmt: skip

INSTRUCTION: Final = re.compile(r"\s+(\d+): ([a-z]\w*)\s*(.*)")
CASE: Final = re.compile(r"\s+(-?\d+|default): (\d+)")
HANDLER: Final = re.compile(r"\s+(\d+)\s+(\d+)\s+(\d+)\s+(Class .*|any)")
JUMPS: Final = re.compile(r"if\w*|goto(_w)?|jsr(_w)?")
POOL: Final = re.compile(r"#\d+(,\s+\d+)?(:(?=\w|\"))?")
LOGGER: Final = re.compile(r"getstatic .*// Field (\S+\.)?(?i:log(ger)?):L\S+/Logger;")
LOGS: Final = re.compile(r"Logger\.(is\w+Enabled:|(trace|debug|info|warn|error):\(.*\)V)|Event\.log\w*:\(.*\)V")
IS_LOGGER: Final = re.compile(r"^  .*/?Logger (?i:log(ger)?);$")
MADE: Final = re.compile(r"// Field (?i:log(ger)?):L\S+/Logger;")
TABLE: Final = '''"""
Releases of {product} that decide by equal classes: ``python -m tools.equal_classes FOLDER`` writes it.

A row has a letter for each release. Equal letters: equal code but for logging; -: no such class; ?: not measured.
"""

from typing import Final

from oneowner.model.kernel.variants import Variants

VARIANTS: Final = Variants(
    tuple(
        """
{releases}
        """.split()
    ),
    {{
{rows}
    }},
)
'''
LACKING: Final = "?"
"""The digest of classes in a jar that the repository does not have."""
FARTHEST: Final = 200
"""Instructions of one log statement."""
NUMBERED: Final = re.compile(r"\b(lambda\$\w+?|access)\$\d+")
HEADER: Final = re.compile(r"  \S.*;")


class Member(NamedTuple):
    """A field, or a method with its code."""

    header: str
    code: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of a method; of a lambda, the method that it stands in."""
        found = re.search(r"([\w$<>]+)\(", self.header)
        name = found[1] if found else self.header.rstrip(";").rpartition(" ")[2]
        return name.split("$")[1] if name.startswith("lambda$") else name


def members(text: str) -> Iterator[Member]:
    """Yield the members that ``javap -c -p -constants`` prints of a class."""
    header, lines = "", list[str]()
    for line in text.splitlines():
        if IS_LOGGER.search(line):
            continue
        if HEADER.fullmatch(line) or line.startswith("  static {}"):
            if header:
                yield Member(header, tuple(normalised(lines)))
            header, lines = NUMBERED.sub(r"\1", line.strip()), []
        elif line.strip() and line.startswith("    "):
            lines.append(line)
    if header:
        yield Member(header, tuple(normalised(lines)))


def normalised(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a method's code without its logging, and with places of instructions in place of offsets."""
    kept = list(without_logging(list(lines)))
    offsets = [int(found[1]) for line in kept if (found := INSTRUCTION.fullmatch(line))]

    def place(offset: str) -> str:
        return str(bisect_left(offsets, int(offset)))

    for line in kept:
        if found := INSTRUCTION.fullmatch(line):
            code, rest = found[2].replace("ldc_w", "ldc"), POOL.sub("", found[3])
            if JUMPS.fullmatch(code):
                rest = place(rest)
            yield NUMBERED.sub(r"\1", f"{code} {' '.join(rest.split())}")
        elif found := CASE.fullmatch(line):
            yield f"{found[1]}: {place(found[2])}"
        elif found := HANDLER.fullmatch(line):
            yield " ".join((*map(place, found.groups()[:3]), found[4]))


def without_logging(lines: list[str]) -> Iterator[str]:
    """Yield the lines that belong to no log statement, to no test of a level, and to the making of no logger."""
    at = 0
    while at < len(lines):
        if LOGGER.search(lines[at]):
            end = next((n for n in range(at, min(at + FARTHEST, len(lines))) if LOGS.search(lines[n])), None)
            if end is not None:
                is_test = "Enabled:" in lines[end]
                at = end + (2 if is_test else 1)
                continue
        if any("putstatic" in line and MADE.search(line) for line in lines[at : at + 3]):
            at += 1
            continue
        yield lines[at]
        at += 1


def printed(jars: str, names: Iterable[str]) -> dict[str, str]:
    """Return what ``javap`` prints of each class that there is, with its inner ones after it."""
    inner = [name for jar in jars.split(":") for name in listed(jar)]
    outer = set(names)
    asked = [name for name in inner if name.split("$")[0] in outer]
    if not asked:
        return {}
    command = ["javap", "-c", "-p", "-constants", "-cp", jars, *asked]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = dict[str, str]()
    for part in re.split(r"(?m)^Compiled from .*\n", text)[1:]:
        head = re.search(r"(?:class|interface|enum) ([\w.$]+)", part)
        if head:
            name = head[1].split("$")[0]
            found[name] = found.get(name, "") + part
    return found


def listed(jar: str) -> list[str]:
    """Return the names of the classes in a jar."""
    from zipfile import ZipFile

    with ZipFile(jar) as archive:
        return [one[:-6].replace("/", ".") for one in archive.namelist() if one.endswith(".class")]


def digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def of_release(product: Product, jars: str, missing: frozenset[str]) -> dict[str, str]:
    """Return the digest of each row of the table; empty if the release has none of its classes, ``?`` if one lacks."""
    rows = {row: [one.partition("#") for one in names] for row, names in product.classes.items()}
    whole = {product.prefix + name for parts in rows.values() for name, _, _ in parts}
    text = printed(jars, whole | {product.prefix + name for name, _ in product.fields.values()})
    there = {name: list(members(one)) for name, one in text.items()}
    found = dict[str, str]()
    for row, parts in rows.items():
        lines = list[str]()
        for name, _, methods in parts:
            chosen = [
                one for one in there.get(product.prefix + name, ()) if not methods or one.name in methods.split(",")
            ]
            lines += sorted("\n".join((one.header, *one.code)) for one in chosen)
        is_lacking = any(product.prefix + name not in there and lies(product, name) in missing for name, _, _ in parts)
        found[row] = LACKING if is_lacking else digest(lines) if lines else ""
    for row, (name, wanted) in product.fields.items():
        lines = list(initial(there.get(product.prefix + name, ()), re.compile(wanted)))
        found[row] = digest(lines) if lines else LACKING if lies(product, name) in missing else ""
    return found


def lies(product: Product, name: str) -> str:
    """Return the artifact of a class."""
    return next((artifact for prefix, artifact in product.elsewhere.items() if name.startswith(prefix)), "")


def initial(of: Iterable[Member], wanted: re.Pattern[str]) -> Iterator[str]:
    """Yield the initial values of fields, sorted: the instructions of a constructor before each is put."""
    found, before = list[str](), list[str]()
    for member in of:
        for line in member.code if "ServiceConfiguration(" in member.header else ():
            if line.startswith("putfield") and (name := re.search(r"Field (\w+):", line)):
                if wanted.fullmatch(name[1]):
                    found.append(f"{name[1]} {' '.join(before)}")
                before = []
            else:
                before.append(line)
    yield from sorted(found)


def table_of(product: Product, folder: Path) -> Variants:
    """Return the table of a product: of each row a letter for each release; equal letters, equal code."""
    names = [one.name[len(product.artifacts[0]) + 1 : -4] for one in folder.glob(f"{product.artifacts[0]}-[0-9]*.jar")]
    releases = sorted(names, key=lambda name: version(name) or ())
    digests = list[dict[str, str]]()
    for release in releases:
        jars = {artifact: folder / f"{artifact}-{release}.jar" for artifact in product.artifacts}
        missing = frozenset(artifact for artifact, jar in jars.items() if not jar.exists())
        there = [str(jar) for artifact, jar in jars.items() if artifact not in missing]
        digests.append(of_release(product, ":".join(there), missing))
    rows = {row: lettered([of[row] for of in digests]) for row in (*product.classes, *product.fields)}
    return Variants(tuple(releases), rows)


def lettered(digests: Sequence[str]) -> str:
    """
    Return a letter for each digest; one that is lacking is taken as its neighbours if these are equal.

    >>> lettered(["", "x", "?", "x", "?", "y"])
    '-aaa?b'
    """
    seen, found = {"": "-", LACKING: LACKING}, ""
    for value in digests:
        seen.setdefault(value, ascii_letters[len(seen) - 2])
        found += seen[value]
    gap = re.compile(r"(?<=([a-zA-Z-]))\?+(?=([a-zA-Z-]))")
    return gap.sub(lambda one: one[1] * len(one[0]) if one[1] == one[2] else one[0], found)


def text_of(product: Product, table: Variants) -> str:
    """Return the module that has a table."""
    releases = textwrap.fill(" ".join(table.releases), 108, break_on_hyphens=False)
    lines = [f'        "{row}": "{letters}",' for row, letters in table.rows.items()]
    return TABLE.format(product=product.name, releases=textwrap.indent(releases, " " * 8), rows="\n".join(lines))


def main() -> None:
    """Write the tables by the jars of a folder."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        raise SystemExit("error: name the folder of the jars")
    for product in (PULSAR, KAFKA):
        product.table.write_text(text_of(product, table_of(product, Path(sys.argv[1]))), encoding="utf-8")


if __name__ == "__main__":
    main()
