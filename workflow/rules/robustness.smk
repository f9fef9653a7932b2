"""Does the conclusion hold, and does anything leak: analyses of a finished CPU side, asked for by name.

INPUTS   results/tables/, splits.parquet, instances/, features/, teachers/, reference_sets.tsv, audit/order_leak.tsv
OUTPUTS  results/sensitivity.{tsv,html}, leak_suite.{tsv,html}, floors.tsv; beside them sensitivity/{alternative}/{task}/ and
         leak_suite/{task}/
STEPS    fit_alternative (one per decision, value and task) assess_sensitivity; probe_leaks (one per task) assess_leaks
"""

import re

from tirec.analysis.decisions import alternatives
from tirec.config.leak_suite import LeakProbeConfig
from tirec.config.sensitivity import AlternativeConfig

CHOICES = AlternativeConfig(cohort=STUDY.cohort, evidence=STUDY.evidence, teacher=STUDY.teacher)
ALTERNATIVES = {alternative.name: alternative for alternative in alternatives(CHOICES)}
ALTERNATIVE_SCORES = [
    f"results/sensitivity/{name}/{task}/scores.tsv"
    for name, alternative in ALTERNATIVES.items()
    for task in alternative.decision.tasks
]

PROBES = LeakProbeConfig(leak_suite=STUDY.leak_suite, evidence=STUDY.evidence, teacher=STUDY.teacher)
PROBED = expand("results/leak_suite/{task}/{table}.tsv", task=TASKS, table=["future", "arms", "columns"])


wildcard_constraints:
    alternative="|".join(map(re.escape, ALTERNATIVES)),


rule fit_alternative:
    """Cohort and teacher of one task with one decision made otherwise."""
    input:
        TABLE_FILES,
        splits="results/splits.parquet",
        instances=instances_of,
        features=known_features,
    output:
        scores="results/sensitivity/{alternative}/{task}/scores.tsv",
        members="results/sensitivity/{alternative}/{task}/reference_set.tsv",
    log:
        "logs/fit_alternative/{alternative}/{task}.log",
    benchmark:
        "results/benchmarks/fit_alternative/{alternative}/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: STUDY.teacher.threads
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        code=code("fit_alternative"),
        data_class=DATA_CLASS,
        settings=lambda wildcards: choice_settings(ALTERNATIVES[wildcards.alternative].applied(CHOICES)),
        features=lambda wildcards, input: f"--features {input.features}" if input.features else "",
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/fit_alternative.py --data-class {params.data_class} --task {wildcards.task}"
        " --tables results/tables --splits {input.splits} --instances {input.instances} {params.features}"
        " --settings {params.settings:q} --output-scores {output.scores} --output-set {output.members} > {log} 2>&1"


rule assess_sensitivity:
    """Target results/sensitivity.html: every unstated choice against its alternatives, teacher only, never test."""
    input:
        [file.replace("scores", "reference_set") for file in ALTERNATIVE_SCORES],
        alternatives=ALTERNATIVE_SCORES,
        instances=INSTANCES,
        risk=expand("results/teachers/{task}/risk.parquet", task=TASKS),
        sets="results/reference_sets.tsv",
    output:
        table="results/sensitivity.tsv",
        page="results/sensitivity.html",
    log:
        "logs/assess_sensitivity.log",
    benchmark:
        "results/benchmarks/assess_sensitivity.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("assess_sensitivity"),
        data_class=DATA_CLASS,
        settings=choice_settings(CHOICES),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_sensitivity.py --data-class {params.data_class}"
        " --instances {input.instances} --risk {input.risk} --sets {input.sets} --alternatives {input.alternatives}"
        " --settings {params.settings:q} --output {output.table} --output-page {output.page} > {log} 2>&1"


rule probe_leaks:
    """Another future, teachers with some columns, shuffled labels, single columns; stops where the future leaks."""
    input:
        TABLE_FILES,
        splits="results/splits.parquet",
        instances=instances_of,
        features="results/features/{task}.parquet",
        risk="results/teachers/{task}/risk.parquet",
    output:
        future="results/leak_suite/{task}/future.tsv",
        arms="results/leak_suite/{task}/arms.tsv",
        columns="results/leak_suite/{task}/columns.tsv",
    log:
        "logs/probe_leaks/{task}.log",
    benchmark:
        "results/benchmarks/probe_leaks/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: STUDY.teacher.threads
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        code=code("probe_leaks"),
        data_class=DATA_CLASS,
        settings=PROBES.model_dump_json(),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/probe_leaks.py --data-class {params.data_class} --task {wildcards.task}"
        " --tables results/tables --splits {input.splits} --instances {input.instances} --features {input.features}"
        " --risk {input.risk} --settings {params.settings:q} --output-dir results/leak_suite/{wildcards.task} > {log} 2>&1"


rule assess_leaks:
    """Target results/leak_suite.html: every check for leaks, and the floors that every model must beat."""
    input:
        PROBED,
        orders="results/audit/order_leak.tsv",
    output:
        table="results/leak_suite.tsv",
        floors="results/floors.tsv",
        page="results/leak_suite.html",
    log:
        "logs/assess_leaks.log",
    benchmark:
        "results/benchmarks/assess_leaks.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("assess_leaks"),
        data_class=DATA_CLASS,
        settings=PROBES.model_dump_json(),
        probes=expand("results/leak_suite/{task}", task=TASKS),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_leaks.py --data-class {params.data_class} --probes {params.probes}"
        " --orders {input.orders} --settings {params.settings:q} --output {output.table}"
        " --output-floors {output.floors} --output-page {output.page} > {log} 2>&1"
