"""From signals to a verdict: rules applied, causes ordered, health scored. Plain Python, no Spark."""
