"""The page of trajectories: one self-contained HTML file that shows what each model asked, read, wrote and answered."""
