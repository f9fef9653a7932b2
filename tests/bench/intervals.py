"""How long intervals take: the weighted bootstrap against the plain scikit-learn loop. Usage: intervals.py [--draws N]

Prints CPU seconds (of one thread, so that other work on the machine does not count) for AUROC and average precision of
one model under 1,000 patient resamples of a test set as large as MC-MED's (39,000 instances), the same for the plain
loop (timed on a few draws, scaled), and for all metrics of ten models and Table 1 of them. Exit code 1 where these
take longer than LIMIT on two cores.
"""

import argparse
import sys
import time

import numpy as np
import polars as pl
from sklearn.metrics import average_precision_score, roc_auc_score

from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.comparisons import COMPARED, SHOWN
from tirec.evaluation.intervals import Resample, resample
from tirec.evaluation.model_table import model_table
from tirec.evaluation.scores import score

LIMIT = 120
"""Seconds on two cores, that is twice as many of CPU."""
VISITS, PATIENTS, MODELS, PLAIN_DRAWS = 13_000, 7_800, 10, 5
RANKING = ("auroc", "auprc")


def outcomes(seed: int, digits: int) -> pl.DataFrame:
    """39,000 cases per three settings of one task each: a third of 117,000, as the real eligibility leaves."""
    rng = np.random.default_rng(seed)
    frames = []
    for task in TASKS:
        for setting in SETTINGS[task]:
            mrn = np.sort(rng.integers(0, PATIENTS, VISITS // 3))
            label = rng.random(mrn.size) < 0.15
            p = np.round(1 / (1 + np.exp(2 - 1.5 * label - rng.normal(size=mrn.size))), digits)
            visit = np.arange(mrn.size)
            cells = {"task": task, "setting": setting, "csn": visit, "mrn": mrn, "label": label.astype(np.int8), "p": p}
            frames.append(pl.DataFrame({**cells, "flagged": p > 0.3, "answered": True, "calls": 3, "match": 0.5}))
    return pl.concat(frames)


def seconds_weighted(cases: pl.DataFrame, sample: Resample, metrics: tuple[str, ...] | None = None) -> float:
    """Seconds of our form."""
    started = time.process_time()
    layout = {task: list(settings) for task, settings in SETTINGS.items()}
    score(cases, sample, layout, metrics, pooled=False) if metrics else score(cases, sample, layout)
    return time.process_time() - started


def seconds_plain(cases: pl.DataFrame, draws: int) -> float:
    """Seconds of drawing rows of patients and calling scikit-learn, scaled from a few draws."""
    rng = np.random.default_rng(0)
    started = time.process_time()
    for _ in range(PLAIN_DRAWS):
        drawn = np.bincount(rng.integers(0, PATIENTS, PATIENTS), minlength=PATIENTS)
        for _, cell in cases.group_by("task", "setting", maintain_order=True):
            rows = np.repeat(np.arange(cell.height), drawn[cell["mrn"].to_numpy()])
            label, p = cell["label"].to_numpy()[rows], cell["p"].to_numpy()[rows]
            roc_auc_score(label, p)
            average_precision_score(label, p)
    return (time.process_time() - started) / PLAIN_DRAWS * draws


def main() -> None:
    """Prints the times and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    sample = resample(np.arange(PATIENTS), draws, seed=0)
    for name, digits in (("a tree (every p its own)", 12), ("a language model (two decimals)", 2)):
        cases = outcomes(0, digits)
        ours, plain = seconds_weighted(cases, sample, RANKING), seconds_plain(cases, draws)
        print(
            f"{name}: {cases.height:,} cases, {draws:,} draws: {ours:.1f} s; plain {plain:.0f} s; x{plain / ours:.0f}"
        )
    every = seconds_metrics(sample)
    table = seconds_table(draws)
    print(f"all metrics of {MODELS} models, settings, means and pooled: {every:.0f} s; Table 1 of them: {table:.0f} s")
    sys.exit(every + table > 2 * LIMIT)


def seconds_metrics(sample: Resample) -> float:
    """Seconds of every metric of ten models, half of them with a p of its own per case."""
    return sum(seconds_weighted(outcomes(seed, 12 if seed % 2 else 2), sample) for seed in range(MODELS))


def seconds_table(draws: int) -> float:
    """Seconds of Table 1: scores of ten models, differences to the reference, marks."""
    rules = EvaluationConfig(draws=draws, reference="model0", model_comparisons=("model1",))
    started = time.process_time()
    sample, layout = (
        resample(np.arange(PATIENTS), draws, seed=0),
        {task: list(names) for task, names in SETTINGS.items()},
    )
    scored = {
        f"model{seed}": score(outcomes(seed, 12), sample, layout, COMPARED + SHOWN, False) for seed in range(MODELS)
    }
    model_table(scored, rules)
    return time.process_time() - started


if __name__ == "__main__":
    main()
