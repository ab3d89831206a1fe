"""A law of logs judges every log that the channel may hold, with any publishers."""

from collections.abc import Callable
from dataclasses import dataclass, field

from oneowner.model.channel.compaction import PULSAR, Log, Setting
from oneowner.model.kernel.law import Declaration, LawKind, Status

__traced__ = False  # declares what a law of logs is

OnLog = Callable[[Log], bool]
ByDialect = Callable[[Log, Setting], bool]


@dataclass(frozen=True, slots=True)
class LogLaw(Declaration):
    """
    A law of every log that the channel may hold, about compacting and reading it.

    *setting* names the compactor and the reader; except in laws about a mutant both are Pulsar's.
    """

    when: OnLog
    holds: ByDialect
    status: Status = Status.HOLDS
    setting: Setting = PULSAR
    kind: LawKind = field(kw_only=True)
