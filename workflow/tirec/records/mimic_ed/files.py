"""MIMIC-IV-ED's files: where they are, which of their columns are read and how."""

from pathlib import Path

from tirec.config.data import DataConfig
from tirec.errors import ConfigError, DataError
from tirec.records.columns import Column, Kind, TableSpec
from tirec.records.folder import source_file

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


def _file(name: str, *columns: Column, stays: bool = True) -> TableSpec:
    """A file of rows that belong to a stay; its ids are called as in the eight tables."""
    stay = (Column("stay_id", "csn", "id", required=True),) if stays else ()
    owner = (Column("subject_id", "mrn", "id", required=True), *stay)
    return TableSpec(name, (*owner, *columns), "csn" if stays else "mrn", ("row",), time_format=TIME_FORMAT)


def _columns(kind: Kind, *names: str) -> tuple[Column, ...]:
    return tuple(Column(name, name, kind) for name in names)


def _time(name: str = "charttime") -> Column:
    return Column(name, name, "instant", required=True)


VITALS = {
    "temperature": "Temp", "heartrate": "HR", "resprate": "RR", "o2sat": "SpO2", "sbp": "SBP", "dbp": "DBP",
}  # fmt: skip
"""Columns of triage and vitalsign, and the measure that each is."""

EDSTAYS = _file(
    "edstays",
    _time("intime"),
    Column("outtime", "outtime", "instant"),
    *_columns("text", "gender", "race", "arrival_transport", "disposition"),
)
TRIAGE = _file("triage", *_columns("number32", *VITALS), *_columns("text", "pain", "acuity", "chiefcomplaint"))
VITALSIGN = _file("vitalsign", _time(), *_columns("number32", *VITALS), *_columns("text", "pain"))
PYXIS = _file("pyxis", _time(), *_columns("text", "med_rn", "name", "gsn_rn", "gsn"))
MEDRECON = _file("medrecon", _time(), *_columns("text", "name", "gsn", "ndc"), Column("etc_rn", "etc_rn", "small"),
                 *_columns("text", "etcdescription"))  # fmt: skip
DIAGNOSIS = _file("diagnosis", Column("seq_num", "seq_num", "small"),
                  *_columns("text", "icd_code", "icd_version", "icd_title"))  # fmt: skip
STAY_LABS = _file("stay_labs", _time(), *_columns("text", "label", "fluid", "category"),
                  *_columns("raw", "valuenum"), *_columns("text", "valueuom"))  # fmt: skip
LABEVENTS = _file(
    "labevents",
    Column("itemid", "itemid", "id", required=True),
    _time(),
    Column("storetime", "storetime", "instant"),
    *_columns("raw", "value", "valuenum"),
    *_columns("text", "valueuom", "flag"),
    *_columns("number", "ref_range_lower", "ref_range_upper"),
    stays=False,
)
D_LABITEMS = TableSpec(
    "d_labitems",
    (Column("itemid", "itemid", "id", required=True), *_columns("text", "label", "fluid", "category")),
    "csn",
    ("row",),
)

ED = {spec.name: spec for spec in (EDSTAYS, TRIAGE, VITALSIGN, PYXIS, MEDRECON, DIAGNOSIS)}
"""The six tables, stays first because every other table needs their times."""
SPECS = ED | {spec.name: spec for spec in (STAY_LABS, LABEVENTS, D_LABITEMS)}


def data_folder(root: Path) -> Path:
    """`root` itself or `root/ed`, whichever holds edstays.csv or edstays.csv.gz."""
    for folder in (root, root / "ed"):
        if any((folder / f"edstays.csv{ending}").is_file() for ending in ("", ".gz")):
            return folder
    raise DataError(f"{root}: neither this folder nor its ed/ holds edstays.csv or edstays.csv.gz")


def source_files(root: Path, config: DataConfig) -> dict[str, Path]:
    """Every file that is read, by name: the six tables, and laboratory results where there are any."""
    folder = data_folder(root)
    return {name: source_file(folder, name) for name in ED} | _lab_files(root, config.labs)


def _lab_files(root: Path, labs: str | None) -> dict[str, Path]:
    """`data.labs`, or MIMIC-IV's folder `hosp` inside or beside the records."""
    if labs is None:
        beside = (root / "hosp", root.parent / "hosp")
        found = next((folder for folder in beside if any(folder.glob("labevents.csv*"))), None)
        return _hospital_files(found) if found else {}
    path = Path(labs).expanduser()
    if path.is_dir():
        return _hospital_files(path)
    if not path.is_file():
        raise ConfigError(f"data.labs: {path} is neither a file nor a folder")
    return {"stay_labs": path}


def _hospital_files(folder: Path) -> dict[str, Path]:
    return {name: source_file(folder, name) for name in ("labevents", "d_labitems")}
