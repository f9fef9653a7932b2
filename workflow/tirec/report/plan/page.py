"""The forecast as text."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tirec.config.study import Study
from tirec.config.training import compose
from tirec.report.plan.dry_run import PlannedJob
from tirec.report.plan.forecast import AblationForecast, Rates, disk_gb, largest, of_ablation, prediction_gpu_hours


def forecast_lines(study: Study, rates: Rates, jobs: Sequence[PlannedJob]) -> Iterator[str]:
    """What the planned jobs will take: jobs by rule, training of each policy, predictions, disk, largest job."""
    counts = sorted(Counter(job.rule for job in jobs).items())
    yield f"{len(jobs)} jobs: {', '.join(f'{count} {rule}' for rule, count in counts)}"
    trained = [job for job in jobs if job.rule == "train_policy"]
    forecasts = [
        of_ablation(study, compose(job.wildcards["policy"], study.training.overrides), job, rates) for job in trained
    ]
    yield ""
    yield f"{'policy':<18}{'min/step':>9}{'hours':>8}{'GPU h':>8}{'attempts':>10}  job"
    yield from map(_row, sorted(forecasts, key=lambda one: one.policy))
    yield ""
    predicted = sum(job.rule == "predict_policy" for job in jobs)
    each = prediction_gpu_hours(study, rates)
    yield f"{predicted} sets of predictions, about {each:.1f} GPU hours each"
    total = sum(one.gpu_hours for one in forecasts) + predicted * each
    yield f"about {total:.0f} GPU hours in all (estimates: workflow/tirec/report/plan/throughput.tsv)"
    for what, size in disk_gb(study, rates).items():
        yield f"about {size:.0f} GB for {what}"
    if jobs:
        yield f"largest job: {largest(jobs).rule}, {largest(jobs).asked}"


def _row(one: AblationForecast) -> str:
    numbers = f"{one.step_minutes:>9.1f}{one.hours:>8.1f}{one.gpu_hours:>8.0f}{one.attempts:>10}"
    return f"{one.policy:<18}{numbers}  {one.job.asked}"
