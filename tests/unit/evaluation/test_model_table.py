"""Table 1: the same numbers as the ablation table, no policy but the reference, and marks only where they hold."""

import numpy as np
import polars as pl
import pytest
from scored_cases import benchmark, of_split, predictions, study

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.ablation_scores import Measured, read_measured, score_models
from tirec.evaluation.comparisons import ComparisonError, ablation_table
from tirec.evaluation.model_metrics import metrics_table
from tirec.evaluation.model_table import headers, marks, model_table
from tirec.provenance import write_parquet, write_tsv

RULES = EvaluationConfig(draws=60, comparisons=("base",), model_comparisons=("base", "trees"))
INSTANCES = study()
BENCHMARK = benchmark(INSTANCES)
NO_STEPS = pl.DataFrame(schema={"policy": pl.String, "seed": pl.Int64, "task": pl.String, "step": pl.Int64})


def measured(skill: float, seed: int) -> Measured:
    validation, test = (predictions(of_split(INSTANCES, name), skill, seed=seed) for name in ("validation", "test"))
    few = RULES.model_copy(update={"draws": 2})
    return Measured(test, metrics_table(BENCHMARK, validation, test, None, few), None)


MODELS = {
    "full.seed0": measured(1.6, 0),
    "full.seed1": measured(1.5, 1),
    "base.seed0": measured(0.2, 2),
    "trees": measured(4.0, 3),
    "acuity": measured(0.9, 4),
}
SCORES = score_models(MODELS, BENCHMARK, RULES)
TABLE = model_table(SCORES, RULES)


def cell(model: str, column: str, task: str = "macro") -> float | str | None:
    return TABLE.filter((pl.col("model") == model) & (pl.col("task") == task))[column].item()


def test_a_row_per_model_and_task_with_macro_last() -> None:
    assert TABLE.columns == headers()
    assert headers()[:10] == [
        "model",
        "task",
        *(f"f1{end}" for end in ("", "_low", "_high", "_diff", "_diff_low", "_diff_high", "_p", "_mark")),
    ]
    assert "flagged_mark" not in headers() and "match_f1" not in headers()
    assert TABLE["model"].unique(maintain_order=True).to_list() == ["full", "base", "trees", "acuity"]
    assert TABLE["task"].to_list()[:4] == ["disposition", "decompensation", "revisit", "macro"]


def test_values_and_differences_are_those_of_the_ablation_table() -> None:
    same = ["f1", "auprc_low", "auroc_diff", "auroc_diff_low", "flagged", "calls", "unanswered", "seeds", "n", "n_pos"]
    ablations = ablation_table(SCORES, NO_STEPS, RULES)
    assert TABLE.select(same).equals(ablations.select(same))


def test_p_is_adjusted_over_the_models_named_for_this_table() -> None:
    smallest = 2 / (RULES.draws + 1)
    assert cell("base", "auroc_p") == pytest.approx(2 * smallest, abs=1e-6)  # Holm over two comparisons
    assert cell("trees", "auroc_p") == pytest.approx(2 * smallest, abs=1e-6)
    assert cell("acuity", "auroc_p") is None and cell("full", "auroc_p") is None


def test_the_best_is_marked_where_it_holds() -> None:
    assert cell("trees", "auroc_mark") == "best"
    assert cell("full", "auroc_mark") == "second"
    assert cell("base", "auroc_mark") is None and cell("acuity", "auroc_mark") is None


BETTER = np.array([0.9, 0.88, 0.92, 0.9])
NOISE = np.array([0, 0.2, -0.2, 0.1])


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        ({"a": BETTER, "b": BETTER - 0.1, "c": BETTER - 0.2}, {"a": "best", "b": "second"}),
        # paired: the same noise on both sides leaves the difference certain
        ({"a": BETTER + NOISE, "b": BETTER + NOISE - 0.01}, {"a": "best"}),
        # the first two cannot be told apart: none is best, so none is second
        ({"a": BETTER, "b": BETTER - 0.01 + NOISE, "c": BETTER - 0.5}, {}),
        # the second and third cannot be told apart
        ({"a": BETTER, "b": BETTER - 0.5, "c": BETTER - 0.51 + NOISE}, {"a": "best"}),
        ({"a": BETTER, "b": np.full(4, np.nan)}, {}),
        ({"a": BETTER, "b": BETTER}, {}),
    ],
)
def test_marks(draws: dict[str, np.ndarray], expected: dict[str, str]) -> None:
    assert marks(draws, 0.95) == expected
    assert marks(dict(reversed(draws.items())), 0.95) == expected


def test_a_model_without_files_is_named(tmp_path) -> None:
    test, metrics = tmp_path / "trees/test.parquet", tmp_path / "trees.tsv"
    write_parquet(MODELS["trees"].predictions, test)
    write_tsv(MODELS["trees"].metrics, metrics)
    read = read_measured(["trees"], [test], [metrics], match={})
    assert read["trees"].predictions.equals(MODELS["trees"].predictions)
    with pytest.raises(ComparisonError, match="forest: predictions or metrics of this model were not given"):
        read_measured(["trees", "forest"], [test], [metrics], match={})
