"""Arithmetic over Arrow columns, independent of files and symptoms: order, selection, grouping."""
