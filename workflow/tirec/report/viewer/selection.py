"""Which cases stand on the page."""

import numpy as np
import polars as pl


def sample(cases: pl.DataFrame, n: int, seed: int) -> list[int]:
    """At most `n` instance ids, ascending: a random sample within each task, the same number of each while they last.

    cases: instance_id, task, each case once. The sample depends on the cases, `n` and `seed` alone, and a larger `n`
    keeps every case of a smaller one.
    """
    random = np.random.default_rng(seed)
    ordered = cases.select("instance_id", "task").sort("task", "instance_id")
    ranked = [
        group.with_columns(place=pl.Series(random.permutation(group.height)))
        for group in ordered.partition_by("task", maintain_order=True)
    ]
    drawn = pl.concat(ranked).sort("place", "task").head(n) if ranked else ordered
    return sorted(drawn["instance_id"].to_list())
