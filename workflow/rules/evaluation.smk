"""Predictions of trees and policies, and what they are worth.

INPUTS   results/policies/, teachers/, episodes/, instances/, sampled/, reference_sets.tsv
OUTPUTS  results/predictions/{model}/{split}.parquet, trajectories/, metrics/{model}.tsv, ablations.tsv,
         numeric_check/{model}.tsv, trajectories.html (of credentialed data: restricted/trajectories.html)
STEPS    predict_teacher predict_policy compute_metrics compare_ablations check_numbers build_viewer
"""

from tirec.config.evaluation import PredictionConfig

POLICY_MODELS = [f"{policy}.seed{seed}" for policy, seed in POLICIES]
# The rows of ablations.tsv, and those of main.tsv: every model's predictions have one format and the same listed cases.
ABLATION_MODELS = [
    *(model for model in POLICY_MODELS if model != "base.seed0"),
    "base.seed0",
    "teacher",
]
MODELS = [*ABLATION_MODELS, *STUDY.models]
CHAT_MODELS = [name for name, entry in STUDY.models.items() if entry.kind == "chat"]
# Models that call functions, so that their episodes are kept.
CALLING_MODELS = [*POLICY_MODELS, *CHAT_MODELS]
VIEWER = f"results/{'restricted/' if DATA_CLASS == 'credentialed' else ''}trajectories.html"
SAMPLED = expand("results/sampled/{task}.parquet", task=TASKS)
# vLLM lives in the environment of the GPU nodes.
READER = "$TIREC_GRPO_PYTHON" if STUDY.evaluation.engine == "vllm" else "$TIREC_PYTHON"
SCORING = settings("evaluation", "draws", "seed", "confidence", "reference", "comparisons")
MEASURING = settings("evaluation", "draws", "seed", "confidence", "net_benefit_at")


wildcard_constraints:
    model="|".join(MODELS),


rule predict_teacher:
    """The teacher's risks in the format of every model's predictions."""
    input:
        risk=expand("results/teachers/{task}/risk.parquet", task=TASKS),
        sampled=SAMPLED,
    output:
        expand("results/predictions/teacher/{split}.parquet", split=["validation", "test"]),
    log:
        "logs/predict_teacher.log",
    benchmark:
        "results/benchmarks/predict_teacher.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("predict_teacher"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/predict_teacher.py --risk {input.risk} --sampled {input.sampled} --data-class {params.data_class}"
        " --output-dir results/predictions/teacher > {log} 2>&1"


rule predict_policy:
    """One policy's answers to every validation and test case: greedy, without skills."""
    input:
        policies=expand("results/policies/{{policy}}/seed{{seed}}/{task}/policy.json", task=TASKS),
        episodes=expand("results/episodes/{split}.arrow", split=["validation", "test"]),
    output:
        predictions=expand(
            "results/predictions/{{policy}}.seed{{seed}}/{split}.parquet",
            split=["validation", "test"],
        ),
        trajectories=expand(
            "results/trajectories/{{policy}}.seed{{seed}}/{split}.jsonl.zst",
            split=["validation", "test"],
        ),
    log:
        "logs/predict_policy/{policy}.seed{seed}.log",
    benchmark:
        "results/benchmarks/predict_policy/{policy}.seed{seed}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: STUDY.evaluation.threads
    resources:
        **(ONE_GPU if STUDY.model.kind == "hf" else {}),
        mem_mb=64000 if STUDY.model.kind == "hf" else 16000,
        runtime=720,
    params:
        code=code("predict_policy"),
        prompts=PROMPTS,
        data_class=DATA_CLASS,
        settings=prediction_settings(),
    shell:
        f"{READER} $TIREC_HOME/scripts/predict_policy.py"
        " --model {wildcards.policy}.seed{wildcards.seed} --policies {input.policies}"
        " --episodes {input.episodes} --predictions results/predictions/{wildcards.policy}.seed{wildcards.seed}"
        " --trajectories results/trajectories/{wildcards.policy}.seed{wildcards.seed}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log} 2>&1"


