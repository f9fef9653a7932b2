"""The ablation table: paired differences, training seeds, and which p values exist."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scored_cases import benchmark, of_split, predictions, study

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.ablation_scores import Measured, score_models
from tirec.evaluation.comparisons import ComparisonError, ablation_table, by_policy, headers, split_model
from tirec.evaluation.model_metrics import metrics_table
from tirec.evaluation.scores import Scores
from tirec.provenance import write_tsv

RULES = EvaluationConfig(draws=60, comparisons=("base", "no_match"))
INSTANCES = study()
BENCHMARK = benchmark(INSTANCES)
STEPS = pl.DataFrame(
    {"policy": ["full"] * 4, "seed": [0, 0, 1, 1], "task": ["disposition", "revisit"] * 2, "step": [10, 20, 30, 40]}
)


def measured(skill: float, seed: int) -> Measured:
    validation = predictions(of_split(INSTANCES, "validation"), skill, seed=seed)
    test = predictions(of_split(INSTANCES, "test"), skill, seed=seed)
    match = test.select("instance_id", pl.lit(0.5).alias("match"))
    return Measured(test, metrics_table(BENCHMARK, validation, test, None, replace_draws(2)), match)


def replace_draws(draws: int) -> EvaluationConfig:
    return RULES.model_copy(update={"draws": draws})


MODELS = {
    "full.seed0": measured(2.0, 0),
    "full.seed1": measured(1.8, 1),
    "no_match.seed0": measured(1.0, 2),
    "no_match.seed1": measured(0.9, 3),
    "base.seed0": measured(0.2, 4),
    "teacher": measured(3.0, 5),
}
SCORES = score_models(MODELS, BENCHMARK, RULES)
TABLE = ablation_table(SCORES, STEPS, RULES)


def cell(policy: str, column: str, task: str = "macro", table: pl.DataFrame = TABLE) -> float | None:
    return table.filter((pl.col("policy") == policy) & (pl.col("task") == task))[column].item()


def one_seed() -> dict[str, Scores]:
    return {model: scores for model, scores in SCORES.items() if not model.endswith("seed1")}


def test_headers_are_the_contract() -> None:
    assert TABLE.columns == headers()
    assert headers()[:9] == [
        "policy",
        "task",
        "f1",
        "f1_low",
        "f1_high",
        "f1_diff",
        "f1_diff_low",
        "f1_diff_high",
        "f1_p",
    ]
    assert headers()[-8:] == ["f1_at_half", "calls", "match_f1", "unanswered", "selected_steps", "seeds", "n", "n_pos"]


def test_rows_are_policies_in_the_given_order_with_macro_last() -> None:
    assert TABLE["policy"].unique(maintain_order=True).to_list() == ["full", "no_match", "base", "teacher"]
    assert TABLE["task"].to_list()[:4] == ["disposition", "decompensation", "revisit", "macro"]
    assert TABLE.height == 16


def test_a_policy_is_the_mean_over_its_seeds() -> None:
    each = [SCORES[f"full.seed{seed}"].values["macro", "mean"]["auroc"][0] for seed in (0, 1)]
    assert cell("full", "auroc") == pytest.approx(np.mean(each), abs=1e-6)
    assert [cell(policy, "seeds") for policy in ("full", "no_match", "base", "teacher")] == [2, 2, None, None]


def test_differences_are_to_the_reference_and_paired() -> None:
    assert cell("no_match", "auroc_diff") == pytest.approx(cell("no_match", "auroc") - cell("full", "auroc"), abs=2e-6)
    assert cell("full", "auroc_diff") is None
    twin = ablation_table({**one_seed(), "twin.seed0": SCORES["full.seed0"]}, STEPS, RULES)
    assert [cell("twin", f"f1_diff{end}", table=twin) for end in ("", "_low", "_high")] == [0, 0, 0]


def test_draws_over_patients_and_seeds_equal_the_slow_way() -> None:
    """Each draw: one set of patients and one set of seeds for both policies, the difference of their means."""
    generator = np.random.default_rng([RULES.seed, 1])
    seeds = generator.integers(0, 2, (RULES.draws, 2))
    auroc = {model: scores.values["macro", "mean"]["auroc"] for model, scores in SCORES.items()}
    slow = [
        np.mean([auroc[f"no_match.seed{seed}"][draw + 1] - auroc[f"full.seed{seed}"][draw + 1] for seed in chosen])
        for draw, chosen in enumerate(seeds)
    ]
    low, high = np.quantile(slow, [0.025, 0.975])
    assert cell("no_match", "auroc_diff_low") == pytest.approx(low, abs=1e-6)
    assert cell("no_match", "auroc_diff_high") == pytest.approx(high, abs=1e-6)


def test_only_named_comparisons_have_a_p_and_only_with_several_seeds() -> None:
    assert cell("teacher", "auroc_p") is None and cell("full", "auroc_p") is None
    smallest = 2 / (RULES.draws + 1)
    assert cell("base", "auroc_p") == pytest.approx(2 * smallest, abs=1e-6)  # Holm over two comparisons
    alone = ablation_table(one_seed(), STEPS, RULES)
    assert alone.select(pl.selectors.ends_with("_p")).null_count().sum_horizontal().item() == 6 * alone.height


def test_selected_steps_of_all_seeds() -> None:
    assert cell("full", "selected_steps", "revisit") == "20,40"
    assert cell("full", "selected_steps") == "disposition:10,30 revisit:20,40"
    assert cell("base", "selected_steps") is None


def test_without_the_reference_or_with_other_seeds_there_is_no_table() -> None:
    with pytest.raises(ComparisonError, match="'full'"):
        ablation_table({"base.seed0": SCORES["base.seed0"]}, STEPS, RULES)
    with pytest.raises(ComparisonError, match="seeds"):
        ablation_table({**one_seed(), "full.seed1": SCORES["full.seed1"]}, STEPS, RULES)


def test_table_and_metrics_agree_on_the_last_case_at_the_threshold(tmp_path) -> None:
    """A threshold may be a training prevalence (unanswered cases): the written table keeps its last bit."""
    cases = of_split(INSTANCES, "test"), of_split(INSTANCES, "validation")
    test, validation = (predictions(split, skill=0.1, unanswered=0.9, digits=1) for split in cases)
    table = metrics_table(BENCHMARK, validation, test, None, RULES)
    write_tsv(table, tmp_path / "full.seed0.tsv")
    read = pl.read_csv(tmp_path / "full.seed0.tsv", separator="\t")
    shown = read.filter((pl.col("setting") == "mean") & (pl.col("unanswered_as") == "prevalence"))
    ablations = ablation_table(score_models({"full.seed0": Measured(test, read, None)}, BENCHMARK, RULES), STEPS, RULES)
    for metric in ("f1", "flagged", "auroc"):
        values = shown.filter(pl.col("metric") == metric).select("value", "ci_low", "ci_high")
        assert values.rows() == ablations.select(metric, f"{metric}_low", f"{metric}_high").rows()


def test_model_names() -> None:
    assert split_model("no_match.seed12") == ("no_match", 12)
    assert split_model("base.seed0") == ("base", None)
    assert split_model("teacher") == ("teacher", None)
    assert by_policy(SCORES)["full"].seeds == (0, 1)


def test_undefined_metrics_leave_empty_cells() -> None:
    blank = replace(
        SCORES["full.seed0"], values={place: dict(metrics) for place, metrics in SCORES["full.seed0"].values.items()}
    )
    for metrics in blank.values.values():
        metrics["auroc"] = np.full_like(metrics["auroc"], np.nan)
    table = ablation_table({**one_seed(), "no_match.seed0": blank}, STEPS, RULES)
    assert cell("no_match", "auroc", table=table) is None and cell("no_match", "auroc_diff", table=table) is None
    assert cell("no_match", "f1", table=table) is not None
