"""Input that cannot be used: one line that names file, column and row, and never what the row says."""

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from mcmed_folder import VISIT, sample, to_csv, write_folder

from tirec.config.data import DataConfig
from tirec.errors import DataError
from tirec.records import mcmed


def fault(root: Path) -> str:
    with pytest.raises(DataError) as caught:
        mcmed.ingest(root, root.parent / "tables", root.parent / "ingest.tsv", DataConfig())
    message = str(caught.value)
    assert "\n" not in message and "9800000" not in message and "9900000" not in message
    assert not list((root.parent / "tables").glob("*.parquet")) and not (root.parent / "ingest.tsv").exists()
    return message


def with_bytes(name: str, content: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        path = root / f"{name}.csv"
        path.write_bytes(content(path.read_bytes()))

    return change


def truncated_gzip(root: Path) -> None:
    path = root / "numerics.csv"
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (root / "numerics.csv.gz").write_bytes(packed[: len(packed) // 2])


def not_gzip(root: Path) -> None:
    (root / "labs.csv").rename(root / "labs.csv.gz")


def both_forms(root: Path) -> None:
    (root / "labs.csv.gz").write_bytes(gzip.compress((root / "labs.csv").read_bytes()))


def wrong_sum(root: Path) -> None:
    (root / "SHA256SUMS.txt").write_text(f"{hashlib.sha256(b'other').hexdigest()} rads.csv\n")


CASES: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing file": (lambda root: (root / "rads.csv").unlink(), "rads.csv: this file is missing"),
    "missing visits": (lambda root: (root / "visits.csv").unlink(), "neither this folder nor its data/ holds visits"),
    "missing column": (with_bytes("orders", lambda b: b.replace(b"Result_time", b"Result")), "column Result_time is"),
    "double column": (with_bytes("rads", lambda b: b.replace(b"Study", b"CSN")), "rads.csv: column CSN stands twice"),
    "empty file": (with_bytes("meds", lambda _: b""), "meds.csv: is empty, not even a header"),
    "only a header": (with_bytes("meds", lambda b: b.splitlines()[0] + b"\n"), "meds.csv: has a header but no rows"),
    "header without line end": (with_bytes("meds", lambda b: b.splitlines()[0]), "meds.csv: has a header but no rows"),
    "truncated gzip": (truncated_gzip, "numerics.csv.gz: cannot be read (its compressed data ends too early"),
    "not gzip": (not_gzip, "labs.csv.gz: cannot be read (its compressed data is damaged"),
    "both forms": (both_forms, "labs.csv: stands beside labs.csv.gz"),
    "wrong checksum": (wrong_sum, "rads.csv: its SHA-256 is not the one"),
    "cut in a row": (
        with_bytes("numerics", lambda b: b[: b.rindex(b",")]),
        "numerics.csv: row 11: the file ends in the middle of it",
    ),
    "cut in a quote": (with_bytes("rads", lambda b: b.rstrip(b'"\n') + b"\n2. No\n"), "a quote is opened and never"),
    "quote never closed": (
        with_bytes("numerics", lambda b: b.replace(b"Chart,Temp", b'Chart,"Temp')),
        "numerics.csv: row 3: a quote is opened and never closed",
    ),
    "quote never closed, large file": (
        with_bytes("numerics", lambda b: b.replace(b"Chart,Temp", b'Chart,"Temp') + b.splitlines(True)[1] * 200_000),
        "numerics.csv: row 3: a quote is opened and never closed",
    ),
    "UTF-16": (with_bytes("rads", lambda b: b.decode().encode("utf-16")), "rads.csv: column CSN is missing"),
    "not UTF-8": (
        with_bytes("labs", lambda b: b.replace(b"mmol/L", b"\xb5mol/L")),
        "labs.csv: column Component_units, row 2: is not UTF-8; 1 of 5 rows",
    ),
    "bad time": (
        with_bytes("numerics", lambda b: b.replace(b"2283-03-02T07:38:10Z", b"2283-02-30T07:38:10Z")),
        "numerics.csv: column Time, row 3: is not a time; 1 of 11 rows",
    ),
    "text for a number": (
        with_bytes("numerics", lambda b: b.replace(b"98.1", b"warm")),
        "numerics.csv: column Value, row 3: is not a number",
    ),
    "infinite": (with_bytes("numerics", lambda b: b.replace(b"98.1", b"inf")), "column Value, row 3: is not a number"),
    "id as a float": (
        with_bytes("pmh", lambda b: b.replace(b"99000001", b"99000001.0")),
        "pmh.csv: column MRN, row 1: is not a whole number",
    ),
    "too many fields": (with_bytes("orders", lambda b: b.replace(b"IMG1", b"I,G")), "row 3: has too many fields"),
    "unknown disposition": (
        with_bytes("visits", lambda b: b.replace(b"Inpatient,,", b"Ward,,")),
        "visits.csv: column ED_dispo, row 1: none of Discharge, ICU, Inpatient, Observation",
    ),
    "other folder's rows": (
        with_bytes("labs", lambda b: b.replace(b"\n98000001", b"\n97000001")),
        "labs.csv: none of its 5 rows can be used (unknown CSN)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_line_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "raw")
    change, expected = CASES[name]
    change(root)
    assert expected in fault(root)


def test_one_visit_with_different_values_is_an_error(tmp_path: Path) -> None:
    rows = sample()
    rows["visits"].append(VISIT | {"Race": "Asian"})
    assert "column Race: rows 2 and 4 are the same CSN" in fault(write_folder(tmp_path / "raw", rows))


def test_a_right_checksum_passes_and_is_counted(tmp_path: Path) -> None:
    root = write_folder(tmp_path / "raw")
    digest = hashlib.sha256((root / "rads.csv").read_bytes()).hexdigest()
    (root / "SHA256SUMS.txt").write_text(f"{digest} *./rads.csv\n")
    mcmed.ingest(root, tmp_path / "tables", tmp_path / "ingest.tsv", DataConfig())
    assert "files checked against SHA256SUMS.txt\t1" in (tmp_path / "ingest.tsv").read_text()


def test_the_first_bad_row_is_the_first_in_the_file(tmp_path: Path) -> None:
    rows = sample()
    rows["numerics"][8]["CSN"] = "none"
    rows["numerics"][2]["Value"] = "none"
    assert "column Value, row 3: is not a number; 2 of 11 rows" in fault(write_folder(tmp_path / "raw", rows))


@pytest.mark.parametrize(
    ("ending", "text", "expected"),
    [
        ("val", "CSN\n98000003\n", "split_chrono_val.csv: row 1: is not one CSN (these files have no header)"),
        ("test", "98000009\n98000001\n", "split_chrono_test.csv: row 2: this CSN is in split_chrono_train.csv too"),
        ("test", "", "split_chrono_test.csv: is empty"),
        ("test", "1\n\n1,2\n", "split_chrono_test.csv: row 3: is not one CSN"),
        ("test", None, "split_chrono_test.csv: this file is missing"),
    ],
)
def test_split_files(ending: str, text: str | None, expected: str, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "raw")
    path = root / f"split_chrono_{ending}.csv"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(DataError) as caught:
        mcmed.read_split_files(root)
    assert expected in str(caught.value)


def test_the_made_up_folder_itself_is_sound(tmp_path: Path) -> None:
    root = write_folder(tmp_path / "raw")
    mcmed.ingest(root, tmp_path / "tables", tmp_path / "ingest.tsv", DataConfig())
    assert to_csv("visits", sample()["visits"]) == (root / "visits.csv").read_text()
