"""The evidence window once more, slowly and one case at a time, in plain Python: what the fast code must agree with."""

ADMITTED = ("Inpatient", "Observation", "ICU")
RANGES = {
    "HR": (20, 250),
    "RR": (2, 80),
    "SpO2": (50, 100),
    "SBP": (30, 300),
    "DBP": (10, 200),
    "Perf": (0, 30),
    "Pain": (0, 10),
    "LPM_O2": (0, 100),
    "1min_HRV": (0, 1000),
    "5min_HRV": (0, 1000),
}


def by(stamp, cutoff):
    return stamp is not None and stamp <= cutoff


def orders(rows, csn, cutoff, is_decision):
    """(row, given, resulted) of the orders that are evidence."""
    return {
        (row["row"], by(row["first_admin_s"], cutoff), by(row["result_s"], cutoff))
        for row in rows
        if row["csn"] == csn and by(row["order_s"], cutoff) and not is_decision(row["procedure_name"])
    }


def results(rows, csn, cutoff):
    """Rows of labs or rads that are back."""
    return {row["row"] for row in rows if row["csn"] == csn and by(row["result_s"], cutoff)}


def readings(rows, csn, cutoff):
    """(row, measure) of the valid readings, without temperature and mean pressure."""
    return {
        (row["row"], row["measure"])
        for row in rows
        if row["csn"] == csn
        and by(row["time_s"], cutoff)
        and row["measure"] in RANGES
        and RANGES[row["measure"]][0] <= row["value"] <= RANGES[row["measure"]][1]
    }


def diagnoses(rows, mrn, arrival_day, margin=0):
    return {
        row["row"]
        for row in rows
        if row["mrn"] == mrn and row["noted_day"] is not None and row["noted_day"] < arrival_day - margin
    }


def medications(rows, mrn, arrival_day):
    found = set()
    for row in rows:
        entered = row["entry_day"] is not None and row["entry_day"] < arrival_day
        started = row["start_day"] is None or row["start_day"] < arrival_day
        running = row["end_day"] is None or row["end_day"] >= arrival_day
        if row["mrn"] == mrn and entered and started and running:
            found.add(row["row"])
    return found


def earlier(rows, case):
    """(row, admitted) of the same patient's visits that had departed before this arrival."""
    return {
        (row["row"], row["ed_dispo"] in ADMITTED)
        for row in rows
        if row["mrn"] == case["mrn"]
        and row["csn"] != case["csn"]
        and row["departure_s"] > 0
        and row["arrival_abs_s"] + row["departure_s"] < case["arrival_abs_s"]
    }
