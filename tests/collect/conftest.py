"""A server of the tests' own stands for the brokers: it answers by a table."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest


class Broker(ThreadingHTTPServer):
    """Answers by `answers`: path to status and body, or to status and the address of a redirect."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, tuple[int, str]] = {}
        self.asked: list[tuple[str, str | None]] = []
        """Path and Authorization of each request."""

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Broker

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization")))
        status, what = self.server.answers.get(self.path, (404, '{"reason": "Not here"}'))
        self.send_response(status)
        if status == 307:
            self.send_header("Location", what)
        body = b"" if status == 307 else what.encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET

    def log_message(self, *_: Any) -> None:
        """Discard progress."""


@pytest.fixture
def broker() -> Iterator[Broker]:
    server = Broker()
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
