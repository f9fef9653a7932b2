"""Which addresses count as part of this cluster, so that credentialed rows may be sent to them."""

from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator

from tirec.config.base import Model

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")


def _bare_host(name: str) -> str:
    """One host name or address in lower case; no port, pattern, user or path."""
    try:
        return str(ip_address(name))
    except ValueError:
        lower = name.lower().rstrip(".")
    if not lower or not _LETTERS.issuperset(lower):
        raise ValueError(f"{name!r} is not one host name or address (no port, no pattern)")
    return lower


Host = Annotated[str, AfterValidator(_bare_host)]


class GovernanceConfig(Model):
    """Where rows may go. Nothing here can open the way to a public address: that takes a signed attestation."""

    cluster_hosts: tuple[Host, ...] = ()
    """Hosts of this cluster that serve models, each a full name or address. They count as local only while every
    address they resolve to is a private one; the loopback interface needs no entry."""
