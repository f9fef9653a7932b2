"""The model card: filled from artifacts, and what is missing is said."""

from pathlib import Path

import polars as pl
import pytest

from tirec.config.report import CardFacts
from tirec.provenance import write_text, write_tsv
from tirec.report.card import html, markdown, model_card
from tirec.report.card.items import EXPECTED, TRIPOD_AI, TRIPOD_LLM

ROOT = Path(__file__).resolve().parents[3]
FACTS = CardFacts(reference="mine", seeds=(3,), ablations=("mine",), base="Qwen3-4B")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    rows = [
        {"policy": policy, "task": task, "n": 90, "n_pos": 9}
        | {
            name + ending: value
            for name in ("auroc", "auprc", "f1")
            for ending, value in (("", 0.7), ("_low", 0.6), ("_high", 0.8))
        }
        | {"auroc_diff": diff, "auroc_diff_low": diff and diff - 0.05, "auroc_diff_high": diff and diff + 0.05}
        for policy, diff in (("mine", None), ("base", -0.1), ("other", 0.2))
        for task in ("revisit", "macro")
    ]
    write_tsv(pl.DataFrame(rows, infer_schema_length=None), tmp_path / "ablations.tsv")
    prevalence = {
        "task": "revisit",
        "setting": "3d",
        "split": ["train", "test"],
        "n": [900, 90],
        "n_pos": [80, 9],
        "prevalence": 0.1,
    }
    write_tsv(pl.DataFrame(prevalence), tmp_path / "audit" / "prevalence.tsv")
    return tmp_path


def test_results_come_from_the_tables(results: Path) -> None:
    card = markdown(model_card(results, FACTS, "synthetic"))
    assert "| mine | Revisit | .700 [.600, .800] |" in card and "| other |" not in card
    assert "macro AUROC: +0.100 [+0.050, +0.150]; the gain holds." in card
    assert "| Revisit | 3d | 90 | 9 | 10.0% |" in card
    assert "does not replace a clinician's judgment" in card and "Synthetic data" in card
    assert "One training seed" in card


def test_a_gain_that_does_not_hold_is_said(results: Path) -> None:
    table = pl.read_csv(results / "ablations.tsv", separator="\t")
    write_tsv(table.with_columns(auroc_diff_high=pl.lit(0.02)), results / "ablations.tsv")
    assert "the gain does not hold" in markdown(model_card(results, FACTS, "open"))


def test_what_was_not_made_is_named_and_nothing_invented(tmp_path: Path) -> None:
    card = markdown(model_card(tmp_path, FACTS, "open"))
    for name in ("ablations.tsv", "audit/prevalence.tsv", "metrics/mine.seed3.tsv", "subgroups/mine.seed3.tsv"):
        assert f"{name}: not made in this study" in card
    assert all(f"Not run in this study: {path}" in card for path in EXPECTED)


def test_small_counts_of_credentialed_data_are_not_told(results: Path) -> None:
    card = markdown(model_card(results, FACTS, "credentialed"))
    assert "| Revisit | 3d | 90 | <11 | – |" in card


def test_every_item_answers_points_or_is_left_to_the_authors(results: Path) -> None:
    sections = {section.heading: section for section in model_card(results, FACTS, "synthetic")}
    assert len(sections["TRIPOD+AI"].rows) == len(TRIPOD_AI) and len(sections["TRIPOD-LLM"].rows) == len(TRIPOD_LLM)
    where = {number: answer for number, _, answer in sections["TRIPOD+AI"].rows}
    assert where["17"] == "Authors" and where["8a"].startswith("audit/prevalence.tsv; ")
    documents = {name for item in (*TRIPOD_AI, *TRIPOD_LLM) for name in item.documents}
    assert all((ROOT / name).exists() for name in documents)


def test_html_says_the_same_and_loads_nothing(results: Path) -> None:
    write_text(html(model_card(results, FACTS, "synthetic")), results / "card.html")
    page = (results / "card.html").read_text(encoding="utf-8")
    assert "the gain holds." in page and "TRIPOD+AI" in page
    assert "src=" not in page and "<script" not in page
