"""Arithmetic over Arrow columns that knows no file and no symptom: order, selection, grouping."""
