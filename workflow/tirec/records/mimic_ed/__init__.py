"""MIMIC-IV-ED: its six tables, and hospital laboratory results where they are given, as the eight tables."""

from tirec.records.mimic_ed.files import data_folder, source_files
from tirec.records.mimic_ed.ingest import ingest, raw_files

__all__ = ["data_folder", "ingest", "raw_files", "source_files"]
