"""What a reader gets: quality by subgroup, calibration, decision curves, rendered tables, the model card.

INPUTS   results/predictions/, metrics/, instances/, sampled/, tables/{visits,numerics}.parquet (subgroups only), main.tsv,
         ablations.tsv, and every other aggregate that the card cites
OUTPUTS  results/{subgroups,calibration,decision_curve}/{model}.tsv, figures/{subgroups,calibration,decision_curve}.{pdf,png},
         {main,ablations}.{html,tex}, card.{md,html}; `make report` binds them into report.html
STEPS    compute_subgroups compute_calibration compute_decision_curve plot_* render_table write_card
"""

CURVES = or_stop(curve_models)
REPORT_FIGURES = [
    *FIGURES,
    *expand("results/figures/{name}.pdf", name=["calibration", "decision_curve", "subgroups"]),
    *STUDY_FIGURES,
]
RENDERED = expand("results/{table}.html", table=["main", "ablations"])
REPORT_TABLES = [
    "results/main.tsv",
    "results/ablations.tsv",
    "results/reference_sets.tsv",
    "results/reference_sets_sensitivity.tsv",
    "results/audit/index.html",
    *expand("results/audit/{name}.tsv", name=["exclusions", "prevalence", "order_leak"]),
    *expand("results/metrics/{model}.tsv", model=MODELS),
    *expand("results/subgroups/{model}.tsv", model=MODELS),
    *expand("results/{kind}/{model}.tsv", kind=["calibration", "decision_curve"], model=CURVES),
]
REPORT_INPUTS = [*REPORT_FIGURES, *RENDERED, *REPORT_TABLES, "results/card.md"]


rule compute_subgroups:
    """One model's quality by who the patients are; these columns enter no prompt and no feature."""
    input:
        test="results/predictions/{model}/test.parquet",
        metrics="results/metrics/{model}.tsv",
        visits="results/tables/visits.parquet",
        numerics="results/tables/numerics.parquet",
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        "results/subgroups/{model}.tsv",
    log:
        "logs/compute_subgroups/{model}.log",
    benchmark:
        "results/benchmarks/compute_subgroups/{model}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=6000,
        runtime=30,
    params:
        code=code("compute_subgroups"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "draws", "seed", "confidence", "age_bands"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compute_subgroups.py --test {input.test} --metrics {input.metrics}"
        " --visits {input.visits} --numerics {input.numerics} --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output} > {log} 2>&1"


rule compute_calibration:
    """The points of one model's calibration curves, as answered and recalibrated on validation half B."""
    input:
        validation="results/predictions/{model}/validation.parquet",
        test="results/predictions/{model}/test.parquet",
        metrics="results/metrics/{model}.tsv",
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        "results/calibration/{model}.tsv",
    log:
        "logs/compute_calibration/{model}.log",
    benchmark:
        "results/benchmarks/compute_calibration/{model}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("compute_calibration"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "draws", "seed", "confidence"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compute_calibration.py --validation {input.validation} --test {input.test}"
        " --metrics {input.metrics} --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output} > {log} 2>&1"


rule compute_decision_curve:
    """One model's net benefit over thresholds, beside acting on everyone."""
    input:
        test="results/predictions/{model}/test.parquet",
        metrics="results/metrics/{model}.tsv",
        instances=INSTANCES,
        sampled=SAMPLED,
    output:
        "results/decision_curve/{model}.tsv",
    log:
        "logs/compute_decision_curve/{model}.log",
    benchmark:
        "results/benchmarks/compute_decision_curve/{model}.jsonl"
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("compute_decision_curve"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "draws", "seed", "confidence", "decision_curve_to"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/compute_decision_curve.py --test {input.test} --metrics {input.metrics}"
        " --instances {input.instances} --sampled {input.sampled}"
        " --settings {params.settings:q} --data-class {params.data_class} --output {output} > {log} 2>&1"


rule plot_calibration:
    """Observed share against p, as answered and recalibrated."""
    input:
        expand("results/calibration/{model}.tsv", model=CURVES),
    output:
        pdf="results/figures/calibration.pdf",
        png=reported("results/figures/calibration.png", "calibration", "Results", shows="figure: calibration"),
    log:
        "logs/plot_calibration.log",
    benchmark:
        "results/benchmarks/plot_calibration.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_calibration"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "confidence"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_calibration.py --tables {input} --output {output.pdf}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log} 2>&1"


rule plot_decision_curve:
    """Net benefit over thresholds."""
    input:
        expand("results/decision_curve/{model}.tsv", model=CURVES),
    output:
        pdf="results/figures/decision_curve.pdf",
        png=reported("results/figures/decision_curve.png", "decision_curve", "Results", shows="figure: decision curve"),
    log:
        "logs/plot_decision_curve.log",
    benchmark:
        "results/benchmarks/plot_decision_curve.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_decision_curve"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "confidence"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_decision_curve.py --tables {input} --output {output.pdf}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log} 2>&1"


rule plot_subgroups:
    """How far the reference policy's quality in a group of patients lies from its quality in everyone."""
    input:
        f"results/subgroups/{CURVES[0]}.tsv",
    output:
        pdf="results/figures/subgroups.pdf",
        png=reported("results/figures/subgroups.png", "subgroups", "Results", shows="figure: subgroups"),
    log:
        "logs/plot_subgroups.log",
    benchmark:
        "results/benchmarks/plot_subgroups.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_subgroups"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "confidence"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_subgroups.py --table {input} --output {output.pdf}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log} 2>&1"


rule render_table:
    """A result table for people: HTML for the report, LaTeX for a paper, both from one object."""
    input:
        table="results/{table}.tsv",
        marks=lambda wildcards: "results/ablations_marks.tsv" if wildcards.table == "ablations" else [],
    output:
        html=reported("results/{table}.html", "table", "Results", shows="table: {table}"),
        tex="results/{table}.tex",
    log:
        "logs/render_table/{table}.log",
    benchmark:
        "results/benchmarks/render_table/{table}.jsonl"
    wildcard_constraints:
        table="main|ablations",
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("render_table"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "reference", "confidence"),
        marks=lambda wildcards: "--marks results/ablations_marks.tsv" if wildcards.table == "ablations" else "",
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/render_table.py --table {input.table} {params.marks} --output-html {output.html}"
        " --output-tex {output.tex} --settings {params.settings:q} --data-class {params.data_class} > {log} 2>&1"


rule write_card:
    """The model card and the TRIPOD+AI and TRIPOD-LLM items, each pointing at its file."""
    input:
        [path for path in REPORT_INPUTS if path != "results/card.md"],
    output:
        md="results/card.md",
        html=reported("results/card.html", "card", "Model card", shows="model card"),
    log:
        "logs/write_card.log",
    benchmark:
        "results/benchmarks/write_card.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("write_card"),
        data_class=DATA_CLASS,
        facts=card_facts(),
        asked_for=[path for path in ("results/leak_suite.tsv", "results/sensitivity.tsv") if Path(path).is_file()],
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/write_card.py --results results --facts {params.facts:q}"
        " --data-class {params.data_class} --output-md {output.md} --output-html {output.html} > {log} 2>&1"
