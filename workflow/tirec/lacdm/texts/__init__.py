"""What a test answers: one text per admission and test, with the source rows behind it.

Every maker returns a frame of hadm_id, text and rows (List[Int64]), one row per admission in which the test was
performed; an admission without a row has not had it.
"""
