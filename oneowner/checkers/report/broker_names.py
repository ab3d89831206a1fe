"""
Short names of brokers for sentences: the pod, the host or the port, whichever distinguishes all brokers of a run.

A sentence that names three brokers by ``pulsar-broker-0.pulsar-broker.pulsar.svc.cluster.local:8080`` and its like
hides its point. Commands keep the long names, which Pulsar demands, and a legend gives both once.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from oneowner.checkers.recordings.judge.judgement import Judgement

SHOWN: Final = 8
"""Brokers of the legend."""
_ADDRESS: Final = re.compile(r"(?P<host>[\w.-]+|\[[0-9a-fA-F:.]+\]):(?P<port>\d{1,5})")
_NUMBERS: Final = re.compile(r"[\d.]+|\[.*\]")
_LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")


class BrokerNames:
    """The long names of the brokers of a run, and the shortest form that tells all of them apart."""

    def __init__(self, names: Iterable[str]) -> None:
        ids = sorted({name for name in names if _ADDRESS.fullmatch(name)})
        forms = [[form(name) for name in ids] for form in _FORMS]
        short = next((one for one in forms if all(one) and len(set(one)) == len(ids)), ids)
        self.short = {name: brief for name, brief in zip(ids, short, strict=True) if brief != name}
        """The short name of each broker that has one."""
        longest_first = sorted(self.short, key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![\w.:/-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w/-]|[.:]\w)")

    def shortened(self, text: str) -> str:
        """
        Return a text with short names of brokers.

        >>> names = BrokerNames(["127.0.0.1:18081", "127.0.0.1:18082"])
        >>> names.shortened("restart 127.0.0.1:18082, or 127.0.0.1:180821")
        'restart :18082, or 127.0.0.1:180821'
        """
        return self._pattern.sub(lambda found: self.short[found.group()], text) if self.short else text

    def legend(self, texts: Sequence[str]) -> str:
        """
        Return the long names of the brokers in some shortened texts, or an empty line.

        >>> brokers = BrokerNames([f"b-{n}.b.ns.svc:8080" for n in (0, 1)])
        >>> brokers.legend(["b-1 died"]), brokers.legend(["b-0 gave it to b-1"])
        ('brokers: b-1 = b-1.b.ns.svc:8080', 'brokers: b-0, b-1, each with .b.ns.svc:8080')
        """
        named = {
            name: short
            for name, short in self.short.items()
            if any(re.search(rf"(?<![\w.-]){re.escape(short)}(?![\w-]|[.:]\w)", text) for text in texts)
        }
        endings = {name.removeprefix(short) for name, short in named.items()}
        is_short = len(named) > 1 and len(endings) == 1
        shown = list(named.values()) if is_short else [f"{short} = {name}" for name, short in named.items()]
        more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
        end = f", each with {endings.pop()}" if is_short else ""
        return f"brokers: {', '.join(shown[:SHOWN])}{more}{end}" if named else ""


def brokers_of(judgement: Judgement, number: int, more: Iterable[str] = ()) -> BrokerNames:
    """Return the names of the brokers of one judged run, as its outputs show them; *more* are shown already."""
    one = judgement.runs[number]
    named = {*one.tally.brokers, *one.run.manifest.logs.values(), *(log.broker for log in one.coverage)}
    named |= {broker for happening in one.background.happenings for broker in happening.brokers}
    return BrokerNames([*(judgement.show(name) for name in named), *more])


def _host(name: str) -> str:
    return name.rpartition(":")[0]


def _label(name: str) -> str:
    """Return the first label of a host; none of an address in numbers, or of this machine."""
    host = _host(name)
    return "" if host in _LOCAL or _NUMBERS.fullmatch(host) else host.partition(".")[0]


def _port(name: str) -> str:
    return f":{name.rpartition(':')[2]}"


def _remote(name: str) -> str:
    return "" if _host(name) in _LOCAL else _host(name)


_FORMS: Final[Sequence[Callable[[str], str]]] = (_label, _remote, _port, lambda name: f"{_label(name)}{_port(name)}")
"""The shortest first; an empty form does not serve."""
