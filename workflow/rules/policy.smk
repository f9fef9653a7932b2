"""The base policy and the policies trained from it, one per ablation and seed.

INPUTS   results/episodes/, skills/; the local directory of the base model (a parameter, not an input)
OUTPUTS  results/policies/base/seed0/, policies/{policy}/seed{n}/{schedule,history.tsv,config.yaml,{task}/policy.json}
STEPS    build_base build_schedule train_policy
"""

from tirec.config.agent import ScheduleConfig
from tirec.config.training import compose, foreign_modules
from tirec.training.verl_engine.settings import require_supported

POLICIES = [
    ("base", 0),
    *((policy, seed) for policy in STUDY.ablations for seed in STUDY.seeds),
]
BASE_POLICIES = [f"results/policies/base/seed0/{task}/policy.json" for task in TASKS]
ENGINE = STUDY.training.engine
TRAINING = {
    policy: or_stop(compose, policy, STUDY.training.overrides).model_copy(
        update={"engine": ENGINE, "lora": STUDY.model.lora}
    )
    for policy in STUDY.ablations
}
if ENGINE == "verl":
    for told in TRAINING.values():
        or_stop(require_supported, told)
VERL = TRAINING[STUDY.ablations[0]].verl
ON_CPU = VERL.rollout == "hf_cpu" if ENGINE == "verl" else STUDY.model.kind == "tiny"
TRAINING_ENVIRONMENT = "cpu" if ENGINE == "local" else "verl-cpu" if ON_CPU else "grpo-h100"
PROTOCOL = settings("protocol")
BASE_MISSING = STUDY.model.kind == "hf" and not (Path(STUDY.model.base or "") / "config.json").is_file()
TRAINING_THREADS, TRAINING_RESOURCES, LAUNCH = training_job()


rule build_base:
    """The base policy: the demo's is made and warm-started here, the study's is a local directory."""
    input:
        episodes="results/episodes/train.arrow" if STUDY.model.kind == "tiny" else [],
    output:
        BASE_POLICIES,
    log:
        "logs/build_base.log",
    benchmark:
        "results/benchmarks/build_base.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("build_base"),
        prompts=PROMPTS,
        data_class=DATA_CLASS,
        settings=settings("model"),
        protocol=PROTOCOL,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_base.py --episodes {input.episodes} --settings {params.settings:q}"
        " --protocol {params.protocol:q} --data-class {params.data_class} --output-dir results/policies/base/seed0"
        " > {log} 2>&1"


rule build_schedule:
    """Which case stands in which slot of which step, and which skill sentences its prompt keeps."""
    input:
        expand("results/sampled/{task}.parquet", task=TASKS),
        expand("results/skills/{task}.tsv", task=TASKS),
    output:
        "results/policies/{policy}/seed{seed}/schedule.parquet",
    log:
        "logs/build_schedule/{policy}.seed{seed}.log",
    benchmark:
        "results/benchmarks/build_schedule/{policy}.seed{seed}.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("build_schedule"),
        data_class=DATA_CLASS,
        settings=schedule_settings,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_schedule.py --results results --seed {wildcards.seed} --settings {params.settings:q}"
        " --data-class {params.data_class} --output {output} > {log} 2>&1"


rule train_policy:
    """GRPO for one ablation and seed; killed anywhere, the same command continues and ends with the same numbers."""
    input:
        train="results/episodes/train.arrow",
        validation="results/episodes/validation.arrow",
        schedule="results/policies/{policy}/seed{seed}/schedule.parquet",
        skills=expand("results/skills/{task}.tsv", task=TASKS),
        base=BASE_POLICIES,
    output:
        [f"results/policies/{{policy}}/seed{{seed}}/{task}/policy.json" for task in TASKS],
        history="results/policies/{policy}/seed{seed}/history.tsv",
        config="results/policies/{policy}/seed{seed}/config.yaml",
    log:
        "logs/train_policy/{policy}.seed{seed}.log",
    benchmark:
        "results/benchmarks/train_policy/{policy}.seed{seed}.jsonl"
    conda:
        f"../../envs/{TRAINING_ENVIRONMENT}.yaml"
    threads: TRAINING_THREADS
    resources:
        **TRAINING_RESOURCES,
    params:
        code=code("train_policy", foreign_modules(ENGINE)),
        prompts=PROMPTS,
        data_class=DATA_CLASS,
        settings=training_settings,
        protocol=PROTOCOL,
        launch=LAUNCH,
    shell:  # exec: a signal reaches the trainer, which saves and stops
        "exec {params.launch}$TIREC_GRPO_PYTHON $TIREC_HOME/scripts/train_policy.py --train {input.train} --validation {input.validation}"
        " --schedule {input.schedule} --skills-dir results/skills --base results/policies/base/seed0"
        " --settings {params.settings:q} --protocol {params.protocol:q} --seed {wildcards.seed}"
        " --run-root results/.runs --output-dir results/policies/{wildcards.policy}/seed{wildcards.seed}"
        " --data-class {params.data_class} > {log} 2>&1"


if BASE_MISSING:
    print(
        f"note: {STUDY.model.base}: no base model there yet (model.base); a plan (-n) does without, training does not",
        file=sys.stderr,
    )


onstart:
    require_endpoints(job.wildcards.model for job in workflow.dag.needrun_jobs() if job.rule.name == "predict_chat")
    planned = {job.rule.name for job in workflow.dag.needrun_jobs()}
    if BASE_MISSING and planned & {"build_base", "train_policy"}:
        sys.exit(f"error: {STUDY.model.base}: no base model there; put the model's folder there or set model.base")
    if CDM_MISSING and planned & {"build_lacdm_base", "train_lacdm"}:
        sys.exit(
            f"error: {CDM.model.base}: no base model there; put the model's folder there or set lacdm.model.base"
        )
    if CDM_WRITER_MISSING and "summarise_lacdm" in planned:
        sys.exit(
            f"error: {STUDY.lacdm.summary.model}: no model there to summarise histories; put its folder there, set"
            " lacdm.summary.model, or lacdm.switches.initial: history"
        )
