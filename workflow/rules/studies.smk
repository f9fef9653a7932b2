"""How models choose and read evidence: studies of finished policies, asked for by name (docs/studies.md).

INPUTS   results/policies/, teachers/, features/, episodes/test.arrow, instances/, sampled/, tables/, predictions/, trajectories/,
         metrics/
OUTPUTS  results/studies/{drawn,edits/{task},{budget,reading,counterfactual}/{model}}.parquet, studies/{budget,reading,
         usable_value,usable_value_correlation,calls}.tsv, studies/call_map.parquet, counterfactual.tsv, cases.html (of
         credentialed data: restricted/cases.html), figures/{budget,reading,usable_value,calls,call_map,counterfactual}.{pdf,png}
STEPS    draw_groups edit_observations play_studies (one per policy) study_columns (one per tree or classical model); assess_budget assess_reading
         assess_usable_value assess_calls assess_counterfactual map_calls; plot_* (one per figure); build_cases
"""

from tirec.config.studies import PolicyStudyConfig

STUDIED = [
    f"{policy}.seed{seed}"
    for policy, seed in POLICIES
    if policy in (STUDY.evaluation.reference, *STUDY.studies.policies, "base")
]
# Of the classical models those that read any of the ten groups.
READERS = [
    *STUDIED,
    "teacher",
    *(
        name
        for name in TABULAR_MODELS
        if STUDY.models[name].columns != "arrival" and STUDY.models[name].estimator not in ("acuity", "prevalence")
    ),
]
ALTERED = [*STUDIED, "teacher"]
COMPARED = [f"{STUDY.evaluation.reference}.seed{STUDY.seeds[0]}", "base.seed0"]
CASE_PAIR = [COMPARED[0], STUDY.studies.pair_with]
CASES = f"results/{'restricted/' if DATA_CLASS == 'credentialed' else ''}cases.html"
EDITS = expand("results/studies/edits/{task}.parquet", task=TASKS)
DRAWN = "results/studies/drawn.parquet"
PLAYING = PolicyStudyConfig(
    protocol=STUDY.protocol,
    budgets=STUDY.studies.budgets,
    dtype=STUDY.evaluation.dtype,
    threads=STUDY.evaluation.threads,
    batch=STUDY.evaluation.batch,
)
# Of credentialed data the map of calls, patient by patient, stays out of the report.
STUDY_FIGURES = expand(
    "results/figures/{name}.pdf",
    name=["budget", "reading", "usable_value", "calls", "counterfactual"]
    + (["call_map"] if DATA_CLASS != "credentialed" else []),
)


rule draw_groups:
    """The sampled test cases, and each patient's random orders of the ten groups: the same for every model."""
    input:
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        DRAWN,
    log:
        "logs/draw_groups.log",
    benchmark:
        "results/benchmarks/draw_groups.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("draw_groups"),
        data_class=DATA_CLASS,
        settings=settings("studies", "cases", "draws", "seed"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/draw_groups.py --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output} > {log} 2>&1"


