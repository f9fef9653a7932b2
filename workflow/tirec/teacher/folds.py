"""Folds of patients: rows of one patient never stand on both sides."""

import numpy as np


def patient_folds(patient: np.ndarray, label: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """(rows,) the fold of each row; patients with a positive row are dealt out evenly, then the others.

    The folds depend on the patients, their labels and the seed alone, not on the order of rows.
    """
    patients, index = np.unique(patient, return_inverse=True)
    positive = np.bincount(index, weights=label, minlength=patients.size) > 0
    shuffled = np.random.default_rng(seed).permutation(patients.size)
    dealt = shuffled[np.argsort(~positive[shuffled], kind="stable")]
    fold = np.empty(patients.size, dtype=np.int64)
    fold[dealt] = np.arange(patients.size) % folds
    return fold[index]


def patient_holdout(patient: np.ndarray, label: np.ndarray, share: float, seed: int) -> np.ndarray:
    """(rows,) true for the rows of about `share` of the patients, positives dealt out evenly."""
    return patient_folds(patient, label, max(2, round(1 / share)), seed) == 0
