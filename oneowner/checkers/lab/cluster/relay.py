"""A TCP relay between a broker and ZooKeeper: it passes bytes on, holds them or answers, or cuts the connection."""

import socket
import threading
from contextlib import suppress
from enum import StrEnum
from typing import Final

CHUNK: Final = 65536


class Passage(StrEnum):
    """The treatment of bytes and connections by a relay."""

    OPEN = "open"
    HELD = "held"
    """Connections stay, and nothing arrives at either end: a network that loses packets."""
    UNANSWERED = "unanswered"
    """Requests to the target pass, and its answers are held: a network that loses packets one way."""
    CUT = "cut"
    """Connections are closed, and new ones too: a target that is down."""


class Relay:
    """Listens on a free port of the loopback address, and passes received bytes on to *target*."""

    def __init__(self, target: int) -> None:
        """:param target: the port of the loopback address that connections are passed on to."""
        self.target, self.passage = target, Passage.OPEN
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._changed = threading.Condition()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def turn(self, passage: Passage) -> None:
        """Set the mode: pass, hold or cut; held bytes pass in their order once the relay is open again."""
        with self._changed:
            self.passage = passage
            self._changed.notify_all()
            ending = list(self._open) if passage is Passage.CUT else []
        for one in ending:
            _end(one)

    def close(self) -> None:
        """Close every connection and the listening socket."""
        self.turn(Passage.CUT)
        _end(self._listener)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        far: socket.socket | None = None
        try:
            if self._passes(is_answer=False):
                far = socket.create_connection(("127.0.0.1", self.target), timeout=10)
                far.settimeout(None)
                with self._changed:
                    is_cut = self.passage is Passage.CUT
                    self._open |= {near, far}
                if not is_cut:
                    back = threading.Thread(target=self._pump, args=(far, near, True), daemon=True)
                    back.start()
                    self._pump(near, far, is_answer=False)
                    back.join()
        except OSError:
            pass  # the target does not listen: the connection ends, as without a relay
        finally:
            for one in (near, far):
                if one is not None:
                    self._forget(one)

    def _pump(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with suppress(OSError):
            while (sent := source.recv(CHUNK)) and self._passes(is_answer):
                sink.sendall(sent)
        _end(source)
        _end(sink)

    def _passes(self, is_answer: bool) -> bool:
        """Wait while bytes are held; return whether they pass at last."""
        holding = (Passage.HELD, Passage.UNANSWERED) if is_answer else (Passage.HELD,)
        with self._changed:
            self._changed.wait_for(lambda: self.passage not in holding)
            return self.passage is not Passage.CUT

    def _forget(self, one: socket.socket) -> None:
        with self._changed:
            self._open.discard(one)
        one.close()


def _end(one: socket.socket) -> None:
    """End a connection while its peer reads from it."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            one.close()
