"""Classical models beside the policies, and Table 1.

INPUTS   results/features/, instances/, sampled/; for the table predictions/ and metrics/ of every model
OUTPUTS  results/policies/{model}/seed0/{task}/{policy.json,model.joblib}, predictions/{model}/, main.tsv
STEPS    fit_tabular predict_tabular compare_models
"""

TABULAR_MODELS = [name for name, entry in STUDY.models.items() if entry.kind == "tabular"]
# The reference policy and its base, then everything else; the other ablations have a table of their own.
TABLE_MODELS = [
    *(f"{policy}.seed{seed}" for policy, seed in POLICIES if policy == STUDY.evaluation.reference),
    "base.seed0",
    "teacher",
    *STUDY.models,
]


rule fit_tabular:
    """One classical model for one task: tuned on validation half A, calibrated on half B."""
    input:
        features="results/features/{task}.parquet",
        instances=instances_of,
        sampled="results/sampled/{task}.parquet",
    output:
        policy="results/policies/{model}/seed0/{task}/policy.json",
        weights="results/policies/{model}/seed0/{task}/model.joblib",
    log:
        "logs/fit_tabular/{model}/{task}.log",
    benchmark:
        "results/benchmarks/fit_tabular/{model}/{task}.jsonl"
    wildcard_constraints:
        model="|".join(TABULAR_MODELS) or "(?!)",
    conda:
        "../../envs/cpu.yaml"
    threads: lambda wildcards: STUDY.models[wildcards.model].threads
    resources:
        mem_mb=lambda wildcards: 6000 + 3000 * STUDY.models[wildcards.model].threads,
        runtime=480,
    params:
        code=code("fit_tabular"),
        data_class=DATA_CLASS,
        settings=lambda wildcards: STUDY.models[wildcards.model].model_dump_json(exclude={"threads"}),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/fit_tabular.py --task {wildcards.task} --features {input.features}"
        " --instances {input.instances} --sampled {input.sampled} --settings {params.settings:q} --threads {threads}"
        " --data-class {params.data_class} --output {output.policy} > {log} 2>&1"


rule predict_tabular:
    """One classical model's p of every listed validation and test case."""
    input:
        policies=expand("results/policies/{{model}}/seed0/{task}/policy.json", task=TASKS),
        weights=expand("results/policies/{{model}}/seed0/{task}/model.joblib", task=TASKS),
        features=expand("results/features/{task}.parquet", task=TASKS),
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        expand("results/predictions/{{model}}/{split}.parquet", split=["validation", "test"]),
    log:
        "logs/predict_tabular/{model}.log",
    benchmark:
        "results/benchmarks/predict_tabular/{model}.jsonl"
    wildcard_constraints:
        model="|".join(TABULAR_MODELS) or "(?!)",
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        code=code("predict_tabular"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/predict_tabular.py --policies {input.policies} --features {input.features}"
        " --instances {input.instances} --sampled {input.sampled} --data-class {params.data_class}"
        " --output-dir results/predictions/{wildcards.model} > {log} 2>&1"


rule compare_models:
    """Table 1: the reference policy beside every other model, per task and over all, paired."""
    input:
        predictions=expand("results/predictions/{model}/test.parquet", model=TABLE_MODELS),
        metrics=expand("results/metrics/{model}.tsv", model=TABLE_MODELS),
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        "results/main.tsv",
    log:
        "logs/compare_models.log",
    benchmark:
        "results/benchmarks/compare_models.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("compare_models"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "draws", "seed", "confidence", "reference", "model_comparisons"),
        models=TABLE_MODELS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compare_models.py --models {params.models} --predictions {input.predictions}"
        " --metrics {input.metrics} --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output} > {log} 2>&1"
