"""The scripts from predictions to the demo's verdict, run as the rules run them, on a made-up study."""

import json
import runpy
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from agent_cases import asks, played, toy_case
from scored_cases import of_split, predictions, study

from tirec.agent import trajectories
from tirec.agent.parse import answer_text
from tirec.config.cohort import INSTANCE_SETS, TASKS
from tirec.evidence.menu import REWARDABLE
from tirec.policy.policy_file import PolicyFile
from tirec.provenance import write_parquet, write_text, write_tsv

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
SETTINGS = json.dumps({"draws": 50})
SKILL = {"full.seed0": 2.0, "base.seed0": 0.2}
REFERENCE = ("labs", "orders")


def run(name: str, *arguments: object) -> int:
    """Runs a script in this process; its exit code."""
    given, sys.argv = sys.argv, [str(SCRIPTS / f"{name}.py"), *map(str, arguments)]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        sys.argv = given
    return 0


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that lies before the predictions of a study, and those of two policies; then evaluated."""
    folder, instances = tmp_path_factory.mktemp("demo") / "results", study()
    for task, setting in INSTANCE_SETS:
        rows = instances.filter((pl.col("task") == task) & (pl.col("setting") == setting))
        write_parquet(rows, folder / "instances" / task / f"{setting}.parquet")
    for task in TASKS:
        rows = instances.filter(pl.col("task") == task)
        role = pl.when(pl.col("half") == "B").then(pl.lit("threshold")).otherwise(pl.col("split"))
        role = pl.when(pl.col("half") == "A").then(pl.lit("select")).otherwise(role)
        sampled = rows.select("instance_id", "setting", "split", role.alias("role"))
        write_parquet(sampled, folder / "sampled" / f"{task}.parquet")
        risk = rows.select("instance_id", (pl.col("label") * 0.5 + 0.2).alias("p"))
        write_parquet(risk, folder / "teachers" / task / "risk.parquet")
    inside = [int(name in REFERENCE) for name in REWARDABLE]
    sets = [pl.DataFrame({"task": task, "function": REWARDABLE, "in_reference": inside}) for task in TASKS]
    write_tsv(pl.concat(sets), folder / "reference_sets.tsv")
    for model, skill in SKILL.items():
        _policy(folder, model, skill, instances)
    evaluate(folder)
    return folder


def demo_with_truth(folder: Path, results: Path, planted: dict[str, tuple[str, ...]]) -> Path:
    """A demo's folder with these results and this truth beside them."""
    (folder / "results").symlink_to(results)
    write_text(json.dumps({"planted": planted}), folder / "cohort" / "truth.json")
    return folder


def _policy(folder: Path, model: str, skill: float, instances: pl.DataFrame) -> None:
    for split in ("validation", "test"):
        cases = of_split(instances, split)
        write_parquet(predictions(cases, skill, unanswered=0.1), folder / "predictions" / model / f"{split}.parquet")
    episode = played(*asks("labs"), answer_text("0.5"), case=toy_case())
    saved = [
        trajectories.Trajectory(model, "test", one, task, setting, (), episode)
        for one, task, setting in of_split(instances, "test").select("instance_id", "task", "setting").iter_rows()
    ]
    trajectories.write(saved, folder / "trajectories" / model / "test.jsonl.zst")
    policy, seed = model.split(".")
    blank = {"tokenizer": "model", "template_hash": "", "base_id": "", "data_class": "synthetic", "fingerprint": ""}
    for task in TASKS:
        file = PolicyFile(kind="hf", weights="model", calls=8, selected_step=40, **blank)
        file.write(folder / "policies" / policy / seed / task / "policy.json")


