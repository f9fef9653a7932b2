"""Where an endpoint's address really leads: what is connected to counts, not what a name looks like."""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import httpx

from tirec.errors import TirecError

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Sequence[Address]]
_LOOPBACK = tuple(map(ip_network, ("127.0.0.0/8", "::1/128")))
# Written out: "private" in the library's sense also holds link-local, benchmark and documentation ranges.
_PRIVATE = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")))
_PORTS = {"http": 80, "https": 443}


class GovernanceError(TirecError):
    """Rows were about to go where they may not; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint's URL taken apart by the parser that will also send to it."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, base_url: str) -> "Endpoint":
        """The endpoint of a base URL; raises GovernanceError where it is not plain http(s)://host[:port]/path."""
        try:
            url = httpx.URL(base_url)
        except (httpx.InvalidURL, ValueError, TypeError):
            raise GovernanceError("base_url: not a URL") from None
        if url.userinfo:
            raise GovernanceError("base_url: holds a user before @; keys come from the environment (key_env)")
        if url.scheme not in _PORTS or not url.host or url.query or url.fragment:
            raise GovernanceError("base_url: not http(s)://host[:port]/path")
        return cls(url.scheme, url.host.lower().rstrip("."), url.port or _PORTS[url.scheme])


def resolve(host: str, port: int) -> Sequence[Address]:
    """Every address a name stands for now, IPv4 first; raises GovernanceError if there is none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise GovernanceError(f"{host}: this host name does not resolve") from None
    addresses = {unwrapped(ip_address(str(entry[4][0]))) for entry in found}
    return sorted(addresses, key=lambda address: (address.version, int(address)))


def unwrapped(address: Address) -> Address:
    """An IPv4 address written as IPv6 (`::ffff:127.0.0.1`) as the IPv4 address that it is."""
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback(address: Address) -> bool:
    """Whether packets to this address stay on the machine."""
    return any(address in network for network in _LOOPBACK)


def is_within_site(address: Address) -> bool:
    """Whether this address is loopback or of a range that the internet does not route."""
    return is_loopback(address) or any(address in network for network in _PRIVATE)


def literal(host: str) -> Address | None:
    """The address that a host is, where it is no name."""
    try:
        return unwrapped(ip_address(host))
    except ValueError:
        return None
