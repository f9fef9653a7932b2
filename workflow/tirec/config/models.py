"""Models that stand beside the policies in Table 1, one entry each: what kind it is, and how it is made or asked."""

from typing import Annotated, Literal

from pydantic import Field

from tirec.config.base import Model
from tirec.config.chat import ChatConfig

Estimator = Literal["logistic", "random_forest", "lightgbm", "xgboost", "mlp", "acuity", "news2", "prevalence"]


class TabularConfig(Model):
    """A classical model on the trees' columns; one per task, all settings together."""

    kind: Literal["tabular"] = "tabular"
    """A model that reads features."""
    estimator: Estimator
    """What is fitted: logistic regression, random forest, LightGBM, XGBoost, a multi-layer perceptron; or a score that
    learns nothing: triage `acuity`, or `news2` (National Early Warning Score 2 without consciousness); or a floor,
    the training `prevalence` of each setting."""
    columns: Literal["all", "arrival"] = "all"
    """`arrival`: only what the initial view says, which an agent has before it asks for anything."""
    rows: Literal["all", "sampled"] = "all"
    """`all`: every eligible training row, tuned on all of validation half A, calibrated on all of half B; `sampled`:
    only what an agent meets (its training instances, and the written lists of A and B)."""
    search: int = Field(8, ge=1)
    """Settings tried; the first is the estimator's default, the others are drawn by the seed. Scores have none."""
    objective: Literal["average_precision", "log_loss"] = "average_precision"
    """What the best setting is best in, on validation half A: mean over the task's settings."""
    calibration: Literal["sigmoid", "isotonic", "none"] = "sigmoid"
    """How p is made to agree with validation half B: `sigmoid` (Platt, keeps the ranking), `isotonic` (may tie cases),
    or not at all."""
    seed: int = Field(0, ge=0)
    """Seed of the search and of the estimator."""
    threads: int = Field(4, ge=1)
    """Settings fitted side by side, as far as cores allow; the result does not depend on it."""


ModelConfig = Annotated[TabularConfig | ChatConfig, Field(discriminator="kind")]
"""One entry of `models:`."""
