"""How well each order name predicts admission on train; stops where a visible one is the decision in disguise."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.cohort.order_leak import predictive_values, require_no_leak
from tirec.config.evidence import EvidenceConfig
from tirec.provenance import record, write_tsv
from tirec.records.schema import Tables
from tirec.records.stored import read_stored


def main() -> None:
    """Writes audit/order_leak.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--instances", required=True, type=Path, help="instances/disposition/4h.parquet")
    parser.add_argument("--output", required=True, type=Path, help="order_leak.tsv")
    parser.add_argument("--settings", help="the configuration section `evidence`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvidenceConfig, given.settings).orders
    table = predictive_values(
        Tables.open(given.tables), read_stored(given.instances, ("csn", "split", "cutoff_s", "label")), rules
    )
    require_no_leak(table, rules)
    write_tsv(table.filter(pl.col("n") >= rules.leak_min_visits), given.output)
    inputs = {"orders": given.tables / "orders.parquet", "instances": given.instances}
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
