"""
Dump every message of the bundle state channel, in topic order, one JSON object a line.

``python dump_channel.py pulsar://broker:6650 channel.jsonl``

It needs ``pulsar-client`` and nothing else, and leaves no trace in the cluster. With authentication or TLS, name them
to ``pulsar.Client``; the role needs ``consume`` on ``pulsar/system``.
"""

import json
import sys
from typing import Any

TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"


def dump(url: str, path: str) -> None:
    """Write the channel of the cluster at *url* to the file *path*."""
    import pulsar  # late, so that this file can be imported without the client

    client = pulsar.Client(url)
    reader = client.create_reader(TOPIC, pulsar.MessageId.earliest)
    with open(path, "w") as file:
        while reader.has_message_available():
            print(json.dumps(line_of(reader.read_next(timeout_millis=30_000))), file=file)
    client.close()


def line_of(message: Any) -> dict[str, Any]:
    """Return a message of the client as the object of its line; a value that is no JSON stays text."""
    data = message.data()
    try:
        value = json.loads(data or "null")
    except ValueError:
        value = data.decode(errors="backslashreplace")
    place = message.message_id()
    in_batch = f":{place.partition()}:{place.batch_index()}" if place.batch_index() >= 0 else ""
    return {
        "messageId": f"{place.ledger_id()}:{place.entry_id()}{in_batch}",
        "publishTime": message.publish_timestamp(),
        "producer": message.producer_name(),
        "key": message.partition_key(),
        "value": value,
    }


if __name__ == "__main__":
    dump(*sys.argv[1:])
