"""Where credentialed rows may go: hostile spellings of an address, names that lead elsewhere, redirects, proxies."""

import asyncio
import json
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from typing import ClassVar

import httpx
import pytest
from loopback import serving

from tirec.config.base import validated
from tirec.config.governance import GovernanceConfig
from tirec.errors import ConfigError
from tirec.governance.address import Address, GovernanceError
from tirec.governance.guard import client, destination, strictest_class
from tirec.provenance import record

NOBODY = GovernanceConfig()
CLUSTER = GovernanceConfig(cluster_hosts=("gpu01.cluster.example", "10.1.2.3", "8.8.8.8"))


def names(**known: str):
    """A resolver that knows these names (dots written as _) and fails on any other look-up."""

    def look_up(host: str, _port: int) -> Sequence[Address]:
        return [ip_address(one) for one in known[host.replace(".", "_")].split()]

    return look_up


def allowed(url: str, rules: GovernanceConfig = NOBODY, **known: str):
    return destination(url, "credentialed", "mcmed", rules, resolver=names(**known))


@pytest.mark.parametrize(
    ("url", "pinned"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1"),
        ("http://127.8.9.10/v1", "127.8.9.10"),
        ("http://[::1]:8000/v1", "::1"),
        ("http://[::ffff:127.0.0.1]:8000/v1", "127.0.0.1"),
        ("http://localhost:8000/v1", "127.0.0.1"),
        ("http://LOCALHOST:8000/v1", "127.0.0.1"),
    ],
)
def test_the_loopback_interface_is_local(url: str, pinned: str) -> None:
    found = allowed(url, localhost="127.0.0.1 ::1")
    assert (found.reason, found.pinned) == ("local", pinned)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.org/v1",
        "http://localhost.evil.com/v1",
        "http://127.0.0.1.evil.com/v1",
        "http://localhost@evil.com/v1",
        "http://127.0.0.1@evil.com/v1",
        "http://127.0.0.1:8000@evil.com/v1",
        "http://evil.com#@127.0.0.1/v1",
        "http://evil.com?@127.0.0.1/v1",
        "http://evil.com\\@127.0.0.1/v1",
        "http://[::ffff:8.8.8.8]/v1",
        "http://[2001:db8::1]/v1",
        "http://[64:ff9b::7f00:1]/v1",
        "http://0.0.0.0:8000/v1",
        "http://[::]:8000/v1",
        "http://169.254.169.254/v1",
        "http://192.168.0.5/v1",
        "http://10.1.2.3/v1",
        "http://128.0.0.1/v1",
        "http://gpu01.cluster.example/v1",
        "http://user:secret@127.0.0.1/v1",
        "ftp://127.0.0.1/v1",
        "file:///etc/passwd",
        "unix:///tmp/socket",
        "//127.0.0.1/v1",
        "127.0.0.1:8000/v1",
        "http:///v1",
        "http://127.0.0.1/v1?key=secret",
        "",
    ],
)
def test_everything_else_is_refused_without_a_look_up(url: str) -> None:
    with pytest.raises(GovernanceError) as fault:
        allowed(url)
    assert "\n" not in str(fault.value)
    assert "secret" not in str(fault.value)


@pytest.mark.parametrize("leads_to", ["93.184.216.34", "127.0.0.1 93.184.216.34", "10.1.2.3", "::ffff:8.8.8.8", ""])
def test_localhost_that_leads_elsewhere_is_refused(leads_to: str) -> None:
    with pytest.raises(GovernanceError, match="not loopback"):
        allowed("http://localhost:8000/v1", localhost=leads_to)


def test_a_listed_host_is_local_while_all_its_addresses_are_private() -> None:
    url = "http://GPU01.cluster.example.:8000/v1"
    assert allowed(url, CLUSTER, gpu01_cluster_example="10.0.0.7 fd00::7").pinned == "10.0.0.7"
    for leads_to in ("93.184.216.34", "10.0.0.7 93.184.216.34", "169.254.169.254", "100.64.0.1"):
        with pytest.raises(GovernanceError, match="whatever the configuration lists"):
            allowed(url, CLUSTER, gpu01_cluster_example=leads_to)


