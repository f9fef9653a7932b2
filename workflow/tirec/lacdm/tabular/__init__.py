"""Models without language on the same cases: the floors of every table, boosted trees, and two cost-aware policies."""
