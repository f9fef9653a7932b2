"""Classical models on the trees' columns: fitted, tuned, calibrated, saved, asked."""
