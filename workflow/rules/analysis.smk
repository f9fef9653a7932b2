"""Figures, each from tables only.

INPUTS   results/ablations.tsv, policies/*/seed*/history.tsv
OUTPUTS  results/figures/{name}.{pdf,png}
STEPS    plot_training plot_ablations
"""

FIGURES = expand("results/figures/{name}.pdf", name=["training", "ablations"])


rule plot_training:
    """How the policies learned: rewards, and validation without skills, over steps."""
    input:
        [f"results/policies/{policy}/seed{seed}/history.tsv" for policy, seed in POLICIES if policy != "base"],
    output:
        pdf="results/figures/training.pdf",
        png=reported("results/figures/training.png", "training", "Training", shows="figure: training"),
    log:
        "logs/plot_training.log",
    benchmark:
        "results/benchmarks/plot_training.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_training"),
        data_class=DATA_CLASS,
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_training.py --histories {input} --output {output.pdf}"
        " --data-class {params.data_class} > {log} 2>&1"


rule plot_ablations:
    """Forest plot of the study's table."""
    input:
        "results/ablations.tsv",
    output:
        pdf="results/figures/ablations.pdf",
        png=reported("results/figures/ablations.png", "ablations", "Results", shows="figure: ablations"),
    log:
        "logs/plot_ablations.log",
    benchmark:
        "results/benchmarks/plot_ablations.jsonl"
    localrule: True
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("plot_ablations"),
        data_class=DATA_CLASS,
        settings=settings("evaluation", "reference", "confidence"),
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/plot_ablations.py --ablations {input} --output {output.pdf}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log} 2>&1"
