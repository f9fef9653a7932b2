"""Where the hospital records are and what may be done with them."""

from typing import Literal

from pydantic import ConfigDict, Field

from tirec.config.base import Model

DataClass = Literal["synthetic", "open", "credentialed"]


class DataConfig(Model):
    """The records folder."""

    model_config = ConfigDict(populate_by_name=True)

    root: str | None = None
    """Folder of the records; the environment variable MCMED_ROOT is used where this is empty."""
    format: Literal["mcmed", "mimic_ed"] = "mcmed"
    """Format of the folder: MC-MED's own, or MIMIC-IV-ED, whose tables are mapped onto MC-MED's (docs/data.md)."""
    labs: str | None = None
    """`mimic_ed` only: hospital laboratory results. MIMIC-IV's folder `hosp` (labevents, d_labitems; taken from inside
    or beside the records folder where this is empty), or one file of results that name their stay."""
    lab_delay_minutes: int = Field(default=60, ge=0)
    """`mimic_ed` only: a result without a store time counts as known this long after its specimen was taken."""
    data_class: Literal["credentialed", "open"] = Field(default="credentialed", alias="class")
    """Class of the records; a folder that the generator wrote marks itself synthetic, `open` only by this key."""
    max_bad_share: float = Field(default=0.001, ge=0, le=1)
    """Share of rows of one table that may be set aside (and counted) before the run stops."""
