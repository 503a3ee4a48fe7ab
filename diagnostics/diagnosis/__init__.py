"""From signals to a verdict: apply rules, order causes, score health. Plain Python, no Spark."""
