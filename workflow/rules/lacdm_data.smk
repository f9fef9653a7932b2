"""LA-CDM's data: from the MIMIC-CDM folder to the cases that its agents and baselines meet.

INPUTS   the MIMIC-CDM folder (lacdm.root, MIMIC_CDM_ROOT), MIMIC-IV beside it where given, or a seed (lacdm.synthetic);
         config/lacdm/menu.yaml
OUTPUTS  results/lacdm/tables/**/*.parquet, splits.parquet, episodes/{train,validation,test}.arrow, audit/ingest.tsv,
         summaries.parquet (paper preset), features.parquet, predictions/{model}/{validation,test}.parquet and frontiers/{model}.tsv of the tabular models
STEPS    [generate_lacdm] ingest_lacdm split_lacdm [summarise_lacdm] build_lacdm_episodes; build_lacdm_features, then fit_lacdm_trees and
         fit_lacdm_ordering (one per model)
"""

from tirec.lacdm.records.folder import CSV_FILES, HOSPITAL_FILES, LABEL_FILE, cdm_files, hospital_files, locate_cdm
from tirec.lacdm.records.ingest import cdm_class
from tirec.lacdm.records.tables import SCHEMAS as CDM_SCHEMAS

CDM_SYNTHETIC = STUDY.lacdm.synthetic
CDM_FOLDER = Path("cdm")
CDM_MADE = [f"cdm/{name}.csv" for name in CSV_FILES]
CDM_MADE += [f"cdm/{LABEL_FILE}", *(f"cdm/mimic-iv/{name}.csv" for name in HOSPITAL_FILES)]
CDM_TABLES = {name: f"results/lacdm/tables/{name}.parquet" for name in CDM_SCHEMAS}
CDM_EPISODES = expand("results/lacdm/episodes/{split}.arrow", split=["train", "validation", "test"])
CDM_SUMMARIES = STUDY.lacdm.summaries or "results/lacdm/summaries.parquet"
if STUDY.lacdm.switches.initial != "summary":
    CDM_SUMMARIES = []
CDM_WRITER_MISSING = not Path(STUDY.lacdm.summary.model, "config.json").is_file()
CDM_TREES = ["prevalence", "availability_only", "demographics_only", "history_length_only", "all_labs"]
CDM_ORDERING = ["sm_ddpo", "ed_copilot"]
CDM_MENU = or_stop(documents, Path(STUDY.lacdm.menu).parent, Path(STUDY.lacdm.menu).name, "menu")


wildcard_constraints:
    cdm_trees="|".join(CDM_TREES),
    cdm_ordering="|".join(CDM_ORDERING),


if CDM_SYNTHETIC:

    rule generate_lacdm:
        """A MIMIC-CDM folder in the official format, from planted findings."""
        output:
            CDM_MADE,
            marker="cdm/SYNTHETIC.json",
            truth="cdm/truth.tsv",
        log:
            "logs/generate_lacdm.log",
        benchmark:
            "results/benchmarks/generate_lacdm.jsonl"
        conda:
            "../../envs/cpu.yaml"
        resources:
            mem_mb=1000,
            runtime=30,
        params:
            code=code("generate_lacdm"),
            menu=CDM_MENU,
            settings=CDM_SYNTHETIC.model_dump_json(),
        shell:
            '$TIREC_PYTHON $TIREC_HOME/scripts/generate_lacdm.py --menu "$TIREC_LACDM_MENU" --settings {params.settings:q}'
            " --output cdm > {log} 2>&1"


rule ingest_lacdm:
    """Typed tables of MIMIC-CDM: what may be shown, labels, people, and apart from them the target side."""
    input:
        cdm_inputs,
    output:
        list(CDM_TABLES.values()),
        audit="results/lacdm/audit/ingest.tsv",
    log:
        "logs/ingest_lacdm.log",
    benchmark:
        "results/benchmarks/ingest_lacdm.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("ingest_lacdm"),
        root=cdm_root,
        settings=cdm_settings(root=True, mimic_iv=True, data_class=True, max_bad_share=True),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/ingest_lacdm.py --root {params.root:q} --settings {params.settings:q}"
        " --tables results/lacdm/tables --audit {output.audit} > {log} 2>&1"


rule split_lacdm:
    """Which admission is for training, validation and test: the published deal, or by patient."""
    input:
        [CDM_TABLES[name] for name in ("labels", "people")],
    output:
        "results/lacdm/splits.parquet",
    log:
        "logs/split_lacdm.log",
    benchmark:
        "results/benchmarks/split_lacdm.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("split_lacdm"),
        data_class=cdm_data_class,
        settings=cdm_settings(split_seed=True, switches={"split"}, preset=True),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/split_lacdm.py --data-class {params.data_class} --tables results/lacdm/tables"
        " --settings {params.settings:q} --output {output} > {log} 2>&1"


rule summarise_lacdm:
    """Histories in a few sentences by a local model (published initial state)."""
    input:
        CDM_TABLES["history"],
    output:
        "results/lacdm/summaries.parquet",
    log:
        "logs/summarise_lacdm.log",
    benchmark:
        "results/benchmarks/summarise_lacdm.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        **ONE_GPU,
        mem_mb=64000,
        runtime=360,
    params:
        code=code("summarise_lacdm"),
        data_class=cdm_data_class,
        prompt=lambda wildcards: or_stop(cdm_summary_prompt),
        settings=STUDY.lacdm.summary.model_dump_json(),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/summarise_lacdm.py --data-class {params.data_class} --history {input}"
        ' --home "$TIREC_HOME" --settings {params.settings:q} --output {output} > {log} 2>&1'