rule compute_metrics:
    """Every metric of one model with patient-clustered intervals."""
    input:
        validation="results/predictions/{model}/validation.parquet",
        test="results/predictions/{model}/test.parquet",
        trajectories=trajectories_of,
        numbers=numeric_check_of,
        references="results/reference_sets.tsv",
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        "results/metrics/{model}.tsv",
    log:
        "logs/compute_metrics/{model}.log",
    benchmark:
        "results/benchmarks/compute_metrics/{model}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("compute_metrics"),
        data_class=DATA_CLASS,
        settings=MEASURING,
        trajectories=lambda wildcards: (
            f"--trajectories {trajectories_of(wildcards)} --numeric-check {numeric_check_of(wildcards)}"
            if wildcards.model in CALLING_MODELS
            else ""
        ),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compute_metrics.py --validation {input.validation} --test {input.test}"
        " --instances {input.instances} --sampled {input.sampled} {params.trajectories}"
        " --reference-sets {input.references} --settings {params.settings:q} --data-class {params.data_class}"
        " --output {output} > {log} 2>&1"


rule compare_ablations:
    """The study's table: every policy, its intervals, and its paired differences to `full`."""
    input:
        predictions=expand("results/predictions/{model}/test.parquet", model=ABLATION_MODELS),
        metrics=expand("results/metrics/{model}.tsv", model=ABLATION_MODELS),
        trajectories=expand("results/trajectories/{model}/test.jsonl.zst", model=POLICY_MODELS),
        policies=[policy_file(policy, seed, task) for policy, seed in POLICIES for task in TASKS],
        references="results/reference_sets.tsv",
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        table="results/ablations.tsv",
        marks="results/ablations_marks.tsv",
    log:
        "logs/compare_ablations.log",
    benchmark:
        "results/benchmarks/compare_ablations.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("compare_ablations"),
        data_class=DATA_CLASS,
        settings=SCORING,
        models=ABLATION_MODELS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compare_ablations.py --models {params.models} --predictions {input.predictions}"
        " --metrics {input.metrics} --trajectories {input.trajectories} --policies {input.policies}"
        " --reference-sets {input.references} --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output.table}"
        " --output-marks {output.marks} > {log} 2>&1"


rule check_numbers:
    """Whether the numbers in a model's own text agree with what it had read, episode by episode."""
    input:
        "results/trajectories/{model}/test.jsonl.zst",
    output:
        "results/numeric_check/{model}.tsv",
    log:
        "logs/check_numbers/{model}.log",
    benchmark:
        "results/benchmarks/check_numbers/{model}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=code("check_numbers"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/check_numbers.py --trajectories {input} --data-class {params.data_class}"
        " --output {output} > {log} 2>&1"


rule build_viewer:
    """The page that shows what each policy asked, read, wrote and answered, case by case; `full` and `base` first."""
    input:
        trajectories=expand(
            "results/trajectories/{model}/test.jsonl.zst",
            model=[model for model in ABLATION_MODELS if model in POLICY_MODELS],
        ),
        episodes="results/episodes/test.arrow",
        teacher="results/predictions/teacher/test.parquet",
        metrics=expand("results/metrics/{model}.tsv", model=ABLATION_MODELS),
    output:
        VIEWER,
    log:
        "logs/build_viewer.log",
    benchmark:
        "results/benchmarks/build_viewer.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("build_viewer"),
        data_class=DATA_CLASS,
        settings=settings("report", "viewer_cases", "viewer_seed"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_viewer.py --trajectories {input.trajectories} --episodes {input.episodes}"
        " --predictions {input.teacher} --metrics {input.metrics} --settings {params.settings:q}"
        " --data-class {params.data_class} --output {output} > {log} 2>&1"
