"""A tiny records folder in MC-MED's format, made up, with the oddities that real files have."""

import gzip
from collections.abc import Callable, Mapping
from pathlib import Path

from tirec.records.schema import SPECS

Rows = dict[str, list[dict[str, str]]]

VISIT = {
    "MRN": "99000001", "CSN": "98000001", "Visit_no": "1", "Visits": "2", "Age": "67", "Gender": "F", "Race": "White",
    "Ethnicity": "Non-Hispanic/Non-Latino", "Means_of_arrival": "Self", "Triage_Temp": "36.7", "Triage_HR": "88.0",
    "Triage_RR": "18.0", "Triage_SpO2": "97.0", "Triage_SBP": "128.0", "Triage_DBP": "78.0",
    "Triage_acuity": "3-Urgent", "CC": "CHEST PAIN,NAUSEA", "ED_dispo": "Discharge", "Hours_to_next_visit": "40.0",
    "Dispo_class_next_visit": "Inpatient", "ED_LOS": "4.82", "DC_dispo": "Home/Work (includes foster care)",
    "Payor_class": "Medicare", "Dx_ICD9": "786.50", "Dx_ICD10": "R07.9", "Dx_name": "Chest pain, unspecified type",
    "Arrival_time": "2283-03-02T07:20:42Z", "Roomed_time": "2283-03-02T07:36:59Z",
    "Dispo_time": "2283-03-02T11:31:00Z", "Departure_time": "2283-03-02T12:09:54Z",
}  # fmt: skip
SECOND = VISIT | {
    "CSN": "98000007", "Visit_no": "2", "Triage_acuity": "", "Gender": "U", "ED_dispo": "Inpatient", "Dispo_time": "",
    "Hours_to_next_visit": "", "Dispo_class_next_visit": "", "Arrival_time": "2295-12-31T20:00:00Z",
    "Roomed_time": "", "Departure_time": "2296-01-01T02:00:00Z",
}  # fmt: skip
OTHER = VISIT | {"CSN": "98000003", "MRN": "99000002", "Arrival_time": "2205-03-02T07:20:42Z", "Visits": "1"} | {
    "Roomed_time": "2205-03-02T07:36:59Z", "Dispo_time": "2205-03-02T11:31:00Z",
    "Departure_time": "2205-03-02T12:09:54Z", "Hours_to_next_visit": "", "Dispo_class_next_visit": "",
}  # fmt: skip


SPLITS = {"train": "98000001\n98000007\n", "val": "98000003\n", "test": "98000009\n"}


def table(name: str, *lines: tuple[str, ...]) -> list[dict[str, str]]:
    """Rows of a table from its fields in the order of its headers."""
    return [dict(zip(SPECS[name].headers, line, strict=True)) for line in lines]


def sample() -> Rows:
    """Three visits of two patients with rows in every table."""
    csn, early = "98000001", "2283-03-02T07:41:42Z"
    ordered, resulted = "2283-03-02T07:50:00Z", "2283-03-02T08:31:00Z"
    return {
        "visits": [SECOND, VISIT, OTHER],
        "orders": table(
            "orders",
            (csn, ordered, "Lab", "CBC WITH DIFFERENTIAL", "LABCBCD", "", resulted),
            (csn, ordered, "Medication", "LR IV BOLUS - 1000 ML", "MED1", "2283-03-02T08:00:00Z", ""),
            ("98000003", "2205-03-02T07:00:00Z", "Imaging", "XR CHEST 1 VIEW", "IMG1", "", ""),
        ),
        "labs": table(
            "labs",
            (csn, ordered, resulted, "BMP", "", "CREATININE", ".93", ".93", "mg/dL", "Normal", ".55", "1.02"),
            (csn, ordered, resulted, "BMP", "", "POTASSIUM", ">10.0", ">10.0", "mmol/L", "High", "3.5", "5"),
            (csn, ordered, resulted, "UA", "", "NITRITE, URINE (UA)", "NEG", "NEG", "", "", "", ""),
            (csn, ordered, resulted, "UA", "", "WBC, URINE", "0-2", "0-2", "", "", "", ""),
            (csn, ordered, resulted, "CBC", "Abnormal", "DIFF", "two\nlines, one", "DIFTYP: AUTO", "", "", "", ""),
        ),
        "rads": table("rads", (csn, ordered, resulted, "XR CHEST 1 VIEW", '1. "Clear" lungs.\n2. No effusion.')),
        "numerics": table(
            "numerics",
            (csn, "Monitor", "HR", "88.3333333333333", early),
            (csn, "Chart", "HR", "90", early),
            (csn, "Chart", "Temp", "98.1", "2283-03-02T07:38:10Z"),
            (csn, "Monitor", "SpO2", "0", early),
            (csn, "Monitor", "HR", "88.3333333333333", early),
            (csn, "Monitor", "HR", "70", "2283-03-02T07:20:41Z"),
            (csn, "Monitor", "HR", "71", "2283-03-02T07:20:42Z"),
            (csn, "Monitor", "HR", "72", "2283-03-02T12:09:54Z"),
            (csn, "Monitor", "HR", "73", "2283-03-02T12:09:55Z"),
            ("98999999", "Monitor", "HR", "74", early),
            ("98000007", "Monitor", "MAP", "94.6666666666667", "2296-01-01T00:00:00Z"),
        ),
        "waveform_summary": table("waveform_summary", (csn, "Pleth", "2", "7199.984")),
        "meds": table(
            "meds",
            (
                "99000001", "14113", "69618-066-10", "ASPIRIN 81 MG PO TBEC", "aspirin 81 mg tablet,delayed release",
                "ANALGESICS", "Salicylates", "Y", "2282-07-20T00:00:00Z", "2282-07-20T00:00:00Z", "",
            ),
        ),
        "pmh": table(
            "pmh",
            ("99000001", "2281-05-11T00:00:00Z", "Dx10", "I10", "Essential hypertension", "98.0", "Hypertension"),
        ),
    }  # fmt: skip


def field(text: str) -> str:
    """One field of a comma-separated file."""
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n\r') else text


def to_csv(name: str, rows: list[dict[str, str]], headers: tuple[str, ...] | None = None) -> str:
    """The text of a table's file."""
    headers = headers or SPECS[name].headers
    lines = [headers, *([row.get(header, "") for header in headers] for row in rows)]
    return "".join(",".join(map(field, line)) + "\n" for line in lines)


def write_folder(
    root: Path,
    rows: Mapping[str, list[dict[str, str]]] | None = None,
    encode: Callable[[str], bytes] = str.encode,
    packed: bool = False,
) -> Path:
    """Writes the eight tables and the chrono split files; `encode` turns a file's text into its bytes."""
    root.mkdir(parents=True, exist_ok=True)
    files = {name: to_csv(name, content) for name, content in (rows or sample()).items()}
    files |= {f"split_chrono_{ending}": text for ending, text in SPLITS.items()}
    for name, text in files.items():
        content = encode(text)
        ending = ".csv.gz" if packed else ".csv"
        (root / f"{name}{ending}").write_bytes(gzip.compress(content) if packed else content)
    return root
