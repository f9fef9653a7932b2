"""The leak suite of the whole study: one table, the floors, and one page.

python scripts/assess_leaks.py --probes results/leak_suite/{disposition,decompensation,revisit}
    --orders results/audit/order_leak.tsv --settings SETTINGS --output results/leak_suite.tsv
    --output-floors results/floors.tsv --output-page results/leak_suite.html
"""

from pathlib import Path
from typing import cast

import polars as pl

from tirec import frontend
from tirec.analysis.floors import FLOORS
from tirec.analysis.leak_table import Probes, floors_table, leak_table
from tirec.config.cohort import Task
from tirec.config.leak_suite import LeakProbeConfig
from tirec.provenance import record, write_text, write_tsv
from tirec.records.stored import read_table
from tirec.report.leak_page import leak_page

ORDER_COLUMNS = {
    "procedure_name": pl.String,
    "visible": pl.Boolean,
    "n": pl.Int64,
    "n_pos": pl.Int64,
    "predictive_value": pl.Float64,
}
"""Said, because a small cohort's table may hold no row."""


def main() -> None:
    """Writes leak_suite.tsv, floors.tsv and leak_suite.html."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--probes", required=True, type=Path, nargs="+", help="leak_suite/{task}, every task")
    parser.add_argument("--orders", required=True, type=Path, help="audit/order_leak.tsv")
    parser.add_argument("--settings", help="leak_suite, evidence and teacher: JSON, or a file")
    parser.add_argument("--output", required=True, type=Path, help="leak_suite.tsv")
    parser.add_argument("--output-floors", required=True, type=Path, help="floors.tsv")
    parser.add_argument("--output-page", required=True, type=Path, help="leak_suite.html")
    given = parser.parse_args()
    config = frontend.read_settings(LeakProbeConfig, given.settings)
    probes = {cast(Task, folder.name): Probes.read(folder) for folder in given.probes}
    orders = read_table(given.orders, ORDER_COLUMNS, ORDER_COLUMNS)
    table = leak_table(probes, orders, config.leak_suite, config.evidence.orders)
    write_tsv(table, given.output)
    write_tsv(floors_table(probes, FLOORS), given.output_floors)
    write_text(leak_page(table, probes, orders, given.data_class), given.output_page)
    inputs = {f"{folder.name}/{path.name}": path for folder in given.probes for path in sorted(folder.glob("*.tsv"))}
    outputs = [given.output, given.output_floors, given.output_page]
    record(outputs, inputs | {"orders": given.orders}, config.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
