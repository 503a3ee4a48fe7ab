"""Administered rules: drafts, versions that are never overwritten, and the rulesets that analyses keep."""
