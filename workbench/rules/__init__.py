"""Administered rules: drafts, immutable versions, and the rulesets of analyses."""
