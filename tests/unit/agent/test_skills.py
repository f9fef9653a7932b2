"""The curriculum: retention at the paper's steps, one draw per case and step, the order of cases."""

from collections import Counter

import polars as pl
import pytest
from agent_cases import ROOT

from tirec.agent.skills import (
    collect,
    kept_mask,
    kept_sentences,
    read_collected,
    retention,
    schedule,
    skill_table,
)
from tirec.config.agent import SkillsConfig
from tirec.config.cohort import TASKS
from tirec.errors import DataError
from tirec.provenance import write_tsv

SKILLS = ROOT / "config" / "skills"
TASK_OF = {0: "disposition", 1: "decompensation", 2: "revisit"}
SENTENCES = {"disposition": 18, "decompensation": 18, "revisit": 0}


def instances(n):
    return pl.DataFrame({"instance_id": range(100, 100 + n), "task": [TASK_OF[i % 3] for i in range(n)]})


@pytest.mark.parametrize(
    ("step", "expected"), [(1, 1.0), (20, 1.0), (21, 0.95), (40, 0.95), (400, 0.05), (401, 0.0), (500, 0.0)]
)
def test_retention_at_the_papers_steps(step, expected):
    assert retention(step) == expected


def test_everything_is_kept_at_one_and_nothing_at_zero():
    assert kept_mask(0, 1, 5, 18, 1.0) == 2**18 - 1
    assert kept_mask(0, 401, 5, 18, 0.0) == 0
    assert kept_mask(0, 1, 5, 0, 1.0) == 0
    assert kept_mask(0, 1, 5, 64, 1.0) == 2**64 - 1


def test_the_draw_is_a_function_of_seed_step_and_case():
    assert kept_mask(3, 200, 42, 18, 0.55) == kept_mask(3, 200, 42, 18, 0.55)
    drawn = {kept_mask(seed, step, case, 18, 0.55) for seed in (0, 1) for step in (200, 201) for case in (42, 43)}
    assert len(drawn) == 8


def test_the_draw_is_the_same_on_every_machine():
    assert kept_mask(0, 200, 7, 18, 0.55) == 0b010101111110000001


def test_sentences_are_kept_independently_at_the_rate():
    masks = [kept_mask(0, 100, case, 18, 0.8) for case in range(4000)]
    rates = [sum(mask >> bit & 1 for mask in masks) / len(masks) for bit in range(18)]
    assert all(abs(rate - 0.8) < 0.03 for rate in rates)
    both = sum(mask & 3 == 3 for mask in masks) / len(masks)
    assert abs(both - 0.64) < 0.03


def test_kept_sentences_keep_their_order():
    assert kept_sentences(("a", "b", "c", "d"), 0b1101) == ("a", "c", "d")


def test_the_papers_schedule_passes_over_every_instance_once():
    rows = schedule(instances(30_000), SENTENCES, seed=0, steps=500, prompts_per_step=64, skills=SkillsConfig())
    order = rows["instance_id"].to_list()
    assert rows.height == 32_000
    assert len(set(order[:30_000])) == 30_000
    assert len(set(order[30_000:])) == 2_000
    first_again = rows.row(30_000, named=True)
    assert (first_again["step"], first_again["slot"]) == (469, 48)
    assert rows.columns == ["step", "slot", "instance_id", "retention", "kept"]
    tasks = Counter(TASK_OF[(case - 100) % 3] for case in order[:64])
    assert min(tasks.values()) > 10


def test_the_order_depends_on_the_seed_only():
    usual = schedule(instances(90), SENTENCES, 0, 30, 4, SkillsConfig(interval=2))
    without = schedule(instances(90), SENTENCES, 0, 30, 4, SkillsConfig(retention="off"))
    assert usual["instance_id"].equals(without["instance_id"])
    assert without["kept"].sum() == 0 and without["retention"].sum() == 0
    shuffled = schedule(
        instances(90).sample(fraction=1, shuffle=True, seed=1), SENTENCES, 0, 30, 4, SkillsConfig(interval=2)
    )
    assert shuffled.equals(usual)
    other = schedule(instances(90), SENTENCES, 1, 30, 4, SkillsConfig(interval=2))
    assert not other["instance_id"].equals(usual["instance_id"])


def test_revisit_never_has_sentences_and_the_others_lose_theirs():
    rows = schedule(instances(90), SENTENCES, 0, 50, 4, SkillsConfig(interval=2))
    task = ((pl.col("instance_id") - 100) % 3).replace_strict(TASK_OF)
    assert rows.filter(task == "revisit")["kept"].sum() == 0
    first = rows.filter((pl.col("step") == 1) & (task != "revisit"))
    assert set(first["kept"]) == {2**18 - 1}
    assert rows.filter(pl.col("step") > 40)["kept"].sum() == 0


def test_an_empty_schedule_is_an_error():
    with pytest.raises(DataError, match="no training instances"):
        schedule(instances(0), SENTENCES, 0, 1, 1, SkillsConfig())


def test_yaml_off_is_off():
    assert SkillsConfig.model_validate({"retention": False}).retention == "off"


@pytest.mark.parametrize("task", ["disposition", "decompensation"])
def test_the_skill_documents(task):
    table = skill_table(SKILLS / f"{task}.md")
    assert 12 <= table.height <= 20
    assert table["group"].unique(maintain_order=True).to_list() == [
        "Which evidence first",
        "How to read it",
        "When to stop",
    ]
    assert all(text.endswith(".") and text.count(". ") == 0 for text in table["text"])
    assert (SKILLS / f"{task}.md").read_text().startswith("> Written for this project")
    assert 0 < skill_table(SKILLS / "demo" / f"{task}.md").height <= 8


def test_skills_survive_their_tables(tmp_path):
    for task, table in collect(SKILLS).items():
        write_tsv(table, tmp_path / f"{task}.tsv")
    assert read_collected(tmp_path) == {task: tuple(table["text"]) for task, table in collect(SKILLS).items()}
    assert read_collected(tmp_path)["revisit"] == ()


def test_a_document_without_sentences_is_an_error(tmp_path):
    (tmp_path / "disposition.md").write_text("# Heading\n> provenance\n\n")
    with pytest.raises(DataError, match="0 sentences"):
        skill_table(tmp_path / "disposition.md")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "does not exist"),
        ("text\nLabs first.\n", "column group is missing"),
        (b"\x00\xff\xfe\n", "column text is missing|not a whole"),
    ],
)
def test_a_damaged_table_of_sentences_is_named(tmp_path, content, said):
    for task in TASKS:
        (tmp_path / f"{task}.tsv").write_text("text\tgroup\n")
    damaged = tmp_path / "revisit.tsv"
    if content is None:
        damaged.unlink()
    else:
        damaged.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=rf"revisit\.tsv: .*({said})"):
        read_collected(tmp_path)
