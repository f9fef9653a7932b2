"""Writes the whole folder, a chunk of patients at a time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.provenance import atomic, write_json
from tirec.records.synthetic.charting import chart_rows
from tirec.records.synthetic.draws import stream
from tirec.records.synthetic.formats import HEADERS, STAMP, in_format, instant, midnight, of_visits
from tirec.records.synthetic.history import diagnosis_rows, first_days, medication_rows
from tirec.records.synthetic.imaging import draw_studies, rad_rows
from tirec.records.synthetic.labs import draw_panels, lab_rows
from tirec.records.synthetic.monitoring import monitor_rows, waveform_rows
from tirec.records.synthetic.oddities import backdated_orders, misplaced_vitals, odd_results, repeated
from tirec.records.synthetic.orders import order_rows
from tirec.records.synthetic.patients import STUDY_START, draw_patients
from tirec.records.synthetic.splits import write_splits
from tirec.records.synthetic.story import tell_story
from tirec.records.synthetic.truth import truth_record, truth_rows
from tirec.records.synthetic.visits import visit_rows

VERSION = 1
"""Version of the story; another version gives other records for the same seed."""
FIRST_MRN, FIRST_CSN, IDS = 99_000_000, 98_000_000, 1_000_000
MARKER = "SYNTHETIC.json"
Draw = Callable[[str], np.random.Generator]


def generate(config: SyntheticConfig, directory: Path | str, report: Callable[[int], object] = bool) -> None:
    """Writes an MC-MED folder with the truth beside it; `report` is told how many visits each chunk added.

    Same configuration, same bytes. The marker is written last: a folder without it is not whole.
    """
    folder = Path(directory)
    kept = []
    with ExitStack() as files:
        handles = {name: files.enter_context(_opened(folder / f"{name}.csv")) for name in HEADERS}
        handles["truth"] = files.enter_context(_opened(folder / "truth.tsv"))
        for chunk, story in enumerate(stories(config)):
            for name, rows in tables(config, chunk, story):
                _append(rows, handles[name], name == "truth", chunk == 0)
            kept.append(_summary(story))
            report(story.height)
    summary = pl.concat(kept)
    write_splits(summary, config, folder)
    write_json(truth_record(summary, config), folder / "truth.json")
    write_json({"version": VERSION, **config.model_dump(exclude={"folder"})}, folder / MARKER)


def stories(config: SyntheticConfig) -> Iterator[pl.DataFrame]:
    """Chunks of visits with their identities, as many as asked for in all."""
    ids = stream(config.seed, 0, "identities")
    mrns, csns = ids.permutation(IDS), ids.permutation(IDS)
    chunk = patients = visits = 0
    while visits < config.visits:
        people = draw_patients(stream(config.seed, chunk, "patients"), config.chunk_patients, config, chunk == 0)
        story = tell_story(stream(config.seed, chunk, "story"), people, config).head(config.visits - visits)
        patient = story["patient"].to_numpy() + patients
        yield story.with_columns(
            MRN=pl.Series(FIRST_MRN + mrns[patient]),
            CSN=pl.Series(FIRST_CSN + csns[visits : visits + story.height]),
            arrival_abs_s=STUDY_START + pl.col("arrival_s") + pl.col("shift_s"),
        ).with_columns(arrival_day=pl.col("arrival_abs_s") // 86400)
        chunk, patients, visits = chunk + 1, patients + people.height, visits + story.height


def tables(config: SyntheticConfig, chunk: int, story: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of every table for one chunk, in file format."""

    def draw(part: str) -> np.random.Generator:
        return stream(config.seed, chunk, part)

    first = chunk == 0
    odd = draw("oddities")
    yield "visits", repeated(odd, _visits(draw, story, first), first, share=0.0001)
    drawn, studies = draw_panels(draw("panels"), story), draw_studies(draw("studies"), story)
    orders = backdated_orders(odd, order_rows(draw("orders"), story, drawn, studies), first)
    times = {"Order_time": "time_s", "First_admin_time": "admin_s", "Result_time": "result_s"}
    yield "orders", repeated(odd, in_format(of_visits(orders, story, times), "orders"), first)
    labs = odd_results(odd, lab_rows(draw("labs"), story, drawn), first)
    reported = {"Order_time": "time_s", "Result_time": "result_s"}
    yield "labs", repeated(odd, in_format(of_visits(labs, story, reported), "labs"), first)
    rads = rad_rows(draw("rads"), studies)
    yield "rads", repeated(odd, in_format(of_visits(rads, story, reported), "rads"), first)
    yield "numerics", repeated(odd, _numerics(draw, odd, story, config.monitor_density, first), first)
    yield "waveform_summary", repeated(odd, waveform_rows(draw("waveforms"), story), first)
    yield from _history(draw, story)
    yield "truth", truth_rows(story)


def _visits(draw: Draw, story: pl.DataFrame, first: bool) -> pl.DataFrame:
    rows = visit_rows(draw("visits"), story, first)
    names = {"Arrival": "arrival", "Roomed": "roomed", "Dispo": "decision", "Admit": "admit", "Departure": "departure"}
    stamps = {
        f"{name}_time": instant(pl.col("arrival_abs_s") + pl.col(f"{column}_s")) for name, column in names.items()
    }
    return in_format(rows.with_columns(**stamps), "visits")


def _numerics(draw: Draw, odd: np.random.Generator, story: pl.DataFrame, density: float, first: bool) -> pl.DataFrame:
    columns = ["visit", "Source", "Measure", "Value", "time_s"]
    chart = misplaced_vitals(odd, chart_rows(draw("chart"), story), story["departure_s"].to_numpy(), first)
    rows = pl.concat([chart.select(columns), monitor_rows(draw("monitor"), story, density).select(columns)])
    return in_format(of_visits(rows, story, {"Time": "time_s"}), "numerics")


def _history(draw: Draw, story: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    people = first_days(story)
    diagnoses = diagnosis_rows(draw("pmh"), people, story).sort("MRN", "day", maintain_order=True)
    yield "pmh", in_format(diagnoses.with_columns(Noted_date=midnight("day")), "pmh")
    home = medication_rows(draw("meds"), people, story).sort("MRN", "entry_day", maintain_order=True)
    dates = {name: midnight(f"{name.split('_')[0].lower()}_day") for name in ("Entry_date", "Start_date", "End_date")}
    yield "meds", in_format(home.with_columns(**dates), "meds")


def _summary(story: pl.DataFrame) -> pl.DataFrame:
    gap = (pl.col("arrival_s").shift(-1).over("MRN") - pl.col("arrival_s") - pl.col("departure_s")) / 3600
    return story.select("CSN", "MRN", "first_s", "admitted", "unseen", next_hours=gap)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """A binary file that takes its final name only when all went well."""
    with atomic(path) as temporary, temporary.open("wb") as handle:
        yield handle


def _append(rows: pl.DataFrame, handle: BinaryIO, tabs: bool, header: bool) -> None:
    separator = "\t" if tabs else ","
    rows.write_csv(handle, include_header=header, separator=separator, datetime_format=STAMP)
