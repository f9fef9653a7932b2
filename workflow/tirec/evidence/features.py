"""The trees' columns of every case, made a few visits at a time."""

import sys
from collections import Counter
from collections.abc import Iterator

import polars as pl
from tqdm import tqdm

from tirec.config.evidence import EvidenceConfig
from tirec.errors import EmptyError
from tirec.evidence.functions import REGISTRY
from tirec.evidence.functions.context import phrases, slug
from tirec.evidence.window import CUTOFF_COLUMNS, Evidence, gather
from tirec.evidence.wording import one_line
from tirec.records.schema import Tables


def build(tables: Tables, instances: pl.DataFrame, complaints: tuple[str, ...], config: EvidenceConfig) -> pl.DataFrame:
    """evidence_id, `<function>__<feature>` (float32, NaN = not observed) and context__elapsed_min, by evidence_id.

    `instances` needs evidence_id, csn, mrn, cutoff_s; several instances may share one evidence_id. Raises EmptyError
    where there are none.
    """
    parts = [columns(gather(tables, chunk, config, complaints)) for chunk in chunks(instances, config, "features")]
    if not parts:
        raise EmptyError("features: there is no instance to make features for")
    return pl.concat(parts).sort("evidence_id").rechunk()


def columns(evidence: Evidence) -> pl.DataFrame:
    """All functions' columns side by side, one row per case."""
    elapsed = (pl.col("cutoff_s") / 60).cast(pl.Float32).alias("context__elapsed_min")
    faces = [function.columns(evidence).drop("evidence_id") for function in REGISTRY.values()]
    return pl.concat([evidence.ids, *faces, evidence.visit.select(elapsed)], how="horizontal")


def chunks(instances: pl.DataFrame, config: EvidenceConfig, what: str) -> Iterator[pl.DataFrame]:
    """The distinct cutoffs of `features.chunk_visits` visits at a time; neighbours in the tables stay together."""
    cutoffs = instances.select(CUTOFF_COLUMNS).unique().sort("csn", "evidence_id")
    visit = cutoffs["csn"].rle_id()
    groups = cutoffs.with_columns(chunk=visit // config.features.chunk_visits).partition_by("chunk", include_key=False)
    yield from tqdm(groups, desc=what, unit="chunk", mininterval=5, file=sys.stderr, disable=len(groups) < 2)


def complaint_vocabulary(visits: pl.DataFrame, splits: pl.DataFrame, config: EvidenceConfig) -> tuple[str, ...]:
    """The complaint phrases that become columns, most frequent first: counted on training visits only.

    `visits` needs csn and cc, `splits` csn and split.
    """
    rules = config.features
    train = splits.filter(pl.col("split") == "train").select("csn")
    said = visits.join(train, on="csn", how="semi").select(one_line(pl.col("cc")))
    counted = Counter(phrase for text in said["cc"] for phrase in phrases(text) if slug(phrase))
    ranked = sorted(counted, key=lambda phrase: (-counted[phrase], phrase))
    frequent = (phrase for phrase in ranked if counted[phrase] >= rules.complaint_min_visits)
    # Two spellings of one phrase would be one column name: the more frequent one stands.
    by_slug: dict[str, str] = {}
    for phrase in frequent:
        by_slug.setdefault(slug(phrase), phrase)
    return tuple(list(by_slug.values())[: rules.complaints])
