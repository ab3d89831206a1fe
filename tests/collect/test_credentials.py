"""Credentials are passed on as pulsar-admin expects them; refusals take one line."""

from pathlib import Path

import pytest

from oneowner.checkers.collect.credentials import Credentials, chosen, client_conf, credentials
from oneowner.checkers.verdict import Misuse

TOKEN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"


def test_nothing_said_is_nobody() -> None:
    assert credentials(None, None, None) == Credentials()
    assert Credentials().headers == {}
    assert Credentials().of_client() == {}


def test_token_comes_as_text_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    file.write_text("abc\n")
    monkeypatch.setenv("A_TOKEN", "abc")
    for parameters in ("abc", "token:abc", f"file://{file}", f"file:{file}", "env:A_TOKEN"):
        assert credentials(TOKEN, parameters, None).headers == {"Authorization": "Bearer abc"}
    assert set(credentials("token", "abc", None).of_client()) == {"authentication"}


def test_certificate_is_two_files(tmp_path: Path) -> None:
    for name in ("cert", "key", "trusted"):
        (tmp_path / name).write_text("")
    named = f"tlsCertFile:{tmp_path}/cert,tlsKeyFile:{tmp_path}/key"
    found = credentials("tls", named, f"{tmp_path}/trusted")
    assert found == Credentials(None, tmp_path / "cert", tmp_path / "key", tmp_path / "trusted")
    with pytest.raises(Misuse, match=r"certificates refused.*trusted"):
        found.tls()


@pytest.mark.parametrize(
    ("plugin", "parameters", "trusted", "words"),
    [
        ("kerberos", "", None, "token and tls"),
        (None, "token:x", None, "they require --auth-plugin"),
        ("token", "", None, "no token there"),
        ("token", "env:NOT_SET_ANYWHERE", None, "no token there"),
        ("token", "file:///no/such", None, "no such file"),
        ("tls", "tlsCertFile:/x", None, "tlsKeyFile"),
        (None, None, "/no/such", "no such file"),
    ],
)
def test_what_cannot_be_meant_is_refused(plugin: str, parameters: str, trusted: str, words: str) -> None:
    with pytest.raises(Misuse, match=words):
        credentials(plugin, parameters, trusted)


def test_client_conf_is_read_as_pulsar_reads_it(tmp_path: Path) -> None:
    conf = tmp_path / "client.conf"
    conf.write_text("# comment=1\nwebServiceUrl=http://b1:8080/\nauthParams=\nauthPlugin = token\n")
    found = client_conf(conf)
    assert found == {"webServiceUrl": "http://b1:8080/", "authPlugin": "token"}
    assert chosen(None, found, "authPlugin") == "token"
    assert chosen("tls", found, "authPlugin") == "tls"
    with pytest.raises(Misuse, match="cannot be read"):
        client_conf(tmp_path / "none")
