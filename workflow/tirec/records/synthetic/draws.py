"""Small seeded draws that the parts of the story share, all vectorised over visits."""

import zlib
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
MINUTE = 60
HOUR = 3600
DAY = 86400


def stream(seed: int, chunk: int, name: str) -> np.random.Generator:
    """The random stream of one part of one chunk; parts do not disturb one another."""
    return np.random.default_rng([seed, chunk, zlib.crc32(name.encode())])


def pick(rng: np.random.Generator, weights: Sequence[float] | Floats, n: int) -> Ints:
    """n indices drawn with these weights."""
    share = np.cumsum(np.asarray(weights, dtype=float))
    return np.searchsorted(share / share[-1], rng.random(n), side="right").clip(max=len(share) - 1)


def pick_tilted(rng: np.random.Generator, weights: Sequence[float], tilts: Sequence[float], by: Floats) -> Ints:
    """One index per element of `by`, with log weights that lean by `tilt * by`."""
    scores = np.log(np.asarray(weights))[None, :] + np.asarray(tilts)[None, :] * by[:, None]
    return (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def correlated(rng: np.random.Generator, shared: Floats, loading: float) -> Floats:
    """A standard normal that correlates by `loading` with the standard normal `shared`."""
    return loading * shared + np.sqrt(1 - loading**2) * rng.standard_normal(len(shared))


def levels(score: Floats, shares: Sequence[float]) -> Ints:
    """Cuts a standard normal into 0, 1, 2, …, so that each level has its share."""
    edges = [NormalDist().inv_cdf(share) for share in np.cumsum(shares)[:-1]]
    return np.searchsorted(np.asarray(edges), score).astype(np.int64)


def chance(rng: np.random.Generator, probability: float | Floats, n: int) -> Flags:
    """True with this probability, n times."""
    return rng.random(n) < probability


def seldom(rng: np.random.Generator, share: float, n: int, at_least: int = 0) -> Ints:
    """Sorted indices of about `share * n` rows, and of no fewer than `at_least` while there are that many."""
    count = min(n, max(at_least, int(rng.binomial(n, share))))
    return np.sort(rng.choice(n, size=count, replace=False)).astype(np.int64)


def lognormal(rng: np.random.Generator, median: float | Floats, spread: float, n: int) -> Floats:
    """Positive draws with this median; `spread` is the standard deviation of the logarithm."""
    return np.asarray(median) * np.exp(spread * rng.standard_normal(n))


def logistic(score: Floats) -> Floats:
    """Probability from log odds."""
    return 1 / (1 + np.exp(-score))


def ragged(counts: Ints) -> tuple[Ints, Ints]:
    """For rows with these counts of children: each child's row, and its place among its siblings from 0."""
    owner = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - starts[owner]


def seconds(minutes: Floats) -> Ints:
    """Whole seconds from minutes."""
    return np.rint(minutes * MINUTE).astype(np.int64)
