"""LA-CDM's policies: the base, training in cyclic phases, dialogues about every case, tables.

INPUTS   results/lacdm/episodes/, config/lacdm/; the local directory of the base model (a parameter, not an input)
OUTPUTS  results/lacdm/policies/{policy}/seed{n}/{policy.json,history.tsv,config.yaml}, predictions/, hypotheses/,
         trajectories/, trajectories.html (restricted/ unless the folder is made here), ablations.tsv, main.tsv,
         first_tests.tsv, reliability.tsv, adherence.tsv, figures/
STEPS    build_lacdm_base [select_lacdm_references] train_lacdm predict_lacdm build_lacdm_viewer compare_lacdm
         describe_lacdm plot_lacdm
"""

from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.lacdm_training import compose_cdm

CDM = STUDY.lacdm
CDM_BASE = "results/lacdm/policies/base/seed0/policy.json"
CDM_TRAINING = {
    policy: or_stop(compose_cdm, policy, CDM.overrides).model_copy(update={"lora": CDM.model.lora})
    for policy in CDM.policies
}
CDM_TRAINED = [policy for policy in CDM.policies if CDM_TRAINING[policy].trained]
CDM_MODELS = [
    model
    for policy in CDM.policies
    for model in ([f"{policy}.seed{seed}" for seed in CDM.seeds] if policy in CDM_TRAINED else [policy])
]
CDM_STATING = [model for model in CDM_MODELS if CDM_TRAINING[model.partition(".")[0]].cast != "decision"]
CDM_RULES = ConsultConfig.of(CDM).model_dump_json()
CDM_PROMPTS = or_stop(documents, CDM.agents.prompts, "*.j2", "prompt templates")
CDM_RESOURCES = (
    {"mem_mb": 2000, "runtime": 60} if CDM.model.kind == "tiny" else ONE_GPU | {"mem_mb": 100000, "runtime": 1440}
)
CDM_MISSING = CDM.model.kind == "hf" and not (Path(CDM.model.base) / "config.json").is_file()
CDM_SCORING = CDM.evaluation.model_dump_json(include={"draws", "seed", "confidence", "reference", "comparisons"})

CDM_FIGURES = ("frontier", "reliability", "first_tests", "training")
CDM_VIEWER = f"results/lacdm/{'' if CDM_SYNTHETIC else 'restricted/'}trajectories.html"


wildcard_constraints:
    cdm_policy="|".join(CDM_TRAINED),


rule build_lacdm_base:
    """The base: the demo's is made and warm-started here, the study's is a local directory."""
    input:
        episodes="results/lacdm/episodes/train.arrow" if CDM.model.kind == "tiny" else [],
    output:
        CDM_BASE,
    log:
        "logs/build_lacdm_base.log",
    benchmark:
        "results/benchmarks/build_lacdm_base.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("build_lacdm_base"),
        prompts=CDM_PROMPTS,
        menu=CDM_MENU,
        data_class=cdm_data_class,
        settings=CDM.model.model_dump_json(exclude={"lora"}),
        rules=CDM_RULES,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_lacdm_base.py --episodes {input.episodes} --settings {params.settings:q}"
        " --rules {params.rules:q} --data-class {params.data_class} --output-dir results/lacdm/policies/base/seed0"
        " > {log} 2>&1"