rule edit_observations:
    """What the functions would say if one value, or the patient, were another; through the evidence window."""
    input:
        TABLE_FILES,
        instances=instances_of,
        sampled="results/sampled/{task}.parquet",
    output:
        "results/studies/edits/{task}.parquet",
    log:
        "logs/edit_observations/{task}.log",
    benchmark:
        "results/benchmarks/edit_observations/{task}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        code=code("edit_observations"),
        data_class=DATA_CLASS,
        settings=settings("evidence", "orders", "history_margin_days", "observations"),
        studies=settings("studies", "edited_cases", "seed"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/edit_observations.py --tables results/tables --instances {input.instances}"
        " --sampled {input.sampled} --settings {params.settings:q} --studies {params.studies:q}"
        " --data-class {params.data_class} --output {output} > {log} 2>&1"


rule play_studies:
    """One policy in all studies: its own groups, the random groups, the edited observations; greedy, without skills."""
    input:
        policies=expand("results/policies/{{policy}}/seed{{seed}}/{task}/policy.json", task=TASKS),
        episodes="results/episodes/test.arrow",
        drawn=DRAWN,
        edits=EDITS,
    output:
        budget="results/studies/budget/{policy}.seed{seed}.parquet",
        reading="results/studies/reading/{policy}.seed{seed}.parquet",
        counterfactual="results/studies/counterfactual/{policy}.seed{seed}.parquet",
    log:
        "logs/play_studies/{policy}.seed{seed}.log",
    benchmark:
        "results/benchmarks/play_studies/{policy}.seed{seed}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    threads: STUDY.evaluation.threads
    resources:
        **(ONE_GPU if STUDY.model.kind == "hf" else {}),
        mem_mb=64000 if STUDY.model.kind == "hf" else 16000,
        runtime=1440,
    params:
        code=code("play_studies"),
        prompts=PROMPTS,
        data_class=DATA_CLASS,
        settings=PLAYING.model_dump_json(),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/play_studies.py --policies {input.policies} --episodes {input.episodes}"
        " --drawn {input.drawn} --edits {input.edits} --settings {params.settings:q} --output-budget {output.budget}"
        " --output-reading {output.reading} --output-counterfactual {output.counterfactual}"
        " --data-class {params.data_class} > {log} 2>&1"


rule study_columns:
    """A model of columns (the tree teacher, a classical model) on the same random groups and edited observations."""
    input:
        models=column_files,
        features=expand("results/features/{task}.parquet", task=TASKS),
        instances=INSTANCES,
        drawn=DRAWN,
        edits=EDITS,
    output:
        reading="results/studies/reading/{model}.parquet",
        counterfactual="results/studies/counterfactual/{model}.parquet",
    log:
        "logs/study_columns/{model}.log",
    benchmark:
        "results/benchmarks/study_columns/{model}.jsonl"
    wildcard_constraints:
        model="|".join(["teacher", *TABULAR_MODELS]),
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=8000,
        runtime=30,
    params:
        code=code("study_columns"),
        data_class=DATA_CLASS,
        settings=settings("studies", "budgets"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/study_columns.py --models {input.models} --features {input.features}"
        " --instances {input.instances} --drawn {input.drawn} --edits {input.edits} --settings {params.settings:q}"
        " --output-reading {output.reading} --output-counterfactual {output.counterfactual}"
        " --data-class {params.data_class} > {log} 2>&1"


rule assess_budget:
    """AUROC under every budget: groups of the model's own choice, random ones, and no restriction."""
    input:
        own=expand("results/studies/budget/{model}.parquet", model=STUDIED),
        random=expand("results/studies/reading/{model}.parquet", model=STUDIED),
        whole=expand("results/predictions/{model}/test.parquet", model=STUDIED),
        drawn=DRAWN,
        instances=INSTANCES,
    output:
        "results/studies/budget.tsv",
    log:
        "logs/assess_budget.log",
    benchmark:
        "results/benchmarks/assess_budget.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("assess_budget"),
        data_class=DATA_CLASS,
        settings=SCORING,
        calls=STUDY.protocol.calls,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_budget.py --own {input.own} --random {input.random} --whole {input.whole}"
        " --drawn {input.drawn} --instances {input.instances} --calls {params.calls} --settings {params.settings:q}"
        " --data-class {params.data_class} --output {output} > {log} 2>&1"


rule assess_reading:
    """AUROC of every model on the same random groups of the same patients."""
    input:
        random=expand("results/studies/reading/{model}.parquet", model=READERS),
        drawn=DRAWN,
        instances=INSTANCES,
    output:
        "results/studies/reading.tsv",
    log:
        "logs/assess_reading.log",
    benchmark:
        "results/benchmarks/assess_reading.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("assess_reading"),
        data_class=DATA_CLASS,
        settings=SCORING,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_reading.py --random {input.random} --drawn {input.drawn}"
        " --instances {input.instances} --settings {params.settings:q} --data-class {params.data_class}"
        " --output {output} > {log} 2>&1"


rule assess_usable_value:
    """What each group is worth to a policy against how often it requests it, and their rank correlation."""
    input:
        own=expand("results/studies/budget/{model}.parquet", model=STUDIED),
        random=expand("results/studies/reading/{model}.parquet", model=STUDIED),
        drawn=DRAWN,
        instances=INSTANCES,
    output:
        values="results/studies/usable_value.tsv",
        correlation="results/studies/usable_value_correlation.tsv",
    log:
        "logs/assess_usable_value.log",
    benchmark:
        "results/benchmarks/assess_usable_value.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("assess_usable_value"),
        data_class=DATA_CLASS,
        settings=SCORING,
        studies=settings("studies", "budgets", "request_budget", "loss"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_usable_value.py --own {input.own} --random {input.random}"
        " --drawn {input.drawn} --instances {input.instances} --settings {params.settings:q} --studies {params.studies:q}"
        " --data-class {params.data_class} --output {output.values} --output-correlation {output.correlation} > {log} 2>&1"


rule assess_calls:
    """AUROC beside calls per case of every model, without a budget but the protocol's."""
    input:
        expand("results/metrics/{model}.tsv", model=MODELS),
    output:
        "results/studies/calls.tsv",
    log:
        "logs/assess_calls.log",
    benchmark:
        "results/benchmarks/assess_calls.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("assess_calls"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_calls.py --metrics {input} --data-class {params.data_class}"
        " --output {output} > {log} 2>&1"


rule assess_counterfactual:
    """Change of p and its sign per function, edit and model."""
    input:
        predictions=expand("results/studies/counterfactual/{model}.parquet", model=ALTERED),
        edits=EDITS,
        instances=INSTANCES,
    output:
        "results/counterfactual.tsv",
    log:
        "logs/assess_counterfactual.log",
    benchmark:
        "results/benchmarks/assess_counterfactual.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("assess_counterfactual"),
        data_class=DATA_CLASS,
        settings=SCORING,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/assess_counterfactual.py --predictions {input.predictions} --edits {input.edits}"
        " --instances {input.instances} --settings {params.settings:q} --data-class {params.data_class}"
        " --output {output} > {log} 2>&1"


rule map_calls:
    """Calls of the reference and the base, and the teacher's contributions, patient by patient; without ids."""
    input:
        trajectories=expand("results/trajectories/{model}/test.jsonl.zst", model=COMPARED),
        contributions=expand("results/teachers/{task}/contributions.parquet", task=TASKS),
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        "results/studies/call_map.parquet",
    log:
        "logs/map_calls.log",
    benchmark:
        "results/benchmarks/map_calls.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("map_calls"),
        data_class=DATA_CLASS,
        settings=settings("studies", "map_patients", "seed"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/map_calls.py --trajectories {input.trajectories}"
        " --contributions {input.contributions} --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output} > {log} 2>&1"


rule plot_budget:
    """The figure of budgets (3a): own choice against random groups."""
    input:
        table="results/studies/budget.tsv",
    output:
        pdf="results/figures/budget.pdf",
        png=reported("results/figures/budget.png", "budget", "Choosing and reading", figure="budget"),
    log:
        "logs/plot_budget.log",
    benchmark:
        "results/benchmarks/plot_budget.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_budget"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_budget.py --table {input.table} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule plot_reading:
    """The figure of reading (5): every model on the same random groups."""
    input:
        table="results/studies/reading.tsv",
    output:
        pdf="results/figures/reading.pdf",
        png=reported("results/figures/reading.png", "reading", "Choosing and reading", figure="reading"),
    log:
        "logs/plot_reading.log",
    benchmark:
        "results/benchmarks/plot_reading.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_reading"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_reading.py --table {input.table} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule plot_usable_value:
    """The figure of usable value (4): request rate over benefit, base, trained and change."""
    input:
        table="results/studies/usable_value.tsv",
        correlation="results/studies/usable_value_correlation.tsv",
    output:
        pdf="results/figures/usable_value.pdf",
        png=reported("results/figures/usable_value.png", "usable_value", "Choosing and reading", figure="usable value"),
    log:
        "logs/plot_usable_value.log",
    benchmark:
        "results/benchmarks/plot_usable_value.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_usable_value"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_usable_value.py --table {input.table} --correlation {input.correlation} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule plot_calls:
    """The figure of calls (3b): AUROC over calls per case."""
    input:
        table="results/studies/calls.tsv",
    output:
        pdf="results/figures/calls.pdf",
        png=reported("results/figures/calls.png", "calls", "Choosing and reading", figure="calls"),
    log:
        "logs/plot_calls.log",
    benchmark:
        "results/benchmarks/plot_calls.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_calls"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_calls.py --table {input.table} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule plot_counterfactual:
    """The figure of edited observations: change of p per function and model."""
    input:
        table="results/counterfactual.tsv",
    output:
        pdf="results/figures/counterfactual.pdf",
        png=reported(
            "results/figures/counterfactual.png", "counterfactual", "Choosing and reading", figure="counterfactual"
        ),
    log:
        "logs/plot_counterfactual.log",
    benchmark:
        "results/benchmarks/plot_counterfactual.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_counterfactual"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_counterfactual.py --table {input.table} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule plot_call_map:
    """The map of calls (6), patient by patient; of credentialed data it stays out of the report."""
    input:
        table="results/studies/call_map.parquet",
    output:
        pdf="results/figures/call_map.pdf",
        png=reported("results/figures/call_map.png", "call_map", "Choosing and reading", figure="call map"),
    log:
        "logs/plot_call_map.log",
    benchmark:
        "results/benchmarks/plot_call_map.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_call_map"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_call_map.py --table {input.table} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule build_cases:
    """Pairs of trajectories picked by written rules, in the viewer's format; of credentialed data in a closed folder."""
    input:
        trajectories=expand("results/trajectories/{model}/test.jsonl.zst", model=CASE_PAIR),
        metrics=expand("results/metrics/{model}.tsv", model=CASE_PAIR),
        episodes="results/episodes/test.arrow",
        teacher="results/predictions/teacher/test.parquet",
    output:
        CASES,
    log:
        "logs/build_cases.log",
    benchmark:
        "results/benchmarks/build_cases.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("build_cases"),
        data_class=DATA_CLASS,
        settings=settings("studies", "pairs"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/build_cases.py --trajectories {input.trajectories} --metrics {input.metrics}"
        " --episodes {input.episodes} --predictions {input.teacher} --settings {params.settings:q}"
        " --data-class {params.data_class} --output {output} > {log} 2>&1"
