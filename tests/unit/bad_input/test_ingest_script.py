"""Records that cannot be used, through the script: one line, exit code 2, and no table.

What each fault of a field or row is called stands in tests/unit/records/test_bad_input.py; here are the kinds of input
that a download, a copy or a hand leave behind.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from front_ends import run_script
from mcmed_folder import VISIT, sample, write_folder

Change = Callable[[Path], object]


def edit(name: str, content: Callable[[bytes], bytes]) -> Change:
    return lambda root: (root / name).write_bytes(content((root / name).read_bytes()))


def packed(name: str, content: Callable[[bytes], bytes]) -> Change:
    def change(root: Path) -> None:
        (root / f"{name}.gz").write_bytes(content((root / name).read_bytes()))
        (root / name).unlink()

    return change


def a_folder_in_its_place(root: Path) -> None:
    (root / "labs.csv").unlink()
    (root / "labs.csv").mkdir()


def a_link_to_nowhere(root: Path) -> None:
    (root / "meds.csv").unlink()
    (root / "meds.csv").symlink_to(root / "nowhere.csv")


def one_visit_twice(root: Path) -> None:
    rows = sample()
    rows["visits"].append(VISIT | {"Race": "Asian"})
    for path in root.iterdir():
        path.unlink()
    root.rmdir()
    write_folder(root, rows)


CASES: dict[str, tuple[Change, str]] = {
    "truncated gzip": (
        packed("numerics.csv", lambda b: gzip.compress(b)[: len(b) // 8]),
        "numerics.csv.gz: cannot be read (its compressed data ends too early; get it again)",
    ),
    "gzip of nothing": (packed("meds.csv", lambda _: gzip.compress(b"")), "meds.csv.gz: is empty, not even a header"),
    "gzip of no byte": (packed("meds.csv", lambda _: b""), "meds.csv.gz: is empty, not even a header"),
    "text called gzip": (
        packed("labs.csv", lambda b: b),
        "labs.csv.gz: cannot be read (its compressed data is damaged",
    ),
    "one visit with different values": (one_visit_twice, "visits.csv: column Race: rows 2 and 4 are the same CSN"),
    "missing column": (
        edit("visits.csv", lambda b: b.replace(b"Departure_time", b"Departed")),
        "visits.csv: column Departure_time is missing",
    ),
    "text in a numeric column": (
        edit("visits.csv", lambda b: b.replace(b",67,", b",sixty,", 1)),
        "visits.csv: column Age, row 1: is not a whole number",
    ),
    "a number no table can hold": (
        edit("visits.csv", lambda b: b.replace(b",67,", b",99999999,", 1)),
        "visits.csv: column Age, row 1: is not a whole number",
    ),
    "an id of 23 digits": (
        edit("labs.csv", lambda b: b.replace(b"98000001", b"98000001000000000000000")),
        "labs.csv: column CSN, row 1: is not a whole number; 5 of 5 rows",
    ),
    "an id through a spreadsheet": (
        edit("labs.csv", lambda b: b.replace(b"98000001", b"9.8E+07")),
        "labs.csv: column CSN, row 1: is not a whole number",
    ),
    "NUL in an id": (
        edit("orders.csv", lambda b: b.replace(b"98000001", b"9800\x000001")),
        "orders.csv: column CSN, row 1: is not a whole number",
    ),
    "a year of five digits": (
        edit("visits.csv", lambda b: b.replace(b"2283-03-02T12:09:54Z", b"12283-03-02T12:09:54Z")),
        "visits.csv: column Departure_time, row 2: is not a time",
    ),
    "two files in one": (
        edit("numerics.csv", lambda b: b + b"".join(b.splitlines(True)[:2])),
        "numerics.csv: column CSN, row 12: is not a whole number; 1 of 13 rows",
    ),
    "semicolons": (edit("rads.csv", lambda b: b.replace(b",", b";")), "rads.csv: column CSN is missing"),
    "tabs": (edit("rads.csv", lambda b: b.replace(b",", b"\t")), "rads.csv: column CSN is missing"),
    "names in small letters": (
        edit("meds.csv", lambda b: b.replace(b"MRN", b"mrn", 1)),
        "meds.csv: column MRN is missing",
    ),
    "a blank first line": (edit("meds.csv", lambda b: b"\n" + b), "meds.csv: its first line is blank"),
    "only a header": (edit("meds.csv", lambda b: b.splitlines(True)[0]), "meds.csv: has a header but no rows"),
    "a login page": (edit("rads.csv", lambda _: b"<html>\n<body>Log in</body>\n"), "rads.csv: column CSN is missing"),
    "a pointer of git-lfs": (
        edit("rads.csv", lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"),
        "rads.csv: column CSN is missing",
    ),
    "UTF-16": (edit("visits.csv", lambda b: b.decode().encode("utf-16")), "visits.csv: column CSN is missing"),
    "a name that is not UTF-8": (
        edit("pmh.csv", lambda b: b.replace(b"DescCCS", b"D\xe9scCCS")),
        "pmh.csv: column DescCCS is missing",
    ),
    "a folder in its place": (a_folder_in_its_place, "labs.csv: this file is missing"),
    "a link to nowhere": (a_link_to_nowhere, "meds.csv: this file is missing"),
    "visits of another folder": (
        edit("visits.csv", lambda b: b.replace(b"98000001", b"97000001")),
        "none of its 5 rows can be used (unknown CSN)",
    ),
    "checksums that are no text": (
        lambda root: (root / "SHA256SUMS.txt").write_bytes(b"\xff\xfe"),
        "SHA256SUMS.txt: is not text",
    ),
    "a wrong checksum": (
        lambda root: (root / "SHA256SUMS.txt").write_text("0" * 64 + "  rads.csv\n"),
        "rads.csv: its SHA-256 is not the one",
    ),
}


def ingest(root: Path, *more: str | Path) -> tuple[int, str, list[Path]]:
    """Exit code, stderr, and what was left besides the remembered checksums."""
    made = root.parent / "made"
    code, said = run_script(
        "ingest_records", "--root", root, "--tables", made / "tables", "--audit", made / "a.tsv", *more
    )
    return code, said, [path for path in made.rglob("*") if path.is_file() and path.name != ".raw_files.json"]


@pytest.mark.parametrize("name", CASES)
def test_one_line_and_nothing_written(name: str, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "raw")
    change, expected = CASES[name]
    change(root)
    code, said, left = ingest(root)
    assert code == 2 and left == []
    assert said.startswith("error: ") and said.count("\n") == 1 and expected in said
    assert "9800000" not in said and "9900000" not in said


SETTINGS = {
    "broken JSON": ('{"format": ', "settings: not JSON from character 12 on"),
    "unknown key": ('{"formt": "mcmed"}', "formt: no such configuration key; did you mean format?"),
    "unknown format": ('{"format": "omop"}', "format: input should be 'mcmed' or 'mimic_ed'"),
    "a share below 0": ('{"max_bad_share": -1}', "max_bad_share: input should be greater than or equal to 0"),
    "no such file": ("none.yaml", "none.yaml: no such configuration file"),
    "another format": ('{"format": "mimic_ed"}', "holds edstays.csv"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name: str, tmp_path: Path) -> None:
    text, expected = SETTINGS[name]
    code, said, left = ingest(write_folder(tmp_path / "raw"), "--settings", text)
    assert code == 2 and left == [] and said.count("\n") == 1 and expected in said


@pytest.mark.parametrize(("content", "expected"), [(b"a: [1\n b", "line 2: is not YAML"), (b"\xff", "is not UTF-8")])
def test_a_settings_file_that_cannot_be_read(content: bytes, expected: str, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_bytes(content)
    code, said, left = ingest(write_folder(tmp_path / "raw"), "--settings", tmp_path / "my.yaml")
    assert code == 2 and left == [] and said.count("\n") == 1 and expected in said


def test_an_audit_that_cannot_be_written_leaves_no_table(tmp_path: Path) -> None:
    root = write_folder(tmp_path / "raw")
    code, said, left = ingest(root, "--audit", root)
    assert code == 2 and left == [] and said.count("\n") == 1


@pytest.mark.parametrize("content", ["{broken", "[]", '{"x": 3}'])
def test_a_damaged_cache_of_checksums_is_as_good_as_none(content: str, tmp_path: Path) -> None:
    cache = tmp_path / "made" / "tables" / ".raw_files.json"
    cache.parent.mkdir(parents=True)
    cache.write_text(content)
    assert ingest(write_folder(tmp_path / "raw"))[0] == 0
