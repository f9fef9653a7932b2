"""Folds are of patients, even in positives, and do not depend on the order of rows."""

import numpy as np
import pytest

from tirec.teacher.folds import patient_folds, patient_holdout

RNG = np.random.default_rng(0)
PATIENT = RNG.integers(0, 200, 900) * 10 + 7
LABEL = RNG.random(900) < 0.05


def test_all_rows_of_a_patient_share_a_fold() -> None:
    fold = patient_folds(PATIENT, LABEL, folds=5, seed=0)
    for patient in np.unique(PATIENT):
        assert len(set(fold[patient == PATIENT])) == 1


def test_folds_hold_equally_many_patients_and_positive_patients() -> None:
    fold = patient_folds(PATIENT, LABEL, folds=5, seed=0)
    for rows in (np.ones(900, bool), LABEL):
        patients = [np.unique(PATIENT[rows & (fold == one)]).size for one in range(5)]
        assert max(patients) - min(patients) <= 1


def test_row_order_does_not_matter_and_the_seed_does() -> None:
    fold = patient_folds(PATIENT, LABEL, folds=5, seed=0)
    order = RNG.permutation(900)
    assert (patient_folds(PATIENT[order], LABEL[order], folds=5, seed=0) == fold[order]).all()
    assert (patient_folds(PATIENT, LABEL, folds=5, seed=1) != fold).any()


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_holdout_is_about_its_share_of_patients(share: float) -> None:
    held_out = patient_holdout(PATIENT, LABEL, share, seed=0)
    assert np.unique(PATIENT[held_out]).size == pytest.approx(share * np.unique(PATIENT).size, abs=2)
    assert not set(PATIENT[held_out]) & set(PATIENT[~held_out])
