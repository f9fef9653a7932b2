include: "workflow/Snakefile"


rule study:
    """What plain `snakemake` makes; including resets the default target, so it is named here."""
    default_target: True
    input:
        rules.all.input,
    localrule: True
