"""
A model's run is rendered as the logs that its brokers would have written, as Pulsar 4.0.6 prints them (channel.13).

The words are those of real logs (``traces/real``), written out here once more: nothing of the audit's table of
patterns is used. With debug mode every record that a view takes is printed; without, only hand-overs and skipped
records are.
"""

from collections import Counter
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from zlib import crc32

from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, NOBODY, OWNED, RELEASING, is_absent
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.system import initial_states
from tools.render.channel_dump import Rendered, broker_id, value_of
from tools.render.dump_files import Json, write_bytes
from tools.render.model_runs import Closed, Done, Read, Served

TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"
BROKER = "org.apache.pulsar.broker."
EXTENSIONS = f"{BROKER}loadbalance.extensions."
CHANNEL = f"{EXTENSIONS}channel.ServiceUnitStateChannelImpl"
MANAGER = f"{EXTENSIONS}ExtensibleLoadManagerImpl"
REGISTRY = f"{EXTENSIONS}BrokerRegistryImpl"
ELECTION = "org.apache.pulsar.metadata.coordination.impl.LeaderElectionImpl"
VIEW = "org.apache.pulsar.client.impl.TableViewImpl"
SERVICE = f"{BROKER}PulsarService"

SERVICES = f"{BROKER}service.BrokerService"
PERSISTENT = f"{BROKER}service.persistent.PersistentTopic"

STARTED = 5_000
"""Milliseconds before the first step at which the brokers start."""


