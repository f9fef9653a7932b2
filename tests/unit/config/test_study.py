"""Loading a study: defaults are the paper's, and a slip costs one line that says what was meant."""

import json
from pathlib import Path

import pytest
import yaml

from tirec.config.study import Study, merged
from tirec.errors import ConfigError

CONFIG = Path(__file__).resolve().parents[3] / "config"


def shipped(*names: str) -> dict[str, object]:
    return merged(*(yaml.safe_load((CONFIG / name).read_text(encoding="utf-8")) for name in names))


def test_the_shipped_configurations_load() -> None:
    study = Study.load(shipped("config.yaml"))
    assert study.protocol.calls == 12
    assert study.teacher.gamma == 0.05
    assert study.cohort.sampling.train_instances == 10_000
    assert study.ablations == ("full", "no_match", "no_skills", "no_gbm_target")
    assert Study.load(shipped("config.yaml", "demo.yaml")).synthetic is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"techer": {}}, "techer: no such configuration key; did you mean teacher?"),
        ({"teacher": {"gama": 0.1}}, "teacher.gama: no such configuration key; did you mean teacher.gamma?"),
        ({"gamma": 0.1}, "gamma: no such configuration key; did you mean teacher.gamma?"),
        ({"data": {"class": "secret"}}, "data.class: input should be 'credentialed' or 'open' (got 'secret')"),
        ({"ablations": []}, "ablations: tuple should have at least 1 item after validation, not 0 (got [])"),
        ({"ablations": ["full", "full"]}, "ablations: the same entry twice"),
        ({"ablations": ["base"]}, "ablations: base is the name of something else; choose another"),
        (
            {"ablations": ["no_match"]},
            "evaluation.reference: full is not among the ablations, so that nothing could be compared with it; "
            "add it there, or name one of them",
        ),
        (
            {"evaluation": {"comparisons": ["no_mach"]}},
            "evaluation.comparisons: no_mach is neither an ablation nor base",
        ),
        (
            {"evaluation": {"model_comparisons": ["mlp"]}},
            "evaluation.model_comparisons: mlp is neither under models nor base",
        ),
        (
            {"models": {"no_skills": {"kind": "tabular", "estimator": "mlp"}}},
            "models: no_skills is the name of a policy or of the teacher; choose another",
        ),
        ({"seeds": [-1]}, "seeds.0: input should be greater than or equal to 0 (got -1)"),
        ({"zzzzzz": 1}, "zzzzzz: no such configuration key"),
    ],
)
def test_a_slip_costs_one_line(content: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as fault:
        Study.load(content)
    assert str(fault.value) == said


def test_files_merge_as_snakemake_merges_them() -> None:
    from snakemake.utils import update_config

    one, two = {"a": {"b": 1, "c": [1, 2]}, "d": 1, "e": {"f": 1}}, {"a": {"c": [3], "g": 2}, "d": {"h": 1}, "e": None}
    whole = merged(one, two)
    update_config(one, two)
    assert whole == one == {"a": {"b": 1, "c": [3], "g": 2}, "d": {"h": 1}, "e": None}


def test_an_overlay_leaves_a_model_out_by_null() -> None:
    entry = {"kind": "tabular", "estimator": "logistic"}
    assert list(Study.load({"models": {"kept": entry, "dropped": None}}).models) == ["kept"]
    assert Study.load({"models": None}).models == {}


def test_studies_play_known_policies() -> None:
    with pytest.raises(ConfigError, match=r"studies\.policies: no_such is not among the ablations"):
        Study.load({"studies": {"policies": ["no_such"]}})
    assert Study.load({"studies": {"policies": ["no_match"]}}).studies.policies == ("no_match",)


def test_a_section_is_sorted_json_and_may_be_narrowed() -> None:
    study = Study.load({"teacher": {"gamma": 0.08}})
    narrow = study.section("teacher", ("min_members", "gamma"))
    assert json.loads(narrow) == {"gamma": 0.08, "min_members": 2}
    assert narrow.index("gamma") < narrow.index("min_members")
    assert json.loads(study.section("data"))["class"] == "credentialed"
