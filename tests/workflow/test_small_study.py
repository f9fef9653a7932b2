"""The whole study for real, in small: what it writes, what runs again after which change, and kills at any moment."""

import hashlib
import os
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml
from playwright.sync_api import sync_playwright
from vllm_stand_in import stand_in
from workflow_runs import SMALL, copy_of_checkout, planned, small_study, start_and_kill

pytestmark = pytest.mark.slow

TABLE = "results/ablations.tsv"
MAIN = "results/main.tsv"
REPORT = "results/report.html"
FIGURES = ("results/figures/training.pdf", "results/figures/ablations.pdf")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("study")
    run = small_study(checkout, directory, TABLE, *FIGURES)
    assert run.returncode == 0, run.stdout
    return directory


@pytest.fixture(scope="module")
def reported(checkout: Path, finished: Path) -> Path:
    """The same study with everything that the report needs, bound with the network cut where that is allowed."""
    made = small_study(checkout, finished, "report_inputs")
    assert made.returncode == 0, made.stdout
    bound = small_study(checkout, finished, "--report", REPORT, "--", "report_inputs", offline=True)
    assert bound.returncode == 0, bound.stdout
    return finished


@pytest.fixture
def edited(checkout: Path, tmp_path: Path) -> Path:
    """Another copy to edit; the results stay where they are."""
    return shutil.copytree(checkout, tmp_path / "edited", symlinks=True)


def plan_of(checkout: Path, directory: Path, *arguments: str) -> dict[str, int]:
    plan = small_study(checkout, directory, "-n", TABLE, *FIGURES, *arguments)
    assert plan.returncode == 0, plan.stdout
    return planned(plan.stdout)


def test_the_table_has_a_row_for_every_policy_and_task(finished: Path) -> None:
    table = pl.read_csv(finished / TABLE, separator="\t")
    expected = [
        (policy, task)
        for policy in ("full", "no_skills", "base", "teacher")
        for task in ("disposition", "decompensation", "revisit", "macro")
    ]
    assert table.select("policy", "task").rows() == expected


def test_table_one_and_a_model_added_to_it(checkout: Path, edited: Path, finished: Path) -> None:
    """Every model has a row per task; one more entry in the configuration fits and measures that one alone."""
    run = small_study(checkout, finished, MAIN)
    assert run.returncode == 0, run.stdout
    table = pl.read_csv(finished / MAIN, separator="\t")
    rows = ["full", "base", "teacher", "xgboost", "logistic_sampled", "news2", "prevalence"]
    assert table["model"].unique(maintain_order=True).to_list() == rows
    assert table.height == 4 * len(rows) and table["n"].null_count() == 0
    listed = pl.read_parquet(finished / "results/predictions/full.seed0/test.parquet")["instance_id"]
    assert pl.read_parquet(finished / "results/predictions/news2/test.parquet")["instance_id"].equals(listed)
    known = yaml.safe_load((edited / SMALL).read_text())["models"]
    overlay(edited, models={**known, "trees": {"kind": "tabular", "estimator": "lightgbm"}})
    plan = small_study(edited, finished, "-n", MAIN)
    assert planned(plan.stdout) == {"fit_tabular": 3, "predict_tabular": 1, "compute_metrics": 1, "compare_models": 1}


def test_nothing_half_written_is_left(finished: Path) -> None:
    assert not [path for path in finished.rglob("*.partial")]


def test_no_visit_or_patient_number_reaches_what_the_agent_is_given(finished: Path) -> None:
    splits = pl.read_parquet(finished / "results/splits.parquet")
    given = (finished / "results/episodes/test.arrow").read_bytes()
    for identifier in {*splits["csn"].head(200), *splits["mrn"].head(200)}:
        assert str(identifier).encode() not in given


def test_a_second_call_has_nothing_to_do(checkout: Path, finished: Path) -> None:
    assert plan_of(checkout, finished) == {}