class LogWriter:
    """Writes the log of every broker, in the order of the run's steps."""

    def __init__(self, told: Rendered, debug: frozenset[int]) -> None:
        self.told, self.run, self.debug = told, told.run, debug
        self.lines: dict[int, list[str]] = {number: [] for number in range(1, told.run.bounds.brokers + 1)}
        self._latest: dict[int, int] = {}
        """Of each unit, the record that the channel holds, by its place."""
        self._views: dict[int, dict[int, int]] = {broker: {} for broker in self.lines}
        self._handled: dict[int, Counter[str]] = {broker: Counter() for broker in self.lines}
        self._cleaned: set[tuple[int, int]] = set()
        """Which leader has begun to clean up after which broker."""
        self._lost: set[int] = set()
        """Brokers that have lost their session."""
        self.topics = {unit: topic_in(key) for unit, key in enumerate(told.keys, 1)}

    def write(self) -> None:
        """Write all of it."""
        leader = initial_states(self.run.bounds)[0].leader
        for broker in self.lines:
            self._start(broker, self.told.moments[0] - STARTED, is_leader=broker == leader)
        appended, done = iter(self.run.appended), iter(self.run.done)
        put, did = next(appended, None), next(done, None)
        places = 0
        for number, action in enumerate(self.run.steps):
            self._act(number, action)
            while did is not None and did.step == number:
                self._do(did)
                did = next(done, None)
            while put is not None and put.step == number:
                if put.accepted:
                    self._latest[put.unit] = places
                put, places = next(appended, None), places + 1

    def _say(self, broker: int, time: int, thread: str, logger: str, words: str) -> None:
        stamp = datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        self.lines[broker].append(f"{stamp},{time % 1000:03}+0000 [{thread}] INFO  {logger} - {words}")

    def _at(self, step: int, broker: int) -> int:
        return self.told.moments[step] + self.told.ahead[broker]

    def _start(self, broker: int, time: int, is_leader: bool = False) -> None:
        """A process starts, registers, and reads the channel to its end."""
        name, thread = broker_id(broker), "main"
        self._handled[broker].clear()
        self._views[broker] = dict(self._latest)
        self._say(broker, time, thread, SERVICE, "Starting Pulsar Broker service; version: '4.0.6'")
        self._register(broker, time)
        if is_leader:
            self._lead(broker, time)
        table = f"{EXTENSIONS}channel.ServiceUnitStateTableViewImpl"
        self._say(broker, time, thread, CHANNEL, f"Created service unit state tableview: {table}")
        for unit, place in sorted(self._latest.items()):
            if broker in self.debug and self.told.messages[place]["value"] is not None:
                words = f"serviceUnit: {self.told.keys[unit - 1]}, data: {self._record(place)}"
                self._say(broker, time, thread, CHANNEL, f"Loaded the service unit state data. {words}")
        self._say(broker, time, thread, CHANNEL, "Successfully started the channel tableview.")
        self._say(broker, time, thread, CHANNEL, "Successfully started the channel.")
        host, _, port = name.rpartition(":")
        settings = f"advertisedAddress={host}, webServicePort=Optional[{port}], " + (
            f"loadBalancerDebugModeEnabled={'true' if broker in self.debug else 'false'}"
        )
        words = f"broker url= pulsar://{host}:6650, cluster=standalone, configs=ServiceConfiguration({settings})"
        ready = f"messaging service is ready, bootstrap_seconds=3, bootstrap service port = {port}, {words}"
        self._say(broker, time, thread, SERVICE, ready)

    def _register(self, broker: int, time: int) -> None:
        name = broker_id(broker)
        path = f"/loadbalance/brokers/{name}"
        self._say(broker, time, "main", REGISTRY, f"[{name}] Started registering self to {path} (state: Started)")
        self._say(broker, time, "metadata-store-10-1", REGISTRY, f"[{name}] Finished registering self")

    def _lead(self, broker: int, time: int) -> None:
        name, thread = broker_id(broker), "pulsar-load-manager-1-1"
        leader = f"LeaderBroker(brokerId={name}, serviceUrl=http://{name})"
        path = "/loadbalance/extension/leader"
        self._say(broker, time, "metadata-store-10-1", ELECTION, f"Acquired leadership on {path} with {leader}")
        self._say(broker, time, thread, MANAGER, f"This broker:{name} is setting the role from null to Leader")
        self._say(broker, time, thread, CHANNEL, f"This leader broker:{name} started the ownership monitor.")
        self._say(broker, time, thread, MANAGER, f"This broker:{name} plays the leader now.")

    def _act(self, step: int, action: Action) -> None:
        """Write an action's own log lines."""
        broker = dict(action.arguments).get("broker", dict(action.arguments).get("observer", 0))
        time = self._at(step, broker) if broker else 0
        if action.name == "restart":
            self._start(broker, time)
            self._lost.discard(broker)
        elif action.name == "elect":
            self._lead(broker, time)
        elif action.name == "reestablish":
            self._hear(broker, time, "SessionReestablished")
            self._lost.discard(broker)
        elif action.name == "register":
            self._register(broker, time)
        elif action.name == "assign":
            words = f"{broker_id(action.argument('destination'))} for bundle: {self._unit(action)}."
            self._say(broker, time, "Thread-13", MANAGER, f"Selected new owner broker: {words}")
        elif action.name in ("override", "free_orphan"):
            self._override(step, broker, action)
        elif action.name == "tombstone":
            place = self._views[broker][action.argument("unit")]
            words = f"serviceUnit:{self._unit(action)}, stateData:{self._record(place)}"
            words = f"Found semi-terminal states to tombstone {words}"
            self._say(broker, time, "pulsar-load-manager-1-1", CHANNEL, words)

    def _hear(self, broker: int, time: int, event: str) -> None:
        words = f"Received metadata session event:{event} at timestamp:{time}"
        self._say(broker, time, "metadata-store-10-1", CHANNEL, words)

    def _unit(self, action: Action) -> str:
        return self.told.keys[action.argument("unit") - 1]

    def _override(self, step: int, broker: int, action: Action) -> None:
        unit, time = action.argument("unit"), self._at(step, broker)
        orphan = self.run.appended[self._views[broker][unit]].record
        gone = orphan.destination if orphan.state in (OWNED, ASSIGNING) else orphan.source
        if (broker, gone) not in self._cleaned:
            self._clean(broker, gone, time)
        inactive = f"inactiveBroker:{broker_id(gone)}, ownership serviceUnit:{self._unit(action)}"
        found, made = self._record(self._views[broker][unit]), self._handed(step, broker, unit)
        words = f"Overriding {inactive} from orphanData:{found} to overrideData:{made}"
        self._say(broker, time, "Thread-48", CHANNEL, words)

    def _clean(self, broker: int, gone: int, time: int) -> None:
        self._cleaned.add((broker, gone))
        name, thread = broker_id(gone), "pulsar-load-manager-1-1"
        for words in (
            f"Handling broker:{name} ownership cleanup based on metadata connection state:Stable, "
            "event:SessionReestablished, event_ts:0:",
            f"Scheduled ownership cleanup for broker:{name} with delay:0 secs. Pending clean jobs:1.",
            f"The broker {name} is not healthy because it's not found",
            f"Checked the broker:{name} health. Continue the orphan bundle cleanup",
            f"Started ownership cleanup for the inactive broker:{name}",
        ):
            self._say(broker, time, thread, CHANNEL, words)

    def _do(self, did: Done) -> None:
        if isinstance(did, Read):
            self._take(did)
        elif isinstance(did, Closed):
            self._close(did)
        elif isinstance(did, Served):
            self._serve(did)
        else:
            self._lost.add(did.broker)
            self._hear(did.broker, self._at(did.step, did.broker), "SessionLost")

    def _serve(self, served: Served) -> None:
        """The one topic of a unit is opened, or closed."""
        topic, time = self.topics[served.unit], self._at(served.step, served.broker)
        if served.begins:
            words = f"Created topic {topic} - dedup is disabled"
            self._say(served.broker, time, "broker-topic-workers-OrderedExecutor-0-0", SERVICES, words)
        else:
            thread = "broker-client-shared-internal-executor-5-1"
            self._say(served.broker, time, thread, SERVICES, f"[{topic}] Unloading topic")
            self._say(served.broker, time, thread, PERSISTENT, f"[{topic}] Topic closed")

    def _take(self, read: Read) -> None:
        """A view takes a record, or skips it."""
        broker, one = read.broker, self.run.appended[read.place]
        time, unit, name = self._at(read.step, broker), self.told.keys[one.unit - 1], broker_id(broker)
        thread = "broker-client-shared-internal-executor-5-1"
        view = self._views[broker]
        if not read.taken:
            held = view.get(one.unit)
            values = f"value={self._record(read.place)} prev={'null' if held is None else self._record(held)}"
            words = f"Skipped the message from topic {TOPIC}. key={unit} {values}"
            self._say(broker, time, thread, VIEW, words)
            return
        view[one.unit] = read.place
        state = "Init" if is_absent(one.record) else one.record.state.value
        self._handled[broker][state] += 1
        if broker in self.debug:
            shown, handled = self._record(read.place), self._handled[broker][state]
            words = f"serviceUnit:{unit}, data:{shown}. totalHandledRequests:{handled}"
            self._say(broker, time, thread, CHANNEL, f"{name} received a handle request for {words}")
        record = one.record
        is_owner = record.state in (ASSIGNING, OWNED) and record.destination == broker
        if is_owner or (record.state in (FREE, DELETED) and record.source == broker):
            self._handle(broker, time, read.place, self._handed(read.step, broker, one.unit))

    def _close(self, closed: Closed) -> None:
        """The topics of a unit are closed; the line of a release includes the next step."""
        broker, unit, time = closed.broker, closed.unit, self._at(closed.step, closed.broker)
        words = f"Unloading bundle:{self.told.keys[unit - 1]} with 1 topics completed in 12.0 ms"
        self._say(broker, time, "bookkeeper-ml-scheduler-OrderedScheduler-1-0", CHANNEL, words)
        place = self._views[broker].get(unit)
        if closed.record.state == RELEASING and place is not None and self.run.appended[place].record == closed.record:
            self._handle(broker, time, place, self._handed(closed.step, broker, unit))

    def _handle(self, broker: int, time: int, place: int, following: str) -> None:
        """A handler is done with its broker's duty."""
        one = self.run.appended[place]
        is_transfer = one.record.destination != NOBODY and one.record.source != NOBODY
        if broker not in self.debug and not is_transfer:
            return
        event = f"Transfer:{one.record.state.value}" if is_transfer else one.record.state.value
        counts = f"totalHandledRequests:{self._handled[broker][one.record.state.value]}, totalFailedRequests:0"
        records = f"cur:{self._record(place)}, next:{following}"
        words = f"handled {event} event for serviceUnit:{self.told.keys[one.unit - 1]}, {records}, {counts}"
        self._say(broker, time, "pulsar-io-3-3", CHANNEL, f"{broker_id(broker)} {words}")

    def _record(self, place: int) -> str:
        return printed(self.told.messages[place]["value"])

    def _handed(self, step: int, broker: int, unit: int) -> str:
        """Return the record published by a step, as it is printed; an empty string if there is none."""
        record = self.run.handed.get((step, unit))
        value = None if record is None else value_of(record, unit, self.told.keys, self._at(step, broker))
        return "" if value is None else printed(value)


