"""Features, tree teachers and the reference sets read off them.

INPUTS   results/tables/, instances/, splits.parquet, audit/order_leak.tsv (no tree before an undecided leak is decided)
OUTPUTS  results/features/{task}.parquet, teachers/{task}/{model.txt,risk,importance.tsv,
         importance_by_function.tsv,contributions}, reference_sets.tsv, reference_sets_sensitivity.tsv
STEPS    build_features train_teacher select_reference_sets
"""


rule build_features:
    """The trees' columns for every evidence id of one task, through the evidence window."""
    input:
        TABLE_FILES,
        splits="results/splits.parquet",
        instances=instances_of,
    output:
        "results/features/{task}.parquet",
    log:
        "logs/build_features/{task}.log",
    benchmark:
        "results/benchmarks/build_features/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        code=code("build_features"),
        data_class=DATA_CLASS,
        settings=settings("evidence", "orders", "history_margin_days", "features"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_features.py --data-class {params.data_class} --tables results/tables --splits {input.splits} --instances {input.instances}"
        " --settings {params.settings:q} --output {output} > {log} 2>&1"


rule train_teacher:
    """One LightGBM per task: model, out-of-fold risks, total gains, contributions."""
    input:
        "results/audit/order_leak.tsv",
        features="results/features/{task}.parquet",
        instances=instances_of,
    output:
        model="results/teachers/{task}/model.txt",
        risk="results/teachers/{task}/risk.parquet",
        importance="results/teachers/{task}/importance.tsv",
        by_function="results/teachers/{task}/importance_by_function.tsv",
        contributions="results/teachers/{task}/contributions.parquet",
    log:
        "logs/train_teacher/{task}.log",
    benchmark:
        "results/benchmarks/train_teacher/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: STUDY.teacher.threads
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        code=code("train_teacher"),
        data_class=DATA_CLASS,
        settings=settings(
            "teacher",
            "tree",
            "folds",
            "inner_share",
            "seed",
            "threads",
            "contribution_splits",
            "importance_rows",
        ),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/train_teacher.py --data-class {params.data_class} --task {wildcards.task} --features {input.features}"
        " --instances {input.instances} --settings {params.settings:q} --output-model {output.model}"
        " --output-risk {output.risk} --output-importance {output.importance}"
        " --output-by-function {output.by_function} --output-contributions {output.contributions} > {log} 2>&1"


rule select_reference_sets:
    """Which functions carry the tree's gain: B_q for every task, and how it depends on gamma and importance."""
    input:
        importance=expand("results/teachers/{task}/importance.tsv", task=TASKS),
        by_function=expand("results/teachers/{task}/importance_by_function.tsv", task=TASKS),
    output:
        sets="results/reference_sets.tsv",
        sensitivity="results/reference_sets_sensitivity.tsv",
    log:
        "logs/select_reference_sets.log",
    benchmark:
        "results/benchmarks/select_reference_sets.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("select_reference_sets"),
        data_class=DATA_CLASS,
        settings=settings("teacher", "gamma", "min_members", "sensitivity_gammas"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/select_reference_sets.py --data-class {params.data_class} --importance {input.importance} --by-function {input.by_function}"
        " --settings {params.settings:q} --output {output.sets} --output-sensitivity {output.sensitivity} > {log} 2>&1"
