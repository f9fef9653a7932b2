"""What the rules share: the validated configuration, code identities, and where the package is.

INPUTS   the merged configuration (config/config.yaml and the overlays given by --configfile), MCMED_ROOT
OUTPUTS  STUDY (typed configuration), TASKS, SETTINGS, POLICIES, and the functions the rules call
"""

import json
import os
import sys
from pathlib import Path

ROOT = Path(workflow.current_basedir).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.report import CardFacts
from tirec.config.study import Study
from tirec.errors import ConfigError, TirecError
from tirec.provenance import code_id, file_hash, text_hash

# Records never leave the machine, and nothing reports home; jobs inherit this environment.
os.environ.update(
    PYTHONPATH=str(ROOT / "workflow"),
    HF_HUB_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    TRANSFORMERS_OFFLINE="1",
    WANDB_MODE="disabled",
    VLLM_NO_USAGE_STATS="1",
    RAY_USAGE_STATS_ENABLED="0",
    DO_NOT_TRACK="1",
    TOKENIZERS_PARALLELISM="false",
    MPLBACKEND="agg",
)


def or_stop(function, *arguments):
    """The function's value; a fault of the user's stops Snakemake with one line."""
    try:
        return function(*arguments)
    except TirecError as fault:
        print(f"error: {fault}", file=sys.stderr)
        sys.exit(2)


STUDY = or_stop(Study.load, config)
# With --sdm conda a rule runs the Python of its own environment, else the one that runs Snakemake.
RUNNING = "python" if workflow.deployment_settings.deployment_method else sys.executable


def interpreter(path):
    """A Python of the configuration, the one that runs Snakemake where empty; a relative path counts from the checkout."""
    return str(ROOT / path) if path and "/" in path else path or RUNNING


# Interpreters and places reach the rules by the environment: they are no parameters of a result.
os.environ.update(
    TIREC_HOME=str(ROOT),
    TIREC_PYTHON=interpreter(STUDY.environments.cpu),
    TIREC_GRPO_PYTHON=interpreter(
        STUDY.environments.grpo if STUDY.training.engine == "verl" else STUDY.environments.cpu
    ),
    TIREC_VLLM_PYTHON=interpreter(STUDY.environments.vllm or STUDY.environments.grpo),
    TIREC_SKILLS=str(ROOT / STUDY.skills),
    TIREC_LACDM_MENU=str(ROOT / STUDY.lacdm.menu),
)


def documents(folder, pattern, kind):
    """Identity of the documents in a folder of the checkout: their names and contents, wherever the checkout is."""
    found = sorted((ROOT / folder).glob(pattern))
    if not found:
        raise ConfigError(f"{folder}: no {kind} ({pattern}) in this folder")
    return text_hash("\n".join(f"{file.name} {file_hash(file)}" for file in found))[:16]


PROMPTS = or_stop(documents, STUDY.protocol.prompts, "*.j2", "prompt templates")


def code(name, without=()):
    """Identity of a rule's code: its script and all of tirec that it imports, without comments and docstrings."""
    return code_id(ROOT / "scripts" / f"{name}.py", without)


def settings(section, *only):
    """One section of the configuration, or some of its keys, as JSON: a rule's `params`, so that a change reruns it."""
    return STUDY.section(section, only)


def records_folder():
    """The records folder; where MIMIC-CDM alone is named, a name that says what a target of MC-MED lacks."""
    named = STUDY.data.root or os.environ.get("MCMED_ROOT")
    other = STUDY.lacdm.root or os.environ.get("MIMIC_CDM_ROOT")
    return MCMED_MISSING if other and not named else locate_root(STUDY.data)


def raw_files():
    """The files of the records folder by name; those of a synthetic cohort need not exist yet."""
    if STUDY.synthetic or RECORDS == MCMED_MISSING:
        return {name: f"{RECORDS}/{name}.csv" for name in [*TABLES, *SPLIT_FILES]}
    family = STUDY.cohort.splits.family
    found = dict(formats.source_files(RECORDS, STUDY.data))
    if family != "hash":
        found |= {path.name.split(".")[0]: path for path in formats.split_files(RECORDS, STUDY.data, family)}
    return {name: str(path) for name, path in found.items()}


