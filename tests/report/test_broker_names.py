"""Brokers have the shortest names that tell them apart: the pod, the host, or the port."""

import pytest

from oneowner.checkers.report.broker_names import BrokerNames

PODS = [f"pulsar-broker-{number}.pulsar-broker.prod.svc.cluster.local:8080" for number in (1, 10)]


@pytest.mark.parametrize(("names", "short"), [
    (PODS, ["pulsar-broker-1", "pulsar-broker-10"]),
    (["127.0.0.1:18081", "127.0.0.1:18082"], [":18081", ":18082"]),
    (["127.0.0.1:18081"], [":18081"]),
    (["localhost:8080", "localhost:8081"], [":8080", ":8081"]),
    (["10.0.0.1:8080", "10.0.0.2:8080"], ["10.0.0.1", "10.0.0.2"]),
    (["a.east:8080", "a.west:8080"], ["a.east", "a.west"]),
    (["a.east:8080", "a.east:8081", "b.east:8080"], ["a:8080", "a:8081", "b:8080"]),
    (["10.0.0.1:8080", "10.0.0.1:8081", "10.0.0.2:8080"],
     ["10.0.0.1:8080", "10.0.0.1:8081", "10.0.0.2:8080"]),
    (["broker-1"], ["broker-1"]),
])  # fmt: skip
def test_names_are_as_short_as_they_can_be(names: list[str], short: list[str]) -> None:
    brokers = BrokerNames(names)
    assert [brokers.shortened(name) for name in names] == short


def test_names_within_other_words_stay() -> None:
    brokers = BrokerNames(["127.0.0.1:18081", "127.0.0.1:18082"])
    for text in ("http://127.0.0.1:18081/admin", "pulsar/127.0.0.1:18081/0x00000000_0xffffffff", "127.0.0.1:180811"):
        assert brokers.shortened(text) == text
    assert brokers.shortened("Owned(127.0.0.1:18081, from 127.0.0.1:18082).") == "Owned(:18081, from :18082)."


def test_legend_gives_the_long_names_of_the_brokers_that_are_named() -> None:
    brokers = BrokerNames(PODS)
    assert brokers.legend(["pulsar-broker-10 died"]) == f"brokers: pulsar-broker-10 = {PODS[1]}"
    assert brokers.legend(["nobody died"]) == ""
