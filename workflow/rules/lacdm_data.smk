"""LA-CDM's data: from the MIMIC-CDM folder to the cases that its agents and baselines meet.

INPUTS   the MIMIC-CDM folder (lacdm.root, MIMIC_CDM_ROOT), MIMIC-IV beside it where given, or a seed (lacdm.synthetic);
         config/lacdm/menu.yaml
OUTPUTS  results/lacdm/tables/**/*.parquet, splits.parquet, episodes/{train,validation,test}.arrow, audit/ingest.tsv
STEPS    [generate_lacdm] ingest_lacdm split_lacdm build_lacdm_episodes
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
CDM_MENU = or_stop(documents, Path(STUDY.lacdm.menu).parent, Path(STUDY.lacdm.menu).name, "menu")


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
        settings=cdm_settings(root=True, mimic_iv=True, data_class=True),
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


rule build_lacdm_episodes:
    """What the agents are given: initial text and every test's answer; the target side is no input."""
    input:
        [CDM_TABLES[name] for name in ("history", "examination", "laboratory", "microbiology", "radiology", "items")],
        CDM_TABLES["charted"],
        summaries=STUDY.lacdm.summaries or [],
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
