"""Seeded draws that depend on the thing drawn alone, so that a larger sample contains the smaller one."""

import hashlib

import numpy as np
import polars as pl


def tickets(ids: pl.Series, seed: int, purpose: str) -> pl.Series:
    """One well-mixed unsigned 64-bit number per id (n,), a function of id, seed and purpose only."""
    key = hashlib.blake2b(f"{seed}:{purpose}".encode(), digest_size=8).digest()
    mixed = _mix(_mix(ids.to_numpy().astype(np.uint64)) ^ np.frombuffer(key, dtype=np.uint64)[0])
    return pl.Series("ticket", mixed, dtype=pl.UInt64)


def _mix(values: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every input bit moves every output bit."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
