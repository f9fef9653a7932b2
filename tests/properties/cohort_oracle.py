"""The cohort rules once more, slowly and one visit at a time, in plain Python: what the fast code must agree with."""
# ruff: noqa: PLR0911  one return per rule, as the rules read

HOUR, DAY = 3600, 86400
NORMAL = {"HR": lambda v: v <= 110, "SpO2": lambda v: v >= 90, "MAP": lambda v: v >= 65}
RANGE = {"HR": (20, 250), "SpO2": (50, 100), "MAP": (20, 200)}


def possible(vital, value):
    return value is not None and RANGE[vital][0] <= value <= RANGE[vital][1]


def left_out_of_all(visit, config):
    final = (visit["dc_dispo"] or "").lower()
    if not visit["in_split"]:
        return "not_in_a_split"
    if visit["departure_s"] is None or visit["departure_s"] <= 0:
        return "implausible_times"
    if "left without being seen" in final:
        return "left_without_being_seen"
    if "erroneous registration" in final:
        return "erroneous_registration"
    if "against medical advice" in final and config.left_against_advice == "exclude":
        return "left_against_advice"
    return None


def expired(visit):
    return (visit["dc_dispo"] or "").lower().startswith("expired")


def disposition(visit, rows, config):
    return [disposition_at(visit, config, cutoff) for cutoff in (HOUR, 2 * HOUR, 4 * HOUR)]


def disposition_at(visit, config, cutoff):
    choice = config.disposition
    reason = left_out_of_all(visit, config)
    if reason:
        return reason
    if visit["ed_dispo"] == "Observation" and choice.observation == "excluded":
        return "observation_excluded"
    if visit["ed_dispo"] == "Discharge" and expired(visit) and choice.died_in_ed == "exclude":
        return "died_in_ed"
    stamps = [stamp for stamp in (visit["dispo_s"], visit["admit_s"]) if stamp is not None]
    if any(stamp < 0 for stamp in stamps):
        return "implausible_times"
    ends = [visit["departure_s"]] + (stamps if choice.at_risk == "undecided" else [])
    if any(end <= cutoff for end in ends):
        return "not_at_risk"
    if visit["ed_dispo"] is None:
        return "disposition_missing"
    admitted = visit["ed_dispo"] in ("Inpatient", "ICU")
    admitted |= visit["ed_dispo"] == "Observation" and choice.observation == "admission"
    return {"cutoff_s": cutoff, "label": int(admitted)}


def revisit(visit, rows, config):
    reason, hours = left_out_of_all(visit, config), visit["hours_to_next_visit"]
    if not reason and visit["ed_dispo"] is None:
        reason = "disposition_missing"
    if not reason and visit["ed_dispo"] != "Discharge":
        reason = "not_discharged"
    if not reason and expired(visit):
        reason = "died_in_ed"
    if not reason and hours is not None and hours <= 0:
        reason = "overlapping_next_visit"
    if reason:
        return [reason] * 3
    cutoff, decided = visit["departure_s"], visit["dispo_s"]
    if config.revisit.cutoff == "decision" and decided is not None and 0 <= decided <= cutoff:
        cutoff = decided
    return [{"cutoff_s": cutoff, "label": int(hours is not None and hours <= 24 * days)} for days in (3, 7, 14)]


def readings(rows):
    """Valid (source, time, vital, value), mean pressures derived where the record has none at that second."""
    found = [(r["source"], r["time_s"], r["measure"], r["value"]) for r in rows if r["measure"] in RANGE]
    found = [reading for reading in found if possible(reading[2], reading[3])]
    measured = {(source, time) for source, time, vital, _ in found if vital == "MAP"}
    for upper in rows:
        for lower in rows:
            moment = (upper["source"], upper["time_s"])
            if (upper["measure"], lower["measure"]) != ("SBP", "DBP"):
                continue
            if moment != (lower["source"], lower["time_s"]) or moment in measured:
                continue
            mean = (upper["value"] + 2 * lower["value"]) / 3
            if upper["value"] > 0 and lower["value"] > 0 and possible("MAP", mean):
                found.append((*moment, "MAP", mean))
    return found


