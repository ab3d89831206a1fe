"""A unit is given back by force while its source closes it: only who took the Releasing keeps it shut."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.serving.given_back import cause_of, given_back, given_back_while_closing
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.dumps import START, audit, dump, write
from tests.recordings.laws.crafted import B1, B2, B3, OTHER, UNIT, channel, logs, message, printed, said, scene

LAW = "given-back-by-force"
OWNED = message(0, 10, printed("Owned", 1, B1))
TRANSFER = printed("Releasing", 2, B2, B1)
UNLOAD = printed("Releasing", 2, "", B1)


def forced(destination: str = B1, source: str = "", force: bool = True) -> Message:
    return message(2, 9_000, printed("Owned", 3, destination, source, force=force))


def returned(
    *lines: LogEvent, release: Printed = TRANSFER, owned: Message | None = None, after: tuple[Message, ...] = (),
    **fields: Any,
) -> Scene:  # fmt: skip
    """B1 owns the unit, is to hand it over to B2 at 5 s, and is given it back by force at 9 s; its log goes on."""
    records = channel(OWNED, message(1, 5_000, release), owned or forced(), *after)
    return scene(channel=records, said=logs(said(0, 100, "x"), *lines, said(99, 90_000, "x")), end=90_000, **fields)


def took(time: int = 5_010, release: Printed = TRANSFER, unit: str = UNIT) -> LogEvent:
    return said(1, time, "handle-request", unit, data=release)


def closed(time: int = 5_200, topics: int = 3, ms: float = 190.0) -> LogEvent:
    return said(2, time, "bundle-unloaded", UNIT, topics=topics, ms=ms)


HANDLED = said(3, 5_300, "handled", UNIT, cur=TRANSFER)
TWO_LIVES = {B1: [Life(B1, 0, 100, 6_000, 0, 2, None), Life(B1, 1, 7_000, 90_000, 2, 3, None)]}

ACCUSED = {
    "has begun to close it": returned(took()),
    "has closed it": returned(took(), closed()),
    "says that it handled the Releasing, and nothing before": returned(closed(), HANDLED),
    "takes the Releasing after it was given the unit back": returned(took(9_500)),
    "timed out, and so says that it closed no topic": returned(took(), closed(65_100, 0, 60_001.0)),
}
INNOCENT = {
    "never took the Releasing": returned(),
    "took that of another unit": returned(took(unit=OTHER)),
    "took an older Releasing": returned(took(release=printed("Releasing", 1, B2, B1))),
    "had no topic of it": returned(took(), closed(topics=0)),
    "failed to close it": returned(took(), said(2, 5_200, "bundle-close-failed", UNIT, ms=1.0)),
    "took it in a process before": replace(returned(took()), lives=TWO_LIVES),
    "took it only after it had given the unit up":
        returned(took(40_000), after=(message(3, 20_000, printed("Releasing", 4, B2, B1)),)),
    "closes whole before it publishes": returned(took(), is_one_phase=True),
    "was to unload it to nobody": returned(took(release=UNLOAD), release=UNLOAD),
    "is another broker": returned(took(), owned=forced(B3, B1)),
    "has it back unforced": returned(took(), owned=forced(force=False)),
}  # fmt: skip


@pytest.mark.parametrize("run", ACCUSED.values(), ids=ACCUSED)
def test_who_keeps_closed_what_it_is_given_back_is_told(run: Scene) -> None:
    [one] = given_back_while_closing(run)
    assert (one.law, one.severity, one.brokers, one.unit) == (LAW, Severity.VIOLATION, (B1, B2), UNIT)
    assert (one.message_id, one.evidence[0].time) == ("0:2", given_back(run)[0].closing.time)  # type: ignore[union-attr]
    assert "which closes it for Releasing" in one.why


@pytest.mark.parametrize("run", INNOCENT.values(), ids=INNOCENT)
def test_who_keeps_nothing_closed_is_not_accused(run: Scene) -> None:
    assert given_back_while_closing(run) == []


def test_records_that_may_be_missing_only_warn() -> None:
    [one] = given_back_while_closing(returned(took(), is_partial=True))
    assert one.severity == Severity.WARNING


def test_clients_that_wait_for_such_a_unit_learn_why() -> None:
    run = returned(took(), said(5, 20_000, "producer-meets-fence", topic="persistent://t/n/a"))
    [one] = given_back(run)
    assert (one.unit, one.broker, [line.time for line in one.refused]) == (UNIT, B1, [20_000])
    assert cause_of(run, UNIT, 15_000, 30_000) == one


CLASS = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"


def head(second: int) -> str:
    time = datetime.fromtimestamp(START / 1000 + second, UTC).strftime("%Y-%m-%dT%H:%M:%S,000+0000")
    return f"{time} [pulsar-io-3-1] INFO  {CLASS} - "


@pytest.mark.parametrize("has_taken", [True, False])
def test_audit_judges_by_the_log_of_the_source(has_taken: bool, tmp_path: Path) -> None:
    records = dump("0-8 Owned(1) v1", "0-8 Releasing(2, from 1) v2", "0-8 Owned(1) v3 forced", "0-8 Owned(1) v3 @60")
    write(tmp_path / "channel.jsonl", records)
    (tmp_path / "manifest.yaml").write_text("brokers:\n- {id: b1, log: broker-1.log}\n")
    release = (
        "ServiceUnitStateData[state=Releasing, dstBroker=b2, sourceBroker=b1, splitServiceUnitToDestBroker=null, "
        f"force=false, timestamp={START + 1_000}, versionId=2]"
    )
    unit = records[0]["key"]
    line = f"{head(1)}b1 received a handle request for serviceUnit:{unit}, data:{release}. totalHandledRequests:2\n"
    words = "Closing the leader election service.\n"
    lines = [f"{head(0)}{words}", line if has_taken else "", f"{head(100)}{words}"]
    (tmp_path / "broker-1.log").write_text("".join(lines))
    found = audit(tmp_path, "--engine", "inline")
    row = found.law(LAW)
    assert (row["verdict"], row["exercised"]) == (("invalid", 1) if has_taken else ("unknown", 0))
    assert [one["severity"] for one in found.json["findings"] if one["law"] == LAW] == ["violation"] * has_taken
