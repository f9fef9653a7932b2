"""Attestations with real OpenSSH keys: what holds, and every way in which one does not."""

import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
import yaml

from tirec.config.governance import GovernanceConfig
from tirec.governance.address import GovernanceError
from tirec.governance.attestation import AttestationError, verified
from tirec.governance.guard import destination

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen (OpenSSH)")

TODAY = date(2026, 11, 30)
STATEMENT = {
    "service": "api.example.org",
    "dataset": "mcmed",
    "basis": "zero-retention agreement 17",
    "signer": "steward@hospital.example",
    "signed": date(2026, 11, 1),
    "expires": date(2027, 4, 30),
}


class Steward:
    """A key pair, the file that allows it to sign, and attestations signed with it."""

    def __init__(self, folder: Path, name: str = "steward@hospital.example") -> None:
        self.folder, self.key = folder, folder / f"{name}.key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key, "-C", ""], check=True)
        self.signers = folder / f"{name}.signers"
        self.signers.write_text(f"{name} {self.key.with_suffix('.key.pub').read_text()}")

    def signs(self, namespace: str = "tirec-attestation", **changes: object) -> Path:
        file = self.folder / "attestation.yaml"
        file.write_text(yaml.safe_dump({**STATEMENT, **changes}))
        file.with_name("attestation.yaml.sig").unlink(missing_ok=True)
        subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-f", self.key, "-n", namespace, file], check=True, capture_output=True
        )
        return file


@pytest.fixture(scope="module")
def steward(tmp_path_factory: pytest.TempPathFactory) -> Steward:
    return Steward(tmp_path_factory.mktemp("steward"))


def sent(url: str, file: Path | None, steward: Steward, dataset: str = "mcmed"):
    return destination(url, "credentialed", dataset, GovernanceConfig(), file, signers=(steward.signers,), today=TODAY)


def test_a_valid_attestation_opens_its_service_and_nothing_else(steward: Steward) -> None:
    file = steward.signs()
    assert sent("https://api.example.org/v1", file, steward).reason == "attested"
    assert sent("https://API.example.org:8443/v1", file, steward).reason == "attested"
    refused = {
        "https://api.example.org.evil.com/v1": "mcmed",
        "https://evil.com/v1": "mcmed",
        "https://example.org/v1": "mcmed",
        "http://api.example.org/v1": "mcmed",
        "https://api.example.org/v1": "mimic_ed",
    }
    for url, dataset in refused.items():
        with pytest.raises(GovernanceError):
            sent(url, file, steward, dataset)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"expires": date(2026, 11, 29)}, "not today"),
        ({"signed": date(2026, 12, 1)}, "not today"),
        ({"expires": date(2028, 1, 1)}, "more than a year"),
        ({"signer": "somebody@else.example"}, "may not sign"),
        ({"dataset": ""}, "not an attestation"),
        ({"expires": "never"}, "not an attestation"),
        ({"also": "this"}, "not an attestation"),
    ],
)
def test_what_does_not_hold(steward: Steward, changes: dict[str, object], said: str) -> None:
    with pytest.raises(AttestationError, match=said):
        verified(steward.signs(**changes), TODAY, (steward.signers,))


def test_the_last_day_still_counts(steward: Steward) -> None:
    assert verified(steward.signs(expires=TODAY, signed=TODAY), TODAY, (steward.signers,)).expires == TODAY


def test_a_changed_word_breaks_the_signature(steward: Steward) -> None:
    file = steward.signs()
    file.write_text(file.read_text().replace("api.example.org", "api.examp1e.org"))
    with pytest.raises(AttestationError, match="the signature is not one of"):
        verified(file, TODAY, (steward.signers,))


def test_a_signature_made_for_something_else_does_not_count(steward: Steward) -> None:
    with pytest.raises(AttestationError, match="the signature is not one of"):
        verified(steward.signs(namespace="git"), TODAY, (steward.signers,))


def test_a_stranger_cannot_sign_in_the_name_of_the_steward(steward: Steward, tmp_path: Path) -> None:
    stranger = Steward(tmp_path)
    with pytest.raises(AttestationError, match="the signature is not one of"):
        verified(stranger.signs(), TODAY, (steward.signers,))


def test_without_signature_file_or_signers_nothing_holds(steward: Steward, tmp_path: Path) -> None:
    file = steward.signs()
    with pytest.raises(AttestationError, match="nobody may sign"):
        verified(file, TODAY, (tmp_path / "none",))
    file.with_name("attestation.yaml.sig").unlink()
    with pytest.raises(AttestationError, match="not signed"):
        verified(file, TODAY, (steward.signers,))
    with pytest.raises(AttestationError, match="no attestation there"):
        verified(tmp_path / "none.yaml", TODAY, (steward.signers,))


def test_the_first_file_of_signers_takes_the_place_of_the_second(steward: Steward, tmp_path: Path) -> None:
    empty = tmp_path / "allowed_signers"
    empty.write_text("# nobody\n")
    with pytest.raises(AttestationError, match="may not sign"):
        verified(steward.signs(), TODAY, (empty, steward.signers))


def test_the_checkout_lets_nobody_sign() -> None:
    shipped = Path(__file__).resolve().parents[3] / "config" / "governance" / "allowed_signers"
    assert all(line.startswith("#") for line in shipped.read_text().splitlines())