def debug_of(told: Rendered) -> frozenset[int] | None:
    """Return whose debug mode is on, by the run's seed: all brokers', nobody's, every other's; None: no logs at all."""
    brokers = range(1, told.run.bounds.brokers + 1)
    return (frozenset(brokers), frozenset[int](), frozenset(brokers[::2]), None)[told.run.seed % 4]


def logs_of(told: Rendered, debug: frozenset[int]) -> dict[int, list[str]]:
    """Return the log of every broker of a run; those of *debug* print every record that they handle."""
    logs = LogWriter(told, debug)
    logs.write()
    return logs.lines


def write_logs(folder: Path, logs: dict[int, list[str]]) -> None:
    """Write logs into the folder of their run, in the place of those that are there."""
    for path in folder.glob("broker-*.log"):
        path.unlink()
    for broker, lines in logs.items():
        write_bytes(folder / f"broker-{broker}.log", "".join(f"{line}\n" for line in lines).encode())


def topic_in(key: str) -> str:
    """Return the first topic t0, t1, .. whose name has its hash in a unit's range (``LongHashingFunction``: CRC-32)."""
    namespace, _, ends = key.rpartition("/")
    low, high = (int(end, 16) for end in ends.split("_"))
    names = (f"persistent://{namespace}/t{number}" for number in count())
    return next(name for name in names if low <= crc32(name.encode()) < high)


def printed(value: Json | None) -> str:
    """Return a record as ``ServiceUnitStateData.toString`` prints it."""
    if value is None:
        return "null"
    children = value.get("splitServiceUnitToDestBroker")
    split = "null" if children is None else "{" + ", ".join(f"{one}=Optional.empty" for one in children) + "}"
    return (
        f"ServiceUnitStateData[state={value['state']}, dstBroker={value.get('dstBroker', 'null')}, "
        f"sourceBroker={value.get('sourceBroker', 'null')}, splitServiceUnitToDestBroker={split}, "
        f"force={'true' if value['force'] else 'false'}, timestamp={value['timestamp']}, "
        f"versionId={value['versionId']}]"
    )
