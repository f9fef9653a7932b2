"""labs.csv: which panels are drawn, when they result, and what each component says."""

import numpy as np
import polars as pl

from tirec.records.synthetic.draws import HOUR, MINUTE, Flags, Floats, Ints, chance, lognormal, ragged
from tirec.records.synthetic.panels import PANELS, REPEATED, TEXTS, Component

ABNORMAL_SHARE = (0.02, 0.22, 0.45)
"""Probability that a component is out of range, at derangement level 0, 1, 2."""
CRITICAL_SHARE = (0.0, 0.05, 0.2)
"""Probability that an abnormal number is critically so."""
COMPONENTS: tuple[Component, ...] = tuple(component for panel in PANELS for component in panel.components)
SIZES = np.array([len(panel.components) for panel in PANELS])
FIRST = np.cumsum(SIZES) - SIZES


def draw_panels(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """Laboratory orders: visit, panel, time_s and result_s (null: never resulted), seconds from arrival."""
    shares = np.array([panel.share for panel in PANELS])
    wanted = (rng.random((story.height, len(PANELS))) < shares) & (story["bloods"] & ~story["unseen"]).to_numpy()[
        :, None
    ]
    visit, panel = np.nonzero(wanted)
    time = story["bled_s"].to_numpy()[visit] + rng.integers(0, 3 * MINUTE, len(visit))
    again = _repeats(rng, story, visit, panel, time)
    visit, panel, time = (np.concatenate(pair) for pair in zip((visit, panel, time), again, strict=True))
    kept = time < story["departure_s"].to_numpy()[visit]
    visit, panel, time = visit[kept], panel[kept], time[kept]
    minutes = np.array([panel.minutes for panel in PANELS])[panel]
    result = time + np.rint(minutes * np.exp(0.25 * rng.standard_normal(len(visit))) * MINUTE).astype(np.int64)
    frame = pl.DataFrame({"visit": visit, "panel": panel, "time_s": time, "result_s": result})
    lost = pl.Series(chance(rng, 0.015, frame.height))
    return frame.with_columns(result_s=pl.when(~lost).then("result_s"))


def _repeats(
    rng: np.random.Generator, story: pl.DataFrame, visit: Ints, panel: Ints, time: Ints
) -> tuple[Ints, Ints, Ints]:
    """A second draw of some panels after two hours or more, in one visit of four."""
    repeated = np.isin(panel, [i for i, p in enumerate(PANELS) if p.order_name in REPEATED])
    stays = chance(rng, 0.25, story.height)[visit] & repeated
    later = time[stays] + np.rint(lognormal(rng, 2.4, 0.2, int(stays.sum())) * HOUR).astype(np.int64)
    return visit[stays], panel[stays], later


def lab_rows(rng: np.random.Generator, story: pl.DataFrame, draws: pl.DataFrame) -> pl.DataFrame:
    """One row per component of the panels that resulted; times in seconds from arrival."""
    done = draws.filter(pl.col("result_s").is_not_null())
    drawn, place = ragged(SIZES[done["panel"].to_numpy()])
    component = FIRST[done["panel"].to_numpy()][drawn] + place
    visit = done["visit"].to_numpy()[drawn]
    level = story["derangement"].to_numpy()[visit].clip(min=0)
    abnormal = chance(rng, np.array(ABNORMAL_SHARE)[level], len(visit))
    value, flag = _results(rng, component, level, abnormal)
    frame = pl.DataFrame(
        {
            "visit": visit,
            "draw": drawn,
            "panel": done["panel"].to_numpy()[drawn],
            "component": component,
            "time_s": done["time_s"].to_numpy()[drawn],
            "result_s": done["result_s"].to_numpy()[drawn] + rng.integers(0, 120, len(visit)),
            "value": value,
            "Component_abnormal": flag,
        },
        schema_overrides={"Component_abnormal": pl.String, "component": pl.Int64},
    )
    return _worded(rng, frame)


def _results(rng: np.random.Generator, component: Ints, level: Ints, abnormal: Flags) -> tuple[Floats, np.ndarray]:
    """Number and component flag; words are chosen later from the flag."""
    low, high = (np.array([getattr(c, edge) for c in COMPONENTS])[component] for edge in ("low", "high"))
    n = len(component)
    up = chance(rng, 0.6, n)
    critical = abnormal & chance(rng, np.array(CRITICAL_SHARE)[level], n)
    width = high - low
    within = low + width * (0.5 + np.clip(0.2 * rng.standard_normal(n), -0.45, 0.45))
    beyond = width * np.where(critical, rng.uniform(1.2, 2.5, n), rng.uniform(0.12, 0.7, n))
    outside = np.where(up, high + beyond, np.maximum(low - np.minimum(beyond, 0.45 * low), 0))
    flag = np.select(
        [~abnormal, critical & up, critical, up], ["Normal", "Critical High", "Critical Low", "High"], "Low"
    ).astype(object)
    words = np.array([c.kind != "number" for c in COMPONENTS])[component]
    flag[words & abnormal] = "Abnormal"
    flag[np.array([c.kind == "text" for c in COMPONENTS])[component]] = ""
    return np.where(abnormal, outside, within), flag


def _worded(rng: np.random.Generator, frame: pl.DataFrame) -> pl.DataFrame:
    """Adds names, units, limits and the result as text, as the laboratory system prints them."""
    displays = {"panel": range(len(PANELS)), "Display_name": [panel.display for panel in PANELS]}
    named = frame.join(_component_table(), on="component", how="left", maintain_order="left")
    named = named.join(
        pl.DataFrame(displays, schema_overrides={"panel": pl.Int64}), on="panel", how="left", maintain_order="left"
    )
    degree = pl.Series(np.array(["Trace", "1+", "2+"], dtype=object)[rng.integers(0, 3, named.height)], dtype=pl.String)
    text = _text(degree)
    flag = pl.col("Component_abnormal")
    critical = flag.str.starts_with("Critical").any().over("draw")
    abnormal = (~flag.is_in(["Normal", ""])).any().over("draw")
    order = pl.when(critical).then(pl.lit("Critical")).when(abnormal).then(pl.lit("Abnormal")).otherwise(pl.lit(""))
    return named.with_columns(Component_value=text, Component_result=text, Abnormal=order)


def _component_table() -> pl.DataFrame:
    """What is printed with every result of a component."""
    columns = {
        "component": range(len(COMPONENTS)),
        "Component_name": [c.name for c in COMPONENTS],
        "Component_units": [c.units for c in COMPONENTS],
        "kind": [c.kind for c in COMPONENTS],
        "decimals": [c.decimals for c in COMPONENTS],
        "Component_nml_low": [_printed(c.low, c) for c in COMPONENTS],
        "Component_nml_high": [_printed(c.high, c) for c in COMPONENTS],
        "fixed": [TEXTS.get(c.name) for c in COMPONENTS],
    }
    return pl.DataFrame(columns, schema_overrides={"component": pl.Int64})


def _text(degree: pl.Series) -> pl.Expr:
    """The result in words or digits; `degree` is how much an abnormal urine test shows."""
    odd = pl.col("Component_abnormal") == "Abnormal"
    return (
        pl.when(pl.col("kind") == "text")
        .then("fixed")
        .when(pl.col("kind") == "detected")
        .then(pl.when(odd).then(pl.lit("Detected")).otherwise(pl.lit("Not Detected")))
        .when(pl.col("kind") == "urine")
        .then(pl.when(odd).then(degree).otherwise(pl.lit("Negative")))
        .otherwise(_number())
    )


def _number() -> pl.Expr:
    """The value with its component's decimals and no leading zero, such as `.93`."""
    printed = pl.col("value").round(0).cast(pl.Int64).cast(pl.String)
    for decimals in (1, 2, 3):
        whole = (pl.col("value") * 10**decimals).round(0).cast(pl.Int64)
        digits = (whole % 10**decimals).cast(pl.String).str.zfill(decimals)
        units = whole // 10**decimals
        text = pl.concat_str(pl.when(units == 0).then(pl.lit("")).otherwise(units.cast(pl.String)), pl.lit("."), digits)
        printed = pl.when(pl.col("decimals") == decimals).then(text).otherwise(printed)
    return printed


def _printed(limit: float, component: Component) -> str | None:
    if component.kind != "number":
        return None
    return f"{limit:.{component.decimals}f}".removeprefix("0") if limit < 1 else f"{limit:.{component.decimals}f}"