def evaluate(results: Path) -> None:
    """predict_teacher, compute_metrics for every model, compare_ablations, plot_ablations."""
    instances, sampled = sorted(results.glob("instances/*/*.parquet")), sorted(results.glob("sampled/*.parquet"))
    risk = sorted(results.glob("teachers/*/risk.parquet"))
    assert not run(
        "predict_teacher", "--risk", *risk, "--sampled", *sampled, "--output-dir", results / "predictions/teacher"
    )
    common = ("--instances", *instances, "--sampled", *sampled, "--settings", SETTINGS)
    references = ("--reference-sets", results / "reference_sets.tsv")
    models = [*SKILL, "teacher"]
    for model in models:
        saved = results / "trajectories" / model / "test.jsonl.zst"
        predicted = results / "predictions" / model
        given = ("--validation", predicted / "validation.parquet", "--test", predicted / "test.parquet")
        called = ("--trajectories", saved, *references) if model in SKILL else ()
        assert not run("compute_metrics", *given, *called, *common, "--output", results / "metrics" / f"{model}.tsv")
    tables = [
        ("--predictions", [results / "predictions" / model / "test.parquet" for model in models]),
        ("--metrics", [results / "metrics" / f"{model}.tsv" for model in models]),
        ("--trajectories", sorted(results.glob("trajectories/*/test.jsonl.zst"))),
        ("--policies", sorted(results.glob("policies/*/*/*/policy.json"))),
    ]
    listed = [part for name, paths in tables for part in (name, *paths)]
    output = results / "ablations.tsv"
    assert not run("compare_ablations", "--models", *models, *listed, *references, *common, "--output", output)
    assert not run("plot_ablations", "--ablations", output, "--output", results / "figures" / "ablations.pdf")


def test_the_ablation_table(results: Path) -> None:
    table = pl.read_csv(results / "ablations.tsv", separator="\t").filter(pl.col("task") == "macro")
    assert table["policy"].to_list() == ["full", "base", "teacher"]
    assert table["auroc"].to_list() == [pytest.approx(value, abs=0.12) for value in (0.9, 0.55, 1.0)]
    assert table["match_f1"].to_list() == [pytest.approx(2 / 3, abs=1e-6)] * 2 + [None]
    assert table["selected_steps"][0] == "decompensation:40 disposition:40 revisit:40"
    assert table["unanswered"][2] == 0


def test_thresholds_lie_in_the_metrics_table(results: Path) -> None:
    metrics = pl.read_csv(results / "metrics" / "full.seed0.tsv", separator="\t")
    thresholds = metrics.filter(pl.col("threshold").is_not_null())
    assert thresholds["threshold_source"].unique().to_list() == ["validation B"]


def test_figure_and_sidecar_lie_beside(results: Path) -> None:
    assert (results / "figures" / "ablations.png").stat().st_size > 5000
    assert (results / ".ablations.tsv.provenance.json").is_file()


