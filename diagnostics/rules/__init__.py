"""Rules as validated values: conditions over measured facts, and every mistake of a rule named with its line.

The rules themselves are data in `diagnostics/symptoms/`.
"""
