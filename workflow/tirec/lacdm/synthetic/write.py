"""Writes the whole folder: MIMIC-CDM's files, the parts of MIMIC-IV that join them, and the truth beside them."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TextIO

from tirec.config.lacdm import CONDITIONS, CdmSyntheticConfig
from tirec.lacdm.menu import Menu
from tirec.lacdm.synthetic import notes, reports, target
from tirec.lacdm.synthetic.laboratory import lab_rows, mapping_rows
from tirec.lacdm.synthetic.story import Story, stories
from tirec.provenance import atomic, file_hash, write_json, write_text
from tirec.records.checksums import SUMS
from tirec.records.folder import MARKER

VERSION = 2
"""Version of the story; another version gives other records for the same seed."""
HEADERS = {
    "history_of_present_illness": ("hadm_id", "hpi"),
    "physical_examination": ("hadm_id", "pe"),
    "laboratory_tests": ("hadm_id", "itemid", "valuestr", "ref_range_lower", "ref_range_upper"),
    "microbiology": ("hadm_id", "test_itemid", "valuestr", "spec_itemid"),
    "radiology_reports": ("hadm_id", "note_id", "modality", "region", "exam_name", "text"),
    "discharge_diagnosis": ("hadm_id", "discharge_diagnosis"),
    "icd_diagnosis": ("hadm_id", "icd_diagnosis"),
    "discharge_procedures": ("hadm_id", "discharge_procedure"),
    "icd_procedures": ("hadm_id", "icd_code", "icd_title", "icd_version"),
    "mimic-iv/hosp/admissions": ("subject_id", "hadm_id", "admittime"),
    "mimic-iv/hosp/patients": ("subject_id", "gender", "anchor_age", "anchor_year"),
    "mimic-iv/note/radiology": ("note_id", "subject_id", "hadm_id", "charttime"),
}
TRUTH = ("hadm_id", "subject_id", "condition", "history_tells", "exam_tells", "labs_tell", "masked", "studies")
LICENSE = "Made up by tirec's generator: no row describes a person. Free to use.\n"
STAMP = "%Y-%m-%d %H:%M:%S"


def generate(
    config: CdmSyntheticConfig, menu: Menu, folder: Path | str, report: Callable[[int], object] = bool
) -> None:
    """Writes a MIMIC-CDM folder; `report` is told of each case. Same configuration and menu, same bytes.

    The marker is written last: a folder without it is not whole.
    """
    root = Path(folder)
    labels: dict[str, list[int]] = {name: [] for name in CONDITIONS}
    with ExitStack() as files:
        writers = {name: files.enter_context(_table(root / f"{name}.csv", header)) for name, header in HEADERS.items()}
        truth = files.enter_context(_table(root / "truth.tsv", TRUTH, "\t"))
        seen: set[int] = set()
        for story in stories(config):
            _write_case(story, writers, first=story.subject_id not in seen)
            truth.writerow(_truth(story))
            labels[story.condition].append(story.hadm_id)
            seen.add(story.subject_id)
            report(1)
    with _table(
        root / "lab_test_mapping.csv", ("itemid", "label", "fluid", "category", "count", "corresponding_ids")
    ) as rows:
        rows.writerows(mapping_rows(menu))
    write_text(json.dumps(labels) + "\n", root / "pathology_ids.json")
    write_text(LICENSE, root / "LICENSE.txt")
    _write_sums(root)
    write_json({"version": VERSION, **config.model_dump()}, root / MARKER)


def _write_case(story: Story, writers: dict[str, Any], first: bool) -> None:
    hadm = story.hadm_id
    writers["history_of_present_illness"].writerow((hadm, notes.history(story)))
    writers["physical_examination"].writerow((hadm, notes.examination(story)))
    writers["laboratory_tests"].writerows(lab_rows(story))
    writers["microbiology"].writerows(notes.culture_rows(story))
    writers["radiology_reports"].writerows(reports.report_rows(story))
    writers["discharge_diagnosis"].writerow((hadm, target.discharge_diagnosis(story)))
    writers["icd_diagnosis"].writerows((hadm, title) for title in target.icd_titles(story))
    writers["discharge_procedures"].writerows((hadm, name) for name in target.procedures(story))
    writers["icd_procedures"].writerows((hadm, *row) for row in target.icd_procedures(story))
    _write_hospital(story, writers, first)


def _write_hospital(story: Story, writers: dict[str, Any], first: bool) -> None:
    """What MIMIC-IV holds of the admission: the patient, and when each report was charted."""
    writers["mimic-iv/hosp/admissions"].writerow((story.subject_id, story.hadm_id, story.admitted.strftime(STAMP)))
    if first:
        writers["mimic-iv/hosp/patients"].writerow((story.subject_id, story.sex, story.age, story.admitted.year))
    for number, study in enumerate(story.studies, start=1):
        charted = (story.admitted + timedelta(hours=study.hours)).strftime(STAMP)
        writers["mimic-iv/note/radiology"].writerow(
            (reports.note_id(story, number), story.subject_id, story.hadm_id, charted)
        )


def _truth(story: Story) -> tuple[object, ...]:
    shown = ",".join(f"{study.modality}:{int(study.shows)}" for study in story.studies)
    told = (int(story.history_tells), int(story.exam_tells), int(story.labs_tell), int(story.masked))
    return story.hadm_id, story.subject_id, story.condition, *told, shown


def _write_sums(root: Path) -> None:
    listed = sorted(
        path for path in root.iterdir() if path.suffix in (".csv", ".json", ".txt") and path.name not in (SUMS, MARKER)
    )
    write_text("".join(f"{file_hash(path)}  {path.name}\n" for path in listed), root / SUMS)


@contextmanager
def _table(path: Path, header: tuple[str, ...], delimiter: str = ",") -> Iterator[Any]:
    """A writer of rows to a file that takes its final name only when all went well."""
    with atomic(path) as temporary, _text(temporary) as handle:
        writer = csv.writer(handle, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        yield writer


def _text(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="")
