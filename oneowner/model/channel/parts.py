"""A state is made of these parts: processes, nodes, records under way, lookups, compaction, split, session events."""

from enum import StrEnum
from typing import NamedTuple

from oneowner.model.channel.record import Record


class Run(StrEnum):
    """The life of a broker's process."""

    UP = "up"
    DOWN = "down"
    PAUSED = "paused"
    """Neither up nor down: it does nothing (SIGSTOP, a long collection of garbage); its connections stay up."""
    STARTING = "starting"
    """It is registered and runs for the lead, and has not read the channel yet."""


class Node(StrEnum):
    """A broker's ephemeral node in the registry, ``/loadbalance/brokers/<brokerId>``."""

    PRESENT = "present"
    """It belongs to the session of the process that runs."""
    LEFTOVER = "left over"
    """It belongs to the session of a process that is gone, and vanishes when that expires."""
    ABSENT = "absent"


class Wait(StrEnum):
    """The event that the one thread of a broker's load manager waits for."""

    NOTHING = "nothing"
    UNLOAD = "an unload"
    """Of its round of shedding, for 60 s at most (``UnloadScheduler.execute``)."""
    READER = "the reader of the load data"
    """To be closed by the thread that reads the channel, which waits for the load data's lock: both for ever."""


class Phase(StrEnum):
    """The phase of the compaction of the channel's topic."""

    IDLE = "idle"
    READ = "read"
    """The log is read."""
    WRITTEN = "written"
    """The new ledger exists; nobody is told of it."""
    SHOWN = "shown"
    """Readers are given the new ledger."""
    SAVED = "saved"
    """A host that comes later is given it too; the ledger before it is still to be deleted."""


class SyncerStart(StrEnum):
    """How far a syncer between two storages is that starts, once it has deleted what was there (``cleaned``)."""

    OVER = "over"
    COPIED = "copied"
    """It has copied what was there, and does not hear of changes yet."""
    LISTENING = "listening"
    """It copies changes, and waits until both storages hold equally many entries."""


class Metadata(StrEnum):
    """The conclusion of a broker from its last session event (``MetadataState`` of ``ServiceUnitStateChannelImpl``)."""

    STABLE = "Stable"
    """Its session is as old as its process, or was re-established more than 180 s ago."""
    JITTERY = "Jittery"
    """Its session was re-established not long ago."""
    UNSTABLE = "Unstable"
    """Its session is lost, for all it knows."""


class HealthCheck(StrEnum):
    """The state of the health check of a broker that is back, asked because a clean-up of it was scheduled."""

    NONE = "none"
    ASKED = "asked"
    """The broker has answered, and the clean-up is yet to be called off."""
    OUTLIVED = "outlived"
    """As asked, but that clean-up is over; the scheduled one is newer."""


class Progress(StrEnum):
    """The progress of the record of an operator's command."""

    NONE = "none"
    SENT = "sent"
    """It is on its way to the topic."""
    WAITING = "waiting"
    """The topic has it; the broker that serves the command waits for its end."""
    REFUSED = "refused"
    """With a repair that no release has: the operator is told that it was refused."""
    TIMED_OUT = "timed out"
    """The operator is told that it waited for too long."""
    DROPPED = "dropped"
    """It waits still, and is not on the list of those that are told."""


class Older(StrEnum):
    """The remains of an operator's wait that is over (``inFlightUnloadRequest`` of ``UnloadManager``)."""

    NONE = "none"
    DONE = "done"
    """It is done, and still on the list."""
    TIMED_OUT = "timed out"
    """Its time is over, and it is still on the list."""
    TAKEN_OFF = "taken off"
    """Its time is over, an end has taken it off the list, and its time-out is about to do so again."""


class Message(NamedTuple):
    """A record in the channel, or one whose handler still closes topics."""

    unit: int
    record: Record


class Order(NamedTuple):
    """
    An order of an operator, an unload or a split; *destination* is that of a transfer.

    *carried*, which only laws read (and a repair that no release has): an accepted record carries it out.
    """

    progress: Progress
    carried: bool
    destination: int


class Publish(NamedTuple):
    """A record on its way to the channel; *basis*: the entry its publisher started from, for laws and ``overtake``."""

    unit: int
    record: Record
    basis: Record


class Ring(NamedTuple):
    """The boundaries of the namespace in ZooKeeper, as far as they matter here."""

    split: bool = False
    """The parent is cut in two."""
    others: int = 0
    """The number of its other bundles that were split."""
    nested: bool = False
    """The first child is cut in two as well."""
    deleted: bool = False
    """The namespace is deleted, and not created anew yet."""

    def __str__(self) -> str:
        nested = ", so is its first child" if self.nested else ""
        deleted = ", the namespace is deleted" if self.deleted else ""
        return f"the parent is {'split' if self.split else 'whole'}{nested}, {self.others} other splits{deleted}"


class SplitJob(NamedTuple):
    """A split that its broker has begun, on behalf of the Splitting record *parent*."""

    parent: Record
    moved: bool
    """The boundaries are moved."""
    unit: int = 1
    """The unit that is split."""
    awaited: int = 0
    """The place in the outbox of the last publish of a child that it waits for; 0 is none."""
    read: Ring = Ring()
    """The boundaries that it has read, and is about to write cut; none while it waits, or has moved them."""

    def __str__(self) -> str:
        unit = f"unit {self.unit} " if self.unit > 1 else ""
        if self.moved:
            return f"{unit}{self.parent}, boundaries moved"
        return f"{unit}{self.parent}, {'children under way' if self.awaited else f'has read: {self.read}'}"


class Request(StrEnum):
    """The progress of the lookup of one unit at one broker."""

    NONE = "none"
    WAITING = "waiting"
    """For an owner: the unit is being handed to this broker, or its owner is not registered (``deferGetOwner``)."""
    SELECTING = "selecting"
    """There is no owner: it selects a broker (``selectAsync``)."""
    PUBLISHED = "published"
    """It has published Assigning, and waits for the owner that comes of it (``publishAssignEventAsync``)."""
    DECIDED = "decided"
    """It has found that it must wait, and is not known to wait yet (``Rules.waits_in_one_step``)."""


class Outcome(StrEnum):
    """The end of a lookup."""

    NONE = "none"
    """None has been answered yet."""
    OWNER = "owner"
    EMPTY = "empty"
    """Nobody owns the unit; the client shall try again."""
    FAILED = "failed"


class Reply(NamedTuple):
    """The last answer of one broker for one unit; *version* is that of the view which it rests on."""

    outcome: Outcome
    owner: int
    version: int


class Stage(StrEnum):
    """The stage of a broker that shuts down (``ExtensibleLoadManagerImpl.disableBroker``)."""

    RUNNING = "running"
    DRAINING = "draining"
    """Its channel is Disabled; it gives its units away."""
    UNREGISTERED = "unregistered"
    """Its registration is deleted and its election is closed; the process has yet to end."""
