"""The bounds on uploads: what the operator's environment allows at most, and what administrators set below that."""
