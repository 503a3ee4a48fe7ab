"""The table of rows: what was asked for, where it works, and the test that shows it."""