def test_a_listed_address_must_be_private_too() -> None:
    assert allowed("http://10.1.2.3/v1", CLUSTER).pinned == "10.1.2.3"
    with pytest.raises(GovernanceError, match="whatever the configuration lists"):
        allowed("http://8.8.8.8/v1", CLUSTER)


@pytest.mark.parametrize("entry", ["*", "*.example.org", "host:80", "http://host", "a b", "", "10.0.0.0/8", "u@h"])
def test_a_pattern_is_no_host(entry: str) -> None:
    with pytest.raises(ConfigError):
        validated(GovernanceConfig, {"cluster_hosts": [entry]})


def test_other_classes_may_go_anywhere_but_only_there() -> None:
    assert destination("https://api.example.org/v1", "synthetic", "mcmed", NOBODY).reason == "not credentialed"
    with pytest.raises(GovernanceError, match="user before @"):
        destination("https://key@api.example.org/v1", "open", "mcmed", NOBODY)


def test_the_strictest_class_wins_and_no_record_is_credentialed(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.arrow", "b.arrow")]
    for file, data_class in zip(files, ("synthetic", "open"), strict=True):
        file.write_bytes(b"")
        record([file], {}, {}, data_class, __file__)
    assert strictest_class("synthetic", files) == "open"
    assert strictest_class("credentialed", files) == "credentialed"
    assert strictest_class("synthetic", [*files, tmp_path / "unrecorded"]) == "credentialed"
    (tmp_path / ".a.arrow.provenance.json").write_text(json.dumps({"data_class": "public"}))
    assert strictest_class("synthetic", files) == "credentialed"


class Elsewhere(BaseHTTPRequestHandler):
    """Sends every request on to another place, and counts what arrives."""

    location = ""
    arrived: ClassVar[list[str]]

    def do_POST(self) -> None:
        self.arrived.append(self.path)
        self.send_response(307)
        self.send_header("Location", self.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


def post(url: str, to: str) -> httpx.Response:
    async def send() -> httpx.Response:
        async with client(allowed(url, localhost="127.0.0.1"), 5, 1) as opened:
            return await opened.post(to, json={"row": 1})

    return asyncio.run(send())


def test_a_redirect_is_not_followed() -> None:
    target = type("Target", (Elsewhere,), {"arrived": []})
    with serving(target) as other:
        hop = type("Hop", (Elsewhere,), {"arrived": [], "location": f"{other}/v1"})
        with serving(hop) as url:
            assert post(url, f"{url}/v1").status_code == 307
    assert (hop.arrived, target.arrived) == (["/v1"], [])


def test_the_client_reaches_no_other_host_or_port() -> None:
    target = type("Target", (Elsewhere,), {"arrived": []})
    with serving(target) as other, pytest.raises(GovernanceError, match="nothing was sent"):
        post("http://127.0.0.1:1/v1", f"{other}/v1")
    assert target.arrived == []


def test_a_proxy_of_the_environment_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = type("Proxy", (Elsewhere,), {"arrived": []})
    target = type("Target", (Elsewhere,), {"arrived": []})
    with serving(proxy) as between, serving(target) as url:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, between)
        monkeypatch.delenv("NO_PROXY", raising=False)
        post(url, f"{url}/v1")
    assert (proxy.arrived, target.arrived) == ([], ["/v1"])


def test_a_name_is_sent_to_the_address_that_was_checked() -> None:
    """A name that leads elsewhere at the second look-up changes nothing: there is no second look-up."""
    target = type("Target", (Elsewhere,), {"arrived": []})
    rules = GovernanceConfig(cluster_hosts=("unknown.invalid",))

    async def send(url: str) -> int:
        checked = destination(url, "credentialed", "mcmed", rules, resolver=names(unknown_invalid="127.0.0.1"))
        async with client(checked, 5, 1) as opened:
            return (await opened.post(f"{url}/v1")).status_code

    with serving(target) as url:
        assert asyncio.run(send(url.replace("127.0.0.1", "unknown.invalid"))) == 307
    assert target.arrived == ["/v1"]
