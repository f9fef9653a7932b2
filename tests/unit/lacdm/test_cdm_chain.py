"""Every front end of LA-CDM's policies one after another on a few cases, from the base to figures and verdict."""

import subprocess
import sys
from pathlib import Path

import cdm_policy as tiny
import polars as pl
import pytest
from front_ends import run_script

from tirec.agent import trajectories
from tirec.config.evaluation import EvaluationConfig
from tirec.config.lacdm_training import compose_cdm
from tirec.lacdm.predictions import read_predictions

pytestmark = pytest.mark.slow
OVERRIDES = {
    "steps": 3,
    "patients_per_step": 2,
    "group_size": 2,
    "checkpoint_every": 3,
    "loss_tokens": None,
    "phases": {"decision": 1, "hypothesis": 1, "confidence": 1},
    "optimizer": {"learning_rate": 1e-3},
    "local": {"device": "cpu", "dtype": "float32", "micro_batch": 8, "gradient_checkpointing": False},
}
MODELS = ("full.seed0", "zero_shot", "no_cost.seed0", "react", "sft_all.seed0", "tool_matching.seed0")
RULES = tiny.RULES.model_dump_json()


def front_end(name: str, **options):
    listed = []
    for key, value in options.items():
        listed += [f"--{key.replace('_', '-')}", *map(str, value if isinstance(value, list) else [value])]
    code, said = run_script(name, *listed)
    assert code == 0, said


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """results/lacdm of a study of six policies."""
    place = tmp_path_factory.mktemp("demo") / "results" / "lacdm"
    (place / "episodes").mkdir(parents=True)
    episodes = {}
    for split, n in (("train", 40), ("validation", 8), ("test", 16)):
        episodes[split] = place / "episodes" / f"{split}.arrow"
        tiny.write_cases(episodes[split], split, n)
    base = place / "policies" / "base" / "seed0"
    told = {"rules": RULES, "data_class": "synthetic"}
    settings = tiny.BASE.model_dump_json()
    front_end("build_lacdm_base", episodes=episodes["train"], settings=settings, output_dir=base, **told)
    references = place / "reference_sets.tsv"
    tree = '{"tree": {"min_leaf_rows": 2, "max_rounds": 5, "patience": 2}}'
    shared = {"data_class": "synthetic"}
    front_end("select_lacdm_references", train=episodes["train"], settings=tree, output=references, **shared)
    for model in MODELS:
        policy, _, seed = model.partition(".seed")
        composed = compose_cdm(policy, OVERRIDES)
        file = base / "policy.json"
        if seed:
            output = place / "policies" / policy / "seed0"
            read = {name: episodes[name] for name in ("train", "validation")} | {"base": file, "references": references}
            run = {"run_root": place / ".runs", "output_dir": output, "settings": composed.model_dump_json()}
            front_end("train_lacdm", **read, **run, **told)
            file = output / "policy.json"
        asked = {"episodes": [episodes["validation"], episodes["test"]], "settings": composed.model_dump_json()}
        front_end("predict_lacdm", model=model, policy=file, results=place, **asked, **told)
    tables = {
        kind: [place / kind / model / "test.parquet" for model in MODELS] for kind in ("predictions", "hypotheses")
    }
    rules = EvaluationConfig(draws=20).model_dump_json()
    front_end("compare_lacdm", **tables, settings=rules, output=place / "ablations.tsv", data_class="synthetic")
    front_end("describe_lacdm", **tables, output_dir=place, **told)
    named = {"table": place / "ablations.tsv", "reliability": place / "reliability.tsv"}
    histories = [place / "policies" / policy / "seed0" / "history.tsv" for policy in ("full", "no_cost", "sft_all")]
    drawn = {"first_tests": place / "first_tests.tsv", "histories": histories, "models": ["full.seed0", "zero_shot"]}
    front_end("plot_lacdm", **named, **drawn, output_dir=place / "figures", data_class="synthetic")
    return place


def test_every_policy_is_a_row_with_its_intervals(results):
    table = pl.read_csv(results / "ablations.tsv", separator="\t", infer_schema_length=None)
    assert table["policy"].to_list() == [model.partition(".")[0] for model in MODELS]
    assert table["n"].to_list() == [16] * len(MODELS)
    values = table.select(pl.col("mean_accuracy").is_between(pl.col("mean_accuracy_low"), pl.col("mean_accuracy_high")))
    assert values.to_series().all()
    assert table["cases"][0] == "appendicitis:4 cholecystitis:4 diverticulitis:4 pancreatitis:4"


def test_dialogues_are_saved_as_every_study_saves_them(results):
    saved = list(trajectories.read(results / "trajectories" / "full.seed0" / "test.jsonl.zst"))
    predictions = read_predictions(results / "predictions" / "full.seed0" / "test.parquet")
    assert [one.instance_id for one in saved] == predictions["case_id"].to_list()
    ordered = [sum(call.outcome in ("ok", "empty") for call in one.episode.calls) for one in saved]
    assert ordered == predictions["requested"].list.len().to_list()


def test_everything_is_billed_where_everything_is_read(results):
    predictions = read_predictions(results / "predictions" / "sft_all.seed0" / "test.parquet")
    assert predictions["cost"].to_list() == [300.0] * 16  # the examination is all that was done
    react = pl.read_parquet(results / "hypotheses" / "react" / "test.parquet")
    assert react.is_empty()


def test_the_summary_ends_with_a_verdict(results):
    script = Path(__file__).resolve().parents[3] / "scripts" / "print_lacdm_summary.py"
    command = [sys.executable, str(script), "--demo", str(results.parents[1])]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode in (0, 1), said.stderr  # three steps may or may not have helped
    assert "full - zero_shot, mean accuracy" in said.stdout
    assert "full - no_cost, USD per case" in said.stdout


def test_a_dialogue_can_be_read(results):
    code, said = run_script("show_dialogue", "--results", results, "--case", "3")
    assert code == 0, said
    code, said = run_script("show_dialogue", "--results", results, "--case", "999")
    assert code == 2
    assert "no dialogue about case 999" in said


def test_figures_are_there(results):
    found = {path.stem for path in (results / "figures").glob("*.pdf")}
    assert found == {"frontier", "reliability", "first_tests", "training"}