def triage(visit, choice):
    values = {"HR": visit["triage_hr"], "SpO2": visit["triage_spo2"], "MAP": None}
    upper, lower = visit["triage_sbp"], visit["triage_dbp"]
    if upper is not None and lower is not None:
        values["MAP"] = (upper + 2 * lower) / 3 if upper > 0 and lower > 0 else 0
    if choice.triage_missing == "exclude" and None in values.values():
        return "triage_missing"
    there = {vital: value for vital, value in values.items() if value is not None}
    if not all(possible(vital, value) for vital, value in there.items()):
        return "triage_impossible"
    if not all(NORMAL[vital](value) for vital, value in there.items()):
        return "triage_abnormal"
    return None


def decompensation(visit, rows, config):
    choice = config.decompensation
    reason = left_out_of_all(visit, config)
    if reason:
        return [reason] * 3
    if visit["roomed_s"] is None:
        return ["not_roomed"] * 3
    roomed, departure = max(visit["roomed_s"], 0), visit["departure_s"]
    usable = [r for r in readings(rows) if (r[1] > roomed if r[0] == "Monitor" else r[1] >= 0)]
    rates = [time for source, time, vital, _ in usable if (source, vital) == ("Monitor", "HR")]
    if not rates:
        return ["no_monitor_heart_rate"] * 3
    cutoff = min(rates) + 15 * 60
    if cutoff > departure:
        return ["cutoff_after_departure"] * 3
    reason = triage(visit, choice)
    if reason:
        return [reason] * 3
    if not any((r[0], r[2]) == ("Monitor", "SpO2") and r[1] <= cutoff for r in usable):
        return ["no_monitor_saturation"] * 3
    if any(time <= cutoff and not NORMAL[vital](value) for _, time, vital, value in usable):
        return ["unstable_by_cutoff"] * 3
    return [decompensation_within(usable, cutoff, departure, 60 * m, choice) for m in (60, 90, 120)]


def decompensation_within(usable, cutoff, departure, horizon, choice):
    end = min(cutoff + horizon, departure)
    seen = [r for r in usable if cutoff < r[1] <= end]
    minutes = {
        vital: len({(time - cutoff - 1) // 60 for source, time, v, _ in seen if (source, v) == ("Monitor", vital)})
        for vital in NORMAL
    }
    asked = ["HR", "SpO2"] + (["MAP"] if choice.coverage == "hr_spo2_map" else [])
    left_early = departure < cutoff + horizon
    if any(minutes[vital] == 0 for vital in asked) or (choice.coverage == "full_horizon" and left_early):
        return "not_observed_in_horizon"
    once, lasting = {}, {}
    for vital, normal in NORMAL.items():
        counted = [r for r in seen if r[2] == vital and (r[0] == "Monitor" or choice.label_source != "monitor")]
        times = sorted({time for _, time, _, value in counted if not normal(value)})
        once[vital] = bool(times)
        pairs = [(a, b) for a in times for b in times if 0 < b - a <= 120]
        lasting[vital] = bool(times) if vital == "MAP" else bool(pairs)
    positive = once if choice.persistence == "one" else lasting
    return {
        "cutoff_s": cutoff,
        "label": int(any(positive.values())),
        "left_early": left_early,
        "isolated": any(once.values()) and not any(lasting.values()),
        **{f"minutes_{vital.lower()}": minutes[vital] for vital in NORMAL},
        **{
            f"label_{vital.lower()}": int(positive[vital]) if positive[vital] or minutes[vital] else None
            for vital in NORMAL
        },
    }


ORACLES = {"disposition": disposition, "decompensation": decompensation, "revisit": revisit}
