"""What real extracts hold besides good rows: repeated rows, back-dated times, censored and misplaced results."""

import numpy as np
import polars as pl

from tirec.records.synthetic.draws import HOUR, MINUTE, Floats, seldom

REPEATED_SHARE = 0.0003
BACKDATED_SHARE = 0.001


def repeated(rng: np.random.Generator, rows: pl.DataFrame, first: bool, share: float = REPEATED_SHARE) -> pl.DataFrame:
    """The rows with a few exact repeats among them."""
    twice = seldom(rng, share, rows.height, at_least=2 * int(first))
    order = np.sort(np.concatenate([np.arange(rows.height), twice]))
    return rows[order]


def backdated_orders(rng: np.random.Generator, orders: pl.DataFrame, first: bool) -> pl.DataFrame:
    """A few orders entered before the arrival was registered."""
    wrong = seldom(rng, BACKDATED_SHARE, orders.height, int(first))
    time = orders["time_s"].to_numpy(writable=True)
    time[wrong] = -rng.integers(1, 40, len(wrong)) * MINUTE
    return orders.with_columns(time_s=pl.Series(time))


def odd_results(rng: np.random.Generator, labs: pl.DataFrame, first: bool) -> pl.DataFrame:
    """Censored potassium, results before their order, padded names, words beside numbers."""
    least = int(first)
    value, result, name = (
        labs[column].to_list() for column in ("Component_value", "Component_result", "Component_name")
    )
    flag, at = labs["Component_abnormal"].to_list(), labs["result_s"].to_numpy(writable=True)
    potassium = np.flatnonzero((labs["Component_name"] == "POTASSIUM").to_numpy())
    for row in potassium[seldom(rng, 0.0006, len(potassium), least)]:
        value[row] = result[row] = ">10.0"
        flag[row] = "Critical High"
    for row in seldom(rng, 0.002, labs.height, least):
        result[row] = "See comment"
    for row in seldom(rng, 0.001, labs.height, least):
        name[row] = f"{name[row]} "
    early = seldom(rng, 0.0002, labs.height, least)
    at[early] = labs["time_s"].to_numpy()[early] - rng.integers(1, 10, len(early)) * MINUTE
    texts = {"Component_value": value, "Component_result": result, "Component_name": name, "Component_abnormal": flag}
    return labs.with_columns(*(pl.Series(k, v, dtype=pl.String) for k, v in texts.items()), result_s=pl.Series(at))


def misplaced_vitals(rng: np.random.Generator, rows: pl.DataFrame, departure: np.ndarray, first: bool) -> pl.DataFrame:
    """A few charted values stamped before arrival or after departure."""
    wrong = seldom(rng, 0.0002, rows.height, 2 * int(first))
    time, visit = rows["time_s"].to_numpy(writable=True), rows["visit"].to_numpy()
    before = np.arange(len(wrong)) % 2 == 0
    shift = rng.integers(2 * MINUTE, HOUR, len(wrong))
    time[wrong] = np.where(before, -shift, departure[visit[wrong]] + shift)
    return rows.with_columns(time_s=pl.Series(time))


def mistyped_triage(rng: np.random.Generator, vitals: dict[str, Floats], first: bool) -> dict[str, Floats]:
    """A few triage values that no patient has: temperatures from 23 degrees, saturations from 50 percent."""
    wrong = {name: values.copy() for name, values in vitals.items()}
    for name, low, high in (("Triage_Temp", 23.1, 34.0), ("Triage_SpO2", 50.0, 84.0)):
        rows = seldom(rng, 0.0004, len(wrong[name]), int(first))
        wrong[name][rows] = np.round(rng.uniform(low, high, len(rows)), 1)
    return wrong
