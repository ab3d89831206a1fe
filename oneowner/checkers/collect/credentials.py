"""
Credentials, as for pulsar-admin: an authentication plugin, its parameters, and trusted certificates.

Either by options, or by a ``client.conf`` of Pulsar (``webServiceUrl``, ``brokerServiceUrl``, ``authPlugin``,
``authParams``, ``tlsTrustCertsFilePath``). Tokens and client certificates are understood.
"""

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.verdict import Misuse

PLUGINS: Final = {
    "token": "token", "org.apache.pulsar.client.impl.auth.AuthenticationToken": "token",
    "tls": "tls", "org.apache.pulsar.client.impl.auth.AuthenticationTls": "tls",
}  # fmt: skip
SETTING: Final = re.compile(r"\s*([A-Za-z]+)\s*[=:\s]\s*(.*?)\s*")


@dataclass(frozen=True, slots=True)
class Credentials:
    """A token or a client certificate, and the certificates that are trusted; none of it by default."""

    token: str | None = None
    certificate: Path | None = None
    key: Path | None = None
    trusted: Path | None = None

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers and the TLS context of every HTTP request."""
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    def tls(self) -> ssl.SSLContext:
        """
        Return the TLS context of HTTP requests.

        :raises Misuse: a certificate cannot be read.
        """
        try:
            context = ssl.create_default_context(cafile=None if self.trusted is None else str(self.trusted))
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            files = ", ".join(str(file) for file in (self.trusted, self.certificate, self.key) if file)
            raise Misuse(f"certificates refused: {files}: {error}") from None
        return context

    def of_client(self) -> dict[str, Any]:
        """Return the arguments of ``pulsar.Client``."""
        import pulsar

        given: dict[str, Any] = {}
        if self.token is not None:
            given["authentication"] = pulsar.AuthenticationToken(self.token)
        if self.certificate is not None:
            given["authentication"] = pulsar.AuthenticationTLS(str(self.certificate), str(self.key))
        if self.trusted is not None:
            given["tls_trust_certs_file_path"] = str(self.trusted)
        return given


def credentials(plugin: str | None, parameters: str | None, trusted: str | None) -> Credentials:
    """
    Return credentials: *plugin* and *parameters* as ``--auth-plugin`` and ``--auth-params`` of pulsar-admin.

    :raises Misuse: a plugin that is not known, parameters without their values, a file that is not there.
    """
    certificates = _file(trusted) if trusted else None
    if not plugin:
        if parameters:
            raise Misuse("--auth-params refused: they require --auth-plugin, such as token or tls")
        return Credentials(trusted=certificates)
    kind = PLUGINS.get(plugin)
    if kind is None:
        raise Misuse(f"--auth-plugin refused: {plugin}; token and tls (or Pulsar's names of these classes) are known")
    if kind == "token":
        return Credentials(token=_token(parameters or ""), trusted=certificates)
    named = dict(part.split(":", 1) for part in (parameters or "").split(",") if ":" in part)
    if set(named) != {"tlsCertFile", "tlsKeyFile"}:
        raise Misuse("--auth-params refused: tls wants tlsCertFile:PATH,tlsKeyFile:PATH")
    return Credentials(certificate=_file(named["tlsCertFile"]), key=_file(named["tlsKeyFile"]), trusted=certificates)


def credentials_of(given: Mapping[str, Any], conf: Mapping[str, str]) -> Credentials:
    """Return the credentials of ``auth-plugin``, ``auth-params``, ``tls-trust-cert-path``, or by a client.conf."""
    return credentials(
        chosen(given.get("auth-plugin"), conf, "authPlugin"), chosen(given.get("auth-params"), conf, "authParams"),
        chosen(given.get("tls-trust-cert-path"), conf, "tlsTrustCertsFilePath"),
    )  # fmt: skip


def client_conf(path: Path) -> dict[str, str]:
    """
    Return the settings of a ``client.conf`` that are not empty.

    :raises Misuse: it cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: cannot be read: {error}") from None
    found = (SETTING.fullmatch(line) for line in lines if not line.lstrip().startswith(("#", "!")))
    return {match[1]: match[2] for match in found if match is not None and match[2]}


def chosen(option: str | None, conf: Mapping[str, str], name: str) -> str | None:
    """Return the value of an option, or else of a ``client.conf``."""
    return option or conf.get(name)


def _token(parameters: str) -> str:
    """Return the token itself: ``token:TEXT``, ``file:PATH``, ``env:NAME`` or the bare text."""
    kind, _, rest = parameters.partition(":")
    if kind == "file":
        text = _file(rest.removeprefix("//")).read_text(encoding="utf-8")
    elif kind == "env":
        text = os.environ.get(rest, "")
    else:
        text = rest if kind == "token" else parameters
    if not text.strip() or len(text.split()) > 1:
        raise Misuse("--auth-params refused: no token there; token:TEXT, file:///PATH or env:NAME gives one")
    return text.strip()


def _file(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise Misuse(f"{path}: there is no such file")
    return path
