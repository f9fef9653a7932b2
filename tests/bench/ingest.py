"""How fast a records folder is read: seconds, rows per second and peak memory; not a test.

python tests/bench/ingest.py --visits 10000        writes a synthetic folder of that size, then reads it
python tests/bench/ingest.py --root FOLDER         reads a folder that exists
"""

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from tirec.config.data import DataConfig
from tirec.config.synthetic import SyntheticConfig
from tirec.records import mcmed
from tirec.records.schema import SPECS
from tirec.records.synthetic import generate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=3000, help="size of the synthetic folder")
    parser.add_argument("--root", type=Path, help="folder to read instead")
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        root = given.root or write_synthetic(Path(scratch) / "raw", given.visits)
        start, used = time.perf_counter(), time.process_time()
        mcmed.ingest(root, Path(scratch) / "tables", Path(scratch) / "ingest.tsv", DataConfig())
        report(Path(scratch) / "ingest.tsv", time.perf_counter() - start, time.process_time() - used)


def write_synthetic(root: Path, visits: int) -> Path:
    generate(SyntheticConfig(visits=visits), root)
    return root


def report(audit: Path, seconds: float, processor_seconds: float) -> None:
    counts = pl.read_csv(audit, separator="\t", infer_schema=False).filter(check="rows read")
    rows = {name: int(n) for name, n in counts.select("table", "value").iter_rows()}
    total = sum(rows[name] for name in SPECS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print("; ".join(f"{name} {n:,}" for name, n in rows.items()))
    print(f"{seconds:.1f} s ({processor_seconds:.1f} processor s), {total / seconds:,.0f} rows/s, peak {peak:.2f} GiB")


if __name__ == "__main__":
    main()
