"""Rules as validated values: conditions over measured facts; every error of a rule is reported with its line.

The rules themselves are data in `diagnostics/symptoms/`.
"""