def instances_of(wildcards):
    """The instance files of one task."""
    return [f"results/instances/{wildcards.task}/{setting}.parquet" for setting in SETTINGS[wildcards.task]]


def policy_file(policy, seed, task):
    """The policy.json of one trained policy and task."""
    return f"results/policies/{policy}/seed{seed}/{task}/policy.json"


def training_settings(wildcards):
    """The resolved training settings of one ablation as sorted JSON, without the section of the engine not used."""
    return json.dumps(TRAINING[wildcards.policy].told(), sort_keys=True)


def schedule_settings(wildcards):
    """What the order of cases and the curriculum of one ablation depend on."""
    training = TRAINING[wildcards.policy]
    return ScheduleConfig(
        steps=training.steps,
        prompts_per_step=training.prompts_per_step,
        skills=training.skills,
    ).model_dump_json()


def training_job():
    """Threads and resources of train_policy, and what starts it: nothing, one H100, or whole nodes of them."""
    if ON_CPU:
        return 1, {"mem_mb": 6000 if ENGINE == "verl" else 2000, "runtime": 60}, ""
    nodes, gpus = (VERL.nodes, VERL.gpus_per_node) if ENGINE == "verl" else (1, 1)
    # SLURM counts CPUs and memory per node.
    cpus, asked = 8 * gpus, {"mem_mb": 100000 * gpus, "runtime": 1440}
    if nodes == 1:
        return cpus, asked | on_gpus(gpus), ""
    # `gpu` counts over all nodes, `gres` per node. `mpi` keeps Snakemake's own step on the first node; the launcher
    # spans all of them.
    each = ":".join(filter(None, ("gpu", GPU_MODEL, str(gpus))))
    spread = {"gres": each, "nodes": nodes, "slurm_partition": partition(gpus), "mpi": "srun", "tasks": nodes}
    launch = f"$TIREC_GRPO_PYTHON $TIREC_HOME/scripts/launch_ray.py --cpus {cpus} --gpus {gpus} -- "
    return cpus, asked | spread | {"tasks_per_gpu": 0}, launch


def partition(gpus):
    """The cluster's partition for a job with this many GPUs; outside a cluster nobody asks."""
    where = ("TIREC_SLURM_GPU_PARTITION", "gpu") if gpus else ("TIREC_SLURM_PARTITION", "cpu")
    return os.environ.get(*where)


def on_gpus(gpus):
    """Resources of a rule that runs on some GPUs of one node."""
    model = {"gpu_model": GPU_MODEL} if GPU_MODEL else {}
    return {"gpu": gpus, **model, "nodes": 1, "slurm_partition": partition(gpus)}


def prediction_settings():
    """What a policy predicts with, as sorted JSON."""
    parts = {
        "protocol": STUDY.protocol,
        "threads": STUDY.evaluation.threads,
        "batch": STUDY.evaluation.batch,
        "engine": STUDY.evaluation.engine,
        "dtype": STUDY.evaluation.dtype,
        "vllm": STUDY.evaluation.vllm,
    }
    return PredictionConfig(**parts).model_dump_json()


def chat_prediction(model):
    """What one chat model predicts with."""
    return ChatPredictionConfig(
        chat=STUDY.models[model],
        protocol=STUDY.protocol,
        governance=STUDY.governance,
        dataset=STUDY.data.format,
    )


def require_endpoints(models):
    """Stops before the first job where a chat model may not be sent rows of this study, or has no key."""
    from tirec.evaluation.predict_chat import destination_of

    for config in map(chat_prediction, models):
        or_stop(destination_of, config, config.chat.base_url, DATA_CLASS)


def trajectories_of(wildcards):
    """The test trajectories of a model that calls functions."""
    return [] if wildcards.model not in CALLING_MODELS else f"results/trajectories/{wildcards.model}/test.jsonl.zst"


def numeric_check_of(wildcards):
    """The judged numbers in the text of a model that calls functions."""
    return [] if wildcards.model not in CALLING_MODELS else f"results/numeric_check/{wildcards.model}.tsv"


def column_files(wildcards):
    """The fitted models of one model of columns, every task."""
    if wildcards.model == "teacher":
        return expand("results/teachers/{task}/model.txt", task=TASKS)
    return [policy_file(wildcards.model, 0, task) for task in TASKS]


