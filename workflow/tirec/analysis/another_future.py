"""Another future for real cases: the same past, everything that was not available at the cutoff drawn again.

What counts as available is written here a second time on purpose, table by table and without the evidence window, so
that the two can disagree.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tirec.records.schema import SPECS

STAMPS = {"numerics": "time_s", "orders": "order_s", "labs": "result_s", "rads": "result_s"}
"""When a row of a visit becomes available."""
ARRIVAL_COLUMNS = frozenset(
    ("row", "csn", "mrn", "age", "gender", "means_of_arrival", "cc", "arrival_abs_s", "arrival_day", "triage_acuity")
) | {f"triage_{name}" for name in ("temp_c", "hr", "rr", "spo2", "sbp", "dbp")}
"""What is known of a visit when it begins."""
FORMER_COLUMNS = frozenset(("row", "csn", "mrn", "arrival_abs_s", "departure_s", "ed_dispo", "cc"))
"""What a later visit knows of one that was over before."""
LATEST_S = 20_000
DROPPED, BLANK = 0.3, 0.15

Frames = dict[str, pl.DataFrame]


class Redrawing:
    """One seeded redrawing for cases of distinct patients: csn, mrn, cutoff_s, arrival_abs_s, arrival_day."""

    def __init__(self, cases: pl.DataFrame, margin_days: int, seed: int) -> None:
        self.cases = cases
        self.margin_days = margin_days
        self.draw = np.random.default_rng(seed)

    def frames(self, frames: Mapping[str, pl.DataFrame]) -> Frames:
        """The tables of another future, in the tables' own order."""
        found = {name: self._events(name, frames[name]) for name in STAMPS}
        found |= {"visits": self._visits(frames["visits"]), "waveform_summary": self._shuffled(frames, "row", "csn")}
        found |= {"pmh": self._pmh(frames["pmh"]), "meds": self._meds(frames["meds"])}
        return {
            name: frame.select(*SPECS[name].schema).cast(frames[name].schema).sort(*SPECS[name].order, "row")
            for name, frame in found.items()
        }

    def _shuffled(self, frames: Mapping[str, pl.DataFrame], *kept: str) -> pl.DataFrame:
        frame = frames["waveform_summary"]
        return self.exchanged(frame, [name for name in frame.columns if name not in kept])

    def exchanged(self, frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
        """The named columns, each in another order of rows."""
        return frame.with_columns(frame[name].gather(self.draw.permutation(len(frame))) for name in columns)

    def later(self, frame: pl.DataFrame, low: int = 1, high: int = LATEST_S) -> pl.Series:
        """A span after the cutoff or day per row, some blank."""
        drawn = pl.Series(self.draw.integers(low, high, len(frame)), dtype=pl.Int64)
        return drawn.set(pl.Series(self.draw.random(len(frame)) < BLANK, dtype=pl.Boolean), None)

    def some(self, frame: pl.DataFrame, share: float) -> pl.DataFrame:
        """About a share of the rows."""
        return frame.filter(pl.Series(self.draw.random(len(frame)) < share, dtype=pl.Boolean))

    def _events(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows of the visit: what came later is dropped, exchanged or moved, and more of it comes."""
        stamp = STAMPS[name]
        joined = frame.join(self.cases.select("csn", "cutoff_s"), on="csn", maintain_order="left")
        past = joined.filter(pl.col(stamp) <= pl.col("cutoff_s"))
        future = joined.filter((pl.col(stamp) > pl.col("cutoff_s")).fill_null(True))
        content = [column for column in frame.columns if column not in ("row", "csn", stamp)]
        kept = self.exchanged(self.some(future, 1 - DROPPED), content)
        new = self.exchanged(self.some(past, DROPPED), content)
        new = new.with_columns(row=pl.int_range(len(new), dtype=pl.Int64) + _next_row(frame))
        moved = pl.concat([kept, new])
        moved = moved.with_columns((pl.col("cutoff_s") + self.later(moved)).alias(stamp))
        return pl.concat([self._blanked(name, past), moved])

    def _blanked(self, name: str, past: pl.DataFrame) -> pl.DataFrame:
        """Available rows: what became known of them later is another."""
        if name == "labs":
            return self.exchanged(past, ["abnormal"])
        if name != "orders":
            return past
        return past.with_columns(
            pl.when((pl.col(stamp) <= pl.col("cutoff_s")).fill_null(False))
            .then(stamp)
            .otherwise(pl.col("cutoff_s") + self.later(past))
            .alias(stamp)
            for stamp in ("first_admin_s", "result_s")
        )

    def _visits(self, visits: pl.DataFrame) -> pl.DataFrame:
        own = visits.join(self.cases, on="csn", how="semi")
        others = visits.join(self.cases, on="csn", how="anti").join(
            self.cases.select("mrn", now="arrival_abs_s"), on="mrn", maintain_order="left"
        )
        over = (pl.col("arrival_abs_s") + pl.col("departure_s") < pl.col("now")).fill_null(False)
        former, coming = others.filter(over), others.filter(~over)
        coming = self.exchanged(coming, [name for name in visits.columns if name not in ("row", "csn", "mrn")])
        coming = coming.with_columns(
            arrival_abs_s=pl.col("now") + pl.Series(self.draw.integers(0, 10**6, len(coming)), dtype=pl.Int64),
            departure_s=pl.col("departure_s").abs(),
        )
        return pl.concat(
            [
                self.exchanged(own, [name for name in own.columns if name not in ARRIVAL_COLUMNS]),
                self.exchanged(former, [name for name in visits.columns if name not in FORMER_COLUMNS]).drop("now"),
                coming.drop("now"),
            ]
        )

    def _pmh(self, pmh: pl.DataFrame) -> pl.DataFrame:
        joined = pmh.join(self.cases.select("mrn", "arrival_day"), on="mrn", maintain_order="left")
        first_hidden = pl.col("arrival_day") - self.margin_days
        hidden = (pl.col("noted_day") >= first_hidden).fill_null(True)
        return self._history(joined, hidden, {"noted_day": first_hidden})

    def _meds(self, meds: pl.DataFrame) -> pl.DataFrame:
        """An end that had not come yet is another one that has not come either."""
        joined = meds.join(self.cases.select("mrn", "arrival_day"), on="mrn", maintain_order="left")
        joined = self.exchanged(joined, ["active"])
        arrival = pl.col("arrival_day")
        begins_later = (pl.col("entry_day") >= arrival).fill_null(True) | (pl.col("start_day") >= arrival)
        hidden = begins_later.fill_null(False)
        open_end = (pl.col("end_day") >= arrival).fill_null(True)
        joined = joined.with_columns(
            end_day=pl.when(open_end).then(arrival + self.later(joined, 0, 99)).otherwise("end_day")
        )
        return self._history(joined, hidden, {"entry_day": arrival})

    def _history(self, rows: pl.DataFrame, hidden: pl.Expr, first: Mapping[str, pl.Expr]) -> pl.DataFrame:
        """Rows of the patient: those of later days are exchanged and moved, and there are more of them."""
        content = [name for name in rows.columns if name not in ("row", "mrn", "arrival_day")]
        known, later = rows.filter(~hidden), rows.filter(hidden)
        new = self.some(known, DROPPED)
        new = new.with_columns(row=pl.int_range(len(new), dtype=pl.Int64) + _next_row(rows))
        moved = self.exchanged(pl.concat([self.some(later, 1 - DROPPED), new]), content)
        moved = moved.with_columns((day + self.later(moved, 0, 99)).alias(name) for name, day in first.items())
        return pl.concat([known, moved], how="vertical_relaxed")


def _next_row(frame: pl.DataFrame) -> int:
    return int(frame.select(pl.col("row").max()).item() or 0) + 1
