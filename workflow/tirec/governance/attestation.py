"""A signed statement that a service may receive rows of a data set, for a time.

The statement is a YAML file; beside it lies a detached OpenSSH signature, the file's name with `.sig`, made by

    ssh-keygen -Y sign -f KEY -n tirec-attestation attestation.yaml

Who may sign is no key of a study's configuration: it is the file of allowed signers (`man ssh-keygen`, ALLOWED SIGNERS)
in /etc/tirec/ where there is one, else the one in config/governance/ of the checkout, which lists nobody until it is
reviewed in.
"""

import subprocess
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import yaml
from pydantic import Field

from tirec.config.agent import REPOSITORY
from tirec.config.base import Model, validated
from tirec.errors import ConfigError
from tirec.governance.address import GovernanceError

NAMESPACE = "tirec-attestation"
SIGNERS = (Path("/etc/tirec/allowed_signers"), REPOSITORY / "config" / "governance" / "allowed_signers")
LONGEST = timedelta(days=366)


class AttestationError(GovernanceError):
    """An attestation that does not hold."""


class Attestation(Model):
    """Somebody answers for sending rows of one data set to one service."""

    service: str = Field(min_length=1)
    """Host name of the service, as in `base_url`."""
    dataset: str = Field(min_length=1)
    """Data set whose rows it may receive: `mcmed`, `mimic_ed`, `mimic_cdm`."""
    basis: str = Field(min_length=1)
    """Why this is allowed: contract, data-use agreement, approval."""
    signer: str = Field(min_length=1)
    """Who signs, as in the file of allowed signers."""
    signed: date
    """Day of the signature."""
    expires: date
    """Last day on which it holds, at most a year later."""


def verified(path: Path, today: date, signers: Sequence[Path] = SIGNERS) -> Attestation:
    """The attestation in a file; raises AttestationError unless it is signed by an allowed signer and holds today."""
    content, statement = _read(path)
    _require_signature(path, content, statement.signer, signers)
    if not statement.signed <= today <= statement.expires:
        raise AttestationError(f"{path}: holds from {statement.signed} to {statement.expires}, not today")
    if statement.expires - statement.signed > LONGEST:
        raise AttestationError(f"{path}: holds for more than a year; let it be signed anew for a shorter time")
    return statement


def _read(path: Path) -> tuple[bytes, Attestation]:
    """The bytes that the signature covers and the statement in these same bytes."""
    try:
        content = path.read_bytes()
        return content, validated(Attestation, yaml.safe_load(content))
    except OSError:
        raise AttestationError(f"{path}: no attestation there") from None
    except (ConfigError, yaml.YAMLError) as fault:
        raise AttestationError(f"{path}: not an attestation ({str(fault).splitlines()[0]})") from None


def _require_signature(path: Path, content: bytes, signer: str, signers: Sequence[Path]) -> None:
    allowed = next((file for file in signers if file.is_file()), None)
    if allowed is None:
        raise AttestationError(f"{path}: nobody may sign attestations here ({signers[-1]} is missing)")
    signature = path.with_name(f"{path.name}.sig")
    if not signature.is_file():
        raise AttestationError(f"{path}: not signed ({signature.name} is missing)")
    command = ["ssh-keygen", "-Y", "verify", "-f", str(allowed), "-I", signer, "-n", NAMESPACE, "-s", str(signature)]
    try:
        checked = subprocess.run(command, input=content, capture_output=True, check=False)
    except FileNotFoundError:
        raise AttestationError(f"{path}: its signature cannot be checked without ssh-keygen (OpenSSH)") from None
    if checked.returncode:
        raise AttestationError(f"{path}: the signature is not one of {signer} over this file, or {signer} may not sign")
