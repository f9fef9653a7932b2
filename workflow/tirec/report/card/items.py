"""The items of TRIPOD+AI (Collins and others, BMJ 2024) and TRIPOD-LLM (Gallifant and others, Nature Medicine 2025).

Topics are in our words; the published checklists rule. Files are paths below the results or documents of the
repository; an item with neither is for the authors to write.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One item: where its answer lies, and a sentence where one helps."""

    number: str
    topic: str
    files: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    said: str = ""


_MAIN, _ABLATIONS = "main.tsv", "ablations.tsv"
_METRICS, _SUBGROUPS = "metrics/{model}.tsv", "subgroups/{model}.tsv"
_POLICY = "policies/{policy}/seed{seed}"
TRIPOD_AI = (
    Item("1", "Title: prediction model, population, outcome"),
    Item("2", "Abstract"),
    Item("3a", "Healthcare context, rationale, existing models", documents=("README.md",)),
    Item("3b", "Target population, intended purpose and users", said="Research only: no intended clinical use."),
    Item("3c", "Known health inequalities between groups"),
    Item("4", "Objectives", documents=("README.md",)),
    Item("5a", "Sources of data", ("audit/ingest.tsv",), ("docs/data.md",)),
    Item("5b", "Dates of the data", ("audit/ingest.tsv",), said="Dates of MC-MED are shifted by patient."),
    Item("6a", "Setting", documents=("docs/data.md",)),
    Item("6b", "Eligibility", ("audit/exclusions.tsv",), ("docs/data.md",)),
    Item("6c", "Treatments received", said="Not used as predictors beyond orders placed by the cutoff."),
    Item("7", "Data preparation", ("audit/ingest.tsv", "audit/index.html"), ("docs/decisions.md",)),
    Item("8a", "Outcome and its horizon", ("audit/prevalence.tsv",), ("docs/data.md",)),
    Item("8b", "Who assessed the outcome", said="By rule from the record; nobody judged cases."),
    Item("8c", "Blinding of the outcome assessment", said="Labels are computed apart from evidence and models."),
    Item("9a", "Choice of predictors", ("reference_sets.tsv",), ("docs/functions.md",)),
    Item("9b", "Definition of predictors", documents=("docs/functions.md",)),
    Item("9c", "Who assessed the predictors", said="By program from the record."),
    Item("10", "Sample size", ("audit/prevalence.tsv",), ("docs/evaluation.md",)),
    Item(
        "11", "Missing data", documents=("docs/evaluation.md", "docs/functions.md"), said="Absence is an observation."
    ),
    Item("12a", "How the data were used: splits", ("audit/splits.tsv",), ("docs/data.md",)),
    Item("12b", "Handling of predictors", documents=("docs/functions.md",)),
    Item("12c", "Type of model and how it was built", (f"{_POLICY}/config.yaml", f"{_POLICY}/history.tsv")),
    Item("12d", "Heterogeneity between clusters", said="One hospital: none to compare; intervals are over patients."),
    Item("12e", "Measures of performance", (_METRICS,), ("docs/evaluation.md",)),
    Item("12f", "Recalibration", ("calibration/{model}.tsv",), said="Shown, on validation half B; not applied."),
    Item("12g", "How predictions are made", documents=("docs/protocol.md",)),
    Item("13", "Class imbalance", documents=("docs/evaluation.md",), said="Natural prevalence, no class weights."),
    Item("14", "Fairness", (_SUBGROUPS, "figures/subgroups.pdf")),
    Item("15", "Model output and thresholds", (_METRICS,), ("docs/evaluation.md",)),
    Item("16", "Differences between training and evaluation", documents=("docs/protocol.md",)),
    Item("17", "Ethical approval"),
    Item("18a-d", "Funding, conflicts of interest, protocol, registration"),
    Item("18e", "Data sharing", documents=("docs/data.md",), said="Credentialed records are never shared from here."),
    Item("18f", "Code sharing", documents=("README.md",)),
    Item("19", "Patient and public involvement"),
    Item("20a", "Flow of participants", ("audit/exclusions.tsv", "audit/index.html")),
    Item("20b", "Characteristics of participants", (_SUBGROUPS, "audit/ingest.tsv")),
    Item("20c", "Comparison of development and evaluation data", ("audit/prevalence.tsv",)),
    Item("21", "Participants and events in each analysis", ("audit/prevalence.tsv", _METRICS)),
    Item("22", "Full model", (f"{_POLICY}/disposition/policy.json",), said="Weights lie beside each policy.json."),
    Item("23a", "Performance with intervals, by subgroup", (_MAIN, _ABLATIONS, _METRICS, _SUBGROUPS)),
    Item("23b", "Heterogeneity of performance", (_SUBGROUPS,)),
    Item("24", "Model updating", said="None was done."),
    Item("25", "Interpretation"),
    Item("26", "Limitations", said="See “What this does not show” above; the authors must add theirs."),
    Item("27a", "Poor or absent input data", ("figures/subgroups.pdf",), ("docs/functions.md",)),
    Item("27b", "Users' interaction and expertise", said="Not studied."),
    Item("27c", "Next steps, generalisability", said="External validation was not done."),
)
TRIPOD_LLM = (
    Item("1-4", "Title, abstract, background, objectives"),
    Item("5", "Data: source, preparation, what the model may have seen", ("audit/ingest.tsv",), ("docs/data.md",)),
    Item(
        "6", "Analytical methods: model, version, training, sizes", (f"{_POLICY}/config.yaml",), ("config/README.md",)
    ),
    Item("7", "Output: form, parsing, metrics, unanswered", (_METRICS,), ("docs/protocol.md", "docs/evaluation.md")),
    Item("8", "Annotation", said="None: labels are computed."),
    Item("9", "Prompting", documents=("config/prompts/", "docs/protocol.md")),
    Item("10", "Summarization", said="Does not apply."),
    Item("11", "Instruction tuning, alignment, reward", (f"{_POLICY}/history.tsv",), ("docs/protocol.md",)),
    Item("12", "Compute", ("benchmarks/train_policy/{policy}.seed{seed}.jsonl",)),
    Item("13", "Ethical approval"),
    Item("14", "Open science: funding, conflicts, protocol, registration, data, code", documents=("README.md",)),
    Item("15", "Public involvement"),
    Item("16", "Participants", ("audit/exclusions.tsv", _SUBGROUPS)),
    Item("17", "Performance", (_MAIN, _ABLATIONS, "numeric_check/{model}.tsv", "figures/calibration.pdf")),
    Item("18", "Updating of the model", said="None was done."),
    Item("19", "Interpretation, limitations, usability", said="See above; the authors must add theirs."),
)
EXPECTED = {
    "main.tsv": "Table 1: other models beside the policy",
    "ablations.tsv": "the ablations",
    "figures/subgroups.pdf": "subgroups",
    "figures/calibration.pdf": "calibration",
    "figures/decision_curve.pdf": "decision curves",
    "figures/budget.pdf": "own against random choice of evidence under a budget",
    "figures/calls.pdf": "accuracy against calls",
    "figures/usable_value.pdf": "whether requests follow usable value",
    "figures/reading.pdf": "reading of the same random evidence",
    "figures/call_map.pdf": "calls patient by patient",
    "counterfactual.tsv": "whether the policy reads: counterfactual observations",
    "leak_suite.tsv": "the search for leaks",
    "sensitivity.tsv": "sensitivity to unstated choices",
}
"""What a whole study has; the card names each that was not made."""