rule select_lacdm_references:
    """Which tests carry a tree teacher of each condition; read where matching is rewarded."""
    input:
        "results/lacdm/episodes/train.arrow",
    output:
        "results/lacdm/reference_sets.tsv",
    log:
        "logs/select_lacdm_references.log",
    benchmark:
        "results/benchmarks/select_lacdm_references.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        code=code("select_lacdm_references"),
        data_class=cdm_data_class,
        settings=settings("teacher"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/select_lacdm_references.py --train {input} --settings {params.settings:q}"
        " --data-class {params.data_class} --output {output} > {log} 2>&1"


rule train_lacdm:
    """One policy and seed; killed anywhere, the same command continues and ends with the same numbers."""
    input:
        train="results/lacdm/episodes/train.arrow",
        validation="results/lacdm/episodes/validation.arrow",
        base=CDM_BASE,
        references=cdm_references,
    output:
        "results/lacdm/policies/{cdm_policy}/seed{seed}/policy.json",
        history="results/lacdm/policies/{cdm_policy}/seed{seed}/history.tsv",
        config="results/lacdm/policies/{cdm_policy}/seed{seed}/config.yaml",
    log:
        "logs/train_lacdm/{cdm_policy}.seed{seed}.log",
    benchmark:
        "results/benchmarks/train_lacdm/{cdm_policy}.seed{seed}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: 1 if CDM.model.kind == "tiny" else 8
    resources:
        **CDM_RESOURCES,
    params:
        code=code("train_lacdm"),
        prompts=CDM_PROMPTS,
        menu=CDM_MENU,
        data_class=cdm_data_class,
        settings=lambda wildcards: CDM_TRAINING[wildcards.cdm_policy].model_dump_json(),
        references=lambda wildcards, input: f"--references {input.references}" if input.references else "",
        rules=CDM_RULES,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/train_lacdm.py --train {input.train} --validation {input.validation}"
        " --base {input.base} {params.references} --settings {params.settings:q} --rules {params.rules:q} --seed {wildcards.seed}"
        " --run-root results/lacdm/.runs --output-dir results/lacdm/policies/{wildcards.cdm_policy}/seed{wildcards.seed}"
        " --data-class {params.data_class} > {log} 2>&1"


rule predict_lacdm:
    """One policy's dialogues about every validation and test case."""
    input:
        policy=cdm_policy_file,
        episodes=expand("results/lacdm/episodes/{split}.arrow", split=["validation", "test"]),
    output:
        expand(
            "results/lacdm/{kind}/{{model}}/{split}.parquet",
            kind=["predictions", "hypotheses"],
            split=["validation", "test"],
        ),
        expand("results/lacdm/trajectories/{{model}}/{split}.jsonl.zst", split=["validation", "test"]),
    log:
        "logs/predict_lacdm/{model}.log",
    benchmark:
        "results/benchmarks/predict_lacdm/{model}.jsonl"
    wildcard_constraints:
        model="|".join(CDM_MODELS),
    conda:
        "../../envs/cpu.yaml"
    resources:
        **CDM_RESOURCES,
    params:
        code=code("predict_lacdm"),
        prompts=CDM_PROMPTS,
        menu=CDM_MENU,
        data_class=cdm_data_class,
        settings=cdm_model_settings,
        rules=CDM_RULES,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/predict_lacdm.py --model {wildcards.model} --policy {input.policy}"
        " --episodes {input.episodes} --settings {params.settings:q} --rules {params.rules:q} --results results/lacdm"
        " --data-class {params.data_class} > {log} 2>&1"


rule build_lacdm_viewer:
    """The page of dialogues: what each policy read, ordered and said, case by case, in the shared viewer."""
    input:
        trajectories=expand("results/lacdm/trajectories/{model}/test.jsonl.zst", model=CDM_MODELS),
        predictions=expand("results/lacdm/predictions/{model}/test.parquet", model=CDM_MODELS),
        episodes="results/lacdm/episodes/test.arrow",
    output:
        CDM_VIEWER,
    log:
        "logs/build_lacdm_viewer.log",
    benchmark:
        "results/benchmarks/build_lacdm_viewer.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        code=code("build_lacdm_viewer"),
        menu=CDM_MENU,
        data_class=cdm_data_class,
        settings=settings("report", "viewer_cases", "viewer_seed"),
        rules=CDM_RULES,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_lacdm_viewer.py --trajectories {input.trajectories}"
        " --predictions {input.predictions} --episodes {input.episodes} --settings {params.settings:q}"
        " --rules {params.rules:q} --data-class {params.data_class} --output {output} > {log} 2>&1"


rule compare_lacdm:
    """Policies beside the reference on the same test cases: ablations.tsv; with the tabular models too: main.tsv."""
    input:
        predictions=lambda wildcards: expand(
            "results/lacdm/predictions/{model}/test.parquet",
            model=CDM_MODELS + (CDM_TREES + CDM_ORDERING if wildcards.cdm_table == "main" else []),
        ),
        hypotheses=expand("results/lacdm/hypotheses/{model}/test.parquet", model=CDM_STATING),
    output:
        reported("results/lacdm/{cdm_table}.tsv", "lacdm_table", "LA-CDM", shows="table: {cdm_table}"),
    log:
        "logs/compare_lacdm/{cdm_table}.log",
    benchmark:
        "results/benchmarks/compare_lacdm/{cdm_table}.jsonl"
    wildcard_constraints:
        cdm_table="ablations|main",
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        code=code("compare_lacdm"),
        data_class=cdm_data_class,
        settings=CDM_SCORING,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compare_lacdm.py --predictions {input.predictions}"
        " --hypotheses {input.hypotheses} --settings {params.settings:q} --data-class {params.data_class}"
        " --output {output} > {log} 2>&1"


rule describe_lacdm:
    """What the policies do: the first test by suspected condition, stated confidences, adherence to guidelines."""
    input:
        predictions=expand("results/lacdm/predictions/{model}/test.parquet", model=CDM_MODELS),
        hypotheses=expand("results/lacdm/hypotheses/{model}/test.parquet", model=CDM_STATING),
    output:
        expand("results/lacdm/{table}.tsv", table=["first_tests", "reliability", "adherence"]),
    log:
        "logs/describe_lacdm.log",
    benchmark:
        "results/benchmarks/describe_lacdm.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        code=code("describe_lacdm"),
        menu=CDM_MENU,
        data_class=cdm_data_class,
        rules=CDM_RULES,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/describe_lacdm.py --predictions {input.predictions}"
        " --hypotheses {input.hypotheses} --rules {params.rules:q} --data-class {params.data_class}"
        " --output-dir results/lacdm > {log} 2>&1"


rule plot_lacdm:
    """Figures: accuracy against cost, reliability, first tests, training."""
    input:
        table="results/lacdm/ablations.tsv",
        reliability="results/lacdm/reliability.tsv",
        first="results/lacdm/first_tests.tsv",
        histories=[f"results/lacdm/policies/{policy}/seed{CDM.seeds[0]}/history.tsv" for policy in CDM_TRAINED],
    output:
        [f"results/lacdm/figures/{name}.pdf" for name in CDM_FIGURES],
        [
            reported(
                f"results/lacdm/figures/{name}.png",
                f"lacdm_{name}",
                "LA-CDM",
                shows=f"figure: {name.replace('_', ' ')}",
            )
            for name in CDM_FIGURES
        ],
    log:
        "logs/plot_lacdm.log",
    benchmark:
        "results/benchmarks/plot_lacdm.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("plot_lacdm"),
        data_class=cdm_data_class,
        models=[model for model in CDM_STATING if model.partition(".")[0] in ("zero_shot", CDM.evaluation.reference)],
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_lacdm.py --table {input.table} --reliability {input.reliability}"
        " --first-tests {input.first} --histories {input.histories} --models {params.models}"
        " --data-class {params.data_class} --output-dir results/lacdm/figures > {log} 2>&1"
