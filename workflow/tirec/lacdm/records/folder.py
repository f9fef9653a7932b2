"""Where MIMIC-CDM is, in which of its two forms, and the files that are read."""

import os
from pathlib import Path
from typing import Literal

from tirec.config.lacdm import CONDITIONS, LacdmConfig
from tirec.errors import ConfigError, DataError
from tirec.records.folder import source_file

Form = Literal["csv", "pickles"]
CSV_FILES = (
    *("history_of_present_illness", "physical_examination", "laboratory_tests", "microbiology", "radiology_reports"),
    *("discharge_diagnosis", "icd_diagnosis", "discharge_procedures", "icd_procedures", "lab_test_mapping"),
)
LABEL_FILE = "pathology_ids.json"
PICKLE = "{}_hadm_info_first_diag.pkl"
MAPPING_PICKLE = "lab_test_mapping.pkl"
HOSPITAL_FILES = ("hosp/admissions", "hosp/patients", "note/radiology")


def locate_cdm(config: LacdmConfig) -> Path:
    """The folder of the configuration or, where that is empty, of MIMIC_CDM_ROOT."""
    named = config.root or os.environ.get("MIMIC_CDM_ROOT")
    if not named:
        raise ConfigError("no MIMIC-CDM folder: set lacdm.root, or MIMIC_CDM_ROOT, to the folder of its CSV files")
    root = Path(named).expanduser()
    if not root.is_dir():
        raise ConfigError(f"{root}: this MIMIC-CDM folder does not exist; set lacdm.root or MIMIC_CDM_ROOT to it")
    return root


def form_of(root: Path) -> Form:
    """Whether the folder holds the official files or the framework's pickles."""
    if (root / LABEL_FILE).is_file() or any(root.glob("history_of_present_illness.csv*")):
        return "csv"
    if (root / PICKLE.format(CONDITIONS[0])).is_file():
        return "pickles"
    raise DataError(f"{root}: holds neither {LABEL_FILE} with its CSV files nor {PICKLE.format('{condition}')}")


def cdm_files(root: Path) -> dict[str, Path]:
    """Every file that the tables are made of, by name."""
    if form_of(root) == "pickles":
        names = {name: PICKLE.format(name) for name in CONDITIONS} | {"lab_test_mapping": MAPPING_PICKLE}
        return {name: _present(root / file) for name, file in names.items()}
    return {name: source_file(root, name) for name in CSV_FILES} | {"pathology_ids": _present(root / LABEL_FILE)}


def hospital_files(root: Path, config: LacdmConfig) -> dict[str, Path]:
    """The files of MIMIC-IV that are there: `lacdm.mimic_iv`, or `mimic-iv/` inside the records folder, or none."""
    folder = Path(config.mimic_iv).expanduser() if config.mimic_iv else root / "mimic-iv"
    if not folder.is_dir():
        if config.mimic_iv:
            raise ConfigError(f"lacdm.mimic_iv: {folder} is not a folder")
        return {}
    return {name: source_file(folder, name) for name in HOSPITAL_FILES}


def _present(path: Path) -> Path:
    if not path.is_file():
        raise DataError(f"{path}: this file is missing")
    return path