def test_the_verdict_of_a_good_demo(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo = demo_with_truth(tmp_path, results, dict.fromkeys(TASKS, REFERENCE))
    assert run("print_summary", "--demo", demo) == 0
    printed = capsys.readouterr().out
    assert "above zero" in printed and "FAIL" not in printed


def test_the_verdict_fails_when_causes_are_not_found(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = demo_with_truth(tmp_path, results, {"revisit": ("history",)})
    assert run("print_summary", "--demo", demo) == 1
    assert "planted but missing: history" in capsys.readouterr().out


def test_predictions_of_other_cases_stop_with_one_line(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = results / "predictions" / "full.seed0"
    write_parquet(pl.read_parquet(given / "test.parquet").head(-2), tmp_path / "test.parquet")
    instances, sampled = sorted(results.glob("instances/*/*.parquet")), sorted(results.glob("sampled/*.parquet"))
    predicted = ("--validation", given / "validation.parquet", "--test", tmp_path / "test.parquet")
    output = tmp_path / "full.seed0.tsv"
    assert run("compute_metrics", *predicted, "--instances", *instances, "--sampled", *sampled, "--output", output) == 2
    assert capsys.readouterr().err == "error: predictions lack 2 cases of the written list and hold 0 others\n"
    assert not output.exists()


def test_trajectories_without_reference_sets_are_one_clear_line(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = results / "predictions" / "full.seed0"
    files = ("--validation", given / "validation.parquet", "--test", given / "test.parquet")
    lists = ("--instances", *sorted(results.glob("instances/*/*")), "--sampled", *sorted(results.glob("sampled/*")))
    saved = ("--trajectories", results / "trajectories" / "full.seed0" / "test.jsonl.zst")
    assert run("compute_metrics", *files, *lists, *saved, "--output", tmp_path / "metrics.tsv") == 2
    said = "error: --trajectories needs --reference-sets too: the functions called are compared with them\n"
    assert capsys.readouterr().err == said


def cut(path: Path) -> None:
    """Leaves the first half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def drop(path: Path, column: str) -> None:
    """Writes a table without a column."""
    write_parquet(pl.read_parquet(path).drop(column), path)


@pytest.mark.parametrize(
    ("file", "damage", "said"),
    [
        ("predictions/full.seed0/test.parquet", lambda path: path.unlink(), "does not exist; run the stage"),
        ("predictions/full.seed0/test.parquet", cut, "is not a whole Parquet file"),
        ("predictions/full.seed0/validation.parquet", lambda path: drop(path, "p"), "column p is missing"),
        ("sampled/revisit.parquet", cut, "is not a whole Parquet file"),
        ("sampled/revisit.parquet", lambda path: drop(path, "role"), "column role is missing"),
        ("instances/revisit/7d.parquet", cut, "is not a whole Parquet file"),
        ("instances/revisit/7d.parquet", lambda path: drop(path, "label"), "column label is missing"),
        ("reference_sets.tsv", lambda path: write_text("task\n", path), "column function is missing"),
        ("reference_sets.tsv", lambda path: path.write_bytes(b""), "is not a whole tab-separated table"),
    ],
)
def test_a_damaged_intermediate_is_one_line_that_names_it(
    results: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    damage: Callable[[Path], object],
    said: str,
) -> None:
    copy = shutil.copytree(results, tmp_path / "results", symlinks=True)
    damage(copy / file)
    predicted = copy / "predictions" / "full.seed0"
    code = run(
        "compute_metrics",
        *("--validation", predicted / "validation.parquet", "--test", predicted / "test.parquet"),
        *("--trajectories", copy / "trajectories/full.seed0/test.jsonl.zst"),
        *("--reference-sets", copy / "reference_sets.tsv"),
        *("--instances", *sorted(copy.glob("instances/*/*.parquet"))),
        *("--sampled", *sorted(copy.glob("sampled/*.parquet"))),
        *("--output", tmp_path / "full.seed0.tsv"),
    )
    errors = capsys.readouterr().err
    assert (code, errors.count("\n")) == (2, 1), errors
    assert str(copy / file) in errors and said in errors
    assert not (tmp_path / "full.seed0.tsv").exists()


def test_table_one_by_the_script(results: Path, tmp_path: Path) -> None:
    models, output = [*SKILL, "teacher"], tmp_path / "main.tsv"
    given = {
        "--models": models,
        "--predictions": [results / "predictions" / model / "test.parquet" for model in models],
        "--metrics": [results / "metrics" / f"{model}.tsv" for model in models],
        "--instances": sorted(results.glob("instances/*/*.parquet")),
        "--sampled": sorted(results.glob("sampled/*.parquet")),
    }
    flags = [part for name, values in given.items() for part in (name, *values)]
    assert not run("compare_models", *flags, "--settings", SETTINGS, "--output", output)
    main, ablations = (pl.read_csv(path, separator="\t") for path in (output, results / "ablations.tsv"))
    assert main["model"].to_list() == ablations["policy"].to_list()
    assert main.select("auroc", "f1_diff", "n").equals(ablations.select("auroc", "f1_diff", "n"))
    assert main.filter(pl.col("task") == "macro")["auroc_mark"].to_list() == ["second", None, "best"]
    assert (tmp_path / ".main.tsv.provenance.json").is_file()
