"""A producer that its own log does not name is named by the host's log, and by nobody else's."""

from pathlib import Path

import pytest

from oneowner.checkers.recordings.read.broker_logs import read_logs

TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"
CHANNEL = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"


def stamped(second: int, logger: str, message: str) -> str:
    return f"2026-11-21T00:00:{second:02},000+0000 [io] INFO  org.apache.pulsar.{logger} - {message}\n"


def accepted(second: int, port: int, number: int, producer: str, topic: str = TOPIC) -> str:
    shown = f"Producer{{topic=SystemTopic{{topic={topic}}}, client=[id: 0x1, L:/10.0.0.1:6650 - R:/10.0.0.2:{port}] [SR:10.0.0.2, state:Connected], producerName={producer}, producerId={number}}}"  # noqa: E501
    words = f"Created new producer {{localAddress=/10.0.0.1:6650, principal=null, producer={shown}, remoteAddress=/10.0.0.2:{port}}}"  # noqa: E501
    return stamped(second, "broker.service.ServerCnx", words)


CREATED = stamped(
    20,
    "client.impl.ProducerImpl",
    f"Created producer {{channel=[id: 0x2, L:/10.0.0.2:4000 - R:b1/10.0.0.1:6650], producerId=0, producerName=null, topic={TOPIC}}}",  # noqa: E501
)


@pytest.mark.parametrize(
    ("host", "name"),
    [
        (accepted(19, 4000, 0, "p-1"), "p-1"),
        (accepted(2, 4000, 0, "p-0") + accepted(19, 4000, 0, "p-1"), "p-1"),  # the port was another's before
        (accepted(19, 4000, 1, "p-1"), None),
        (accepted(19, 4001, 0, "p-1"), None),
        (accepted(19, 4000, 0, "p-1", TOPIC + "x"), None),
        (accepted(59, 4000, 0, "p-1"), None),  # too long after
        ("", None),
    ],
)
def test_producer_has_the_name_that_its_host_prints(host: str, name: str | None, tmp_path: Path) -> None:
    (tmp_path / "b1.log").write_text(host or stamped(1, "broker.PulsarService", "Closed"))
    (tmp_path / "b2.log").write_text(CREATED)
    places = [(number, str(tmp_path / f"b{number + 1}.log")) for number in range(2)]
    read = read_logs(places, {"b1.log": "b1:8080", "b2.log": "b2:8080"})
    (line,) = [one for one in read.said if one.event == "producer-created"]
    assert (line.broker, line.values["producer"]) == ("b2:8080", name)
