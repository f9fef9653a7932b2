"""The only door to another machine: whether rows may go to an endpoint, and a client that can reach nothing else.

Credentialed rows go to the loopback interface, to a listed host of the cluster whose addresses are all private, or,
over https, to the one host that a valid attestation names. Everything else is refused before a byte is sent.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import httpx

from tirec.config.data import DataClass
from tirec.config.governance import GovernanceConfig
from tirec.governance import address, attestation
from tirec.governance.address import Endpoint, GovernanceError
from tirec.provenance import sidecar

_STRICTNESS: tuple[DataClass, ...] = ("synthetic", "open", "credentialed")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where rows may go: one scheme, host and port, and where the address was checked, that address alone."""

    endpoint: Endpoint
    pinned: str | None
    reason: Literal["local", "attested", "not credentialed"]


def destination(
    base_url: str,
    data_class: DataClass,
    dataset: str,
    rules: GovernanceConfig,
    attested: Path | None = None,
    *,
    signers: Sequence[Path] = attestation.SIGNERS,
    resolver: address.Resolver = address.resolve,
    today: date | None = None,
) -> Destination:
    """Where rows of `data_class` may go under `base_url`; raises GovernanceError where they may not."""
    endpoint = Endpoint.of(base_url)
    if data_class != "credentialed":
        return Destination(endpoint, None, "not credentialed")
    if _claims_local(endpoint, rules):
        return Destination(endpoint, _local_address(endpoint, resolver), "local")
    if attested is None:
        raise GovernanceError(
            f"{endpoint.host}: credentialed rows of {dataset} may not go there; it is neither loopback nor listed "
            "under governance.cluster_hosts, and no attestation is named (docs/models.md)"
        )
    _require_attestation(endpoint, dataset, attested, signers, today or date.today())
    return Destination(endpoint, None, "attested")


def _claims_local(endpoint: Endpoint, rules: GovernanceConfig) -> bool:
    known = address.literal(endpoint.host)
    if known is not None and address.is_loopback(known):
        return True
    return endpoint.host == "localhost" or (str(known) if known else endpoint.host) in rules.cluster_hosts


def _local_address(endpoint: Endpoint, resolver: address.Resolver) -> str:
    """The address to connect to; every address of the name must be local, so that no later look-up leads elsewhere."""
    listed = endpoint.host != "localhost"
    accepted = address.is_within_site if listed else address.is_loopback
    found = [known] if (known := address.literal(endpoint.host)) else resolver(endpoint.host, endpoint.port)
    if not found or not all(map(accepted, found)):
        raise GovernanceError(
            f"{endpoint.host}: leads to an address that is not {'private' if listed else 'loopback'}; credentialed "
            "rows do not leave the cluster, whatever the configuration lists"
        )
    return str(found[0])


def _require_attestation(
    endpoint: Endpoint, dataset: str, attested: Path, signers: Sequence[Path], today: date
) -> None:
    statement = attestation.verified(attested, today, signers)
    if statement.service.lower() != endpoint.host or statement.dataset != dataset:
        raise GovernanceError(
            f"{attested}: attests {statement.dataset} for {statement.service}, not {dataset} for {endpoint.host}"
        )
    if endpoint.scheme != "https":
        raise GovernanceError(f"{endpoint.host}: rows leave the machine over https only")


def strictest_class(stated: DataClass, files: Iterable[Path]) -> DataClass:
    """The most restricted of the class stated and those recorded beside the files; no record counts as credentialed."""
    return max([stated, *map(_recorded_class, files)], key=_STRICTNESS.index)


def _recorded_class(file: Path) -> DataClass:
    try:
        recorded = json.loads(sidecar(file).read_text(encoding="utf-8"))["data_class"]
    except (OSError, ValueError, KeyError, TypeError):
        return "credentialed"
    return recorded if recorded in _STRICTNESS else "credentialed"


def client(allowed: Destination, timeout_s: float, connections: int) -> httpx.AsyncClient:
    """A client that reaches `allowed` and nothing else: no proxy of the environment, no redirect, no other host."""
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    transport = GuardedTransport(allowed, httpx.AsyncHTTPTransport(limits=limits, trust_env=False))
    return httpx.AsyncClient(
        transport=transport, timeout=httpx.Timeout(timeout_s), follow_redirects=False, trust_env=False
    )


class GuardedTransport(httpx.AsyncBaseTransport):
    """Passes a request on only if it goes to the allowed endpoint, and then to the very address that was checked."""

    def __init__(self, allowed: Destination, inner: httpx.AsyncBaseTransport) -> None:
        self._allowed = allowed
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends the request; raises GovernanceError where it would go elsewhere."""
        if Endpoint.of(str(request.url.copy_with(query=None))) != self._allowed.endpoint:
            raise GovernanceError(f"{request.url.host}: not the endpoint that was allowed; nothing was sent")
        if self._allowed.pinned is not None:
            # The Host header was set from the name already; TLS checks the certificate against the name as well.
            request.extensions = {**request.extensions, "sni_hostname": request.url.host}
            request.url = request.url.copy_with(host=self._allowed.pinned)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._inner.aclose()