def choice_settings(config):
    """What a teacher and its cohort depend on, as JSON; sampling and texts are not among it."""
    return config.model_dump_json(exclude={"cohort": {"sampling", "splits"}, "evidence": {"observations"}})


def known_features(wildcards):
    """The study's own features, as far as the alternative shows the same evidence."""
    keeps = ALTERNATIVES[wildcards.alternative].keeps_evidence
    return f"results/features/{wildcards.task}.parquet" if keeps else []


def cdm_root(wildcards=None):
    """The folder of MIMIC-CDM; asked for only when a target of LA-CDM is, so that other studies need none."""
    return CDM_FOLDER if CDM_SYNTHETIC else or_stop(locate_cdm, STUDY.lacdm)


def cdm_inputs(wildcards):
    """The files that are read, those of MIMIC-IV among them."""
    if CDM_SYNTHETIC:
        return CDM_MADE
    root = cdm_root()
    found = or_stop(cdm_files, root) | or_stop(hospital_files, root, STUDY.lacdm)
    return [str(path) for path in found.values()]


def cdm_data_class(wildcards=None):
    """The class of the records."""
    return "synthetic" if CDM_SYNTHETIC else cdm_class(cdm_root(), STUDY.lacdm)


def cdm_summary_prompt():
    """Identity of the words in which histories are summarised."""
    path = Path(STUDY.lacdm.summary.prompt)
    return documents(path.parent, path.name, "prompt of summaries")


def cdm_settings(**keys):
    """Some keys of the section `lacdm` (True for all of one) as JSON, so that no other key reruns a rule."""
    return STUDY.lacdm.model_dump_json(by_alias=True, include=keys)


PATIENT_BY_PATIENT = ("call_map", "cases", "trajectories")


def curve_models():
    """The models of the calibration and decision curves: the reference, its base, the teacher, and those asked for."""
    first = f"{STUDY.evaluation.reference}.seed{STUDY.seeds[0]}"
    if unknown := [name for name in STUDY.report.curves if name not in MODELS]:
        raise ConfigError(f"report.curves: {unknown[0]} is no model of this study; there are {', '.join(MODELS)}")
    return list(dict.fromkeys([first, "base.seed0", "teacher", *STUDY.report.curves]))


def card_facts():
    """What the configuration tells the model card, as JSON."""
    base = "made small and warm-started here" if STUDY.model.kind == "tiny" else Path(STUDY.model.base).name
    return CardFacts(
        reference=STUDY.evaluation.reference,
        seeds=STUDY.seeds,
        ablations=STUDY.ablations,
        models=[model for model in MODELS if model not in [*POLICY_MODELS, "teacher"]],
        engine=STUDY.training.engine,
        base=base,
        calls=STUDY.protocol.calls,
        draws=STUDY.evaluation.draws,
        confidence=STUDY.evaluation.confidence,
    ).model_dump_json()


def reported(path, caption, category, **labels):
    """An output that report.html shows, with its caption from workflow/report/; aggregates only, never rows.

    What shows patients one by one is not reported where the data are credentialed.
    """
    if DATA_CLASS == "credentialed" and caption in PATIENT_BY_PATIENT:
        return path
    return report(path, caption=f"../report/{caption}.rst", category=category, labels=labels)


# As the cluster spells it; empty where it names none.
GPU_MODEL = os.environ.get("TIREC_SLURM_GPU_MODEL", "h100")
ONE_GPU = on_gpus(1)


def cdm_policy_file(wildcards):
    """The policy.json behind a model: its own, or the base's where nothing was trained."""
    policy, _, seed = wildcards.model.partition(".seed")
    return f"results/lacdm/policies/{policy}/seed{seed}/policy.json" if seed else CDM_BASE


def cdm_model_settings(wildcards):
    """The resolved settings of a model's policy as JSON."""
    return CDM_TRAINING[wildcards.model.partition(".")[0]].model_dump_json()


def cdm_references(wildcards):
    """The reference sets, where a policy's reward reads them."""
    return "results/lacdm/reference_sets.tsv" if CDM_TRAINING[wildcards.cdm_policy].decision.match else []


wildcard_constraints:
    task="|".join(TASKS),
    setting="|".join(setting for task in TASKS for setting in SETTINGS[task]),
    policy="|".join(["base", *STUDY.ablations]),
    seed=r"\d+",
    split="train|validation|test",