def test_new_stamps_comments_docstrings_and_another_place_run_nothing(edited: Path, finished: Path) -> None:
    for source in edited.rglob("*.py"):
        source.write_text("# a new comment\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    for source in [*edited.rglob("*.yaml"), *edited.rglob("*.smk")]:
        source.write_text(source.read_text(encoding="utf-8") + "\n# a new comment\n", encoding="utf-8")
    window = edited / "workflow/tirec/evidence/window.py"
    window.write_text(window.read_text(encoding="utf-8").replace('"""', '"""Now ', 1), encoding="utf-8")
    assert plan_of(edited, finished) == {}


def test_a_figure_style_never_touches_training(edited: Path, finished: Path) -> None:
    style = edited / "workflow/tirec/report/style.py"
    style.write_text(style.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    assert set(plan_of(edited, finished)) == {"plot_training", "plot_ablations"}


def test_one_figure_is_one_rule(edited: Path, reported: Path) -> None:
    figure = edited / "workflow/tirec/report/figures/calibration.py"
    figure.write_text(figure.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    target = "results/figures/calibration.pdf"
    plan = small_study(edited, reported, "-n", target)
    assert planned(plan.stdout) == {"plot_calibration": 1}, plan.stdout


def test_the_report_opens_without_a_network_and_asks_for_nothing(reported: Path) -> None:
    browser = shutil.which(os.environ.get("TIREC_CHROMIUM", "chromium"))
    if browser is None:
        pytest.skip("no Chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page()
        page.set_default_timeout(180_000)
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto((reported / REPORT).as_uri())
        page.wait_for_selector("text=Model card")
        shown = page.inner_text("body")
        chromium.close()
    assert not faults
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
    assert "Results" in shown and "does not replace a clinician's judgment" in shown


def test_the_report_holds_no_visit_and_no_patient(reported: Path) -> None:
    splits = pl.read_parquet(reported / "results/splits.parquet")
    written = (reported / REPORT).read_bytes() + (reported / "results/card.md").read_bytes()
    for identifier in {*splits["csn"].head(300), *splits["mrn"].head(300)}:
        assert str(identifier).encode() not in written
    assert b"trajectories.html" not in written


def test_every_table_of_the_report_was_made(reported: Path) -> None:
    card = (reported / "results/card.md").read_text(encoding="utf-8")
    made = card.partition("## What this does not show")[2].partition("##")[0]
    assert "main.tsv" not in made and "figures/subgroups.pdf" not in made and "figures/calibration.pdf" not in made
    assert (reported / "results/main.tex").is_file() and (reported / "results/ablations.html").is_file()


STUDIES = [
    *(f"results/figures/{name}.pdf" for name in ("budget", "reading", "usable_value", "counterfactual", "call_map")),
    "results/cases.html",
]


@pytest.fixture(scope="module")
def studied(checkout: Path, finished: Path) -> Path:
    """The same study with the studies of choosing and reading, after everything else."""
    run = small_study(checkout, finished, *STUDIES)
    assert run.returncode == 0, run.stdout
    return finished


def test_studies_hold_every_model_on_the_same_cases(studied: Path) -> None:
    drawn = pl.read_parquet(studied / "results/studies/drawn.parquet")
    given = {path.stem: pl.read_parquet(path) for path in (studied / "results/studies/reading").glob("[!.]*.parquet")}
    assert set(given) == {"full.seed0", "base.seed0", "teacher", "xgboost", "logistic_sampled", "news2"}
    keys = ["instance_id", "k", "draw", "groups"]
    first = given.pop("full.seed0").select(keys).sort("instance_id", "k", "draw")
    assert set(first["instance_id"]) == set(drawn["instance_id"])
    assert all(frame.select(keys).sort("instance_id", "k", "draw").equals(first) for frame in given.values())


def test_tables_of_the_studies_have_intervals(studied: Path) -> None:
    budget = pl.read_csv(studied / "results/studies/budget.tsv", separator="\t")
    assert set(budget["arm"]) == {"own", "random", "full"} and set(budget["policy"]) == {"full", "base"}
    defined = budget.drop_nulls("auroc")
    assert len(defined) and (defined["auroc_low"] <= defined["auroc_high"]).all()
    value = pl.read_csv(studied / "results/studies/usable_value.tsv", separator="\t")
    assert set(value["policy"]) == {"full", "base", "full change"} and value["group"].n_unique() == 10
    counted = pl.read_csv(studied / "results/counterfactual.tsv", separator="\t")
    assert set(counted["policy"]) >= {"teacher"} and set(counted["edit"]) == {"critical", "normal", "exchange"}


def test_an_edited_figure_runs_one_rule(edited: Path, studied: Path) -> None:
    figure = edited / "workflow/tirec/report/figures/usable_value.py"
    figure.write_text(figure.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    plan = small_study(edited, studied, "-n", *STUDIES)
    assert planned(plan.stdout) == {"plot_usable_value": 1}


def test_a_style_edit_draws_the_figure_that_is_asked_for_and_nothing_else(edited: Path, studied: Path) -> None:
    style = edited / "workflow/tirec/report/style.py"
    style.write_text(style.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    plan = small_study(edited, studied, "-n", "results/figures/budget.pdf")
    assert planned(plan.stdout) == {"plot_budget": 1}


def test_other_budgets_replay_the_studies_and_nothing_before_them(edited: Path, studied: Path) -> None:
    overlay(edited, studies={"budgets": [1, 2, 3, 4], "draws": 2, "cases": 8, "edited_cases": 4, "map_patients": 5})
    jobs = set(planned(small_study(edited, studied, "-n", *STUDIES).stdout))
    assert {"play_studies", "study_columns", "assess_budget", "plot_budget"} <= jobs
    assert not jobs & {"draw_groups", "edit_observations", "map_calls", "train_policy", "predict_policy"}


def overlay(edited: Path, **changes: object) -> None:
    small = edited / SMALL
    small.write_text(yaml.safe_dump({**yaml.safe_load(small.read_text()), **changes}), encoding="utf-8")


def test_a_new_ablation_trains_one_policy(edited: Path, finished: Path, tmp_path: Path) -> None:
    """Five lines in a file of its own, its name in the configuration: planned, then trained and compared."""
    ablation = edited / "config/grpo/ablation/alpha_05.yaml"
    ablation.write_text("# @package _global_\nreward:\n  alpha: 0.5\n", encoding="utf-8")
    overlay(edited, ablations=["full", "no_skills", "alpha_05"])
    jobs = plan_of(edited, finished)
    assert jobs.pop("train_policy") == 1
    assert jobs.pop("predict_policy") == 1
    assert jobs.pop("build_schedule") == 1
    assert set(jobs) == {"check_numbers", "compute_metrics", "compare_ablations", "plot_training", "plot_ablations"}
    directory = shutil.copytree(finished, tmp_path / "trained", symlinks=True)
    run = small_study(edited, directory, TABLE)
    assert run.returncode == 0, run.stdout
    settings = yaml.safe_load((directory / "results/policies/alpha_05/seed0/config.yaml").read_text(encoding="utf-8"))
    assert settings["reward"]["alpha"] == 0.5
    before, after = (pl.read_csv(place / TABLE, separator="\t") for place in (finished, directory))
    assert after["policy"].unique(maintain_order=True).to_list() == ["full", "no_skills", "alpha_05", "base", "teacher"]
    values = ["policy", "task", "auroc", "f1", "match_f1", "calls"]
    assert after.filter(pl.col("policy") != "alpha_05").select(values).equals(before.select(values))


def test_a_chat_model_runs_alone_over_a_server_of_its_own(edited: Path, finished: Path, tmp_path: Path) -> None:
    """The rule starts the server; it is a trained policy here, in place of vLLM."""
    entry = {"kind": "chat", "model": "ours", "functions": "template", "decoding": {"max_tokens": 60}}
    entry["serve"] = {"weights": "results/policies/full/seed0/disposition/model", "gpus": 0}
    overlay(edited, models={"ours": entry}, environments={"vllm": stand_in(tmp_path)})
    targets = [f"results/predictions/ours/{split}.parquet" for split in ("validation", "test")]
    assert set(planned(small_study(edited, finished, "-n", *targets).stdout)) == {"serve_and_predict"}
    run = small_study(edited, finished, *targets)
    assert run.returncode == 0, run.stdout
    tables = [finished / f"results/predictions/{name}/test.parquet" for name in ("ours", "full.seed0")]
    asked, own = map(pl.read_parquet, tables)
    assert asked.select("instance_id", "task", "setting").equals(own.select("instance_id", "task", "setting"))
    assert asked.schema == own.schema and asked["tokens"].null_count() == 0
    assert planned(small_study(edited, finished, "-n", *targets).stdout) == {}
    overlay(edited, models={"ours": entry, "other": {**entry, "mode": "native", "functions": "message"}})
    more = small_study(edited, finished, "-n", *targets, "results/predictions/other/test.parquet")
    assert planned(more.stdout) == {"serve_and_predict": 1}
    elsewhere = {"kind": "chat", "model": "theirs", "base_url": "http://127.0.0.1:9/v1", "variant": "few_shot"}
    overlay(edited, models={"ours": entry, "theirs": elsewhere})
    more = small_study(edited, finished, "-n", *targets, "results/metrics/theirs.tsv")
    assert planned(more.stdout) == {"predict_chat": 1, "compute_metrics": 1, "check_numbers": 1}
    overlay(edited, models={"theirs": {**elsewhere, "key_env": "TIREC_TEST_NO_SUCH_KEY"}})
    stopped = small_study(edited, finished, "results/metrics/theirs.tsv")
    assert stopped.returncode and "TIREC_TEST_NO_SUCH_KEY is not set" in stopped.stdout
    assert "rule predict_chat" not in stopped.stdout


def test_another_gamma_reruns_the_reference_sets_and_what_follows(edited: Path, finished: Path) -> None:
    overlay(edited, teacher={"tree": {"max_rounds": 40}, "gamma": 0.2})
    jobs = plan_of(edited, finished)
    assert "select_reference_sets" in jobs
    assert not {"generate_cohort", "ingest_records", "build_features", "train_teacher", "render_observations"} & set(
        jobs
    )


def test_killed_at_any_moment_the_same_command_ends_with_the_same_bytes(
    checkout: Path, finished: Path, tmp_path: Path
) -> None:
    for seconds in (8, 17, 29, 41, 23):
        start_and_kill(checkout, tmp_path, seconds, TABLE)
        unlock = small_study(checkout, tmp_path, "--unlock")
        assert unlock.returncode == 0, unlock.stdout
    run = small_study(checkout, tmp_path, TABLE)
    assert run.returncode == 0, run.stdout
    compared = [TABLE, "results/reference_sets.tsv", "results/policies/full/seed0/history.tsv"]
    compared += [f"results/episodes/{split}.arrow" for split in ("train", "validation", "test")]
    for name in compared:
        assert digest(tmp_path / name) == digest(finished / name), name


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
