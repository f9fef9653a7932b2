"""The tree teacher: how it is fitted and how its gains become reference sets."""

from typing import Literal

from pydantic import Field

from tirec.config.base import Model


class TreeConfig(Model):
    """Shape and growth of one gradient-boosted tree model."""

    learning_rate: float = Field(0.05, gt=0, le=1)
    """Shrinkage of every tree."""
    leaves: int = Field(31, ge=2)
    """Most leaves of one tree."""
    min_leaf_rows: int = Field(50, ge=1)
    """Fewest training rows in a leaf."""
    feature_share: float = Field(0.5, gt=0, le=1)
    """Share of the features offered to each tree; correlated functions then share the gain."""
    l2: float = Field(1.0, ge=0)
    """L2 penalty on leaf values."""
    bins: int = Field(255, ge=2, le=255)
    """Most histogram bins per feature."""
    max_rounds: int = Field(2000, ge=1)
    """Most trees; the inner search stops earlier."""
    patience: int = Field(50, ge=1)
    """Trees without a better held-out log loss before the inner search stops."""


class TeacherConfig(Model):
    """One LightGBM model per task on all eligible training rows, without class weights."""

    tree: TreeConfig = TreeConfig()
    """Shape and growth of the trees."""
    folds: int = Field(5, ge=2)
    """Patient-grouped folds of the out-of-fold risk on training rows."""
    inner_share: float = Field(0.2, gt=0, lt=1)
    """Share of the patients held out inside each fit to choose the number of trees."""
    seed: int = 0
    """Seed of folds, inner holdouts and feature sampling."""
    threads: int = Field(1, ge=1)
    """Threads of LightGBM; the results do not depend on it."""
    contribution_splits: tuple[Literal["train", "validation", "test"], ...] = ("test",)
    """Splits whose per-patient contributions are written."""
    importance_rows: int = Field(10_000, ge=0)
    """Training rows, drawn by the seed, on which permutation and SHAP importance are measured out of fold."""
    gamma: float = Field(0.05, ge=0, lt=1)
    """A rewardable function belongs to the reference set if its share of the gain is above this."""
    min_members: int = Field(2, ge=0)
    """Fewest members of a reference set, unless the tree made no split on a rewardable function."""
    sensitivity_gammas: tuple[float, ...] = (0.03, 0.05, 0.08, 0.10)
    """Values of gamma whose sets are written beside the reference sets, under each kind of importance."""
