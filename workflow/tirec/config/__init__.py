"""Typed configuration: one small frozen model per stage."""
