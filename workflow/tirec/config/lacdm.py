"""LA-CDM on MIMIC-CDM: where the cases are, what may be asked at which price, and every switch between the presets."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, model_validator

from tirec.config.base import Model
from tirec.config.data import DataClass
from tirec.config.evaluation import EvaluationConfig
from tirec.config.lacdm_agents import AgentsConfig
from tirec.config.lacdm_base import CdmBaseConfig

Condition = Literal["appendicitis", "cholecystitis", "diverticulitis", "pancreatitis"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
"""The four conditions, in the order in which the framework concatenates them."""
Preset = Literal["paper", "repaired"]


class SwitchesConfig(Model):
    """What differs between the published environment and a repaired one; the defaults are the published values."""

    unavailable: Literal["free", "charge", "hide"] = "free"
    """A test that was not performed: `free` = said so at no cost, `charge` = said so and charged like any other,
    `hide` = charged, and results are withheld at random until availability is alike in all four conditions."""
    masking: Literal["own", "all"] = "own"
    """`own`: disease names as the data set masks them (the case's own); `all`: all four, in every text."""
    masked_sentences: Literal["keep", "drop"] = "keep"
    """Whether a sentence of the exam or a report that holds a mask is shown."""
    regions: Literal["any", "listed"] = "any"
    """Imaging of any body region answers a modality, or only of the regions that the menu lists."""
    modalities: Literal["exact", "broad"] = "exact"
    """`broad`: special studies answer the modality they belong to (the menu's `wider`), such as MRCP for MRI."""
    added_tests: bool = False
    """Whether the menu's added tests (lipase, C-reactive protein, …) are offered."""
    nested_prices: Literal["full", "marginal"] = "full"
    """`marginal`: a panel costs the share of its price that its not yet known items make up."""
    lab_values: Literal["value", "range", "level"] = "value"
    """A laboratory line: the value, the value with its reference range and level, or the level only."""
    reports: Literal["all", "first", "window"] = "all"
    """Imaging reports of the stay that are served: all, the first of each modality and region in file order, or those
    charted within `report_hours` of admission (needs `mimic_iv`)."""
    initial: Literal["summary", "history"] = "summary"
    """What the agents start from: a summary of the history (`summaries`), or the history itself."""
    split: Literal["admission", "patient"] = "admission"
    """Unit that is dealt to one split; `patient` needs `mimic_iv`, because MIMIC-CDM holds no patient number."""


PRESETS: Mapping[Preset, Mapping[str, Any]] = {
    "paper": {},
    "repaired": {
        "unavailable": "charge",
        "masking": "all",
        "masked_sentences": "drop",
        "regions": "listed",
        "modalities": "broad",
        "added_tests": True,
        "nested_prices": "marginal",
        "lab_values": "range",
        "reports": "window",
        "initial": "history",
        "split": "patient",
    },
}
"""What each preset sets; a key under `switches` wins over it."""


class CdmSyntheticConfig(Model):
    """A made-up MIMIC-CDM folder; `tells` are the shares of cases in which a source points at the true condition."""

    cases: int = Field(2_400, ge=40, le=200_000)
    """Number of admissions."""
    seed: int = Field(0, ge=0)
    """Seed of every draw: the same seed and size give the same bytes."""
    history_tells: float = Field(0.55, ge=0, le=1)
    """Share whose history has the typical complaint; the others have one that fits all four."""
    exam_tells: float = Field(0.6, ge=0, le=1)
    """Share whose examination has the typical finding."""
    imaging_tells: float = Field(0.9, ge=0, le=1)
    """Share of fitting studies (CT or ultrasound) that show the cause; a fifth of that for the less fitting ones."""
    labs_tell: float = Field(0.8, ge=0, le=1)
    """Share whose blood shows the pattern of the condition (lipase, bilirubin, white cells)."""


class SamplingConfig(Model):
    """How many cases of each split are used; all where empty. Samples are nested in their size."""

    train: int | None = Field(None, ge=8)
    """Training cases."""
    validation: int | None = Field(None, ge=8)
    """Validation cases."""
    test: int | None = Field(None, ge=8)
    """Test cases."""


class LimitsConfig(Model):
    """How long one dialogue may be."""

    turns: int = Field(14, ge=1)
    """Decision turns; the published check `step > 13` admits 14."""
    turn_tokens: int = Field(256, ge=1)
    """New tokens of one turn of either agent."""
    dialogue_tokens: int = Field(4_096, ge=1)
    """Tokens of the decision agent's whole dialogue, prompt and observations included."""


class SummaryConfig(Model):
    """How histories are summarised where `switches.initial` is `summary` and no file of summaries is given."""

    model: str = "models/Qwen2.5-7B-Instruct"
    """Local directory of the model that writes them (the published command's)."""
    prompt: str = "config/lacdm/summary.j2"
    """What it is asked; a relative path counts from the repository."""
    tokens: int = Field(512, ge=1)
    """Most tokens of a summary."""
    prompt_tokens: int = Field(4_096, ge=64)
    """Most tokens of a request; a longer history loses its end."""
    batch: int = Field(16, ge=1)
    """Histories summarised side by side."""
    device: str = "auto"
    """`auto`: a GPU where there is one."""
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    """Number format of the weights."""


class CdmTabularConfig(Model):
    """Models without language on the same cases."""

    seed: int = Field(0, ge=0)
    """Seed of every draw."""
    threads: int = Field(1, ge=1)
    """Threads of the boosted trees; no result depends on it."""
    min_share: float = Field(0.05, gt=0, le=1)
    """Share of training cases that must have a number of a laboratory item for it to become a column."""
    tree_rate: float = Field(0.05, gt=0)
    """Learning rate of the boosted trees."""
    leaves: int = Field(15, ge=2)
    """Leaves of one tree."""
    min_leaf_rows: int = Field(20, ge=1)
    """Smallest leaf."""
    max_rounds: int = Field(500, ge=1)
    """Most rounds; fewer where the log loss on validation no longer falls."""
    patience: int = Field(30, ge=1)
    """Rounds without improvement after which the trees stop."""
    hidden: int = Field(64, ge=4)
    """Width of the small networks."""
    network_rate: float = Field(2e-3, gt=0)
    """Learning rate of imputer, classifier, encoder."""
    weight_decay: float = Field(1e-2, ge=0)
    """Weight decay of the same."""
    fit_epochs: int = Field(60, ge=1)
    """Passes over the training cases, each with other random subsets of panels."""
    policy_rate: float = Field(3e-3, gt=0)
    """Learning rate of the policies over panels."""
    iterations: int = Field(60, ge=1)
    """Rounds of games, each over all training cases at once."""
    epochs: int = Field(4, ge=1)
    """Updates on one round of games."""
    penalties: Annotated[tuple[float, ...], Field(min_length=1)] = (0.0, 0.5, 1.0, 2.0, 5.0)
    """Weights of the bill (as a share of the whole menu's price) against one correct diagnosis; one policy each."""


class LacdmConfig(Model):
    """The second system of the study: a hypothesis agent and a decision agent on MIMIC-CDM."""

    model_config = ConfigDict(populate_by_name=True)

    root: str | None = None
    """Folder of MIMIC-CDM (the CSV files, or the framework's pickles); MIMIC_CDM_ROOT is used where this is empty."""
    data_class: DataClass = Field(default="credentialed", alias="class")
    """Class of the records; a folder that the generator wrote marks itself synthetic."""
    max_bad_share: float = Field(default=0.001, ge=0, le=1)
    """Share of rows of one file that may be set aside (and counted) before the run stops."""
    mimic_iv: str | None = None
    """Folder of MIMIC-IV with hosp/admissions, hosp/patients and note/radiology: patient numbers, age and sex (for
    splits and subgroups, never shown) and report times. `mimic-iv/` inside the records folder where this is empty."""
    summaries: str | None = None
    """Parquet file of hadm_id and summary, for `switches.initial: summary`; made by `summary` where this is empty."""
    summary: SummaryConfig = SummaryConfig()
    """How they are made."""
    menu: str = "config/lacdm/menu.yaml"
    """The tests with their prices; a relative path counts from the repository."""
    preset: Preset = "paper"
    """Where the values of `switches` come from that are not written out."""
    switches: SwitchesConfig = SwitchesConfig()
    """Every difference between the presets, each on its own key."""
    style: Literal["full", "headline"] = "full"
    """`headline`: the first clause of every text and only the levels of values, for very small models."""
    report_hours: int = Field(24, ge=0)
    """`reports: window`: hours after admission within which a report counts as known."""
    split_seed: int = Field(269, ge=0)
    """Seed of the splits; the published one, with which the published counts must come out of the official data."""
    sampling: SamplingConfig = SamplingConfig()
    """Sizes of the splits that are used."""
    limits: LimitsConfig = LimitsConfig()
    """Budgets of a dialogue."""
    tabular: CdmTabularConfig = CdmTabularConfig()
    """Models without language."""
    synthetic: CdmSyntheticConfig | None = None
    """Where given, the folder is generated instead (the demo)."""
    agents: AgentsConfig = AgentsConfig()
    """How the two agents speak and are asked."""
    model: CdmBaseConfig = CdmBaseConfig()
    """The base policy and how it is adapted."""
    overrides: dict[str, Any] = Field(default_factory=dict)
    """Values of config/lacdm/config.yaml that every policy of this study changes."""
    policies: Annotated[tuple[str, ...], Field(min_length=1)] = (
        *("full", "zero_shot", "react", "decision_only", "no_cost", "no_calibration", "simultaneous", "sft_all"),
    )
    """Rows of ablations.tsv: names of files in config/lacdm/ablation/."""
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] = (0,)
    """Training seeds."""
    evaluation: EvaluationConfig = EvaluationConfig(
        comparisons=("zero_shot", "react", "decision_only", "no_cost", "no_calibration", "simultaneous")
    )
    """Intervals and comparisons; `reference` is the policy that the others are compared with."""

    @model_validator(mode="before")
    @classmethod
    def _preset_first(cls, content: Any) -> Any:
        """Puts the preset's values under the switches that are written out."""
        if not isinstance(content, Mapping):
            return content
        chosen = PRESETS.get(content.get("preset", "paper"), {})
        given = content.get("switches") or {}
        written = given.model_dump(exclude_unset=True) if isinstance(given, SwitchesConfig) else given
        return {**content, "switches": {**chosen, **written}}
