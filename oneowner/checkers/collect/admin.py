"""Pulsar's admin and lookup interface over HTTP: one request, its status, its body, and where it redirects to."""

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from typing import Any, Final, NamedTuple

from oneowner.checkers.collect.credentials import Credentials

WAIT: Final = 12.0
"""The time-out of a lookup or a poll, in seconds."""
NOBODY: Final = Credentials()


class Answer(NamedTuple):
    """The response to one request."""

    status: int
    """The HTTP status; 0 without an answer, and then the body is the reason."""
    body: str
    redirect: str | None

    def data(self) -> Any:
        """Return the JSON of an answer with status 200, else None."""
        try:
            return json.loads(self.body) if self.status == 200 else None
        except ValueError:
            return None

    def reason(self) -> str:
        """Return why a broker refused, of its answer's JSON if it is some."""
        try:
            return str(json.loads(self.body)["reason"])
        except (ValueError, KeyError, TypeError):
            return self.body[:200]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer: it is recorded, and the caller follows it."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


class Admin:
    """Asks over HTTP or HTTPS, from any thread, at most so many times a second."""

    def __init__(self, credentials: Credentials = NOBODY, most_a_second: float | None = None) -> None:
        """:param most_a_second: requests of all threads together; None: as many as they like."""
        self._headers = {"Content-Type": "application/json", **credentials.headers}
        self._opener = urllib.request.build_opener(
            _NoRedirect, urllib.request.HTTPSHandler(context=credentials.tls()), urllib.request.ProxyHandler({})
        )
        self._pause = 1 / most_a_second if most_a_second else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def ask(self, method: str, url: str, body: object = None, wait: float = WAIT) -> Answer:
        """Make one request; *wait* is how long an answer may take, in seconds."""
        self._keep_rate()
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, self._headers, method=method)
        try:
            with self._opener.open(request, timeout=wait) as answer:
                return Answer(answer.status, answer.read().decode(errors="replace"), None)
        except urllib.error.HTTPError as error:
            where = error.headers.get("Location")
            return Answer(error.code, "" if where else _rest(error), where)
        except (OSError, http.client.HTTPException) as error:
            return Answer(0, str(error) or type(error).__name__, None)

    def _keep_rate(self) -> None:
        if not self._pause:
            return
        with self._lock:
            now = time.monotonic()
            mine = max(now, self._next)
            self._next = mine + self._pause
        time.sleep(mine - now)


def _rest(error: urllib.error.HTTPError) -> str:
    try:
        return error.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
