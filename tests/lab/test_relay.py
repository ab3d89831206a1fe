"""A relay between a client and a server of the test's own: passing, holding and cutting bytes."""

import socket
import threading
from collections.abc import Iterator

import pytest

from oneowner.checkers.lab.cluster.relay import Passage, Relay


@pytest.fixture
def relay() -> Iterator[Relay]:
    """A relay to a server that sends back what it is sent."""
    server = socket.create_server(("127.0.0.1", 0))

    def echo(one: socket.socket) -> None:
        with one:
            while sent := one.recv(100):
                one.sendall(sent)

    def serve() -> None:
        try:
            while True:
                threading.Thread(target=echo, args=(server.accept()[0],), daemon=True).start()
        except OSError:
            pass

    threading.Thread(target=serve, daemon=True).start()
    made = Relay(server.getsockname()[1])
    yield made
    made.close()
    server.close()


def client_of(relay: Relay) -> socket.socket:
    return socket.create_connection(("127.0.0.1", relay.port), timeout=5)


def answer(client: socket.socket, sent: bytes) -> bytes:
    client.sendall(sent)
    return client.recv(100)


def test_open_relay_passes_bytes_both_ways(relay: Relay) -> None:
    with client_of(relay) as client:
        assert answer(client, b"one") == b"one"


def test_held_bytes_arrive_in_order_once_the_relay_is_open(relay: Relay) -> None:
    with client_of(relay) as client:
        answer(client, b"before")
        relay.turn(Passage.HELD)
        client.sendall(b"one")
        client.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.recv(100)
        client.sendall(b"two")
        relay.turn(Passage.OPEN)
        client.settimeout(5)
        got = b""
        while len(got) < 6:
            got += client.recv(100)
        assert got == b"onetwo"


def test_unanswered_bytes_arrive_and_their_answers_wait_also_on_a_new_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        relay = Relay(server.getsockname()[1])
        relay.turn(Passage.UNANSWERED)
        with client_of(relay) as client, server.accept()[0] as served:
            client.sendall(b"one")
            assert served.recv(100) == b"one"
            served.sendall(b"two")
            client.settimeout(0.3)
            with pytest.raises(TimeoutError):
                client.recv(100)
            relay.turn(Passage.OPEN)
            client.settimeout(5)
            assert client.recv(100) == b"two"
        relay.close()


def test_cut_ends_a_connection_and_refuses_another(relay: Relay) -> None:
    with client_of(relay) as client:
        answer(client, b"one")
        relay.turn(Passage.CUT)
        assert client.recv(100) == b""
    with client_of(relay) as client:
        assert client.recv(100) == b""
    relay.turn(Passage.OPEN)
    with client_of(relay) as client:
        assert answer(client, b"again") == b"again"


def test_connection_held_before_it_was_made_is_made_later(relay: Relay) -> None:
    relay.turn(Passage.HELD)
    with client_of(relay) as client:
        client.sendall(b"one")
        relay.turn(Passage.OPEN)
        assert client.recv(100) == b"one"


def test_relay_to_nobody_ends_the_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    relay = Relay(port)
    with client_of(relay) as client:
        assert client.recv(100) == b""
    relay.close()
    with pytest.raises(OSError, match="refused"):
        client_of(relay)
