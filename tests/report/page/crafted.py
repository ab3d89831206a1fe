"""Results made up for the page: more than any recording has."""

import random
from collections.abc import Iterator
from typing import Any

from oneowner.checkers.results import LawRow, Page, Part, Result, Stats, Stream
from oneowner.checkers.verdict import Verdict

START = 1_795_219_580_000
RUN = "made/up"
STATES = ("Owned", "Releasing", "Assigning")

Json = dict[str, Any]


def unit_name(number: int) -> str:
    """Return the key of a bundle: 40 of each namespace."""
    low = 0x0600_0000 * (number % 40)
    return f"tenant-{number // 400}/ns-{number // 40:03d}/0x{low:08x}_0x{low + 0x0600_0000:08x}"


def broker_name(number: int) -> str:
    return f"broker-{number}.broker.pulsar.svc:8080"


def intervals(units: int, each: int, brokers: int = 12, seed: int = 7) -> Iterator[tuple[int, Json]]:
    """Yield intervals in the order of the contract: a unit's records follow on each other, the last one lasts."""
    chance = random.Random(seed)
    for unit in range(units):
        time, entry, owner = START + chance.randrange(60_000), unit, broker_name(chance.randrange(brokers))
        for number in range(each):
            state = STATES[number % 3]
            after = time + (chance.randrange(5, 200) if number % 3 else chance.randrange(20_000, 600_000))
            begin = {"messageId": f"12:{entry}", "time": time}
            entry, time = entry + units, after
            end = None if number == each - 1 else {"messageId": f"12:{entry}", "time": time}
            yield 0, {"unit": unit_name(unit), "broker": owner, "state": state, "from": begin, "to": end}
            if state == "Releasing":
                owner = broker_name(chance.randrange(brokers))


def finding(law: str, unit: str | None, time: int | None, **more: Any) -> Json:
    """Return a finding with the keys of the contract."""
    return {
        "law": law,
        "severity": "violation",
        "unit": unit,
        "at": {"file": f"{RUN}/channel.jsonl", "line": 7, "messageId": None if time is None else "12:3", "time": time},
        "brokers": [broker_name(1), broker_name(2)],
        "why": f"{law} is broken",
        "held": {"state": "Owned", "dstBroker": broker_name(1), "force": False, "versionId": 2},
        "proposed": {"state": "Owned", "dstBroker": broker_name(2), "force": True, "versionId": 3},
        "guard": law,
        "repair": "wait for the close",
    } | more


def window(since: int | None, until: int | None, possible_since: int, possible_until: int | None) -> Json:
    times = {"since": since, "until": until, "possibleSince": possible_since, "possibleUntil": possible_until}
    return {name: None if time is None else START + time for name, time in times.items()}


def cite(line: int, time: int, text: str) -> Json:
    return {"file": f"{RUN}/broker-1.log", "line": line, "messageId": None, "time": START + time, "text": text}


HOSTILE = '</script><img src=x onerror=alert(1)> \u2028 & "quoted" <!-- <script>'
"""Characters of a log line."""


def findings() -> list[Json]:
    """Every shape that a finding may have."""
    seen, possible = window(400_000, 430_000, 390_000, 500_000), window(None, None, 700_000, None)
    lines = [cite(3, 400_000, "the first line"), cite(9, 430_000, HOSTILE)]
    nobody: Json = {"brokers": [], "held": None, "proposed": None, "severity": "warning"}
    return [
        finding("dual-serving", unit_name(1), START + 400_000, window=seen, evidence=lines, upstream="looks like #1"),
        finding("dual-serving", unit_name(44), START + 700_000, window=possible, severity="warning"),
        finding("somebody-leads", None, START + 300_000, window=window(300_000, None, 300_000, None), **nobody),
        finding("version-chain", unit_name(2), START + 100_000),
        finding("stuck-in-flight", unit_name(5), START + 90_000, waived={"reason": "known", "expires": "2026-12-01"}),
        finding("clock-skew", None, None, severity="note", brokers=[], why=HOSTILE),
    ]


def audited(units: int = 60, each: int = 12, found: list[Json] | None = None) -> Result:
    """Return the result of an audit that never was."""
    listed = findings() if found is None else found
    rows = [
        LawRow("dual-serving", "holds", Verdict.VALID, Verdict.INVALID, 12),
        LawRow("version-chain", "holds", Verdict.VALID, Verdict.VALID, 3),
        LawRow("stuck-in-flight", "holds", Verdict.VALID, Verdict.UNKNOWN, 0, "needs broker logs"),
    ]
    refusals = [(0, {"unit": unit_name(1), "messageId": "12:61", "rule": "version", "why": f"lost: {HOSTILE}"})]
    page = Page(
        subject=f"{RUN} & more",
        runs=(RUN,),
        refusals=refusals,
        intervals=Stream(lambda: intervals(units, each)),
        events=[(0, START + 200_000, "SIGSTOP broker-1 (broker-1.broker.pulsar.svc:8080), leader")],
        logs=[{"file": f"{RUN}/broker-1.log", "broker": None, "lines": 10, "understood": 9}],
        laws_of_servers=("dual-serving",),
        statements={"dual-serving": "At most one broker serves a bundle."},
    )
    return Result(
        verb="audit",
        verdict=Verdict.INVALID,
        reasons=[f"{RUN}: broken: dual-serving"],
        stats=Stats(events=units * each, units=units, accepted=units * each),
        laws=rows,
        findings=listed,
        parts=(Part(RUN, Verdict.INVALID, (), tuple(rows)),),
        found=[(0, one) for one in listed],
        page=page,
    )