rule build_lacdm_episodes:
    """What the agents are given: initial text and every test's answer; the target side is no input."""
    input:
        [CDM_TABLES[name] for name in ("history", "examination", "laboratory", "microbiology", "radiology", "items")],
        CDM_TABLES["charted"],
        summaries=CDM_SUMMARIES,
        splits="results/lacdm/splits.parquet",
    output:
        CDM_EPISODES,
    log:
        "logs/build_lacdm_episodes.log",
    benchmark:
        "results/benchmarks/build_lacdm_episodes.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        code=code("build_lacdm_episodes"),
        data_class=cdm_data_class,
        menu=CDM_MENU,
        summaries=lambda wildcards, input: f"--summaries {input.summaries}" if input.summaries else "",
        settings=cdm_settings(
            preset=True, switches=True, style=True, report_hours=True, split_seed=True, sampling=True, summaries=True
        ),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_lacdm_episodes.py --data-class {params.data_class}"
        ' --tables results/lacdm/tables --splits {input.splits} --menu "$TIREC_LACDM_MENU" {params.summaries}'
        " --settings {params.settings:q} --output-dir results/lacdm/episodes > {log} 2>&1"


rule build_lacdm_features:
    """Columns of the same cases for tabular models."""
    input:
        [CDM_TABLES[name] for name in ("laboratory", "history", "items")],
        CDM_EPISODES,
    output:
        "results/lacdm/features.parquet",
    log:
        "logs/build_lacdm_features.log",
    benchmark:
        "results/benchmarks/build_lacdm_features.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("build_lacdm_features"),
        data_class=cdm_data_class,
        menu=CDM_MENU,
        settings=cdm_settings(preset=True, switches=True, tabular={"min_share"}),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_lacdm_features.py --data-class {params.data_class} --tables results/lacdm/tables"
        ' --episodes results/lacdm/episodes --menu "$TIREC_LACDM_MENU" --settings {params.settings:q} --output {output} > {log} 2>&1'


rule fit_lacdm_trees:
    """A floor (prevalence, availability, demographics, length of history), or boosted trees on all laboratory values."""
    input:
        "results/lacdm/features.parquet",
    output:
        expand("results/lacdm/predictions/{{cdm_trees}}/{split}.parquet", split=["validation", "test"]),
    log:
        "logs/fit_lacdm_trees/{cdm_trees}.log",
    benchmark:
        "results/benchmarks/fit_lacdm_trees/{cdm_trees}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: STUDY.lacdm.tabular.threads
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("fit_lacdm_trees"),
        data_class=cdm_data_class,
        menu=CDM_MENU,
        settings=cdm_settings(preset=True, switches=True, tabular=True),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/fit_lacdm_trees.py --data-class {params.data_class} --model {wildcards.cdm_trees}"
        ' --features {input} --menu "$TIREC_LACDM_MENU" --settings {params.settings:q}'
        " --output-dir results/lacdm/predictions/{wildcards.cdm_trees} > {log} 2>&1"


rule fit_lacdm_ordering:
    """A cost-aware policy over laboratory panels: one per penalty, the best on validation."""
    input:
        CDM_TABLES["items"],
        features="results/lacdm/features.parquet",
    output:
        expand("results/lacdm/predictions/{{cdm_ordering}}/{split}.parquet", split=["validation", "test"]),
        frontier="results/lacdm/frontiers/{cdm_ordering}.tsv",
    log:
        "logs/fit_lacdm_ordering/{cdm_ordering}.log",
    benchmark:
        "results/benchmarks/fit_lacdm_ordering/{cdm_ordering}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("fit_lacdm_ordering"),
        data_class=cdm_data_class,
        menu=CDM_MENU,
        settings=cdm_settings(preset=True, switches=True, tabular=True),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/fit_lacdm_ordering.py --data-class {params.data_class} --model {wildcards.cdm_ordering}"
        ' --features {input.features} --tables results/lacdm/tables --menu "$TIREC_LACDM_MENU" --settings {params.settings:q}'
        " --output-dir results/lacdm/predictions/{wildcards.cdm_ordering} --frontier {output.frontier} > {log} 2>&1"


rule audit_lacdm:
    """Counts, availability by condition and every known leak, as a table and as a page."""
    input:
        list(CDM_TABLES.values()),
        CDM_EPISODES,
        "results/lacdm/splits.parquet",
        [f"results/lacdm/predictions/{model}/validation.parquet" for model in CDM_TREES if model != "all_labs"],
    output:
        table="results/lacdm/audit/audit.tsv",
        page="results/lacdm/audit/index.html",
    log:
        "logs/audit_lacdm.log",
    benchmark:
        "results/benchmarks/audit_lacdm.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("audit_lacdm"),
        data_class=cdm_data_class,
        menu=CDM_MENU,
        settings=cdm_settings(preset=True, switches=True, report_hours=True),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/audit_lacdm.py --data-class {params.data_class} --results results/lacdm"
        ' --menu "$TIREC_LACDM_MENU" --settings {params.settings:q} --table {output.table} --page {output.page} > {log} 2>&1'
