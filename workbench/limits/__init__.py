"""Limits of uploads: upper bounds from the operator's environment, and lower values set by administrators."""
