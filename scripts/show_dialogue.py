"""Prints one saved LA-CDM dialogue: what each agent read and wrote, what came back, and how it ended."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.agent import trajectories
from tirec.errors import DataError
from tirec.lacdm.predictions import read_predictions
from tirec.lacdm.told import as_text


def main() -> None:
    """Prints the dialogue about one case; without a case, the first one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="full.seed0", help="name of the model")
    parser.add_argument("--split", default="test", choices=("validation", "test"))
    parser.add_argument("--case", type=int, help="case_id")
    parser.add_argument("--results", default=Path("demo/results/lacdm"), type=Path, help="folder results/lacdm")
    given = parser.parse_args()
    saved = given.results / "trajectories" / given.model / f"{given.split}.jsonl.zst"
    if not saved.is_file():
        raise DataError(f"{saved}: no such dialogues; run the study, or name its folder with --results")
    found = next((one for one in trajectories.read(saved) if given.case in (None, one.instance_id)), None)
    if found is None:
        raise DataError(f"{saved}: no dialogue about case {given.case}")
    predictions = read_predictions(given.results / "predictions" / given.model / f"{given.split}.parquet")
    predicted = dict(predictions.select("case_id", "predicted").iter_rows())
    print(as_text(found, predicted[found.instance_id]))


if __name__ == "__main__":
    frontend.run(main)
