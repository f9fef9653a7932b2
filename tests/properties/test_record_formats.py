"""The same content in another dress (gzip, CRLF, BOM, other row order) gives the same tables."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcmed_folder import Rows, sample, table, write_folder
from polars.testing import assert_frame_equal

from tirec.config.data import DataConfig
from tirec.records import mcmed
from tirec.records.schema import SPECS, Tables

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00", exclude_categories=("Cs", "Cc")), max_size=12)
FREE_TEXT = st.lists(WORDS, min_size=1, max_size=3).map("\n".join)
TIMES = st.integers(0, 59).map(lambda second: f"2283-03-02T08:00:{second:02d}Z")


@st.composite
def folders(draw: st.DrawFn) -> Rows:
    rows = sample()
    csn = st.sampled_from(["98000001", "98000003", "98000007", "98000008"])
    measures = st.sampled_from(["HR", "SpO2", "MAP", "Temp"])
    values = st.floats(0, 250, width=32).map(str)
    numerics = st.tuples(csn, st.sampled_from(["Chart", "Monitor"]), measures, values, TIMES)
    rows["numerics"] += table("numerics", *draw(st.lists(numerics, max_size=12)))
    labs = st.tuples(csn, TIMES, TIMES | st.just(""), WORDS, WORDS, WORDS, FREE_TEXT, FREE_TEXT, WORDS, WORDS)
    rows["labs"] += table("labs", *((*lab, "", "1.5") for lab in draw(st.lists(labs, max_size=5))))
    orders = st.tuples(csn, TIMES, st.just("Lab"), st.just("CBC"), st.just("L"), st.just(""), TIMES | st.just(""))
    rows["orders"] += table("orders", *draw(st.lists(orders, max_size=8)))
    return rows


def read(folder: Path, rows: Rows, crlf: bool, bom: bool, packed: bool) -> dict[str, pl.DataFrame]:
    def encode(text: str) -> bytes:
        return (b"\xef\xbb\xbf" if bom else b"") + (text.replace("\n", "\r\n") if crlf else text).encode()

    mcmed.ingest(write_folder(folder / "raw", rows, encode, packed), folder / "t", folder / "a.tsv", DataConfig())
    return Tables.open(folder / "t").collect()


def settled(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The table without row numbers, rows of equal order keys in one fixed order."""
    bare = frame.drop("row").cast(
        {column.name: pl.String for column in SPECS[name].columns if column.kind == "category"}
    )
    return bare.sort(bare.columns)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(folders(), st.booleans(), st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_dress_and_order_do_not_change_the_tables(
    rows: Rows, crlf: bool, bom: bool, packed: bool, shuffler: random.Random
) -> None:
    with TemporaryDirectory() as plain, TemporaryDirectory() as dressed:
        expected = read(Path(plain), rows, False, False, False)
        shuffled = {name: shuffler.sample(lines, len(lines)) for name, lines in rows.items()}
        found = read(Path(dressed), shuffled, crlf, bom, packed)
    for name, frame in expected.items():
        assert frame["row"].is_unique().all()
        assert_frame_equal(settled(name, frame), settled(name, found[name]))
        assert found[name].select(SPECS[name].order).equals(frame.select(SPECS[name].order))
