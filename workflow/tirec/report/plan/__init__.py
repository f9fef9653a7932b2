"""What a study will cost and whether a site is ready for it, before anything is submitted."""
