"""Slowly changing facts of a cluster: its brokers, release, settings, and bundle boundaries."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from oneowner.checkers.collect.admin import Admin, Answer, now
from oneowner.checkers.verdict import Misuse

JUDGED: Final = re.compile(
    r"loadBalancer|loadManager|metadataStore(?:Session|Url)|namespaceBundle|defaultNumberOfNamespaceBundles"
)
"""Settings that an audit reads begin so; nothing else of the configuration is kept, such as passwords."""
REFUSED: Final = {
    401: "the credentials are wrong or missing: see --auth-plugin, --auth-params",
    403: "the role may not ask this: it must be a superuser",
}


def asked(admin: Admin, url: str) -> Any:
    """
    Return the JSON of an answer.

    :raises Misuse: no answer, or a refusal, with advice in one line.
    """
    answer = admin.ask("GET", url)
    data = answer.data()
    if data is None:
        raise Misuse(f"{url}: {why(answer)}")
    return data


def why(answer: Answer) -> str:
    """Return the reason that there is no answer, and a remedy."""
    if not answer.status:
        return f"no answer: {answer.body}; is --admin-url the web service of a broker, reachable from here?"
    hint = REFUSED.get(answer.status)
    said = f"HTTP {answer.status} {answer.reason()}".strip()
    return f"{said}; {hint}" if hint else said


def cluster_name(admin: Admin, address: str, given: str | None) -> str:
    """
    Return the name of the cluster: *given*, or the only one that the brokers list.

    :raises Misuse: they list several, or none.
    """
    if given:
        return given
    names = [name for name in asked(admin, f"{address}/admin/v2/clusters") if name != "global"]
    if len(names) != 1:
        raise Misuse(f"{address} lists the clusters {', '.join(names) or 'none'}: choose one with --cluster NAME")
    return str(names[0])


def brokers(admin: Admin, address: str, cluster: str) -> list[str]:
    """
    Return the ids of the brokers that are registered now.

    :raises Misuse: no answer, or a missing permission.
    """
    return sorted(map(str, asked(admin, f"{address}/admin/v2/brokers/{cluster}")))


def newcomers(admin: Admin, address: str, cluster: str, known: Sequence[str]) -> list[str]:
    """Return the ids of newly registered brokers; none without an answer."""
    data = admin.ask("GET", f"{address}/admin/v2/brokers/{cluster}").data()
    return sorted({str(broker) for broker in data} - {*known}) if isinstance(data, list) else []


def address_of(broker: str, address: str) -> str:
    """
    Return the web service of a broker by its id: of the same scheme as *address*, over TLS at the port of *address*.

    >>> address_of("b1:8080", "http://proxy:80"), address_of("b1:8080", "https://b2:8443")
    ('http://b1:8080', 'https://b1:8443')
    """
    parts = urlsplit(address)
    if parts.scheme == "http":
        return f"http://{broker}"
    return f"https://{broker.rpartition(':')[0]}:{parts.port or 443}"


def release(admin: Admin, address: str) -> str:
    """Return the release of a broker, such as 4.0.6, or an empty text."""
    answer = admin.ask("GET", f"{address}/admin/v2/brokers/version")
    found = re.search(r"\d+\.\d+\.\d+(-M\d+)?", answer.body) if answer.status == 200 else None
    return found[0] if found else ""


def settings(admin: Admin, address: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings of a broker, and those changed at run time, as far as an audit reads them."""
    runtime = admin.ask("GET", f"{address}/admin/v2/brokers/configuration/runtime").data()
    changed = admin.ask("GET", f"{address}/admin/v2/brokers/configuration/values").data()
    first, second = (
        {str(key): str(value) for key, value in sorted(found.items()) if JUDGED.match(str(key))}
        if isinstance(found, dict) else {}
        for found in (runtime, changed)
    )  # fmt: skip
    return first, second


def boundaries(admin: Admin, addresses: Sequence[str], namespaces: Iterable[str]) -> dict[str, Any]:
    """Return each namespace's boundaries as ``bundles.json`` has them, by the first address that answers."""
    found: dict[str, Any] = {}
    for namespace in namespaces:
        for address in addresses:
            data = admin.ask("GET", f"{address}/admin/v2/namespaces/{namespace}/bundles", wait=5).data()
            if data is not None:
                found[namespace] = data
                break
    return {"t": now(), "namespaces": found}


def topics_of(admin: Admin, address: str, namespace: str) -> list[str]:
    """
    Return the persistent topics of a namespace.

    :raises Misuse: there is no such namespace, or it may not be listed.
    """
    return sorted(map(str, asked(admin, f"{address}/admin/v2/persistent/{namespace}")))
