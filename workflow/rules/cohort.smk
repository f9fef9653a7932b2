"""Records and cohort: from the hospital's folder to the instances and the list the agent meets.

INPUTS   the records folder (data.root, MCMED_ROOT), or a seed (synthetic)
OUTPUTS  results/tables/*.parquet, splits.parquet, instances/, sampled/, audit/{ingest,splits,exclusions,prevalence,flags,order_leak}.tsv,
         audit/index.html
STEPS    [generate_cohort] ingest_records build_splits build_instances_* audit_cohort audit_orders sample_instances
         build_audit_page
"""

from tirec.records import formats
from tirec.records.folder import data_class, locate_root
from tirec.records.schema import SPECS

TABLES = sorted(SPECS)
SPLIT_FILES = [f"split_{family}_{part}" for family in ("chrono", "random") for part in ("train", "val", "test")]


MCMED_MISSING = Path("MCMED_ROOT-is-not-set")
RECORDS = Path("cohort") if STUDY.synthetic else or_stop(records_folder)
RAW = or_stop(raw_files)
DATA_CLASS = "synthetic" if STUDY.synthetic else data_class(RECORDS, STUDY.data.data_class)
INSTANCES = [f"results/instances/{task}/{setting}.parquet" for task in TASKS for setting in SETTINGS[task]]
TABLE_FILES = expand("results/tables/{table}.parquet", table=TABLES)


if STUDY.synthetic:

    rule generate_cohort:
        """A cohort in MC-MED's own format, from a causal story."""
        output:
            list(RAW.values()),
            marker=str(RECORDS / "SYNTHETIC.json"),
            truth=str(RECORDS / "truth.json"),
        log:
            "logs/generate_cohort.log",
        benchmark:
            "results/benchmarks/generate_cohort.jsonl"
        conda:
            "../../envs/cpu.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            code=code("generate_cohort"),
            settings=settings("synthetic"),
            folder=RECORDS,
        shell:
            "$TIREC_PYTHON $TIREC_HOME/scripts/generate_cohort.py --settings {params.settings:q} --output {params.folder:q} > {log} 2>&1"


rule ingest_records:
    """Eight typed tables, and what was read, kept and set aside."""
    input:
        [file for name, file in RAW.items() if name not in SPLIT_FILES],
    output:
        TABLE_FILES,
        audit="results/audit/ingest.tsv",
    log:
        "logs/ingest_records.log",
    benchmark:
        "results/benchmarks/ingest_records.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: 2
    resources:
        mem_mb=12000,
        runtime=120,
    params:
        code=code("ingest_records"),
        settings=settings("data"),
        root=RECORDS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/ingest_records.py --root {params.root:q} --settings {params.settings:q}"
        " --tables results/tables --audit {output.audit} > {log} 2>&1"


rule build_splits:
    """Training, validation (halves A and B) and test, by patient."""
    input:
        "results/tables/visits.parquet",
        [file for name, file in RAW.items() if name in SPLIT_FILES],
    output:
        splits="results/splits.parquet",
        audit="results/audit/splits.tsv",
    log:
        "logs/build_splits.log",
    benchmark:
        "results/benchmarks/build_splits.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("build_splits"),
        data_class=DATA_CLASS,
        settings=settings("cohort", "splits"),
        root=RECORDS,
        format=STUDY.data.format,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_splits.py --data-class {params.data_class} --root {params.root:q} --format {params.format} --tables results/tables --settings {params.settings:q}"
        " --output {output.splits} --audit {output.audit} > {log} 2>&1"


for _task in TASKS:

    rule:
        name:
            f"build_instances_{_task}"
        input:
            "results/tables/visits.parquet",
            "results/tables/numerics.parquet",
            splits="results/splits.parquet",
        output:
            [f"results/instances/{_task}/{setting}.parquet" for setting in SETTINGS[_task]],
            f"results/instances/{_task}/exclusions.parquet",
        log:
            f"logs/build_instances/{_task}.log",
        benchmark:
            f"results/benchmarks/build_instances/{_task}.jsonl"
        conda:
            "../../envs/cpu.yaml"
        resources:
            mem_mb=8000,
            runtime=60,
        params:
            code=code("build_instances"),
            data_class=DATA_CLASS,
            settings=settings("cohort", "left_against_advice", _task),
            task=_task,
        shell:
            "$TIREC_PYTHON $TIREC_HOME/scripts/build_instances.py --data-class {params.data_class} --task {params.task} --tables results/tables --splits {input.splits}"
            " --settings {params.settings:q} --output-dir results/instances/{params.task} > {log} 2>&1"


rule audit_cohort:
    """Exclusions with one reason each, and prevalence per task, setting and split."""
    input:
        INSTANCES,
        expand("results/instances/{task}/exclusions.parquet", task=TASKS),
    output:
        exclusions="results/audit/exclusions.tsv",
        prevalence="results/audit/prevalence.tsv",
        flags="results/audit/flags.tsv",
    log:
        "logs/audit_cohort.log",
    benchmark:
        "results/benchmarks/audit_cohort.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("audit_cohort"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/audit_cohort.py --data-class {params.data_class} --instances-dir results/instances --exclusions {output.exclusions}"
        " --prevalence {output.prevalence} --flags {output.flags} > {log} 2>&1"


rule audit_orders:
    """Every order name with its predictive value for admission; an undecided leak stops the run."""
    input:
        "results/tables/orders.parquet",
        instances="results/instances/disposition/4h.parquet",
    output:
        "results/audit/order_leak.tsv",
    log:
        "logs/audit_orders.log",
    benchmark:
        "results/benchmarks/audit_orders.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        code=code("audit_orders"),
        data_class=DATA_CLASS,
        settings=settings("evidence", "orders"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/audit_orders.py --data-class {params.data_class} --tables results/tables"
        " --instances {input.instances} --settings {params.settings:q} --output {output} > {log} 2>&1"


rule sample_instances:
    """The fixed list of one task's instances that the agent meets."""
    input:
        lambda wildcards: [
            f"results/instances/{wildcards.task}/{setting}.parquet" for setting in SETTINGS[wildcards.task]
        ],
    output:
        "results/sampled/{task}.parquet",
    log:
        "logs/sample_instances/{task}.log",
    benchmark:
        "results/benchmarks/sample_instances/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("sample_instances"),
        data_class=DATA_CLASS,
        settings=settings("cohort", "sampling"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/sample_instances.py --data-class {params.data_class} --instances {input} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule build_audit_page:
    """The five tables of the audit as one page for a reader: what was read, who was excluded, how frequent outcomes are."""
    input:
        expand("results/audit/{table}.tsv", table=["ingest", "splits", "exclusions", "prevalence", "flags"]),
    output:
        "results/audit/index.html",
    log:
        "logs/build_audit_page.log",
    benchmark:
        "results/benchmarks/build_audit_page.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("build_audit_page"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_audit_page.py --audit results/audit --output {output} > {log} 2>&1"
