"""The vital signs: words, units, normal bands and what counts as a change. Written for this project.

The outer limits of heart rate, mean pressure and saturation are the decompensation limits (above 110, below 65, below
90), so that VERY means beyond them; HIGH or LOW means that they are near. NORMAL is what an early-warning chart (NEWS2)
leaves unscored for heart and respiratory rate, 95 % and more for saturation, 75 mmHg and more for mean pressure.
"""

from dataclasses import dataclass

Trend = str


@dataclass(frozen=True)
class Vital:
    """One measure: column key, words, unit, decimals shown, band limits (inclusive ends of NORMAL), least change.

    `very_low`/`very_high` are the outer ends of LOW and HIGH. `step` is the fitted change over the readings from which
    a trend is rising or falling.
    """

    key: str
    measure: str
    label: str
    unit: str
    decimals: int
    very_low: float
    low: float
    high: float
    very_high: float
    step: float
    triage: str | None = None

    def level(self, value: float) -> str:
        """VERY LOW, LOW, NORMAL, HIGH or VERY HIGH, judged on the value as it is shown."""
        shown = round(value, self.decimals)
        if shown < self.low:
            return "VERY LOW" if shown < self.very_low else "LOW"
        if shown > self.high:
            return "VERY HIGH" if shown > self.very_high else "HIGH"
        return "NORMAL"

    def trend(self, change: float) -> Trend:
        """rising, falling or steady, by the fitted change over all readings."""
        if change >= self.step:
            return "rising"
        return "falling" if change <= -self.step else "steady"


NO_LIMIT = float("inf")
HEART_RATE = Vital("heart_rate", "HR", "heart rate", "/min", 0, 40, 51, 90, 110, 5, "triage_hr")
RESPIRATORY_RATE = Vital("respiratory_rate", "RR", "respiratory rate", "/min", 0, 9, 12, 20, 24, 2, "triage_rr")
OXYGEN_SATURATION = Vital("spo2", "SpO2", "SpO2", "%", 0, 90, 95, 100, NO_LIMIT, 1, "triage_spo2")
SYSTOLIC = Vital("sbp", "SBP", "systolic pressure", "mmHg", 0, 90, 100, 140, 180, 10, "triage_sbp")
DIASTOLIC = Vital("dbp", "DBP", "diastolic pressure", "mmHg", 0, 40, 50, 90, 110, 6, "triage_dbp")
MEAN_PRESSURE = Vital("map", "MAP", "MAP", "mmHg", 0, 65, 75, 105, 130, 6)
TEMPERATURE = Vital("temperature", "Temp", "temperature", "°C", 1, 35.0, 36.0, 37.9, 39.0, 0.3, "triage_temp")
PRESSURES = (SYSTOLIC, DIASTOLIC, MEAN_PRESSURE)
VITALS = (HEART_RATE, RESPIRATORY_RATE, OXYGEN_SATURATION, *PRESSURES, TEMPERATURE)

SEVERITY = ("VERY LOW", "VERY HIGH", "LOW", "HIGH", "NORMAL")
"""Levels from worst to best: a low pressure outranks a high one."""


def worst(levels: list[str]) -> str:
    """The worst of several levels."""
    return min(levels, key=SEVERITY.index)
