"""What the agent is given: texts of the sampled instances, skills, and one self-contained file per split.

INPUTS   results/tables/, instances/, sampled/, teachers/*/risk.parquet, reference_sets.tsv, config/skills/
OUTPUTS  results/observations/{task}.parquet, skills/{task}.tsv, episodes/{train,validation,test}.arrow
STEPS    render_observations collect_skills build_episodes
"""

SKILLS = or_stop(documents, STUDY.skills, "*.md", "skill documents")
EPISODES = expand("results/episodes/{split}.arrow", split=["train", "validation", "test"])


rule render_observations:
    """The initial view and the 18 texts of every sampled instance, through the evidence window."""
    input:
        TABLE_FILES,
        instances=instances_of,
        sampled="results/sampled/{task}.parquet",
    output:
        "results/observations/{task}.parquet",
    log:
        "logs/render_observations/{task}.log",
    benchmark:
        "results/benchmarks/render_observations/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        code=code("render_observations"),
        data_class=DATA_CLASS,
        settings=settings("evidence", "orders", "history_margin_days", "observations"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/render_observations.py --data-class {params.data_class} --tables results/tables --instances {input.instances}"
        " --sampled {input.sampled} --settings {params.settings:q} --output {output} > {log} 2>&1"


rule collect_skills:
    """The sentences of every skill document, one row each."""
    output:
        expand("results/skills/{task}.tsv", task=TASKS),
    log:
        "logs/collect_skills.log",
    benchmark:
        "results/benchmarks/collect_skills.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("collect_skills"),
        skills=SKILLS,
    shell:
        '$TIREC_PYTHON $TIREC_HOME/scripts/collect_skills.py --skills "$TIREC_SKILLS" --output-dir results/skills > {log} 2>&1'


rule build_episodes:
    """View, observations, label, teacher risk and reference set of every case, one file per split."""
    input:
        INSTANCES,
        expand("results/sampled/{task}.parquet", task=TASKS),
        expand("results/observations/{task}.parquet", task=TASKS),
        expand("results/teachers/{task}/risk.parquet", task=TASKS),
        "results/reference_sets.tsv",
    output:
        EPISODES,
    log:
        "logs/build_episodes.log",
    benchmark:
        "results/benchmarks/build_episodes.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=8000,
        runtime=30,
    params:
        code=code("build_episodes"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_episodes.py --results results --data-class {params.data_class}"
        " --output-dir results/episodes > {log} 2>&1"
